//! Async reader-writer locks: [`RwLock`].

use std::fmt;
use std::future::Future;
use std::ops::{Deref, DerefMut};
use std::sync::Arc;

use actor_core_lending::Owned;
use tokio::sync::TryLockError;

use crate::object::{HoldGuard, Object, ObjectHold, ObjectOperation};
use crate::runtime::{AccessEffect, Wait};

const KIND: &str = "RwLock";

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
pub struct RwLock<T: ?Sized> {
    object: Object,
    inner: tokio::sync::RwLock<T>,
}

impl<T> RwLock<T> {
    /// Creates a lock with a value.
    #[track_caller]
    pub fn new(value: T) -> Self {
        Self {
            object: Object::new(),
            inner: tokio::sync::RwLock::new(value),
        }
    }

    /// As [`new`](Self::new), in a `static`.
    #[track_caller]
    pub const fn const_new(value: T) -> Self {
        Self {
            object: Object::new(),
            inner: tokio::sync::RwLock::const_new(value),
        }
    }

    /// Returns the value.
    pub fn into_inner(self) -> T {
        self.inner.into_inner()
    }
}

impl<T: ?Sized> RwLock<T> {
    /// Waits for a shared lock, until no writer holds the lock.
    #[track_caller]
    pub fn read(&self) -> impl Future<Output = RwLockReadGuard<'_, T>> {
        let deed = ObjectOperation::new(KIND, "locks to read");
        async move {
            let lock = self.inner.read();
            let inner = self
                .object
                .wait(deed, Wait::Shared, lock, |_| AccessEffect::SHARES);
            let inner = inner.await;
            RwLockReadGuard {
                held: HoldGuard::of(&self.object, deed),
                inner,
            }
        }
    }

    /// Waits for the exclusive lock, until no reader or writer holds the lock.
    #[track_caller]
    pub fn write(&self) -> impl Future<Output = RwLockWriteGuard<'_, T>> {
        let deed = ObjectOperation::new(KIND, "locks to write");
        async move {
            let lock = self.inner.write();
            let inner = self
                .object
                .wait(deed, Wait::Alone, lock, |_| AccessEffect::TAKES);
            let inner = inner.await;
            RwLockWriteGuard {
                held: HoldGuard::of(&self.object, deed),
                inner,
            }
        }
    }

    /// Takes a shared lock if no writer holds the lock.
    ///
    /// # Errors
    ///
    /// If a writer holds the lock, or waits for it.
    #[track_caller]
    pub fn try_read(&self) -> Result<RwLockReadGuard<'_, T>, TryLockError> {
        let deed = ObjectOperation::new(KIND, "tries to read");
        let tried = self.object.step(
            deed,
            || self.inner.try_read(),
            |tried| AccessEffect::SHARES.if_ok(tried),
        );
        let inner = tried?;
        Ok(RwLockReadGuard {
            held: HoldGuard::of(&self.object, deed),
            inner,
        })
    }

    /// Takes the exclusive lock if nobody holds the lock.
    ///
    /// # Errors
    ///
    /// If a reader or writer holds the lock.
    #[track_caller]
    pub fn try_write(&self) -> Result<RwLockWriteGuard<'_, T>, TryLockError> {
        let deed = ObjectOperation::new(KIND, "tries to write");
        let tried = self.object.step(
            deed,
            || self.inner.try_write(),
            |tried| AccessEffect::TAKES.if_ok(tried),
        );
        let inner = tried?;
        Ok(RwLockWriteGuard {
            held: HoldGuard::of(&self.object, deed),
            inner,
        })
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
        let deed = ObjectOperation::new(KIND, "locks to read");
        async move {
            let lock = Owned::read(self.clone(), |lock: &Self| &lock.inner);
            let inner = self
                .object
                .wait(deed, Wait::Shared, lock, |_| AccessEffect::SHARES);
            OwnedRwLockReadGuard {
                inner: inner.await,
                share: ObjectHold::of(deed),
            }
        }
    }

    /// As [`write`](Self::write); the guard owns the `Arc`.
    #[track_caller]
    pub fn write_owned(self: Arc<Self>) -> impl Future<Output = OwnedRwLockWriteGuard<T>>
    where
        T: 'static,
    {
        let deed = ObjectOperation::new(KIND, "locks to write");
        async move {
            let lock = Owned::write(self.clone(), |lock: &Self| &lock.inner);
            let inner = self
                .object
                .wait(deed, Wait::Alone, lock, |_| AccessEffect::TAKES);
            OwnedRwLockWriteGuard {
                inner: inner.await,
                share: ObjectHold::of(deed),
            }
        }
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
        let deed = ObjectOperation::new(KIND, "tries to read");
        let inner = self.object.step(
            deed,
            || Owned::try_read(self.clone(), |lock| &lock.inner),
            |tried| AccessEffect::SHARES.if_ok(tried),
        )?;
        Ok(OwnedRwLockReadGuard {
            share: ObjectHold::of(deed),
            inner,
        })
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
        let deed = ObjectOperation::new(KIND, "tries to write");
        let inner = self.object.step(
            deed,
            || Owned::try_write(self.clone(), |lock| &lock.inner),
            |tried| AccessEffect::TAKES.if_ok(tried),
        )?;
        Ok(OwnedRwLockWriteGuard {
            share: ObjectHold::of(deed),
            inner,
        })
    }

    /// Returns the value, without locking, since the borrow is exclusive.
    pub fn get_mut(&mut self) -> &mut T {
        self.inner.get_mut()
    }
}

impl<T: Default> Default for RwLock<T> {
    #[track_caller]
    fn default() -> Self {
        Self::new(T::default())
    }
}

impl<T> From<T> for RwLock<T> {
    #[track_caller]
    fn from(value: T) -> Self {
        Self::new(value)
    }
}

impl<T: ?Sized + fmt::Debug> fmt::Debug for RwLock<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.inner.fmt(f)
    }
}

/// A shared guard of a [`RwLock`], which is released on drop.
pub struct RwLockReadGuard<'a, T: ?Sized> {
    held: HoldGuard<'a>,
    inner: tokio::sync::RwLockReadGuard<'a, T>,
}

/// An exclusive guard of a [`RwLock`], which is released on drop.
pub struct RwLockWriteGuard<'a, T: ?Sized> {
    held: HoldGuard<'a>,
    inner: tokio::sync::RwLockWriteGuard<'a, T>,
}

impl<T: ?Sized> Deref for RwLockReadGuard<'_, T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.inner
    }
}

impl<T: ?Sized> Deref for RwLockWriteGuard<'_, T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.inner
    }
}

impl<T: ?Sized> DerefMut for RwLockWriteGuard<'_, T> {
    fn deref_mut(&mut self) -> &mut T {
        self.held.changes();
        &mut self.inner
    }
}

impl<T: ?Sized + fmt::Debug> fmt::Debug for RwLockReadGuard<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let _ = &self.held;
        self.inner.fmt(f)
    }
}

impl<T: ?Sized + fmt::Debug> fmt::Debug for RwLockWriteGuard<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let _ = &self.held;
        self.inner.fmt(f)
    }
}

/// A shared guard of a [`RwLock`] that owns its `Arc`; the lock is released on drop.
pub struct OwnedRwLockReadGuard<T: ?Sized + 'static> {
    share: ObjectHold,
    inner: Owned<tokio::sync::RwLockReadGuard<'static, T>, RwLock<T>>,
}

impl<T: ?Sized + 'static> Drop for OwnedRwLockReadGuard<T> {
    fn drop(&mut self) {
        self.share.release(&self.inner.owner().object);
    }
}

impl<T: ?Sized + 'static> Deref for OwnedRwLockReadGuard<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.inner
    }
}

impl<T: ?Sized + fmt::Debug + 'static> fmt::Debug for OwnedRwLockReadGuard<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.inner.fmt(f)
    }
}

/// An exclusive guard of a [`RwLock`] that owns its `Arc`; the lock is released on drop.
pub struct OwnedRwLockWriteGuard<T: ?Sized + 'static> {
    share: ObjectHold,
    inner: Owned<tokio::sync::RwLockWriteGuard<'static, T>, RwLock<T>>,
}

impl<T: ?Sized + 'static> Drop for OwnedRwLockWriteGuard<T> {
    fn drop(&mut self) {
        self.share.release(&self.inner.owner().object);
    }
}

impl<T: ?Sized + 'static> Deref for OwnedRwLockWriteGuard<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.inner
    }
}

impl<T: ?Sized + fmt::Debug + 'static> fmt::Debug for OwnedRwLockWriteGuard<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.inner.fmt(f)
    }
}

impl<T: ?Sized + 'static> DerefMut for OwnedRwLockWriteGuard<T> {
    fn deref_mut(&mut self) -> &mut T {
        self.share.changes();
        &mut self.inner
    }
}
