//! Async reader-writer locks: [`RwLock`].

use std::future::Future;
use std::sync::Arc;

use actor_core_lending::Owned;
use tokio::sync::TryLockError;

use super::lock::{Guard, Lock, OwnedGuard, READ, WRITE};
use super::observed::Observed;
use crate::object::Object;

/// An async reader-writer lock, as tokio's; waiters get the lock in order.
///
/// ```
/// use actor_core::sync::RwLock;
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() {
/// let list = RwLock::new(vec![1]);
/// list.write().await.push(2);
/// assert_eq!(*list.read().await, [1, 2]);
/// # }
/// ```
pub struct RwLock<T: ?Sized>(Observed<tokio::sync::RwLock<T>>);

async_lock!(RwLock);

impl<T: ?Sized> RwLock<T> {
    /// Waits for a shared lock, until no writer holds the lock.
    #[track_caller]
    pub fn read(&self) -> impl Future<Output = RwLockReadGuard<'_, T>> {
        READ.acquire(&self.0, |inner| inner.read(), RwLockReadGuard)
    }

    /// Waits for the exclusive lock, until no reader or writer holds the lock.
    #[track_caller]
    pub fn write(&self) -> impl Future<Output = RwLockWriteGuard<'_, T>> {
        WRITE.acquire(&self.0, |inner| inner.write(), RwLockWriteGuard)
    }

    /// Takes a shared lock if no writer holds the lock.
    ///
    /// # Errors
    ///
    /// If a writer holds the lock, or waits for it.
    #[track_caller]
    pub fn try_read(&self) -> Result<RwLockReadGuard<'_, T>, TryLockError> {
        READ.try_acquire(&self.0, |inner| inner.try_read(), RwLockReadGuard)
    }

    /// Takes the exclusive lock if nobody holds the lock.
    ///
    /// # Errors
    ///
    /// If a reader or writer holds the lock.
    #[track_caller]
    pub fn try_write(&self) -> Result<RwLockWriteGuard<'_, T>, TryLockError> {
        WRITE.try_acquire(&self.0, |inner| inner.try_write(), RwLockWriteGuard)
    }

    /// As [`read`](Self::read); the guard owns the `Arc`.
    ///
    /// ```
    /// use std::sync::Arc;
    ///
    /// use actor_core::sync::RwLock;
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() {
    /// let list = Arc::new(RwLock::new(vec![1]));
    /// list.clone().write_owned().await.push(2);
    /// assert_eq!(*list.read_owned().await, [1, 2]);
    /// # }
    /// ```
    #[track_caller]
    pub fn read_owned(self: Arc<Self>) -> impl Future<Output = OwnedRwLockReadGuard<T>>
    where
        T: 'static,
    {
        let lock = |owner| Owned::read(owner, |lock: &Self| &lock.0.inner);
        READ.acquire_owned(self, lock, OwnedRwLockReadGuard)
    }

    /// As [`write`](Self::write); the guard owns the `Arc`.
    #[track_caller]
    pub fn write_owned(self: Arc<Self>) -> impl Future<Output = OwnedRwLockWriteGuard<T>>
    where
        T: 'static,
    {
        let lock = |owner| Owned::write(owner, |lock: &Self| &lock.0.inner);
        WRITE.acquire_owned(self, lock, OwnedRwLockWriteGuard)
    }

    /// As [`try_read`](Self::try_read); the guard owns the `Arc`.
    ///
    /// # Errors
    ///
    /// If a writer holds the lock, or waits for it.
    #[track_caller]
    pub fn try_read_owned(self: Arc<Self>) -> Result<OwnedRwLockReadGuard<T>, TryLockError>
    where
        T: 'static,
    {
        let lock = |owner| Owned::try_read(owner, |lock: &Self| &lock.0.inner);
        READ.try_acquire_owned(self, lock, OwnedRwLockReadGuard)
    }

    /// As [`try_write`](Self::try_write); the guard owns the `Arc`.
    ///
    /// # Errors
    ///
    /// If a reader or writer holds the lock.
    #[track_caller]
    pub fn try_write_owned(self: Arc<Self>) -> Result<OwnedRwLockWriteGuard<T>, TryLockError>
    where
        T: 'static,
    {
        let lock = |owner| Owned::try_write(owner, |lock: &Self| &lock.0.inner);
        WRITE.try_acquire_owned(self, lock, OwnedRwLockWriteGuard)
    }
}

/// A shared guard of a [`RwLock`], which is released on drop.
pub struct RwLockReadGuard<'a, T: ?Sized>(Guard<'a, tokio::sync::RwLockReadGuard<'a, T>>);

guard!([?Sized] RwLockReadGuard<'_, T>);

/// An exclusive guard of a [`RwLock`], which is released on drop.
pub struct RwLockWriteGuard<'a, T: ?Sized>(Guard<'a, tokio::sync::RwLockWriteGuard<'a, T>>);

guard_mut!([?Sized] RwLockWriteGuard<'_, T>);

/// A shared guard of a [`RwLock`] that owns its `Arc`; the lock is released on drop.
pub struct OwnedRwLockReadGuard<T: ?Sized + 'static>(
    OwnedGuard<tokio::sync::RwLockReadGuard<'static, T>, RwLock<T>>,
);

owned_guard!(guard, OwnedRwLockReadGuard);

/// An exclusive guard of a [`RwLock`] that owns its `Arc`; the lock is released on drop.
pub struct OwnedRwLockWriteGuard<T: ?Sized + 'static>(
    OwnedGuard<tokio::sync::RwLockWriteGuard<'static, T>, RwLock<T>>,
);

owned_guard!(guard_mut, OwnedRwLockWriteGuard);
