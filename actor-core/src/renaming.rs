//! Other names for actors while fingerprints are taken, so that states are the same in which the same is so of
//! others.

use std::cell::{Cell, RefCell};

thread_local! {
    /// Read by every hash of an identity, so it is no more than a flag.
    static IS_ON: Cell<bool> = const { Cell::new(false) };
    static NAMES: RefCell<Vec<Option<u64>>> = const { RefCell::new(Vec::new()) };
    static IS_MET: Cell<bool> = const { Cell::new(false) };
}

/// What stands for the number of an operation in fingerprints: the number, unless it has another name.
#[inline]
pub fn name_of(number: u64) -> u64 {
    match IS_ON.get() {
        false => number,
        true => renamed(number),
    }
}

#[cold]
fn renamed(number: u64) -> u64 {
    let name = NAMES.with_borrow(|names| {
        let at = usize::try_from(number).ok()?;
        names.get(at).copied().flatten()
    });
    IS_MET.set(IS_MET.get() || name.is_some());
    name.unwrap_or(number)
}

/// Has operations go by other names while `f` takes fingerprints, each by its number; tells whether one of
/// these was met as well.
pub fn under_names<T>(names: &[Option<u64>], f: impl FnOnce() -> T) -> (T, bool) {
    NAMES.with_borrow_mut(|kept| {
        kept.clear();
        kept.extend_from_slice(names);
    });
    IS_MET.set(false);
    let off = Off;
    IS_ON.set(true);
    let result = f();
    drop(off);
    (result, IS_MET.get())
}

/// Gives all their numbers back, also where a type's code panics.
struct Off;

impl Drop for Off {
    fn drop(&mut self) {
        IS_ON.set(false);
    }
}
