//! A lock for many readers or one writer, for code that blocks: [`RwLock`].

use std::fmt;
use std::ops::{Deref, DerefMut};
use std::sync::{LockResult, PoisonError, TryLockError, TryLockResult};

use super::mutex::{mapped, tried};
use crate::object::{Deed, Held, Object};
use crate::runtime::{self, Touch, Wait};

const KIND: &str = "RwLock";

/// A lock for many readers or one writer: the standard library's.
///
/// ```
/// use actor_core::sync::blocking::RwLock;
///
/// let list = RwLock::new(vec![1]);
/// list.write().unwrap().push(2);
/// assert_eq!(*list.read().unwrap(), [1, 2]);
/// ```
///
/// # Readers and a writer that waits
///
/// The standard library leaves it to the operating system whether a reader that comes while a writer waits
/// goes past it. On Linux it doesn't, so that a thread which reads, and further down reads again, waits for
/// ever where a writer has come in between. Under test a writer that waits comes first, too, also where
/// somebody [tries to read](RwLock::try_read). That covers both policies: that a reader goes past a writer is
/// the same as that the writer comes later, which is another schedule.
pub struct RwLock<T: ?Sized> {
    object: Object,
    inner: std::sync::RwLock<T>,
}

impl<T> RwLock<T> {
    /// A lock around a value.
    #[track_caller]
    pub const fn new(value: T) -> Self {
        Self {
            object: Object::new(),
            inner: std::sync::RwLock::new(value),
        }
    }

    /// The value.
    ///
    /// # Errors
    ///
    /// With the value, where somebody has panicked while writing.
    pub fn into_inner(self) -> LockResult<T> {
        self.inner.into_inner()
    }
}

fn of_trial<G>(result: &TryLockResult<G>, taken: Touch) -> Touch {
    match result {
        Err(TryLockError::WouldBlock) => Touch::LOOKS,
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
            /// With the guard, where somebody has panicked while writing.
            #[track_caller]
            #[inline]
            pub fn $way(&self) -> LockResult<$guard<'_, T>> {
                let deed = Deed::new(KIND, $what);
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
                    held: Held::of(&self.object, deed),
                    inner,
                })
            }

            /// The lock, where it can be had at once.
            ///
            /// # Errors
            ///
            /// Where it can't; with the guard, where somebody has panicked while writing.
            #[track_caller]
            pub fn $try(&self) -> TryLockResult<$guard<'_, T>> {
                let deed = Deed::new(KIND, $tries);
                let trial = || match $waits(self) {
                    true => Err(TryLockError::WouldBlock),
                    false => self.inner.$try(),
                };
                let tried = self
                    .object
                    .step(deed, trial, |tried| of_trial(tried, $touch));
                let guard = |inner| $guard {
                    held: Held::of(&self.object, deed),
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
    Touch::SHARES,
    "locks to read",
    "tries to read",
    RwLock::is_claimed
);
ways!(
    write,
    try_write,
    RwLockWriteGuard,
    Wait::First,
    Touch::TAKES,
    "locks to write",
    "tries to write",
    |_: &Self| false
);

/// A [`RwLock`] that is held to read; it is let go of when this is dropped.
pub struct RwLockReadGuard<'a, T: ?Sized> {
    // Dropped first: under test others may look at the lock once more while it is held.
    held: Held<'a>,
    inner: std::sync::RwLockReadGuard<'a, T>,
}

/// A [`RwLock`] that is held to write; it is let go of when this is dropped.
pub struct RwLockWriteGuard<'a, T: ?Sized> {
    // Dropped first: under test others may look at the lock once more while it is held.
    held: Held<'a>,
    inner: std::sync::RwLockWriteGuard<'a, T>,
}

impl<T: ?Sized> DerefMut for RwLockWriteGuard<'_, T> {
    fn deref_mut(&mut self) -> &mut T {
        self.held.changes();
        &mut self.inner
    }
}

impl<T: ?Sized> RwLock<T> {
    /// Under test: a writer waits.
    fn is_claimed(&self) -> bool {
        runtime::current().is_some_and(|rt| rt.is_claimed(self.object.id(&*rt, KIND)))
    }

    /// Somebody has panicked while writing.
    #[track_caller]
    pub fn is_poisoned(&self) -> bool {
        self.object.look(KIND, || self.inner.is_poisoned())
    }

    /// Whoever has panicked while writing is forgotten.
    #[track_caller]
    pub fn clear_poison(&self) {
        let deed = Deed::new(KIND, "clears the poison of");
        let clear = || self.inner.clear_poison();
        self.object.step(deed, clear, |()| Touch::CHANGES);
    }

    /// The value, which nobody else can have.
    ///
    /// # Errors
    ///
    /// With the value, where somebody has panicked while writing.
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
