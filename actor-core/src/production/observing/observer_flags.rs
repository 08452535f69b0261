//! Flags for the observers of a system's actors: [`ObserverFlags`].

use std::sync::atomic::{AtomicU8, Ordering};

/// The kinds of observation that are switched on. A bit is set when the first observer asks for it, and
/// stays set. An actor reads the flags before each event, which is its whole cost while nobody observes.
#[derive(Default)]
pub(crate) struct ObserverFlags(AtomicU8);

/// Monitors observe events.
pub(crate) const OBSERVED: u8 = 1;
/// The watchdog checks for stuck handlers.
pub(crate) const STUCK: u8 = 1 << 1;
/// The watchdog checks the depth of mailboxes.
pub(crate) const DEPTH: u8 = 1 << 2;

/// The times of sending are recorded, unless monitors need the senders.
pub(crate) const AGES: u8 = 1 << 3;

/// Handlers' spans follow from those of senders.
pub(crate) const CARRIES: u8 = 1 << 4;

impl ObserverFlags {
    /// Relaxed is enough: other synchronisation, such as the spawn, orders the flags before the actor.
    #[inline]
    pub(crate) fn bits(&self) -> u8 {
        self.0.load(Ordering::Relaxed)
    }

    pub(crate) fn add(&self, bit: u8) {
        self.0.fetch_or(bit, Ordering::Relaxed);
    }
}
