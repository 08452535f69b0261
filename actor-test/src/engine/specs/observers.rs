//! Subscriptions of monitors to events.

use std::any::TypeId;

use actor_core::generated::{EventInfo, Moment, MonitorInfo};

use crate::engine::world::types::Types;

/// A registered monitor's interest in one kind of event.
#[derive(Clone, Copy, Debug)]
struct Interest {
    type_id: TypeId,
    moment: Moment,
    observer: ObservingMonitor,
}

/// The monitors of one execution and the events that they observe.
///
/// For each event of each actor type the observers are kept, so that an event costs one look-up.
#[derive(Debug, Default)]
pub(crate) struct Observers {
    interests: Vec<Interest>,
    /// The moments of all `interests`.
    moments: [bool; 3],
    /// The observers of each event, in the order of [`Types`].
    routes: Vec<Route>,
    /// The monitor types that `routes` was made for; most executions register the same.
    before: Vec<TypeId>,
    registered: Vec<TypeId>,
    stale: bool,
}

/// The observers of an event at some moment.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) enum EventObservers {
    #[default]
    Nobody,
    One(ObservingMonitor),
    /// Several; [`Observers::next`] finds them.
    Several,
}

/// A monitor that observes an event.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct ObservingMonitor {
    pub(crate) monitor: u16,
    /// The index of the event among the monitor's observations.
    pub(crate) observation: u16,
}

#[derive(Clone, Copy, Debug, Default)]
struct Route {
    sent: EventObservers,
    handled: EventObservers,
}

impl Observers {
    pub(crate) fn begin(&mut self) {
        self.registered.clear();
        self.interests.clear();
        self.moments = [false; 3];
        self.stale = true;
    }

    /// Adds a monitor; returns `false` if its type is registered already.
    pub(crate) fn register(&mut self, type_id: TypeId, info: &'static MonitorInfo) -> bool {
        if self.registered.contains(&type_id) {
            return false;
        }
        let monitor = self.registered.len() as u16;
        self.registered.push(type_id);
        for (observation, observed) in info.observes.iter().enumerate() {
            self.moments[observed.moment as usize] = true;
            self.interests.push(Interest {
                type_id: observed.event.type_id,
                moment: observed.moment,
                observer: ObservingMonitor {
                    monitor,
                    observation: observation as u16,
                },
            });
        }
        self.stale = true;
        true
    }

    pub(crate) fn moments(&self) -> [bool; 3] {
        self.moments
    }

    /// Returns the observers of the event with that number among those of `types`, at that moment.
    #[inline]
    pub(crate) fn who(&mut self, types: &Types, event: usize, moment: Moment) -> EventObservers {
        if self.stale || self.routes.len() != types.event_count() {
            self.find_routes(types);
        }
        match (self.routes.get(event), moment) {
            (None, _) => EventObservers::Nobody,
            (Some(route), Moment::Sent) => route.sent,
            (Some(route), Moment::Handled) => route.handled,
            (Some(_), Moment::Replied) => EventObservers::Several,
        }
    }

    #[cold]
    fn find_routes(&mut self, types: &Types) {
        self.stale = false;
        if self.registered != self.before {
            self.routes.clear();
            self.before.clone_from(&self.registered);
        }
        let events = types.iter().flat_map(|known| {
            let events = known.info.events.iter();
            events.map(|event| (event, known.info.relays))
        });
        let route = |(event, is_passed_on): (&EventInfo, bool)| Route {
            sent: self.seen(event.type_id, Moment::Sent),
            handled: match is_passed_on {
                true => EventObservers::Nobody,
                false => self.seen(event.type_id, Moment::Handled),
            },
        };
        let more: Vec<Route> = events.skip(self.routes.len()).map(route).collect();
        self.routes.extend(more);
    }

    fn seen(&self, type_id: TypeId, moment: Moment) -> EventObservers {
        match self.next(0, type_id, moment) {
            None => EventObservers::Nobody,
            Some((after, observer)) => match self.next(after, type_id, moment) {
                None => EventObservers::One(observer),
                Some(_) => EventObservers::Several,
            },
        }
    }

    /// Returns the first matching interest from number `from` on: the number to go on with, and the observer.
    /// For a caller that can't keep this borrowed while a monitor runs.
    pub(crate) fn next(
        &self,
        from: usize,
        type_id: TypeId,
        moment: Moment,
    ) -> Option<(usize, ObservingMonitor)> {
        let found = self.interests[from.min(self.interests.len())..]
            .iter()
            .position(|interest| interest.type_id == type_id && interest.moment == moment)?;
        let at = from + found;
        Some((at + 1, self.interests[at].observer))
    }
}
