//! Async mutexes: [`Mutex`].

use std::fmt;
use std::future::Future;
use std::ops::{Deref, DerefMut};
use std::panic::Location;
use std::sync::Arc;

use actor_core_lending::Owned;
use tokio::sync::TryLockError;

use crate::object::{HoldGuard, Object, ObjectHold, ObjectOperation};
use crate::runtime::{self, AccessEffect, Wait};

const KIND: &str = "Mutex";

/// An async mutex, as tokio's; waiters get the lock in order.
///
/// ```
/// use actor_core::sync::Mutex;
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() {
/// let count = Mutex::new(1);
/// *count.lock().await += 1;
/// assert_eq!(count.into_inner(), 2);
/// # }
/// ```
pub struct Mutex<T: ?Sized> {
    object: Object,
    inner: tokio::sync::Mutex<T>,
}

impl<T> Mutex<T> {
    /// Creates a mutex with a value.
    #[track_caller]
    pub fn new(value: T) -> Self {
        Self {
            object: Object::new(),
            inner: tokio::sync::Mutex::new(value),
        }
    }

    /// As [`new`](Self::new), in a `static`.
    #[track_caller]
    pub const fn const_new(value: T) -> Self {
        Self {
            object: Object::new(),
            inner: tokio::sync::Mutex::const_new(value),
        }
    }

    /// Returns the value.
    pub fn into_inner(self) -> T {
        self.inner.into_inner()
    }
}

impl<T: ?Sized> Mutex<T> {
    /// Waits for the lock.
    #[track_caller]
    pub fn lock(&self) -> impl Future<Output = MutexGuard<'_, T>> {
        let place = Location::caller();
        async move {
            let deed = ObjectOperation::at(KIND, "locks", place);
            let inner = if runtime::is_controlled() {
                let lock = self.inner.lock();
                let locked = self
                    .object
                    .wait(deed, Wait::Alone, lock, |_| AccessEffect::TAKES);
                // The box keeps the controlled future out of the size of production futures.
                Box::pin(locked).await
            } else {
                self.inner.lock().await
            };
            MutexGuard {
                held: HoldGuard::of(&self.object, deed),
                inner,
            }
        }
    }

    /// Takes the lock if nobody holds it.
    ///
    /// # Errors
    ///
    /// If somebody holds the lock.
    #[track_caller]
    pub fn try_lock(&self) -> Result<MutexGuard<'_, T>, TryLockError> {
        let deed = ObjectOperation::new(KIND, "tries to lock");
        let tried = self.object.step(
            deed,
            || self.inner.try_lock(),
            |tried| AccessEffect::TAKES.if_ok(tried),
        );
        let inner = tried?;
        Ok(MutexGuard {
            held: HoldGuard::of(&self.object, deed),
            inner,
        })
    }

    /// As [`lock`](Self::lock); the guard owns the `Arc`.
    ///
    /// ```
    /// use std::sync::Arc;
    ///
    /// use actor_core::sync::Mutex;
    /// use actor_core::task;
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() {
    /// let count = Arc::new(Mutex::new(1));
    /// let mut locked = count.clone().lock_owned().await;
    /// let other = task::spawn(async move { *locked += 1 });
    /// # assert!(other.await.is_ok());
    /// assert_eq!(*count.lock().await, 2);
    /// # }
    /// ```
    #[track_caller]
    pub fn lock_owned(self: Arc<Self>) -> impl Future<Output = OwnedMutexGuard<T>>
    where
        T: 'static,
    {
        let deed = ObjectOperation::new(KIND, "locks");
        async move {
            let lock = Owned::lock(self.clone(), |mutex: &Self| &mutex.inner);
            let locked = self
                .object
                .wait(deed, Wait::Alone, lock, |_| AccessEffect::TAKES)
                .await;
            OwnedMutexGuard {
                share: ObjectHold::of(deed),
                inner: locked,
            }
        }
    }

    /// As [`try_lock`](Self::try_lock); the guard owns the `Arc`.
    ///
    /// # Errors
    ///
    /// If somebody holds the lock.
    #[track_caller]
    pub fn try_lock_owned(self: Arc<Self>) -> Result<OwnedMutexGuard<T>, TryLockError>
    where
        T: 'static,
    {
        let deed = ObjectOperation::new(KIND, "tries to lock");
        let inner = self.object.step(
            deed,
            || Owned::try_lock(self.clone(), |mutex| &mutex.inner),
            |tried| AccessEffect::TAKES.if_ok(tried),
        )?;
        Ok(OwnedMutexGuard {
            share: ObjectHold::of(deed),
            inner,
        })
    }

    /// Returns the value, without locking, since the borrow is exclusive.
    pub fn get_mut(&mut self) -> &mut T {
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
    // Dropped first: under test another operation may try the lock while it is still held.
    held: HoldGuard<'a>,
    inner: tokio::sync::MutexGuard<'a, T>,
}

impl<T: ?Sized> Deref for MutexGuard<'_, T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.inner
    }
}

impl<T: ?Sized> DerefMut for MutexGuard<'_, T> {
    fn deref_mut(&mut self) -> &mut T {
        self.held.changes();
        &mut self.inner
    }
}

impl<T: ?Sized + fmt::Debug> fmt::Debug for MutexGuard<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let _ = &self.held;
        self.inner.fmt(f)
    }
}

/// A guard of a [`Mutex`] that owns its `Arc`; the lock is released on drop.
pub struct OwnedMutexGuard<T: ?Sized + 'static> {
    share: ObjectHold,
    inner: Owned<tokio::sync::MutexGuard<'static, T>, Mutex<T>>,
}

impl<T: ?Sized + 'static> OwnedMutexGuard<T> {
    /// The mutex of the guard.
    pub fn mutex(this: &Self) -> &Arc<Mutex<T>> {
        this.inner.owner()
    }
}

impl<T: ?Sized + 'static> Drop for OwnedMutexGuard<T> {
    fn drop(&mut self) {
        // Under test another operation may try the lock while it is still held.
        self.share.release(&self.inner.owner().object);
    }
}

impl<T: ?Sized + 'static> Deref for OwnedMutexGuard<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.inner
    }
}

impl<T: ?Sized + 'static> DerefMut for OwnedMutexGuard<T> {
    fn deref_mut(&mut self) -> &mut T {
        self.share.changes();
        &mut self.inner
    }
}

impl<T: ?Sized + fmt::Debug + 'static> fmt::Debug for OwnedMutexGuard<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.inner.fmt(f)
    }
}
