//! Monitors in production: who observes what, and for how long each was hot.

use std::any::TypeId;
use std::cell::Cell;
use std::collections::HashMap;
use std::sync::Mutex;
use std::time::Duration;

use tokio::sync::Notify;
use tokio::time::Instant;

use super::hooks::{MonitorViolation, MonitorViolationKind};
use super::lock;
use crate::contained::contained;
use crate::event::Event;
use crate::monitor::{AnyMonitor, Moment, Temperature};
use crate::reference::ActorId;

thread_local! {
    /// A monitor observes on this thread. What it sends, although it should not, is not observed:
    /// the table is locked.
    static OBSERVING: Cell<bool> = const { Cell::new(false) };
}

/// The registered monitors of a system.
///
/// One lock serialises them all, so that every monitor sees one order of events: an event is shown
/// before its target can see it, so causes come before effects.
#[derive(Default)]
pub(super) struct Monitors {
    table: Mutex<Table>,
    /// Notified when the next deadline of a hot monitor may have changed.
    pub(super) heated: Notify,
}

#[derive(Default)]
struct Table {
    /// `None` where a monitor was removed after a violation.
    monitors: Vec<Option<Watched>>,
    /// Which monitors observe an event, each with the position in its own table.
    index: HashMap<(TypeId, Moment), Vec<(usize, u16)>>,
    limit: Option<Duration>,
    /// Those of single types, which come before the other.
    limits: HashMap<TypeId, Duration>,
}

struct Watched {
    monitor: Box<dyn AnyMonitor>,
    heat: Heat,
}

/// For how long a monitor was hot since it was last cold. Warm states stop the clock.
#[derive(Default)]
struct Heat {
    gathered: Duration,
    since: Option<Instant>,
    reported: bool,
}

impl Heat {
    /// Tells whether the clock was started.
    fn enter(&mut self, temperature: Temperature) -> bool {
        match temperature {
            Temperature::Hot if self.since.is_none() => {
                self.since = Some(Instant::now());
                return true;
            }
            Temperature::Hot => {}
            Temperature::Warm => {
                if let Some(since) = self.since.take() {
                    self.gathered += since.elapsed();
                }
            }
            Temperature::Cold => *self = Self::default(),
        }
        false
    }

    fn deadline(&self, limit: Duration) -> Option<Instant> {
        if self.reported {
            return None;
        }
        self.since?.checked_add(limit.saturating_sub(self.gathered))
    }
}

impl Watched {
    fn temperature(&self) -> Temperature {
        self.monitor.info().states[self.monitor.state()].1
    }

    /// For how long it may be hot: its type, or any.
    fn limit(&self, any: Option<Duration>, limits: &HashMap<TypeId, Duration>) -> Option<Duration> {
        let own = limits.get(&self.monitor.monitor_type());
        own.copied().or(any)
    }

    fn violation(&self, kind: MonitorViolationKind, message: String) -> MonitorViolation {
        let info = self.monitor.info();
        MonitorViolation {
            monitor: info.name,
            state: info.states[self.monitor.state()].0,
            kind,
            message,
        }
    }
}

impl Monitors {
    /// Registers a monitor, where none of its type is registered.
    pub(super) fn register(&self, monitor: Box<dyn AnyMonitor>) {
        let mut watched = Watched {
            monitor,
            heat: Heat::default(),
        };
        watched.heat.enter(watched.temperature());
        let refused = lock(&self.table).insert(watched);
        drop(refused);
        self.heated.notify_one();
    }

    /// Shows an event to the monitors that observe its type at that moment; returns whose handler
    /// panicked. Those are removed.
    pub(super) fn observe(
        &self,
        moment: Moment,
        kind: TypeId,
        event: &dyn Event,
        sender: Option<ActorId>,
        target: Option<ActorId>,
    ) -> Vec<MonitorViolation> {
        if OBSERVING.replace(true) {
            return Vec::new();
        }
        let mut removed = Vec::new();
        let mut violations = Vec::new();
        let mut heated = false;
        {
            let mut table = lock(&self.table);
            let Table {
                monitors, index, ..
            } = &mut *table;
            let observers = index.get(&(kind, moment)).map_or(&[][..], Vec::as_slice);
            for &(at, observation) in observers {
                let Some(watched) = &mut monitors[at] else {
                    continue;
                };
                let observe = || watched.monitor.observe(observation, event, sender, target);
                match contained(observe) {
                    Ok(_) => heated |= watched.heat.enter(watched.temperature()),
                    Err(message) => {
                        violations.push(watched.violation(MonitorViolationKind::Safety, message));
                        removed.push(monitors[at].take());
                    }
                }
            }
            if heated && table.is_limited() {
                self.heated.notify_one();
            }
        }
        OBSERVING.set(false);
        // A user's destructor, under no lock. A second panic has nobody left to be told to.
        drop(contained(|| drop(removed)));
        violations
    }

    pub(super) fn set_limit(&self, limit: Duration) {
        lock(&self.table).limit = Some(limit);
        self.heated.notify_one();
    }

    pub(super) fn set_limit_of(&self, monitor: TypeId, limit: Duration) {
        lock(&self.table).limits.insert(monitor, limit);
        self.heated.notify_one();
    }

    /// The monitors that have been hot for too long and were not named yet.
    pub(super) fn overdue(&self) -> Vec<MonitorViolation> {
        let mut table = lock(&self.table);
        let Table {
            monitors,
            limit,
            limits,
            ..
        } = &mut *table;
        let now = Instant::now();
        let overdue = |watched: &mut Watched| {
            let limit = watched.limit(*limit, limits)?;
            let deadline = watched.heat.deadline(limit)?;
            if deadline > now {
                return None;
            }
            watched.heat.reported = true;
            let message = format!("hot for longer than {limit:?}");
            Some(watched.violation(MonitorViolationKind::Liveness, message))
        };
        monitors.iter_mut().flatten().filter_map(overdue).collect()
    }

    /// When the next monitor will have been hot for too long.
    pub(super) fn deadline(&self) -> Option<Instant> {
        let table = lock(&self.table);
        let deadline = |watched: &Watched| {
            let limit = watched.limit(table.limit, &table.limits)?;
            watched.heat.deadline(limit)
        };
        table.monitors.iter().flatten().filter_map(deadline).min()
    }
}

impl Table {
    fn is_limited(&self) -> bool {
        self.limit.is_some() || !self.limits.is_empty()
    }

    /// Gives the monitor back where one of its type is there.
    fn insert(&mut self, watched: Watched) -> Option<Watched> {
        let of_type = watched.monitor.monitor_type();
        let known = |other: &Watched| other.monitor.monitor_type() == of_type;
        if self.monitors.iter().flatten().any(known) {
            return Some(watched);
        }
        let at = self.monitors.len();
        for (observation, observed) in watched.monitor.info().observes.iter().enumerate() {
            let key = (observed.event.type_id, observed.moment);
            let observation = u16::try_from(observation).expect("fewer than 2^16 observations");
            self.index.entry(key).or_default().push((at, observation));
        }
        self.monitors.push(Some(watched));
        None
    }
}
