//! Blocking reader-writer locks: [`RwLock`].

use std::fmt;
use std::ops::{Deref, DerefMut};
use std::sync::{LockResult, PoisonError, TryLockError, TryLockResult};

use super::mutex::{mapped, tried};
use crate::object::{HoldGuard, Object, ObjectOperation};
use crate::runtime::{self, AccessEffect, Wait};

const KIND: &str = "RwLock";

/// A reader-writer lock, as in the standard library.
///
/// ```
/// use actor_core::sync::blocking::RwLock;
///
/// let list = RwLock::new(vec![1]);
/// list.write().unwrap().push(2);
/// assert_eq!(*list.read().unwrap(), [1, 2]);
/// ```
///
/// # Readers and waiting writers
///
/// In the standard library it depends on the operating system if a new reader may overtake a waiting writer.
/// On Linux it may not, so that a thread that takes a read lock twice, nested, deadlocks if a writer has come
/// in between. Under test a waiting writer has priority, too, even against [`try_read`](RwLock::try_read).
/// This covers both policies: a reader that overtakes a writer equals a schedule in which the writer comes
/// later.
pub struct RwLock<T: ?Sized> {
    object: Object,
    inner: std::sync::RwLock<T>,
}

impl<T> RwLock<T> {
    /// Creates a lock with a value.
    #[track_caller]
    pub const fn new(value: T) -> Self {
        Self {
            object: Object::new(),
            inner: std::sync::RwLock::new(value),
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

fn of_trial<G>(result: &TryLockResult<G>, taken: AccessEffect) -> AccessEffect {
    match result {
        Err(TryLockError::WouldBlock) => AccessEffect::LOOKS,
        _ => taken,
    }
}

macro_rules! ways {
    ($way:ident, $try:ident, $guard:ident, $wait:expr, $touch:expr, $what:literal, $tries:literal, $waits:expr) => {
        impl<T: ?Sized> RwLock<T> {
            /// Waits for the lock.
            ///
            /// # Errors
            ///
            /// Returns the guard in the error if the lock is poisoned: a writer has panicked.
            #[track_caller]
            #[inline]
            pub fn $way(&self) -> LockResult<$guard<'_, T>> {
                let deed = ObjectOperation::new(KIND, $what);
                let locked = if runtime::is_controlled() {
                    let attempt = || match $waits(self) {
                        true => None,
                        false => tried(self.inner.$try()),
                    };
                    self.object.block(deed, $wait, $touch, attempt)
                } else {
                    self.inner.$way()
                };
                mapped(locked, |inner| $guard {
                    held: HoldGuard::of(&self.object, deed),
                    inner,
                })
            }

            /// Takes the lock if that is possible at once.
            ///
            /// # Errors
            ///
            /// If the lock is held, or claimed by a writer. If it is poisoned, the error contains the guard.
            #[track_caller]
            pub fn $try(&self) -> TryLockResult<$guard<'_, T>> {
                let deed = ObjectOperation::new(KIND, $tries);
                let trial = || match $waits(self) {
                    true => Err(TryLockError::WouldBlock),
                    false => self.inner.$try(),
                };
                let tried = self
                    .object
                    .step(deed, trial, |tried| of_trial(tried, $touch));
                let guard = |inner| $guard {
                    held: HoldGuard::of(&self.object, deed),
                    inner,
                };
                match tried {
                    Ok(inner) => Ok(guard(inner)),
                    Err(TryLockError::WouldBlock) => Err(TryLockError::WouldBlock),
                    Err(TryLockError::Poisoned(poisoned)) => Err(TryLockError::Poisoned(
                        PoisonError::new(guard(poisoned.into_inner())),
                    )),
                }
            }
        }

        impl<T: ?Sized> Deref for $guard<'_, T> {
            type Target = T;

            fn deref(&self) -> &T {
                &self.inner
            }
        }

        impl<T: ?Sized + fmt::Debug> fmt::Debug for $guard<'_, T> {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                let _ = &self.held;
                self.inner.fmt(f)
            }
        }
    };
}

ways!(
    read,
    try_read,
    RwLockReadGuard,
    Wait::Shared,
    AccessEffect::SHARES,
    "locks to read",
    "tries to read",
    RwLock::is_claimed
);
ways!(
    write,
    try_write,
    RwLockWriteGuard,
    Wait::First,
    AccessEffect::TAKES,
    "locks to write",
    "tries to write",
    |_: &Self| false
);

/// A shared guard of a [`RwLock`], which is released on drop.
pub struct RwLockReadGuard<'a, T: ?Sized> {
    // Dropped first: under test another operation may try the lock while it is still held.
    held: HoldGuard<'a>,
    inner: std::sync::RwLockReadGuard<'a, T>,
}

/// An exclusive guard of a [`RwLock`], which is released on drop.
pub struct RwLockWriteGuard<'a, T: ?Sized> {
    // Dropped first: under test another operation may try the lock while it is still held.
    held: HoldGuard<'a>,
    inner: std::sync::RwLockWriteGuard<'a, T>,
}

impl<T: ?Sized> DerefMut for RwLockWriteGuard<'_, T> {
    fn deref_mut(&mut self) -> &mut T {
        self.held.changes();
        &mut self.inner
    }
}

impl<T: ?Sized> RwLock<T> {
    /// True if a writer waits, under test.
    fn is_claimed(&self) -> bool {
        runtime::current().is_some_and(|rt| rt.is_claimed(self.object.id(&*rt, KIND)))
    }

    /// True if a writer has panicked.
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

impl<T> From<T> for RwLock<T> {
    #[track_caller]
    fn from(value: T) -> Self {
        Self::new(value)
    }
}

impl<T: Default> Default for RwLock<T> {
    #[track_caller]
    fn default() -> Self {
        Self::new(T::default())
    }
}

impl<T: ?Sized + fmt::Debug> fmt::Debug for RwLock<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.inner.fmt(f)
    }
}
