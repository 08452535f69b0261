//! Detection of cycles of asks in debug builds: a wait-for graph of actors.

#[cfg(debug_assertions)]
use std::collections::BTreeMap;
use std::sync::Arc;
#[cfg(debug_assertions)]
use std::sync::Mutex;

use super::live_actor::LiveActor;
#[cfg(debug_assertions)]
use crate::identity::ActorId;
#[cfg(debug_assertions)]
use crate::panics::lock;
#[cfg(debug_assertions)]
use crate::production::host::current::Sender;
#[cfg(debug_assertions)]
use crate::supervision::FailureKind;

/// The asked actor, while the ask may be part of a cycle. Empty in release builds.
pub(crate) struct TrackedAsk {
    #[cfg(debug_assertions)]
    whom: Arc<LiveActor>,
    #[cfg(debug_assertions)]
    wait: Mutex<AskWait>,
}

/// The state of the wait for the reply.
#[cfg(debug_assertions)]
#[derive(Clone, Copy, PartialEq, Eq)]
enum AskWait {
    /// The reply has not been awaited yet.
    NotYet,
    /// That actor awaits the reply, in a handler.
    By(Sender),
    /// The wait is over, or can't be part of a cycle.
    Over,
}

#[cfg(debug_assertions)]
impl TrackedAsk {
    pub(in crate::production) fn of(whom: &Arc<LiveActor>) -> Self {
        Self {
            whom: whom.clone(),
            wait: Mutex::new(AskWait::NotYet),
        }
    }

    /// Records that the reply is awaited on this thread. Reports a cycle that this closes.
    pub(crate) fn awaited(&self) {
        if let Some(cycle) = self.closes_cycle() {
            let names = cycle.iter().chain(cycle.first()).map(|actor| actor.name());
            let message = names.collect::<Vec<_>>().join(" -> ");
            cycle[0].fail(FailureKind::AskCycle, message);
        }
    }

    /// Adds the wait, once; returns a cycle that it closes.
    fn closes_cycle(&self) -> Option<Vec<Arc<LiveActor>>> {
        let by = Sender::current();
        let mut wait = lock(&self.wait);
        if *wait != AskWait::NotYet || by.is_nobody() {
            return None;
        }
        *wait = AskWait::By(by);
        // Under the lock, so that no thread removes it before it is added.
        self.whom.hub().waits.add(by, &self.whom)
    }

    /// Ends the wait: the reply came, another actor may send it, a limit was set, or the asker is gone.
    pub(crate) fn over(&self) {
        let mut wait = lock(&self.wait);
        if let AskWait::By(asker) = std::mem::replace(&mut *wait, AskWait::Over) {
            self.whom.hub().waits.remove(asker, self.whom.id());
        }
    }
}

#[cfg(not(debug_assertions))]
impl TrackedAsk {
    pub(in crate::production) fn of(_: &Arc<LiveActor>) -> Self {
        Self {}
    }

    #[inline]
    pub(crate) fn awaited(&self) {}

    #[inline]
    pub(crate) fn over(&self) {}
}

/// All waits of one system, by the asker; an actor that joins futures may have several.
#[cfg(debug_assertions)]
#[derive(Default)]
pub(in crate::production) struct Waits {
    by: Mutex<BTreeMap<u64, Vec<Arc<LiveActor>>>>,
}

#[cfg(debug_assertions)]
impl Waits {
    /// Adds a wait; returns a cycle that it closes, beginning with the asker.
    fn add(&self, by: Sender, whom: &Arc<LiveActor>) -> Option<Vec<Arc<LiveActor>>> {
        let mut all = lock(&self.by);
        all.entry(by.number()).or_default().push(whom.clone());
        let mut cycle: Vec<Arc<LiveActor>> = Vec::new();
        let mut last = by.number();
        // An asker with several waits may need only one of the replies.
        while let Some([next]) = all.get(&last).map(Vec::as_slice) {
            last = next.id().number();
            if cycle.iter().any(|actor| actor.id() == next.id()) {
                break;
            }
            cycle.push(next.clone());
            if last == by.number() {
                cycle.rotate_right(1);
                return Some(cycle);
            }
        }
        None
    }

    fn remove(&self, by: Sender, whom: ActorId) {
        let mut all = lock(&self.by);
        if let Some(awaited) = all.get_mut(&by.number()) {
            if let Some(at) = awaited.iter().position(|actor| actor.id() == whom) {
                awaited.swap_remove(at);
            }
            if awaited.is_empty() {
                all.remove(&by.number());
            }
        }
    }
}
