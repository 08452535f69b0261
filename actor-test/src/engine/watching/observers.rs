//! Which monitors observe what.

use std::any::TypeId;

use actor_core::generated::{ActorInfo, EventInfo, Moment, MonitorInfo};

/// A registered monitor's interest in one kind of event.
#[derive(Clone, Copy, Debug)]
struct Interest {
    type_id: TypeId,
    moment: Moment,
    observer: Observer,
}

/// The monitors of one execution and what they observe.
///
/// Per actor type and event it keeps who observes, so that an event costs one look-up.
#[derive(Debug, Default)]
pub(crate) struct Observers {
    interests: Vec<Interest>,
    /// The moments of `interests`.
    moments: [bool; 3],
    routes: Vec<Option<Vec<Route>>>,
    /// The monitor types that `routes` was made for; most executions register the same.
    before: Vec<TypeId>,
    registered: Vec<TypeId>,
    stale: bool,
}

/// Who observes an event at some moment.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) enum Seen {
    /// Nobody.
    #[default]
    Nobody,
    /// One monitor.
    One(Observer),
    /// Several; [`Observers::next`] finds them.
    Several,
}

/// A monitor that observes an event.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Observer {
    /// Its number.
    pub(crate) monitor: u16,
    /// Which of its observations the event is.
    pub(crate) observation: u16,
}

#[derive(Clone, Copy, Debug, Default)]
struct Route {
    sent: Seen,
    handled: Seen,
}

impl Observers {
    pub(crate) fn begin(&mut self) {
        self.registered.clear();
        self.interests.clear();
        self.moments = [false; 3];
        self.stale = true;
    }

    /// Adds a monitor; `false` where its type is registered already.
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
                observer: Observer {
                    monitor,
                    observation: observation as u16,
                },
            });
        }
        self.stale = true;
        true
    }

    /// The moments at which some monitor observes some event.
    pub(crate) fn moments(&self) -> [bool; 3] {
        self.moments
    }

    /// Who observes the event of an actor type, of which there is that `info`, at that moment.
    #[inline]
    pub(crate) fn who(
        &mut self,
        of_type: u32,
        info: impl FnOnce() -> &'static ActorInfo,
        event: u16,
        moment: Moment,
    ) -> Seen {
        let routes = match self.routes.get(of_type as usize) {
            Some(Some(routes)) if !self.stale => routes,
            _ => self.find_routes(of_type, info()),
        };
        match (routes.get(usize::from(event)), moment) {
            (None, _) => Seen::Nobody,
            (Some(route), Moment::Sent) => route.sent,
            (Some(route), Moment::Handled) => route.handled,
            (Some(_), Moment::Replied) => Seen::Several,
        }
    }

    #[cold]
    fn find_routes(&mut self, of_type: u32, info: &'static ActorInfo) -> &[Route] {
        if self.stale {
            self.forget_routes();
        }
        let of_type = of_type as usize;
        if self.routes.len() <= of_type {
            self.routes.resize_with(of_type + 1, || None);
        }
        if self.routes[of_type].is_none() {
            let route = |event: &EventInfo| Route {
                sent: self.seen(event.type_id, Moment::Sent),
                handled: self.seen(event.type_id, Moment::Handled),
            };
            self.routes[of_type] = Some(info.events.iter().map(route).collect());
        }
        self.routes[of_type].as_deref().unwrap_or_default()
    }

    fn seen(&self, type_id: TypeId, moment: Moment) -> Seen {
        match self.next(0, type_id, moment) {
            None => Seen::Nobody,
            Some((after, observer)) => match self.next(after, type_id, moment) {
                None => Seen::One(observer),
                Some(_) => Seen::Several,
            },
        }
    }

    fn forget_routes(&mut self) {
        self.stale = false;
        if self.registered != self.before {
            self.routes.clear();
            self.before.clone_from(&self.registered);
        }
    }

    /// The first interest from number `from` on that fits: the number to go on with, and who
    /// observes. For a caller that can't keep this borrowed while a monitor runs.
    pub(crate) fn next(
        &self,
        from: usize,
        type_id: TypeId,
        moment: Moment,
    ) -> Option<(usize, Observer)> {
        let found = self.interests[from.min(self.interests.len())..]
            .iter()
            .position(|interest| interest.type_id == type_id && interest.moment == moment)?;
        let at = from + found;
        Some((at + 1, self.interests[at].observer))
    }
}
