//! Blocking barriers: [`Barrier`].

use super::super::barrier::{Arrivals, BarrierWaitResult};
use super::super::observed::Observed;
use crate::object::{Accessed, ObjectOperation};
use crate::seam::{self, AccessEffect, Wait};

/// A barrier for a fixed number of threads, as in the standard library.
///
/// ```
/// use std::sync::Arc;
///
/// use actor_core::sync::blocking::Barrier;
/// use actor_core::thread;
///
/// let both = Arc::new(Barrier::new(2));
/// let other = both.clone();
/// let thread = thread::spawn(move || other.wait().is_leader());
/// let leads = both.wait().is_leader();
/// assert_ne!(thread.join().ok(), Some(leads));
/// ```
#[derive(Debug)]
pub struct Barrier {
    barrier: Observed<std::sync::Barrier>,
    arrivals: Arrivals,
}

impl Barrier {
    /// Creates a barrier for `count` threads.
    #[track_caller]
    pub const fn new(count: usize) -> Self {
        Self {
            barrier: Observed::new(std::sync::Barrier::new(count)),
            arrivals: Arrivals::new(count),
        }
    }

    /// Waits for the others. One of them is the leader; under test, the last to arrive.
    #[track_caller]
    pub fn wait(&self) -> BarrierWaitResult {
        if !seam::is_controlled() {
            return BarrierWaitResult(self.barrier.inner.wait().is_leader());
        }
        let operation = ObjectOperation::new("Barrier", "comes to");
        self.barrier
            .object
            .step(operation, || (), |()| AccessEffect::CHANGES);
        let (is_last, rounds) = self.arrivals.arrive();
        if is_last {
            self.barrier.object.unblock(operation.kind);
        } else {
            let passes = self
                .barrier
                .object
                .current_access(operation.with_verb("passes"));
            let attempt = || (self.arrivals.rounds() > rounds).then_some(());
            self.barrier
                .object
                .block_on(passes, Wait::Alone, AccessEffect::READS, attempt);
        }
        BarrierWaitResult(is_last)
    }
}
