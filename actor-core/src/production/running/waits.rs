//! Which actor awaits whose reply, in debug builds: to find cycles, in which no reply ever comes.

#[cfg(debug_assertions)]
use std::borrow::Cow;
#[cfg(debug_assertions)]
use std::collections::BTreeMap;
#[cfg(not(debug_assertions))]
use std::marker::PhantomData;
use std::sync::Arc;
#[cfg(debug_assertions)]
use std::sync::Mutex;

#[cfg(debug_assertions)]
use crate::identity::ActorId;
#[cfg(debug_assertions)]
use crate::production::{
    host::{current::Sender, lock},
    observing::hooks::Fault,
};
#[cfg(debug_assertions)]
use crate::supervision::FailureKind;

/// An actor that can be asked.
#[cfg(debug_assertions)]
pub(crate) trait Asks: Sized {
    /// Who it is.
    fn id(&self) -> ActorId;
    /// What it is called.
    fn name(&self) -> Cow<'_, str>;
    /// All waits of its system.
    fn waits(&self) -> &Waits<Self>;
    /// Reports a failure of it.
    fn failed(&self, fault: Fault);
}

/// An actor that can be asked: nothing is kept of that in release builds.
#[cfg(not(debug_assertions))]
pub(crate) trait Asks {}

/// Who was asked, as long as the question may be part of a cycle. It is nothing in release builds.
pub(crate) struct Asked<A> {
    #[cfg(debug_assertions)]
    whom: Arc<A>,
    #[cfg(not(debug_assertions))]
    of: PhantomData<fn() -> A>,
    #[cfg(debug_assertions)]
    wait: Mutex<Wait>,
}

/// What is known of who awaits the reply.
#[cfg(debug_assertions)]
#[derive(Clone, Copy, PartialEq, Eq)]
enum Wait {
    /// Nobody has awaited it yet.
    NotYet,
    /// That actor does, in a handler.
    By(Sender),
    /// It is over; or nothing is to be concluded from it.
    Over,
}

#[cfg(debug_assertions)]
impl<A: Asks> Asked<A> {
    pub(in crate::production) fn of(whom: &Arc<A>) -> Self {
        Self {
            whom: whom.clone(),
            wait: Mutex::new(Wait::NotYet),
        }
    }

    /// The reply is awaited on this thread. Reports the cycle that this closes.
    pub(crate) fn awaited(&self) {
        if let Some(cycle) = self.closes_cycle() {
            let names = cycle.iter().chain(cycle.first()).map(|actor| actor.name());
            let message = names.collect::<Vec<_>>().join(" -> ");
            cycle[0].failed(Fault {
                kind: FailureKind::AskCycle,
                message,
            });
        }
    }

    /// Adds the wait, once; tells the cycle that it closes.
    fn closes_cycle(&self) -> Option<Vec<Arc<A>>> {
        let by = Sender::current();
        let mut wait = lock(&self.wait);
        if *wait != Wait::NotYet || by.is_nobody() {
            return None;
        }
        *wait = Wait::By(by);
        // Under the lock, so that nobody removes it before it is added.
        self.whom.waits().add(by, &self.whom)
    }

    /// The reply has come, or is out of the hands of who was asked, or is awaited with a limit, or no
    /// longer.
    pub(crate) fn over(&self) {
        let mut wait = lock(&self.wait);
        if let Wait::By(asker) = std::mem::replace(&mut *wait, Wait::Over) {
            self.whom.waits().remove(asker, self.whom.id());
        }
    }
}

#[cfg(not(debug_assertions))]
impl<A: Asks> Asked<A> {
    pub(in crate::production) fn of(_: &Arc<A>) -> Self {
        Self { of: PhantomData }
    }

    #[inline]
    pub(crate) fn awaited(&self) {}

    #[inline]
    pub(crate) fn over(&self) {}
}

/// All waits of one system, by who waits; an actor that joins futures may wait for several.
#[cfg(debug_assertions)]
pub(crate) struct Waits<A> {
    by: Mutex<BTreeMap<u64, Vec<Arc<A>>>>,
}

#[cfg(debug_assertions)]
impl<A> Default for Waits<A> {
    fn default() -> Self {
        Self {
            by: Mutex::default(),
        }
    }
}

#[cfg(debug_assertions)]
impl<A: Asks> Waits<A> {
    /// Adds a wait; tells the cycle that it closes, beginning with who waits.
    fn add(&self, by: Sender, whom: &Arc<A>) -> Option<Vec<Arc<A>>> {
        let mut all = lock(&self.by);
        all.entry(by.number()).or_default().push(whom.clone());
        let mut cycle: Vec<Arc<A>> = Vec::new();
        let mut last = by.number();
        // Who waits for several may be content with one.
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
