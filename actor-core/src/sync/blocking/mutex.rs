//! Blocking mutexes: [`Mutex`].

use std::mem::forget;
use std::sync::{LockResult, TryLockResult};

use super::super::lock::{Guard, LOCK, mapped, tried};
use super::super::observed::Observed;
use crate::object::ObjectOperation;
use crate::seam::{Access, AccessEffect, SourceLocation, Wait};

const KIND: &str = "Mutex";

/// A mutex, as in the standard library.
///
/// ```
/// use actor_core::sync::blocking::Mutex;
///
/// static COUNT: Mutex<u32> = Mutex::new(0);
///
/// *COUNT.lock().unwrap() += 1;
/// assert_eq!(*COUNT.lock().unwrap(), 1);
/// ```
pub struct Mutex<T: ?Sized>(Observed<std::sync::Mutex<T>>);

blocking_lock!(Mutex);

impl<T: ?Sized> Mutex<T> {
    /// Waits for the lock.
    ///
    /// # Errors
    ///
    /// Returns the guard in the error if the lock is poisoned: a holder has panicked.
    #[track_caller]
    #[inline]
    pub fn lock(&self) -> LockResult<MutexGuard<'_, T>> {
        let wrap = |guard| MutexGuard(guard, self);
        LOCK.block(
            &self.0,
            |inner| inner.lock(),
            |inner| inner.try_lock(),
            wrap,
        )
    }

    /// Takes the lock if nobody holds it.
    ///
    /// # Errors
    ///
    /// If somebody holds the lock. If the lock is poisoned, the error contains the guard.
    #[track_caller]
    pub fn try_lock(&self) -> TryLockResult<MutexGuard<'_, T>> {
        let wrap = |guard| MutexGuard(guard, self);
        LOCK.try_block(&self.0, |inner| inner.try_lock(), wrap)
    }

    /// Takes the lock in the step in progress, or waits for it.
    pub(super) fn lock_again(
        &self,
        access: Option<Access>,
        place: SourceLocation,
    ) -> LockResult<MutexGuard<'_, T>> {
        let attempt = || tried(self.0.inner.try_lock());
        let locked = self
            .0
            .object
            .block_on(access, Wait::Alone, AccessEffect::TAKES, attempt);
        mapped(locked, |inner| self.guard(inner, place))
    }

    /// Makes a guard of a lock that was taken at that place.
    pub(super) fn guard<'a>(
        &'a self,
        inner: std::sync::MutexGuard<'a, T>,
        place: SourceLocation,
    ) -> MutexGuard<'a, T> {
        let operation = ObjectOperation::at(KIND, "locks", place);
        MutexGuard(Guard::of(&self.0.object, operation, inner), self)
    }
}

/// A guard of a [`Mutex`], which is released on drop.
pub struct MutexGuard<'a, T: ?Sized>(Guard<'a, std::sync::MutexGuard<'a, T>>, &'a Mutex<T>);

guard_mut!([?Sized] MutexGuard<'_, T>);

impl<'a, T: ?Sized> MutexGuard<'a, T> {
    /// Returns the inner guard, without ending the hold.
    pub(super) fn into_parts(self) -> (std::sync::MutexGuard<'a, T>, &'a Mutex<T>) {
        let Self(guard, lock) = self;
        forget(guard.hold);
        (guard.inner, lock)
    }

    /// Releases the lock in the step in progress; returns the lock, and the access by which to take it again.
    pub(super) fn release(self, place: SourceLocation) -> (&'a Mutex<T>, Option<Access>) {
        let (inner, lock) = self.into_parts();
        drop(inner);
        let operation = ObjectOperation::at(KIND, "lets go of", place);
        let object = &lock.0.object;
        object.record(operation, AccessEffect::LETS_GO);
        object.unblock(KIND);
        let again = operation.with_verb("locks again");
        (lock, object.current_access(again))
    }
}
