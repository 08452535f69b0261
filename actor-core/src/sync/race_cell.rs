//! Data-race detection for a shared value: [`RaceCell`].

use std::fmt;
use std::panic::Location;
use std::sync::{PoisonError, RwLock, TryLockError};

use crate::object::Object;
use crate::seam::{self, MadeAccess, SourceLocation};

/// A value whose accesses the program itself must order, by a lock or a message for instance.
///
/// Under test, two accesses without a happens-before order, one of which writes, are a bug, *data race*. The
/// report names both places: whatever the outcome in this execution, another may differ. Happens-before edges
/// come from [`sync`](crate::sync) and [`task`](crate::task): a lock that one released and the other took, a
/// channel, an atomic that one stored with `Release` and the other loaded with `Acquire`, a spawn, a join.
/// Messages between actors are such edges as well, and accesses from handlers count as ordered among
/// themselves. An access is no step of its own.
///
/// In production the type is as safe as any other: each access takes a lock.
///
/// ```
/// use actor_core::sync::RaceCell;
///
/// let count = RaceCell::new(1);
/// count.set(count.get() + 1);
/// count.with_mut(|count| *count *= 2);
/// assert_eq!(count.into_inner(), 4);
/// ```
pub struct RaceCell<T> {
    object: Object,
    value: RwLock<T>,
}

impl<T> RaceCell<T> {
    /// Creates a cell with a value.
    #[track_caller]
    pub const fn new(value: T) -> Self {
        Self {
            object: Object::new(),
            value: RwLock::new(value),
        }
    }

    /// Returns a copy of the value: a read access.
    #[track_caller]
    pub fn get(&self) -> T
    where
        T: Copy,
    {
        self.with(|value| *value)
    }

    /// Replaces the value: a write access.
    #[track_caller]
    pub fn set(&self, value: T) {
        self.with_mut(|old| *old = value);
    }

    /// Passes the value to `f`: a read access. `f` must not access the cell itself.
    #[track_caller]
    pub fn with<R>(&self, f: impl FnOnce(&T) -> R) -> R {
        if !self.report_access(false, Location::caller()) {
            return f(&self.value.read().unwrap_or_else(PoisonError::into_inner));
        }
        match self.value.try_read() {
            Ok(value) => f(&value),
            Err(TryLockError::Poisoned(value)) => f(&value.into_inner()),
            Err(TryLockError::WouldBlock) => overlap(),
        }
    }

    /// Passes the value to `f` for changes: a write access. `f` must not access the cell itself.
    #[track_caller]
    pub fn with_mut<R>(&self, f: impl FnOnce(&mut T) -> R) -> R {
        if !self.report_access(true, Location::caller()) {
            return f(&mut self.value.write().unwrap_or_else(PoisonError::into_inner));
        }
        match self.value.try_write() {
            Ok(mut value) => f(&mut value),
            Err(TryLockError::Poisoned(value)) => f(&mut value.into_inner()),
            Err(TryLockError::WouldBlock) => overlap(),
        }
    }

    /// Reports the access to the tester; returns true if an execution is controlled.
    fn report_access(&self, writes: bool, place: SourceLocation) -> bool {
        let is_controlled = seam::is_controlled();
        if is_controlled && let Some(runtime) = seam::current() {
            runtime.access(MadeAccess::Unsynchronized {
                object: self.object.id(&*runtime, "RaceCell"),
                writes,
                place,
            });
        }
        is_controlled
    }

    /// Returns the value.
    pub fn into_inner(self) -> T {
        self.value
            .into_inner()
            .unwrap_or_else(PoisonError::into_inner)
    }
}

/// Panics because of overlapping accesses: a race, which the tester has reported, or nested accesses.
fn overlap() -> ! {
    panic!("a RaceCell is accessed within another access to it")
}

impl<T> fmt::Debug for RaceCell<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RaceCell").finish_non_exhaustive()
    }
}
