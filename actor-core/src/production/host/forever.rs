//! A count of the waits without end that the running actor has begun.

use std::cell::Cell;

thread_local! {
    /// The number of such waits begun on this thread since [`begin_count`], less those that have ended.
    static BALANCE: Cell<i32> = const { Cell::new(0) };
}

/// Resets the count for the actor that runs next on this thread.
pub(crate) fn begin_count() {
    BALANCE.set(0);
}

/// Returns the number of waits begun since then, less those that have ended.
pub(crate) fn balance() -> i32 {
    BALANCE.get()
}

pub(crate) fn count(more: i32) {
    // The value is gone, and useless, if the thread is ending.
    let _ = BALANCE.try_with(|balance| balance.set(balance.get().wrapping_add(more)));
}
