//! A lock for many readers or one writer, for async code: [`RwLock`].

use std::fmt;
use std::future::Future;
use std::ops::{Deref, DerefMut};

use tokio::sync::TryLockError;

use crate::object::{Deed, Held, Object};
use crate::runtime::{Touch, Wait};

const KIND: &str = "RwLock";

/// A lock for many readers or one writer: tokio's, which serves those that wait in their order.
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
    /// A lock around a value.
    #[track_caller]
    pub fn new(value: T) -> Self {
        Self {
            object: Object::new(),
            inner: tokio::sync::RwLock::new(value),
        }
    }

    /// As [`new`](Self::new), for a `static`.
    #[track_caller]
    pub const fn const_new(value: T) -> Self {
        Self {
            object: Object::new(),
            inner: tokio::sync::RwLock::const_new(value),
        }
    }

    /// The value.
    pub fn into_inner(self) -> T {
        self.inner.into_inner()
    }
}

impl<T: ?Sized> RwLock<T> {
    /// Waits until nobody writes.
    #[track_caller]
    pub fn read(&self) -> impl Future<Output = RwLockReadGuard<'_, T>> {
        let deed = Deed::new(KIND, "locks to read");
        async move {
            let lock = self.inner.read();
            let inner = self
                .object
                .wait(deed, Wait::Shared, lock, |_| Touch::SHARES);
            let inner = inner.await;
            RwLockReadGuard {
                held: Held::of(&self.object, deed),
                inner,
            }
        }
    }

    /// Waits until nobody reads or writes.
    #[track_caller]
    pub fn write(&self) -> impl Future<Output = RwLockWriteGuard<'_, T>> {
        let deed = Deed::new(KIND, "locks to write");
        async move {
            let lock = self.inner.write();
            let inner = self.object.wait(deed, Wait::Alone, lock, |_| Touch::TAKES);
            let inner = inner.await;
            RwLockWriteGuard {
                held: Held::of(&self.object, deed),
                inner,
            }
        }
    }

    /// Reads, where nobody writes.
    ///
    /// # Errors
    ///
    /// Where somebody does, or waits to.
    #[track_caller]
    pub fn try_read(&self) -> Result<RwLockReadGuard<'_, T>, TryLockError> {
        let deed = Deed::new(KIND, "tries to read");
        let tried = self.object.step(
            deed,
            || self.inner.try_read(),
            |tried| Touch::SHARES.if_ok(tried),
        );
        let inner = tried?;
        Ok(RwLockReadGuard {
            held: Held::of(&self.object, deed),
            inner,
        })
    }

    /// Writes, where nobody reads or writes.
    ///
    /// # Errors
    ///
    /// Where somebody does.
    #[track_caller]
    pub fn try_write(&self) -> Result<RwLockWriteGuard<'_, T>, TryLockError> {
        let deed = Deed::new(KIND, "tries to write");
        let tried = self.object.step(
            deed,
            || self.inner.try_write(),
            |tried| Touch::TAKES.if_ok(tried),
        );
        let inner = tried?;
        Ok(RwLockWriteGuard {
            held: Held::of(&self.object, deed),
            inner,
        })
    }

    /// The value, which nobody else can have.
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

/// A [`RwLock`] that is held to read; it is let go of when this is dropped.
pub struct RwLockReadGuard<'a, T: ?Sized> {
    held: Held<'a>,
    inner: tokio::sync::RwLockReadGuard<'a, T>,
}

/// A [`RwLock`] that is held to write; it is let go of when this is dropped.
pub struct RwLockWriteGuard<'a, T: ?Sized> {
    held: Held<'a>,
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
