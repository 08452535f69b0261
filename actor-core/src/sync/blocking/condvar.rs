//! Blocking condition variables: [`Condvar`].

use std::future::Future;
use std::panic::Location;
use std::pin::{Pin, pin};
use std::sync::LockResult;
use std::task::Context as TaskContext;
use std::time::Duration;

use super::super::lock::mapped;
use super::super::observed::Observed;
use super::mutex::MutexGuard;
use crate::environment::{ClockSleep, sleep};
use crate::object::ObjectOperation;
use crate::seam::{
    self, AccessEffect, BlockUntil, MadeAccess, Purpose, Query, SourceLocation, Unblock, Wait,
};

const KIND: &str = "Condvar";

/// A condition variable for a value in a [`Mutex`](super::Mutex), as in the standard library.
///
/// Under test the strategy decides which waiter is woken. Another operation may take the lock before the
/// woken one, so the condition must be checked again. There are no spurious wake-ups without the fault
/// `wake`.
///
/// ```
/// use std::sync::Arc;
///
/// use actor_core::sync::blocking::{Condvar, Mutex};
/// use actor_core::thread;
///
/// let ready = Arc::new((Mutex::new(false), Condvar::new()));
/// let other = ready.clone();
/// let thread = thread::spawn(move || {
///     *other.0.lock().unwrap() = true;
///     other.1.notify_one();
/// });
/// let is_ready = ready.0.lock().unwrap();
/// let is_ready = ready.1.wait_while(is_ready, |is_ready| !*is_ready).unwrap();
/// assert!(*is_ready);
/// # drop(is_ready);
/// # thread.join().unwrap();
/// ```
#[derive(Debug)]
pub struct Condvar(Observed<std::sync::Condvar>);

impl Condvar {
    /// Creates a condition variable without waiters.
    #[track_caller]
    pub const fn new() -> Self {
        Self(Observed::new(std::sync::Condvar::new()))
    }

    /// Releases the lock and waits for a notification, atomically; takes the lock again afterwards.
    ///
    /// # Errors
    ///
    /// Returns the guard in the error if the lock is poisoned.
    #[track_caller]
    pub fn wait<'a, T>(&self, guard: MutexGuard<'a, T>) -> LockResult<MutexGuard<'a, T>> {
        let place = Location::caller();
        if seam::is_controlled() {
            return self.wait_until(guard, None, place).0;
        }
        let (inner, lock) = guard.into_parts();
        mapped(self.0.inner.wait(inner), |inner| lock.guard(inner, place))
    }

    /// Waits while the condition holds.
    ///
    /// # Errors
    ///
    /// Returns the guard in the error if the lock is poisoned.
    #[track_caller]
    pub fn wait_while<'a, T>(
        &self,
        mut guard: MutexGuard<'a, T>,
        mut condition: impl FnMut(&mut T) -> bool,
    ) -> LockResult<MutexGuard<'a, T>> {
        while condition(&mut guard) {
            guard = self.wait(guard)?;
        }
        Ok(guard)
    }

    /// As [`wait`](Self::wait), with a time limit, in virtual time under test.
    ///
    /// # Errors
    ///
    /// Returns the guard in the error if the lock is poisoned.
    #[track_caller]
    pub fn wait_timeout<'a, T>(
        &self,
        guard: MutexGuard<'a, T>,
        limit: Duration,
    ) -> LockResult<(MutexGuard<'a, T>, WaitTimeoutResult)> {
        let place = Location::caller();
        if seam::is_controlled() {
            let limit = pin!(sleep(false, limit, Purpose::Sleep));
            let (locked, is_notified) = self.wait_until(guard, Some(limit), place);
            return mapped(locked, |guard| (guard, WaitTimeoutResult(!is_notified)));
        }
        let (inner, lock) = guard.into_parts();
        let waited = self.0.inner.wait_timeout(inner, limit);
        mapped(waited, |(inner, result)| {
            let result = WaitTimeoutResult(result.timed_out());
            (lock.guard(inner, place), result)
        })
    }

    /// Waits while the condition holds, with a time limit, in virtual time under test.
    ///
    /// ```
    /// use std::time::Duration;
    ///
    /// use actor_core::sync::blocking::{Condvar, Mutex};
    ///
    /// let (ready, changed) = (Mutex::new(false), Condvar::new());
    /// let limit = Duration::from_millis(1);
    /// let waited = changed.wait_timeout_while(ready.lock().unwrap(), limit, |ready| !*ready);
    /// assert!(waited.unwrap().1.timed_out());
    /// ```
    ///
    /// # Errors
    ///
    /// Returns the guard in the error if the lock is poisoned.
    #[track_caller]
    pub fn wait_timeout_while<'a, T>(
        &self,
        mut guard: MutexGuard<'a, T>,
        limit: Duration,
        mut condition: impl FnMut(&mut T) -> bool,
    ) -> LockResult<(MutexGuard<'a, T>, WaitTimeoutResult)> {
        let place = Location::caller();
        if seam::is_controlled() {
            let mut limit = pin!(sleep(false, limit, Purpose::Sleep));
            let mut is_over = false;
            while condition(&mut guard) {
                if is_over {
                    return Ok((guard, WaitTimeoutResult(true)));
                }
                let (locked, is_notified) = self.wait_until(guard, Some(limit.as_mut()), place);
                is_over = !is_notified;
                guard = match locked {
                    Ok(guard) => guard,
                    poisoned => {
                        return mapped(poisoned, |guard| (guard, WaitTimeoutResult(is_over)));
                    }
                };
            }
            return Ok((guard, WaitTimeoutResult(false)));
        }
        let (inner, lock) = guard.into_parts();
        let waited = self.0.inner.wait_timeout_while(inner, limit, condition);
        mapped(waited, |(inner, result)| {
            let result = WaitTimeoutResult(result.timed_out());
            (lock.guard(inner, place), result)
        })
    }

    /// Under test: releases the lock until a notification (true) or the time limit (false).
    fn wait_until<'a, T>(
        &self,
        guard: MutexGuard<'a, T>,
        limit: Option<Pin<&mut ClockSleep>>,
        place: SourceLocation,
    ) -> (LockResult<MutexGuard<'a, T>>, bool) {
        let operation = ObjectOperation::at(KIND, "waits at", place);
        let access = self.0.object.begin_access(operation);
        let (lock, again) = guard.release(place);
        let mut is_notified = false;
        if let (Some(runtime), Some(access)) = (seam::current(), access) {
            runtime.access(MadeAccess::Object(access, AccessEffect::CHANGES, None));
            let waker = seam::current_waker();
            // The limit may have been reached since the last notification.
            let is_over = limit.is_some_and(|limit| {
                let polled = limit.poll(&mut TaskContext::from_waker(&waker));
                polled.is_ready()
            });
            is_notified = !is_over
                && (seam::query(|to| Query::IsWokenSpuriously(to))
                    || runtime.block(BlockUntil::Changed(access, Wait::News)));
        }
        (lock.lock_again(again, place), is_notified)
    }

    /// Wakes one waiter.
    #[track_caller]
    pub fn notify_one(&self) {
        if !seam::is_controlled() {
            return self.0.inner.notify_one();
        }
        self.notify("notifies one at", Unblock::NotifyOne);
    }

    /// Wakes all waiters.
    #[track_caller]
    pub fn notify_all(&self) {
        if !seam::is_controlled() {
            return self.0.inner.notify_all();
        }
        self.notify("notifies all at", Unblock::NotifyAll);
    }

    /// Under test: wakes one waiter or all.
    #[track_caller]
    fn notify(&self, verb: &'static str, whom: Unblock) {
        let access = self.0.object.begin_access(ObjectOperation::new(KIND, verb));
        self.0.object.record_access(access, AccessEffect::CHANGES);
        self.0.object.wake(KIND, whom);
    }
}

impl Default for Condvar {
    #[track_caller]
    fn default() -> Self {
        Self::new()
    }
}

/// The result of a wait with a time limit: records if the limit was reached.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct WaitTimeoutResult(bool);

impl WaitTimeoutResult {
    /// True if the time limit was reached without a notification.
    pub fn timed_out(self) -> bool {
        self.0
    }
}
