//! Timers of live actors: a tokio task each, which ends with its actor.

use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Weak};

use super::cell::Cell;
use super::executor::Task;

/// What a timer's task, its fired events and its handles share.
pub(crate) struct Armed {
    owner: Weak<Cell>,
    /// In which life of its owner it was armed: it ends with that.
    life: u32,

    /// Set by `cancel`, never reset. An event that has fired and is not handled yet is void then.
    /// Relaxed is enough: a cancel must be seen by the actor that cancels, on its own thread or
    /// after another thread has taken it over, which synchronises; for anyone else it is a race anyway.
    cancelled: AtomicBool,
}

impl Armed {
    pub(super) fn new(owner: &Arc<Cell>) -> Self {
        Self {
            owner: Arc::downgrade(owner),
            life: owner.life(),
            cancelled: AtomicBool::new(false),
        }
    }

    /// It was cancelled, or its owner was brought back since.
    pub(super) fn is_cancelled(&self) -> bool {
        let owner = self.owner.upgrade();
        self.cancelled.load(Ordering::Relaxed)
            || owner.is_none_or(|owner| owner.life() != self.life)
    }
}

/// One firing of a timer, for as long as its event is unread.
pub(crate) struct Fired(Arc<Armed>);

impl Fired {
    pub(super) fn new(armed: Arc<Armed>) -> Arc<Self> {
        Arc::new(Self(armed))
    }

    pub(super) fn is_cancelled(&self) -> bool {
        self.0.is_cancelled()
    }
}

/// An armed timer.
#[derive(Clone)]
pub(crate) struct LiveTimer {
    armed: Arc<Armed>,
    task: Task,
}

impl fmt::Debug for LiveTimer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let is_cancelled = self.armed.is_cancelled();
        f.debug_struct("LiveTimer")
            .field("is_cancelled", &is_cancelled)
            .finish()
    }
}

impl LiveTimer {
    pub(super) fn new(armed: Arc<Armed>, task: Task) -> Self {
        Self { armed, task }
    }

    pub(crate) fn cancel(self) {
        self.armed.cancelled.store(true, Ordering::Relaxed);
        self.task.abort();
    }
}
