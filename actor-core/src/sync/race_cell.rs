//! Memory that needs an order from elsewhere: [`RaceCell`].

use std::fmt;
use std::panic::Location;
use std::sync::{PoisonError, RwLock, TryLockError};

use crate::object::Object;
use crate::runtime::{self, Place};

/// A value that those who share it access in an order that they see to themselves, by a lock or a message
/// say.
///
/// Under test, two accesses that nothing puts in an order, one of which writes, are a bug, *data race*,
/// which names both places: whatever came of them in this execution, another may have it otherwise. What puts
/// accesses in an order is [`sync`](crate::sync) and [`task`](crate::task): a lock that one has let go of and
/// the other has taken, a channel, an atomic that one has stored with `Release` and the other loaded with
/// `Acquire`, a spawn, a join. Messages between actors do as well, and accesses from handlers are taken to be
/// in an order with each other. An access is no step of its own.
///
/// In production it is as safe as any other type: each access takes a lock.
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
    /// A cell with a value.
    #[track_caller]
    pub const fn new(value: T) -> Self {
        Self {
            object: Object::new(),
            value: RwLock::new(value),
        }
    }

    /// A copy of the value: a read.
    #[track_caller]
    pub fn get(&self) -> T
    where
        T: Copy,
    {
        self.with(|value| *value)
    }

    /// Another value: a write.
    #[track_caller]
    pub fn set(&self, value: T) {
        self.with_mut(|old| *old = value);
    }

    /// Looks at the value: a read. It must not access the cell itself.
    #[track_caller]
    pub fn with<R>(&self, f: impl FnOnce(&T) -> R) -> R {
        if !self.tell(false, Location::caller()) {
            return f(&self.value.read().unwrap_or_else(PoisonError::into_inner));
        }
        match self.value.try_read() {
            Ok(value) => f(&value),
            Err(TryLockError::Poisoned(value)) => f(&value.into_inner()),
            Err(TryLockError::WouldBlock) => overlap(),
        }
    }

    /// Changes the value: a write. It must not access the cell itself.
    #[track_caller]
    pub fn with_mut<R>(&self, f: impl FnOnce(&mut T) -> R) -> R {
        if !self.tell(true, Location::caller()) {
            return f(&mut self.value.write().unwrap_or_else(PoisonError::into_inner));
        }
        match self.value.try_write() {
            Ok(mut value) => f(&mut value),
            Err(TryLockError::Poisoned(value)) => f(&mut value.into_inner()),
            Err(TryLockError::WouldBlock) => overlap(),
        }
    }

    /// Tells whether an execution is controlled.
    fn tell(&self, writes: bool, place: Place) -> bool {
        let is_controlled = runtime::is_controlled();
        if is_controlled && let Some(runtime) = runtime::current() {
            let id = self.object.id(&*runtime, "RaceCell");
            runtime.race(id, writes, place);
        }
        is_controlled
    }

    /// The value.
    pub fn into_inner(self) -> T {
        self.value
            .into_inner()
            .unwrap_or_else(PoisonError::into_inner)
    }
}

/// Two accesses at the same time, of which the tester knows already, but for an access within another.
fn overlap() -> ! {
    panic!("a RaceCell is accessed within another access to it")
}

impl<T> fmt::Debug for RaceCell<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RaceCell").finish_non_exhaustive()
    }
}
