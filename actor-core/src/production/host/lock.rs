//! Locking that ignores poisoning, for locks under which no user code runs.

use std::sync::{Mutex, MutexGuard, PoisonError};

/// Locks, and ignores poisoning: the data is consistent after a panic, since no user code runs under
/// these locks but that of monitors, whose panics are caught there.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
