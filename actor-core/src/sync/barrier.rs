//! Async barriers: [`Barrier`].

use std::future::Future;
use std::sync::{Mutex, PoisonError};

use crate::object::{Object, ObjectOperation};
use crate::runtime::{self, AccessEffect, Wait};

/// A barrier for a fixed number of tasks, as tokio's.
///
/// ```
/// use std::sync::Arc;
///
/// use actor_core::sync::Barrier;
/// use actor_core::task;
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() {
/// let both = Arc::new(Barrier::new(2));
/// let other = both.clone();
/// let other = task::spawn(async move { other.wait().await.is_leader() });
/// let leads = both.wait().await.is_leader();
/// assert_ne!(other.await.ok(), Some(leads));
/// # }
/// ```
#[derive(Debug)]
pub struct Barrier {
    object: Object,
    inner: tokio::sync::Barrier,
    count: usize,
    meeting: ControlledBarrier,
}

/// The barrier under test. tokio's own is not used, as it wakes the waiters in an order that it draws itself.
#[derive(Debug)]
struct ControlledBarrier {
    come: Mutex<usize>,
    complete: tokio::sync::Notify,
}

impl ControlledBarrier {
    async fn wait(&self, count: usize) -> BarrierWaitResult {
        let complete = self.complete.notified();
        let is_last = {
            let mut come = self.come.lock().unwrap_or_else(PoisonError::into_inner);
            *come += 1;
            let is_last = *come >= count;
            if is_last {
                *come = 0;
            }
            is_last
        };
        match is_last {
            true => self.complete.notify_waiters(),
            false => complete.await,
        }
        BarrierWaitResult(is_last)
    }
}

impl Barrier {
    /// Creates a barrier for `count` tasks.
    #[track_caller]
    pub fn new(count: usize) -> Self {
        Self {
            object: Object::new(),
            inner: tokio::sync::Barrier::new(count),
            count,
            meeting: ControlledBarrier {
                come: Mutex::new(0),
                complete: tokio::sync::Notify::const_new(),
            },
        }
    }

    /// Waits for the others; the last to arrive is the leader.
    #[track_caller]
    pub fn wait(&self) -> impl Future<Output = BarrierWaitResult> {
        let deed = ObjectOperation::new("Barrier", "passes");
        async move {
            if !runtime::is_controlled() {
                return BarrierWaitResult(self.inner.wait().await.is_leader());
            }
            let meet = self.meeting.wait(self.count);
            let met = self
                .object
                .wait(deed, Wait::Alone, meet, |_| AccessEffect::CHANGES);
            // The box keeps the controlled future out of the size of production futures.
            Box::pin(met).await
        }
    }
}

/// The result of a wait: records if the caller is the leader.
#[derive(Clone, Debug)]
pub struct BarrierWaitResult(bool);

impl BarrierWaitResult {
    /// True for exactly one of the tasks that met.
    pub fn is_leader(&self) -> bool {
        self.0
    }
}
