//! The parts that all locks share, async and blocking: the operations that take a lock, and its guards.

use std::future::Future;
use std::panic::Location;
use std::sync::{Arc, LockResult, PoisonError, TryLockError, TryLockResult};

use actor_core_lending::Owned;

use super::observed::Observed;
use crate::object::{Accessed, HoldGuard, Object, ObjectHold, ObjectOperation};
use crate::seam::{self, AccessEffect, SourceLocation, Wait};

/// A way to take a lock: its names in reports, and its effect on the lock.
pub(super) struct LockMode {
    kind: &'static str,
    /// The verb of the operation that waits for the lock.
    verb: &'static str,
    /// The verb of the operation that does not wait.
    try_verb: &'static str,
    wait: Wait,
    effect: AccessEffect,
}

pub(super) const LOCK: LockMode = LockMode {
    kind: "Mutex",
    verb: "locks",
    try_verb: "tries to lock",
    wait: Wait::Alone,
    effect: AccessEffect::TAKES,
};

pub(super) const READ: LockMode = LockMode {
    kind: "RwLock",
    verb: "locks to read",
    try_verb: "tries to read",
    wait: Wait::Shared,
    effect: AccessEffect::SHARES,
};

pub(super) const WRITE: LockMode = LockMode {
    kind: "RwLock",
    verb: "locks to write",
    try_verb: "tries to write",
    wait: Wait::Alone,
    effect: AccessEffect::TAKES,
};

/// An exclusive lock whose writer goes ahead of later readers.
pub(super) const WRITE_FIRST: LockMode = LockMode {
    wait: Wait::First,
    ..WRITE
};

impl LockMode {
    fn operation(&self, place: SourceLocation) -> ObjectOperation {
        ObjectOperation::at(self.kind, self.verb, place)
    }

    /// Waits for a lock in async code; `wrap` makes the guard of the lock's own type.
    #[track_caller]
    pub(super) fn acquire<'a, I: ?Sized, F: Future, G>(
        &'static self,
        Observed { object, inner }: &'a Observed<I>,
        lock: impl FnOnce(&'a I) -> F,
        wrap: impl FnOnce(Guard<'a, F::Output>) -> G,
    ) -> impl Future<Output = G> {
        let place = Location::caller();
        async move {
            let locked = if seam::is_controlled() {
                let operation = self.operation(place);
                let locked = object.wait(operation, self.wait, lock(inner), |_| self.effect);
                // The box keeps the controlled future out of the size of production futures.
                Box::pin(locked).await
            } else {
                lock(inner).await
            };
            wrap(Guard::of(object, self.operation(place), locked))
        }
    }

    /// Waits for a lock in async code; the guard owns the `Arc` of its lock.
    #[track_caller]
    pub(super) fn acquire_owned<L: Lock + ?Sized, F, G, H>(
        &'static self,
        owner: Arc<L>,
        lock: impl FnOnce(Arc<L>) -> F,
        wrap: impl FnOnce(OwnedGuard<G, L>) -> H,
    ) -> impl Future<Output = H>
    where
        F: Future<Output = Owned<G, L>>,
    {
        let operation = self.operation(Location::caller());
        async move {
            let lock = lock(owner.clone());
            let object = owner.object();
            let inner = object.wait(operation, self.wait, lock, |_| self.effect);
            wrap(OwnedGuard {
                inner: inner.await,
                hold: ObjectHold::of(operation),
            })
        }
    }

    /// Takes a lock if that is possible at once; returns the result of the attempt, and the operation.
    #[track_caller]
    fn try_hold<T>(
        &self,
        object: &Object,
        try_lock: impl FnOnce() -> T,
        is_taken: impl FnOnce(&T) -> bool,
    ) -> (T, ObjectOperation) {
        let operation = ObjectOperation::new(self.kind, self.try_verb);
        let tried = object.step(operation, try_lock, |tried| match is_taken(tried) {
            true => self.effect,
            false => AccessEffect::READS,
        });
        (tried, operation)
    }

    /// Takes an async lock if that is possible at once.
    #[track_caller]
    pub(super) fn try_acquire<'a, I: ?Sized, G, H, E>(
        &self,
        Observed { object, inner }: &'a Observed<I>,
        try_lock: impl FnOnce(&'a I) -> Result<G, E>,
        wrap: impl FnOnce(Guard<'a, G>) -> H,
    ) -> Result<H, E> {
        let (tried, operation) = self.try_hold(object, || try_lock(inner), Result::is_ok);
        tried.map(|inner| wrap(Guard::of(object, operation, inner)))
    }

    /// Takes an async lock if that is possible at once; the guard owns the `Arc` of its lock.
    #[track_caller]
    pub(super) fn try_acquire_owned<L: Lock + ?Sized, G, H, E>(
        &self,
        owner: Arc<L>,
        try_lock: impl FnOnce(Arc<L>) -> Result<Owned<G, L>, E>,
        wrap: impl FnOnce(OwnedGuard<G, L>) -> H,
    ) -> Result<H, E> {
        let try_lock = || try_lock(owner.clone());
        let (tried, operation) = self.try_hold(owner.object(), try_lock, Result::is_ok);
        let hold = ObjectHold::of(operation);
        tried.map(|inner| wrap(OwnedGuard { hold, inner }))
    }

    /// Waits for a lock in code that blocks.
    #[track_caller]
    #[inline]
    pub(super) fn block<'a, I: ?Sized, G, H>(
        &self,
        Observed { object, inner }: &'a Observed<I>,
        lock: impl FnOnce(&'a I) -> LockResult<G>,
        mut try_lock: impl FnMut(&'a I) -> TryLockResult<G>,
        wrap: impl FnOnce(Guard<'a, G>) -> H,
    ) -> LockResult<H> {
        let operation = self.operation(Location::caller());
        let locked = if seam::is_controlled() {
            let attempt = || tried(try_lock(inner));
            object.block(operation, self.wait, self.effect, attempt)
        } else {
            lock(inner)
        };
        mapped(locked, |inner| wrap(Guard::of(object, operation, inner)))
    }

    /// Takes a blocking lock if that is possible at once.
    #[track_caller]
    pub(super) fn try_block<'a, I: ?Sized, G, H>(
        &self,
        Observed { object, inner }: &'a Observed<I>,
        try_lock: impl FnOnce(&'a I) -> TryLockResult<G>,
        wrap: impl FnOnce(Guard<'a, G>) -> H,
    ) -> TryLockResult<H> {
        let try_lock = || tried(try_lock(inner));
        let (tried, operation) = self.try_hold(object, try_lock, Option::is_some);
        let wrap = |inner| wrap(Guard::of(object, operation, inner));
        match tried.map(|locked| mapped(locked, wrap)) {
            Some(Ok(guard)) => Ok(guard),
            Some(Err(poisoned)) => Err(TryLockError::Poisoned(poisoned)),
            None => Err(TryLockError::WouldBlock),
        }
    }
}

/// Returns the result of an attempt to lock; `None` if somebody holds the lock.
pub(super) fn tried<G>(result: TryLockResult<G>) -> Option<LockResult<G>> {
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

/// A guard of tokio or the standard library, and the hold that it ends.
pub(super) struct Guard<'a, G> {
    // Dropped first: under test another operation may try the lock while it is still held.
    pub(super) hold: HoldGuard<'a>,
    pub(super) inner: G,
}

impl<'a, G> Guard<'a, G> {
    pub(super) fn of(object: &'a Object, taken: ObjectOperation, inner: G) -> Self {
        let hold = HoldGuard::of(object, taken);
        Self { hold, inner }
    }
}

/// An async lock, which an [`OwnedGuard`] owns.
pub(super) trait Lock {
    fn object(&self) -> &Object;
}

/// A guard of tokio with the `Arc` of its lock, and the hold that it ends.
pub(super) struct OwnedGuard<G, L: Lock + ?Sized> {
    pub(super) hold: ObjectHold,
    pub(super) inner: Owned<G, L>,
}

/// Implements `Deref` and `Debug` for a guard that wraps another.
macro_rules! guard {
    ([$($bound:tt)*] $guard:ty) => {
        impl<T: $($bound)*> std::ops::Deref for $guard {
            type Target = T;

            #[inline]
            fn deref(&self) -> &T {
                &self.0.inner
            }
        }

        impl<T: std::fmt::Debug + $($bound)*> std::fmt::Debug for $guard {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                (**self).fmt(f)
            }
        }
    };
}

/// Implements `DerefMut` as well, for an exclusive guard.
macro_rules! guard_mut {
    ([$($bound:tt)*] $guard:ty) => {
        guard!([$($bound)*] $guard);

        impl<T: $($bound)*> std::ops::DerefMut for $guard {
            #[inline]
            fn deref_mut(&mut self) -> &mut T {
                self.0.hold.mark_changed();
                &mut self.0.inner
            }
        }
    };
}

/// Implements `Drop` as well, for a guard that owns the `Arc` of its lock.
macro_rules! owned_guard {
    ($guard_macro:ident, $guard:ident) => {
        $guard_macro!([?Sized + 'static] $guard<T>);

        impl<T: ?Sized + 'static> Drop for $guard<T> {
            fn drop(&mut self) {
                // Under test another operation may try the lock while it is still held.
                self.0.hold.release(self.0.inner.owner().object());
            }
        }
    };
}

/// Implements `Default`, `From` and `Debug` for a lock.
macro_rules! lock_traits {
    ($lock:ident) => {
        impl<T: Default> Default for $lock<T> {
            #[track_caller]
            fn default() -> Self {
                Self::new(T::default())
            }
        }

        impl<T> From<T> for $lock<T> {
            #[track_caller]
            fn from(value: T) -> Self {
                Self::new(value)
            }
        }

        impl<T: ?Sized + std::fmt::Debug> std::fmt::Debug for $lock<T> {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                self.0.inner.fmt(f)
            }
        }
    };
}

/// Implements the creation and consumption of an async lock, and its standard traits.
macro_rules! async_lock {
    ($lock:ident) => {
        lock_traits!($lock);

        impl<T> $lock<T> {
            /// Creates a lock with a value.
            #[track_caller]
            pub fn new(value: T) -> Self {
                Self(Observed::new(tokio::sync::$lock::new(value)))
            }

            /// Creates a lock with a value, in a `static`.
            #[track_caller]
            pub const fn const_new(value: T) -> Self {
                Self(Observed::new(tokio::sync::$lock::const_new(value)))
            }

            /// Returns the value.
            pub fn into_inner(self) -> T {
                self.0.inner.into_inner()
            }
        }

        impl<T: ?Sized> $lock<T> {
            /// Returns the value, without locking, since the borrow is exclusive.
            pub fn get_mut(&mut self) -> &mut T {
                self.0.inner.get_mut()
            }
        }

        impl<T: ?Sized> Lock for $lock<T> {
            fn object(&self) -> &Object {
                &self.0.object
            }
        }
    };
}
