//! Locking, for what no user code runs under.

use std::sync::{Mutex, MutexGuard, PoisonError};

/// Locks; what a panic left behind is consistent, since no user code runs under our locks but a
/// monitor's, whose panics are caught there.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
