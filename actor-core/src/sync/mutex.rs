//! Async mutexes: [`Mutex`].

use std::future::Future;
use std::sync::Arc;

use actor_core_lending::Owned;
use tokio::sync::TryLockError;

use super::lock::{Guard, LOCK, Lock, OwnedGuard};
use super::observed::Observed;
use crate::object::Object;

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
pub struct Mutex<T: ?Sized>(Observed<tokio::sync::Mutex<T>>);

async_lock!(Mutex);

impl<T: ?Sized> Mutex<T> {
    /// Waits for the lock.
    #[track_caller]
    pub fn lock(&self) -> impl Future<Output = MutexGuard<'_, T>> {
        LOCK.acquire(&self.0, |inner| inner.lock(), MutexGuard)
    }

    /// Takes the lock if nobody holds it.
    ///
    /// # Errors
    ///
    /// If somebody holds the lock.
    #[track_caller]
    pub fn try_lock(&self) -> Result<MutexGuard<'_, T>, TryLockError> {
        LOCK.try_acquire(&self.0, |inner| inner.try_lock(), MutexGuard)
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
        let lock = |owner| Owned::lock(owner, |mutex: &Self| &mutex.0.inner);
        LOCK.acquire_owned(self, lock, OwnedMutexGuard)
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
        let lock = |owner| Owned::try_lock(owner, |mutex: &Self| &mutex.0.inner);
        LOCK.try_acquire_owned(self, lock, OwnedMutexGuard)
    }
}

/// A guard of a [`Mutex`], which is released on drop.
pub struct MutexGuard<'a, T: ?Sized>(Guard<'a, tokio::sync::MutexGuard<'a, T>>);

guard_mut!([?Sized] MutexGuard<'_, T>);

/// A guard of a [`Mutex`] that owns its `Arc`; the lock is released on drop.
pub struct OwnedMutexGuard<T: ?Sized + 'static>(
    OwnedGuard<tokio::sync::MutexGuard<'static, T>, Mutex<T>>,
);

owned_guard!(guard_mut, OwnedMutexGuard);

impl<T: ?Sized + 'static> OwnedMutexGuard<T> {
    /// The mutex of the guard.
    pub fn mutex(this: &Self) -> &Arc<Mutex<T>> {
        this.0.inner.owner()
    }
}
