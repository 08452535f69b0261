//! Who looks at the actors of a system: [`Attention`].

use std::sync::atomic::{AtomicU8, Ordering};

/// What is watched. A bit is added when the first asks for it, and stays; an actor looks here before
/// each event, and that is all it pays while nobody watches.
#[derive(Default)]
pub(crate) struct Attention(AtomicU8);

/// Monitors observe events.
pub(crate) const OBSERVED: u8 = 1;
/// Which handler runs is looked at.
pub(crate) const STUCK: u8 = 1 << 1;
/// How much is unread is looked at.
pub(crate) const DEPTH: u8 = 1 << 2;

/// When events are sent is kept, where nobody observes them.
pub(crate) const AGES: u8 = 1 << 3;

/// Handlers' spans follow from those of senders.
pub(crate) const CARRIES: u8 = 1 << 4;

impl Attention {
    /// Relaxed: who must be watched was told by some other synchronisation, its spawn for instance.
    #[inline]
    pub(crate) fn bits(&self) -> u8 {
        self.0.load(Ordering::Relaxed)
    }

    pub(crate) fn add(&self, bit: u8) {
        self.0.fetch_or(bit, Ordering::Relaxed);
    }
}
