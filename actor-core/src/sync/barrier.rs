//! Async barriers: [`Barrier`].

use std::future::Future;
use std::sync::{Mutex, PoisonError};

use super::observed::Observed;
use crate::object::ObjectOperation;
use crate::seam::{self, AccessEffect, Wait};

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
    barrier: Observed<tokio::sync::Barrier>,
    arrivals: Arrivals,
    /// Wakes the waiters under test; tokio's own barrier would draw their order itself.
    complete: tokio::sync::Notify,
}

/// The arrivals at a barrier under test.
#[derive(Debug)]
pub(super) struct Arrivals {
    /// The number of arrivals that complete a round.
    count: usize,
    /// The number of arrivals in this round, and the number of completed rounds.
    state: Mutex<(usize, u64)>,
}

impl Arrivals {
    pub(super) const fn new(count: usize) -> Self {
        let state = Mutex::new((0, 0));
        Self { count, state }
    }

    /// Counts the caller. Returns true if the round is complete; and the number of completed rounds.
    pub(super) fn arrive(&self) -> (bool, u64) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.0 += 1;
        let is_last = state.0 >= self.count;
        if is_last {
            *state = (0, state.1 + 1);
        }
        (is_last, state.1)
    }

    /// Returns the number of completed rounds.
    pub(super) fn rounds(&self) -> u64 {
        self.state.lock().unwrap_or_else(PoisonError::into_inner).1
    }
}

impl Barrier {
    /// Creates a barrier for `count` tasks.
    #[track_caller]
    pub fn new(count: usize) -> Self {
        Self {
            barrier: Observed::new(tokio::sync::Barrier::new(count)),
            arrivals: Arrivals::new(count),
            complete: tokio::sync::Notify::const_new(),
        }
    }

    /// Waits for the others; the last to arrive is the leader.
    #[track_caller]
    pub fn wait(&self) -> impl Future<Output = BarrierWaitResult> {
        let operation = ObjectOperation::new("Barrier", "passes");
        async move {
            if !seam::is_controlled() {
                return BarrierWaitResult(self.barrier.inner.wait().await.is_leader());
            }
            let pass = self.wait_controlled();
            let passed = self
                .barrier
                .object
                .wait(operation, Wait::Alone, pass, |_| AccessEffect::CHANGES);
            // The box keeps the controlled future out of the size of production futures.
            Box::pin(passed).await
        }
    }

    async fn wait_controlled(&self) -> BarrierWaitResult {
        let complete = self.complete.notified();
        let (is_last, _) = self.arrivals.arrive();
        match is_last {
            true => self.complete.notify_waiters(),
            false => complete.await,
        }
        BarrierWaitResult(is_last)
    }
}

/// The result of a wait: records if the caller is the leader.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct BarrierWaitResult(pub(super) bool);

impl BarrierWaitResult {
    /// True for exactly one of those that met.
    pub fn is_leader(self) -> bool {
        self.0
    }
}
