//! What an actor is told ahead of its inbox: [`Lane`].

use std::sync::atomic::{AtomicU16, Ordering};

/// What an actor was told and has not seen to yet. It looks here before each event.
#[derive(Default)]
pub(crate) struct Lane(AtomicU16);

/// To stop, since its supervisor does without it for now or for good.
pub(crate) const STOP: u16 = 1;
/// To fail, since it has given up its children.
pub(crate) const GIVE_UP: u16 = 1 << 1;
/// To fail, since one that it is linked to has.
pub(crate) const LINKED: u16 = 1 << 2;
/// To end at once.
pub(crate) const KILL: u16 = 1 << 3;
/// To be made anew.
pub(crate) const START: u16 = 1 << 4;
/// To end for good while it is down.
pub(crate) const FINISH: u16 = 1 << 5;
/// As [`FINISH`], since its supervisor gives up.
pub(crate) const EXHAUSTED: u16 = 1 << 6;
/// No child of it is left.
pub(crate) const CLOSED: u16 = 1 << 7;
/// Somebody has told it to stop, sooner or later: it is not brought back.
pub(crate) const QUIT: u16 = 1 << 8;

/// What comes before the next event.
const URGENT: u16 = STOP | GIVE_UP | LINKED | KILL;

impl Lane {
    /// Something comes before the next event. Relaxed: who tells rouses the actor, by way of a lock.
    #[inline]
    pub(crate) fn is_urgent(&self) -> bool {
        self.0.load(Ordering::Relaxed) & URGENT != 0
    }

    /// Any of these.
    pub(crate) fn has(&self, any: u16) -> bool {
        self.0.load(Ordering::SeqCst) & any != 0
    }

    pub(crate) fn add(&self, order: u16) {
        self.0.fetch_or(order, Ordering::SeqCst);
    }

    /// Removes these; tells which of them there were.
    pub(crate) fn take(&self, orders: u16) -> u16 {
        self.0.fetch_and(!orders, Ordering::SeqCst) & orders
    }
}
