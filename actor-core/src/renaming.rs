//! Renaming of actors during fingerprinting, for symmetry reduction: states that differ only in a permutation
//! of interchangeable actors get the same fingerprint.

use std::cell::{Cell, RefCell};

thread_local! {
    /// A plain flag, since every hash of an identity reads it.
    static IS_ON: Cell<bool> = const { Cell::new(false) };
    static NAMES: RefCell<Vec<Option<u64>>> = const { RefCell::new(Vec::new()) };
    static IS_MET: Cell<bool> = const { Cell::new(false) };
}

/// Returns the number by which fingerprints identify an operation: its own, unless it is renamed.
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

/// Renames operations while `f` takes fingerprints: the operation with number `n` to `names[n]`. Also returns
/// true if a renamed operation was met.
pub fn with_renaming<T>(names: &[Option<u64>], f: impl FnOnce() -> T) -> (T, bool) {
    NAMES.with_borrow_mut(|kept| {
        kept.clear();
        kept.extend_from_slice(names);
    });
    IS_MET.set(false);
    let off = RenamingGuard;
    IS_ON.set(true);
    let result = f();
    drop(off);
    (result, IS_MET.get())
}

/// Ends the renaming on drop, even if a type's code panics.
struct RenamingGuard;

impl Drop for RenamingGuard {
    fn drop(&mut self) {
        IS_ON.set(false);
    }
}
