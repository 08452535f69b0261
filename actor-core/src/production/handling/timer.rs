//! Timers in production: one task each, which ends with its actor.

use std::fmt;
use std::sync::Arc;

use crate::production::host::executor::TaskHandle;
use crate::production::mailbox::fired::TimerCancellation;

#[derive(Clone)]
pub(crate) struct LiveTimer {
    armed: Arc<TimerCancellation>,
    task: TaskHandle,
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
    pub(in crate::production) fn new(armed: Arc<TimerCancellation>, task: TaskHandle) -> Self {
        Self { armed, task }
    }

    /// Returns true if the timer will not fire any more, and its event is not unread.
    pub(crate) fn is_over(&self) -> bool {
        Arc::strong_count(&self.armed) == 1
    }

    pub(crate) fn cancel(self) {
        self.armed.cancel();
        self.task.abort();
    }
}
