//! A timer whose event may be in the inbox.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Weak};

/// Who may be brought back, and what was armed before is void then.
pub(crate) trait Lives: Send + Sync {
    /// How often it was brought back.
    fn life(&self) -> u32;
}

/// What a timer's task, its fired events and its handles share.
pub(crate) struct Armed {
    owner: Weak<dyn Lives>,
    /// In which life of its owner it was armed: it ends with that.
    life: u32,
    /// Set by `cancel`, never reset. An event that has fired and is not handled yet is void then.
    /// Relaxed is enough: a cancel must be seen by the actor that cancels, on its own thread or
    /// after another thread has taken it over, which synchronises; for anyone else it is a race anyway.
    cancelled: AtomicBool,
}

impl Armed {
    pub(crate) fn new(owner: &Arc<impl Lives + 'static>) -> Self {
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

    /// It was cancelled, or its owner was brought back since.
    pub(crate) fn is_cancelled(&self) -> bool {
        let owner = self.owner.upgrade();
        self.cancelled.load(Ordering::Relaxed)
            || owner.is_none_or(|owner| owner.life() != self.life)
    }
}

/// One firing of a timer, for as long as its event is unread.
pub(crate) struct Fired(Arc<Armed>);

impl Fired {
    pub(crate) fn new(armed: Arc<Armed>) -> Arc<Self> {
        Arc::new(Self(armed))
    }

    pub(crate) fn is_cancelled(&self) -> bool {
        self.0.is_cancelled()
    }
}
