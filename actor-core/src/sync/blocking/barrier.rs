//! Blocking barriers: [`Barrier`].

use std::sync::{Mutex, PoisonError};

use crate::object::{Object, ObjectOperation};
use crate::runtime::{self, AccessEffect, Wait};

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
    object: Object,
    inner: std::sync::Barrier,
    /// Under test: the number of threads, the number that have arrived, and the number of completed meetings.
    met: Mutex<(usize, usize, u64)>,
}

impl Barrier {
    /// Creates a barrier for `count` threads.
    #[track_caller]
    pub const fn new(count: usize) -> Self {
        Self {
            object: Object::new(),
            inner: std::sync::Barrier::new(count),
            met: Mutex::new((count, 0, 0)),
        }
    }

    /// Waits for the others. One of them is the leader; under test, the last to arrive.
    #[track_caller]
    pub fn wait(&self) -> BarrierWaitResult {
        if !runtime::is_controlled() {
            return BarrierWaitResult(self.inner.wait().is_leader());
        }
        let deed = ObjectOperation::new("Barrier", "comes to");
        let access = self.object.begin_access(deed);
        self.object.record_access(access, AccessEffect::CHANGES);
        let met = || self.met.lock().unwrap_or_else(PoisonError::into_inner);
        let (leads, times) = {
            let mut met = met();
            let (count, come, times) = &mut *met;
            *come += 1;
            let leads = *come >= *count;
            if leads {
                (*come, *times) = (0, *times + 1);
            }
            (leads, *times)
        };
        if leads {
            self.object.unblock(deed.kind);
        } else {
            let what = "passes";
            let passes = runtime::current().map(|rt| {
                self.object
                    .access(&*rt, ObjectOperation { verb: what, ..deed })
            });
            let mut attempt = || (met().2 > times).then_some(());
            self.object
                .block_on(passes, Wait::Alone, AccessEffect::LOOKS, &mut attempt);
        }
        BarrierWaitResult(leads)
    }
}

/// The result of a wait: records if the thread is the leader.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct BarrierWaitResult(bool);

impl BarrierWaitResult {
    /// True for exactly one of the threads that met.
    pub fn is_leader(self) -> bool {
        self.0
    }
}
