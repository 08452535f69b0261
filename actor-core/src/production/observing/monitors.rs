//! Runtime verification: monitors in production, and the time that each was hot.

use std::any::TypeId;
use std::cell::Cell;
use std::collections::{HashMap, VecDeque};
use std::panic;
use std::sync::{Mutex, Once};
use std::thread;
use std::time::Duration;

use tokio::sync::Notify;
use tokio::time::Instant;

use super::violation::{MonitorStep, MonitorViolation, MonitorViolationKind};
use crate::event::Event;
use crate::identity::ActorId;
use crate::panics::{catch_panic, lock};
use crate::specification::{AnyMonitor, Moment, Temperature};

thread_local! {
    /// True while a monitor observes on this thread. Events that a monitor sends, although it should not,
    /// are not observed, since the table is locked.
    static OBSERVING: Cell<bool> = const { Cell::new(false) };
    /// The source location of a monitor's panic on this thread.
    static PLACE: Cell<Option<String>> = const { Cell::new(None) };
}

/// Replaces the panic hook: a monitor's panic is reported as a violation, with its location, not printed.
fn keep_panics_from_the_hook() {
    static ONCE: Once = Once::new();
    // The hook can't be changed while a panic unwinds; the next registered monitor retries.
    if thread::panicking() {
        return;
    }
    ONCE.call_once(|| {
        let before = panic::take_hook();
        panic::set_hook(Box::new(move |info| {
            if OBSERVING.try_with(Cell::get).unwrap_or(false) {
                PLACE.set(info.location().map(ToString::to_string));
            } else {
                before(info);
            }
        }));
    });
}

/// The number of state changes that a monitor remembers.
const TRACE: usize = 16;

/// An event, as monitors observe it.
pub(crate) struct MonitoredEvent<'a> {
    pub(crate) event: &'a dyn Event,
    pub(crate) sender: Option<ActorId>,
    pub(crate) target: Option<ActorId>,
    /// The time since the start of the system.
    pub(crate) time: Duration,
}

/// The registered monitors of a system.
///
/// One lock serialises them all, so that all monitors observe one order of events. An event is shown
/// before its target can handle it, so causes come before effects.
#[derive(Default)]
pub(crate) struct Monitors {
    table: Mutex<MonitorTable>,
    /// Notified when the next deadline of a hot monitor may have changed.
    pub(crate) heated: Notify,
}

#[derive(Default)]
struct MonitorTable {
    /// `None` for a monitor that was removed after a violation.
    monitors: Vec<Option<RegisteredMonitor>>,
    /// The monitors that observe an event, each with the index in its own table of observations.
    index: HashMap<(TypeId, Moment), Vec<(usize, u16)>>,
    /// True if a monitor stays registered after a violation.
    goes_on: bool,
    limit: Option<Duration>,
    /// The limits of single monitor types, which override `limit`.
    limits: HashMap<TypeId, Duration>,
}

struct RegisteredMonitor {
    monitor: Box<dyn AnyMonitor>,
    heat: HotTimer,
    /// The last changes of state.
    trace: VecDeque<MonitorStep>,
}

/// The time for which a monitor has been hot since it was last cold. Warm states stop the clock.
#[derive(Default)]
struct HotTimer {
    gathered: Duration,
    since: Option<Instant>,
    reported: bool,
}

impl HotTimer {
    /// Returns true if the clock was started.
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

impl RegisteredMonitor {
    fn temperature(&self) -> Temperature {
        self.monitor.info().states[self.monitor.state()].1
    }

    /// Returns the time for which this monitor may be hot: the limit of its type, or the general one.
    fn limit(&self, any: Option<Duration>, limits: &HashMap<TypeId, Duration>) -> Option<Duration> {
        let own = limits.get(&self.monitor.monitor_type());
        own.copied().or(any)
    }

    fn state_name(&self) -> &'static str {
        self.monitor.info().states[self.monitor.state()].0
    }

    /// Shows an event to the monitor; returns true if the event started the clock.
    fn observe(
        &mut self,
        observation: u16,
        seen: &MonitoredEvent<'_>,
    ) -> Result<bool, Box<MonitorViolation>> {
        let before = self.monitor.state();
        let MonitoredEvent {
            event,
            sender,
            target,
            time,
        } = *seen;
        let observe = || self.monitor.observe(observation, event, sender, target);
        match catch_panic(observe) {
            Ok(state) => {
                if state != before {
                    self.remember(observation, time);
                }
                Ok(self.heat.enter(self.temperature()))
            }
            Err(message) => Err(Box::new(MonitorViolation {
                place: PLACE.take(),
                // The `Debug` of the event is the user's code.
                event: catch_panic(|| format!("{event:?}")).ok(),
                sender,
                target,
                ..self.violation(MonitorViolationKind::Safety, message, time)
            })),
        }
    }

    fn remember(&mut self, observation: u16, time: Duration) {
        if self.trace.len() == TRACE {
            self.trace.pop_front();
        }
        let observed = &self.monitor.info().observes[usize::from(observation)];
        self.trace.push_back(MonitorStep {
            state: self.state_name(),
            event: observed.event.name,
            time,
        });
    }

    fn violation(
        &self,
        kind: MonitorViolationKind,
        message: String,
        time: Duration,
    ) -> MonitorViolation {
        let stateless = self.monitor.is_stateless();
        MonitorViolation {
            monitor: self.monitor.info().name,
            state: (!stateless).then(|| self.state_name()),
            kind,
            message,
            place: None,
            event: None,
            sender: None,
            sender_name: None,
            target: None,
            target_name: None,
            time,
            trace: self.trace.iter().cloned().collect(),
        }
    }
}

impl Monitors {
    /// Registers a monitor, unless one of its type is registered.
    pub(crate) fn register(&self, monitor: Box<dyn AnyMonitor>) {
        let mut watched = RegisteredMonitor {
            monitor,
            heat: HotTimer::default(),
            trace: VecDeque::new(),
        };
        keep_panics_from_the_hook();
        watched.heat.enter(watched.temperature());
        let refused = lock(&self.table).insert(watched);
        drop(refused);
        self.heated.notify_one();
    }

    /// Shows an event to the monitors that observe its type at that moment. Returns the violations of
    /// those whose handler panicked, which are removed unless they stay after violations.
    pub(crate) fn observe(
        &self,
        moment: Moment,
        kind: TypeId,
        seen: &MonitoredEvent<'_>,
    ) -> Vec<MonitorViolation> {
        if OBSERVING.replace(true) {
            return Vec::new();
        }
        let mut removed = Vec::new();
        let mut violations = Vec::new();
        let mut heated = false;
        {
            let mut table = lock(&self.table);
            let MonitorTable {
                monitors,
                index,
                goes_on,
                ..
            } = &mut *table;
            let observers = index.get(&(kind, moment)).map_or(&[][..], Vec::as_slice);
            for &(at, observation) in observers {
                let Some(watched) = &mut monitors[at] else {
                    continue;
                };
                match watched.observe(observation, seen) {
                    Ok(started) => heated |= started,
                    Err(violation) => {
                        violations.push(*violation);
                        if !*goes_on {
                            removed.push(monitors[at].take());
                        }
                    }
                }
            }
            if heated && table.is_limited() {
                self.heated.notify_one();
            }
        }
        OBSERVING.set(false);
        // The user's destructors run under no lock. A second panic can't be reported.
        drop(catch_panic(|| drop(removed)));
        violations
    }

    pub(crate) fn go_on(&self, goes_on: bool) {
        lock(&self.table).goes_on = goes_on;
    }

    pub(crate) fn set_limit(&self, limit: Duration) {
        lock(&self.table).limit = Some(limit);
        self.heated.notify_one();
    }

    pub(crate) fn set_limit_of(&self, monitor: TypeId, limit: Duration) {
        lock(&self.table).limits.insert(monitor, limit);
        self.heated.notify_one();
    }

    /// Returns the violations of monitors that have been hot for too long, each once.
    pub(crate) fn overdue(&self, time: Duration) -> Vec<MonitorViolation> {
        let mut table = lock(&self.table);
        let MonitorTable {
            monitors,
            limit,
            limits,
            ..
        } = &mut *table;
        let now = Instant::now();
        let overdue = |watched: &mut RegisteredMonitor| {
            let limit = watched.limit(*limit, limits)?;
            let deadline = watched.heat.deadline(limit)?;
            if deadline > now {
                return None;
            }
            watched.heat.reported = true;
            let message = format!("hot for longer than {limit:?}");
            Some(watched.violation(MonitorViolationKind::Liveness, message, time))
        };
        monitors.iter_mut().flatten().filter_map(overdue).collect()
    }

    /// Returns the time at which the next monitor will have been hot for too long.
    pub(crate) fn deadline(&self) -> Option<Instant> {
        let table = lock(&self.table);
        let deadline = |watched: &RegisteredMonitor| {
            let limit = watched.limit(table.limit, &table.limits)?;
            watched.heat.deadline(limit)
        };
        table.monitors.iter().flatten().filter_map(deadline).min()
    }
}

impl MonitorTable {
    fn is_limited(&self) -> bool {
        self.limit.is_some() || !self.limits.is_empty()
    }

    /// Adds a monitor; returns it if one of its type is registered.
    fn insert(&mut self, watched: RegisteredMonitor) -> Option<RegisteredMonitor> {
        let of_type = watched.monitor.monitor_type();
        let known = |other: &RegisteredMonitor| other.monitor.monitor_type() == of_type;
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
