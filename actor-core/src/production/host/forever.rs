//! How many waits that may last for ever the actor at work has begun.

use std::cell::Cell;

thread_local! {
    /// How many of these waits have begun on this thread, less those that have ended, since
    /// [`begin_count`].
    static BALANCE: Cell<i32> = const { Cell::new(0) };
}

/// From here on, the waits that begin and end on this thread are those of the actor that runs.
pub(crate) fn begin_count() {
    BALANCE.set(0);
}

/// How many more have begun since then than have ended.
pub(crate) fn balance() -> i32 {
    BALANCE.get()
}

/// So many more have begun than ended.
pub(crate) fn count(more: i32) {
    // Gone with a thread that ends, and of no use any more.
    let _ = BALANCE.try_with(|balance| balance.set(balance.get().wrapping_add(more)));
}
