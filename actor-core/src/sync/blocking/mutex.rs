//! Blocking mutexes: [`Mutex`].

use std::fmt;
use std::ops::{Deref, DerefMut};
use std::panic::Location;
use std::sync::{LockResult, PoisonError, TryLockError, TryLockResult};

use crate::object::{Object, ObjectOperation};
use crate::runtime::{self, Access, AccessEffect, SourceLocation, Wait};

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
pub struct Mutex<T: ?Sized> {
    object: Object,
    inner: std::sync::Mutex<T>,
}

impl<T> Mutex<T> {
    /// Creates a mutex with a value.
    #[track_caller]
    pub const fn new(value: T) -> Self {
        Self {
            object: Object::new(),
            inner: std::sync::Mutex::new(value),
        }
    }

    /// Returns the value.
    ///
    /// # Errors
    ///
    /// Returns the value in the error if the lock is poisoned.
    pub fn into_inner(self) -> LockResult<T> {
        self.inner.into_inner()
    }
}

/// The result of an attempt to lock; `None` if somebody holds the lock.
type Tried<G> = Option<LockResult<G>>;

pub(super) fn tried<G>(result: TryLockResult<G>) -> Tried<G> {
    match result {
        Ok(guard) => Some(Ok(guard)),
        Err(TryLockError::Poisoned(poisoned)) => Some(Err(poisoned)),
        Err(TryLockError::WouldBlock) => None,
    }
}

/// Maps a guard, whether the lock is poisoned or not.
pub(super) fn mapped<G, H>(result: LockResult<G>, f: impl FnOnce(G) -> H) -> LockResult<H> {
    match result {
        Ok(guard) => Ok(f(guard)),
        Err(poisoned) => Err(PoisonError::new(f(poisoned.into_inner()))),
    }
}

impl<T: ?Sized> Mutex<T> {
    /// Waits for the lock.
    ///
    /// # Errors
    ///
    /// Returns the guard in the error if the lock is poisoned: a holder has panicked.
    #[track_caller]
    #[inline]
    pub fn lock(&self) -> LockResult<MutexGuard<'_, T>> {
        let place = Location::caller();
        let locked = if runtime::is_controlled() {
            let deed = ObjectOperation::at(KIND, "locks", place);
            let attempt = || tried(self.inner.try_lock());
            self.object
                .block(deed, Wait::Alone, AccessEffect::TAKES, attempt)
        } else {
            self.inner.lock()
        };
        mapped(locked, |inner| self.guard(inner, place))
    }

    /// Takes the lock in the step in progress, or waits for it.
    pub(super) fn lock_again(
        &self,
        access: Option<Access>,
        place: SourceLocation,
    ) -> LockResult<MutexGuard<'_, T>> {
        let mut attempt = || tried(self.inner.try_lock());
        let locked = self
            .object
            .block_on(access, Wait::Alone, AccessEffect::TAKES, &mut attempt);
        mapped(locked, |inner| self.guard(inner, place))
    }

    fn guard<'a>(
        &'a self,
        inner: std::sync::MutexGuard<'a, T>,
        place: SourceLocation,
    ) -> MutexGuard<'a, T> {
        MutexGuard {
            inner: Some(inner),
            lock: self,
            place,
            changes: false,
        }
    }

    /// Takes the lock if nobody holds it.
    ///
    /// # Errors
    ///
    /// If somebody holds the lock. If the lock is poisoned, the error contains the guard.
    #[track_caller]
    pub fn try_lock(&self) -> TryLockResult<MutexGuard<'_, T>> {
        let place = Location::caller();
        let tried = self.object.step(
            ObjectOperation::at(KIND, "tries to lock", place),
            || self.inner.try_lock(),
            |tried| match tried {
                Err(TryLockError::WouldBlock) => AccessEffect::LOOKS,
                _ => AccessEffect::TAKES,
            },
        );
        match tried {
            Ok(inner) => Ok(self.guard(inner, place)),
            Err(TryLockError::WouldBlock) => Err(TryLockError::WouldBlock),
            Err(TryLockError::Poisoned(poisoned)) => Err(TryLockError::Poisoned(PoisonError::new(
                self.guard(poisoned.into_inner(), place),
            ))),
        }
    }

    /// True if a holder has panicked.
    #[track_caller]
    pub fn is_poisoned(&self) -> bool {
        self.object.read_step(KIND, || self.inner.is_poisoned())
    }

    /// Clears the poison that a panic has left.
    #[track_caller]
    pub fn clear_poison(&self) {
        let deed = ObjectOperation::new(KIND, "clears the poison of");
        let clear = || self.inner.clear_poison();
        self.object.step(deed, clear, |()| AccessEffect::CHANGES);
    }

    /// Returns the value, without locking, since the borrow is exclusive.
    ///
    /// # Errors
    ///
    /// Returns the value in the error if the lock is poisoned.
    pub fn get_mut(&mut self) -> LockResult<&mut T> {
        self.inner.get_mut()
    }
}

impl<T: Default> Default for Mutex<T> {
    #[track_caller]
    fn default() -> Self {
        Self::new(T::default())
    }
}

impl<T> From<T> for Mutex<T> {
    #[track_caller]
    fn from(value: T) -> Self {
        Self::new(value)
    }
}

impl<T: ?Sized + fmt::Debug> fmt::Debug for Mutex<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.inner.fmt(f)
    }
}

/// A guard of a [`Mutex`], which is released on drop.
pub struct MutexGuard<'a, T: ?Sized> {
    /// `None` once a [`Condvar`](super::Condvar) has taken it.
    inner: Option<std::sync::MutexGuard<'a, T>>,
    lock: &'a Mutex<T>,
    place: SourceLocation,
    /// True if the value may have been changed.
    changes: bool,
}

impl<'a, T: ?Sized> MutexGuard<'a, T> {
    pub(super) fn into_parts(mut self) -> (Option<std::sync::MutexGuard<'a, T>>, &'a Mutex<T>) {
        (self.inner.take(), self.lock)
    }

    pub(super) fn of(
        inner: std::sync::MutexGuard<'a, T>,
        lock: &'a Mutex<T>,
        place: SourceLocation,
    ) -> Self {
        lock.guard(inner, place)
    }

    /// Releases the lock in the step in progress; returns the lock, and the access by which to take it again.
    pub(super) fn let_go(self, place: SourceLocation) -> (&'a Mutex<T>, Option<Access>) {
        let (inner, lock) = self.into_parts();
        drop(inner);
        let access = |what| {
            let runtime = runtime::current()?;
            Some(
                lock.object
                    .access(&*runtime, ObjectOperation::at(KIND, what, place)),
            )
        };
        lock.object
            .record_access(access("lets go of"), AccessEffect::LETS_GO);
        lock.object.unblock(KIND);
        (lock, access("locks again"))
    }
}

impl<T: ?Sized> Drop for MutexGuard<'_, T> {
    #[inline]
    fn drop(&mut self) {
        if runtime::is_controlled() && self.inner.is_some() {
            self.lock.object.let_go(KIND, self.place, self.changes);
        }
    }
}

impl<T: ?Sized> Deref for MutexGuard<'_, T> {
    type Target = T;

    #[inline]
    fn deref(&self) -> &T {
        match &self.inner {
            Some(inner) => inner,
            None => unreachable!("it is taken with the guard itself"),
        }
    }
}

impl<T: ?Sized> DerefMut for MutexGuard<'_, T> {
    #[inline]
    fn deref_mut(&mut self) -> &mut T {
        self.changes = true;
        match &mut self.inner {
            Some(inner) => inner,
            None => unreachable!("it is taken with the guard itself"),
        }
    }
}

impl<T: ?Sized + fmt::Debug> fmt::Debug for MutexGuard<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).fmt(f)
    }
}
