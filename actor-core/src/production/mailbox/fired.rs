//! Cancellation of timers whose event may be in the inbox.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Weak};

/// The owner of timers, whose restart makes earlier timers void.
pub(crate) trait TimerOwner: Send + Sync {
    /// Returns the number of restarts.
    fn life(&self) -> u32;
}

/// The state shared by a timer's task, its fired events and its handles.
pub(crate) struct TimerCancellation {
    owner: Weak<dyn TimerOwner>,
    /// The owner's restart count when the timer was armed.
    life: u32,
    /// Set by `cancel`, never reset. An event that has fired and is not handled yet becomes void then.
    /// Relaxed is enough: a cancel must be seen by the actor that cancels, on its own thread or after
    /// another thread has taken it over, which synchronises; anyone else races with it in any case.
    cancelled: AtomicBool,
}

impl TimerCancellation {
    pub(crate) fn new(owner: &Arc<impl TimerOwner + 'static>) -> Self {
        let weak = Arc::downgrade(owner);
        Self {
            owner: weak,
            life: owner.life(),
            cancelled: AtomicBool::new(false),
        }
    }

    pub(crate) fn cancel(&self) {
        self.cancelled.store(true, Ordering::Relaxed);
    }

    /// Returns true if the timer was cancelled, or its owner was restarted since.
    pub(crate) fn is_cancelled(&self) -> bool {
        let owner = self.owner.upgrade();
        self.cancelled.load(Ordering::Relaxed)
            || owner.is_none_or(|owner| owner.life() != self.life)
    }
}

/// One firing of a timer; it exists while the event is unread.
pub(crate) struct FiredTimer(Arc<TimerCancellation>);

impl FiredTimer {
    pub(crate) fn new(armed: Arc<TimerCancellation>) -> Arc<Self> {
        Arc::new(Self(armed))
    }

    pub(crate) fn is_cancelled(&self) -> bool {
        self.0.is_cancelled()
    }
}
