//! Which monitors observe what.

use std::any::TypeId;

use actor_core::{ActorInfo, Moment, MonitorInfo};

/// A registered monitor's interest in one kind of event.
#[derive(Clone, Copy, Debug)]
struct Interest {
    type_id: TypeId,
    moment: Moment,
    monitor: u16,
    observation: u16,
}

/// The monitors of one execution and what they observe.
///
/// Per actor type and event it keeps whether anyone observes, so that an event that no monitor
/// observes costs one look-up.
#[derive(Debug, Default)]
pub(super) struct Observers {
    interests: Vec<Interest>,
    routes: Vec<Option<Vec<Route>>>,
    /// The monitor types that `routes` was made for; most executions register the same.
    before: Vec<TypeId>,
    registered: Vec<TypeId>,
    stale: bool,
}

#[derive(Clone, Copy, Debug, Default)]
struct Route {
    sent: bool,
    handled: bool,
}

impl Observers {
    pub(super) fn begin(&mut self) {
        self.registered.clear();
        self.interests.clear();
        self.stale = true;
    }

    /// Adds a monitor; `false` where its type is registered already.
    pub(super) fn register(&mut self, type_id: TypeId, info: &'static MonitorInfo) -> bool {
        if self.registered.contains(&type_id) {
            return false;
        }
        let monitor = self.registered.len() as u16;
        self.registered.push(type_id);
        for (observation, observed) in info.observes.iter().enumerate() {
            self.interests.push(Interest {
                type_id: observed.event.type_id,
                moment: observed.moment,
                monitor,
                observation: observation as u16,
            });
        }
        self.stale = true;
        true
    }

    /// No monitor is registered.
    #[inline]
    pub(super) fn is_empty(&self) -> bool {
        self.interests.is_empty()
    }

    /// Whether anyone observes the event of an actor type at that moment.
    #[inline]
    pub(super) fn observes(
        &mut self,
        of_type: u32,
        info: &'static ActorInfo,
        event: u16,
        moment: Moment,
    ) -> bool {
        if self.stale {
            self.forget_routes();
        }
        let of_type = of_type as usize;
        if self.routes.len() <= of_type {
            self.routes.resize_with(of_type + 1, || None);
        }
        let interests = &self.interests;
        let routes = self.routes[of_type].get_or_insert_with(|| {
            let observed = |type_id, moment| {
                interests
                    .iter()
                    .any(|interest| interest.type_id == type_id && interest.moment == moment)
            };
            info.events
                .iter()
                .map(|event| Route {
                    sent: observed(event.type_id, Moment::Sent),
                    handled: observed(event.type_id, Moment::Handled),
                })
                .collect()
        });
        let Some(route) = routes.get(usize::from(event)) else {
            return false;
        };
        match moment {
            Moment::Sent => route.sent,
            Moment::Handled => route.handled,
            Moment::Replied => false,
        }
    }

    fn forget_routes(&mut self) {
        self.stale = false;
        if self.registered != self.before {
            self.routes.clear();
            self.before.clone_from(&self.registered);
        }
    }

    /// The first interest from number `from` on that fits: the number to go on with, the monitor
    /// and its observation. For a caller that can't keep this borrowed while a monitor runs.
    pub(super) fn next(
        &self,
        from: usize,
        type_id: TypeId,
        moment: Moment,
    ) -> Option<(usize, u16, u16)> {
        let found = self.interests[from.min(self.interests.len())..]
            .iter()
            .position(|interest| interest.type_id == type_id && interest.moment == moment)?;
        let at = from + found;
        let interest = &self.interests[at];
        Some((at + 1, interest.monitor, interest.observation))
    }
}
