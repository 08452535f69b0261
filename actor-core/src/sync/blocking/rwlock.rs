//! Blocking reader-writer locks: [`RwLock`].

use std::sync::{LockResult, TryLockError, TryLockResult};

use super::super::lock::{Guard, READ, WRITE_FIRST};
use super::super::observed::Observed;
use crate::seam::{self, Query};

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
pub struct RwLock<T: ?Sized>(Observed<std::sync::RwLock<T>>);

blocking_lock!(RwLock);

impl<T: ?Sized> RwLock<T> {
    /// Waits for a shared lock, until no writer holds the lock.
    ///
    /// # Errors
    ///
    /// Returns the guard in the error if the lock is poisoned: a writer has panicked.
    #[track_caller]
    #[inline]
    pub fn read(&self) -> LockResult<RwLockReadGuard<'_, T>> {
        let try_lock = |_| self.try_read_inner();
        READ.block(&self.0, |inner| inner.read(), try_lock, RwLockReadGuard)
    }

    /// Waits for the exclusive lock, until no reader or writer holds the lock.
    ///
    /// # Errors
    ///
    /// Returns the guard in the error if the lock is poisoned: a writer has panicked.
    #[track_caller]
    #[inline]
    pub fn write(&self) -> LockResult<RwLockWriteGuard<'_, T>> {
        let wrap = RwLockWriteGuard;
        WRITE_FIRST.block(
            &self.0,
            |inner| inner.write(),
            |inner| inner.try_write(),
            wrap,
        )
    }

    /// Takes a shared lock if that is possible at once.
    ///
    /// # Errors
    ///
    /// If a writer holds the lock or, under test, waits for it. If it is poisoned, the error contains the
    /// guard.
    #[track_caller]
    pub fn try_read(&self) -> TryLockResult<RwLockReadGuard<'_, T>> {
        READ.try_block(&self.0, |_| self.try_read_inner(), RwLockReadGuard)
    }

    /// Takes the exclusive lock if that is possible at once.
    ///
    /// # Errors
    ///
    /// If a reader or writer holds the lock. If it is poisoned, the error contains the guard.
    #[track_caller]
    pub fn try_write(&self) -> TryLockResult<RwLockWriteGuard<'_, T>> {
        WRITE_FIRST.try_block(&self.0, |inner| inner.try_write(), RwLockWriteGuard)
    }

    /// Takes a shared lock, unless a writer waits, under test.
    fn try_read_inner(&self) -> TryLockResult<std::sync::RwLockReadGuard<'_, T>> {
        let is_claimed = seam::current().is_some_and(|runtime| {
            let object = self.0.object.id(&*runtime, KIND);
            seam::query(|to| Query::IsClaimed(object, to))
        });
        match is_claimed {
            true => Err(TryLockError::WouldBlock),
            false => self.0.inner.try_read(),
        }
    }
}

/// A shared guard of a [`RwLock`], which is released on drop.
pub struct RwLockReadGuard<'a, T: ?Sized>(Guard<'a, std::sync::RwLockReadGuard<'a, T>>);

guard!([?Sized] RwLockReadGuard<'_, T>);

/// An exclusive guard of a [`RwLock`], which is released on drop.
pub struct RwLockWriteGuard<'a, T: ?Sized>(Guard<'a, std::sync::RwLockWriteGuard<'a, T>>);

guard_mut!([?Sized] RwLockWriteGuard<'_, T>);
