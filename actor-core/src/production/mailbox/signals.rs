//! Signals to an actor that go ahead of its inbox: [`Signals`].

use std::sync::atomic::{AtomicU16, Ordering};

/// The pending signals of an actor, checked before each event.
#[derive(Default)]
pub(crate) struct Signals(AtomicU16);

/// Stop, on the order of the supervisor, for now or for good.
pub(crate) const STOP: u16 = 1;
/// Fail, since the actor has given up its children.
pub(crate) const GIVE_UP: u16 = 1 << 1;
/// Fail, since a linked actor has failed.
pub(crate) const LINKED: u16 = 1 << 2;
/// End at once.
pub(crate) const KILL: u16 = 1 << 3;
/// Start again with a new value.
pub(crate) const START: u16 = 1 << 4;
/// End for good while the actor is down.
pub(crate) const FINISH: u16 = 1 << 5;
/// End as for [`FINISH`], since the supervisor gives up.
pub(crate) const EXHAUSTED: u16 = 1 << 6;
/// No child of the actor is left.
pub(crate) const CLOSED: u16 = 1 << 7;
/// The actor was stopped from outside, by any way: do not restart it.
pub(crate) const QUIT: u16 = 1 << 8;

/// The signals that are handled before the next event.
const URGENT: u16 = STOP | GIVE_UP | LINKED | KILL;

impl Signals {
    /// Returns true if a signal is urgent. Relaxed: signals also wake the actor, through a lock.
    #[inline]
    pub(crate) fn is_urgent(&self) -> bool {
        self.0.load(Ordering::Relaxed) & URGENT != 0
    }

    /// Returns true if any of these signals is set.
    pub(crate) fn has(&self, any: u16) -> bool {
        self.0.load(Ordering::SeqCst) & any != 0
    }

    pub(crate) fn add(&self, order: u16) {
        self.0.fetch_or(order, Ordering::SeqCst);
    }

    /// Removes these signals; returns those that were set.
    pub(crate) fn take(&self, orders: u16) -> u16 {
        self.0.fetch_and(!orders, Ordering::SeqCst) & orders
    }
}
