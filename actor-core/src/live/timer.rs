//! Timers of live actors: a tokio task each, which ends with its actor.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use tokio::task::AbortHandle;

/// What a timer's task, its fired events and its handles share.
#[derive(Debug, Default)]
pub(crate) struct Armed {
    /// Set by `cancel`, never reset. An event that has fired and is not handled yet is void then.
    /// Relaxed is enough: a cancel must be seen by the actor that cancels, on its own thread or
    /// after tokio has moved its task, which synchronises; for anyone else it is a race anyway.
    cancelled: AtomicBool,
}

impl Armed {
    pub(super) fn is_cancelled(&self) -> bool {
        self.cancelled.load(Ordering::Relaxed)
    }
}

/// One firing of a timer, for as long as its event is unread.
#[derive(Debug)]
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
#[derive(Clone, Debug)]
pub(crate) struct LiveTimer {
    armed: Arc<Armed>,
    task: AbortHandle,
}

impl LiveTimer {
    pub(super) fn new(armed: Arc<Armed>, task: AbortHandle) -> Self {
        Self { armed, task }
    }

    pub(crate) fn cancel(self) {
        self.armed.cancelled.store(true, Ordering::Relaxed);
        self.task.abort();
    }
}
