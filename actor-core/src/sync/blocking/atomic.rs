//! Atomic types, as in the standard library.
//!
//! ```
//! use actor_core::sync::blocking::atomic::{AtomicU32, Ordering};
//!
//! static COUNT: AtomicU32 = AtomicU32::new(0);
//!
//! assert_eq!(COUNT.fetch_add(2, Ordering::Relaxed), 0);
//! assert_eq!(COUNT.load(Ordering::Relaxed), 2);
//! ```

use std::fmt;

pub use std::sync::atomic::Ordering;

use super::super::observed::Observed;
use crate::object::{Accessed, ObjectOperation};
use crate::seam::{self, AccessEffect, MadeAccess, Release};

const fn acquires(order: Ordering) -> bool {
    matches!(
        order,
        Ordering::Acquire | Ordering::AcqRel | Ordering::SeqCst
    )
}

const fn releases(order: Ordering) -> bool {
    matches!(
        order,
        Ordering::Release | Ordering::AcqRel | Ordering::SeqCst
    )
}

fn loaded(order: Ordering) -> AccessEffect {
    AccessEffect {
        acquires: acquires(order),
        is_weak: order != Ordering::SeqCst,
        ..AccessEffect::READS
    }
}

fn stored(order: Ordering) -> AccessEffect {
    AccessEffect {
        acquires: false,
        releases: match releases(order) {
            true => Release::Replaces,
            false => Release::Ends,
        },
        is_weak: order != Ordering::SeqCst,
        ..AccessEffect::CHANGES
    }
}

/// The access of a read-modify-write operation, which continues a release sequence.
fn updated(order: Ordering) -> AccessEffect {
    AccessEffect {
        acquires: acquires(order),
        releases: match releases(order) {
            true => Release::Adds,
            false => Release::Nothing,
        },
        is_weak: order != Ordering::SeqCst,
        ..AccessEffect::CHANGES
    }
}

const KIND: &str = "atomic";

macro_rules! atomic {
    ($atomic:ident $(<$of:ident>)?, $value:ty, $($update:ident $what:literal),*) => {
        /// An atomic value, as in the standard library.
        pub struct $atomic $(<$of>)?(Observed<std::sync::atomic::$atomic $(<$of>)?>);

        impl $(<$of>)? $atomic $(<$of>)? {
            /// Creates an atomic with a value.
            #[track_caller]
            pub const fn new(value: $value) -> Self {
                Self(Observed::new(std::sync::atomic::$atomic::new(value)))
            }

            /// Loads the value.
            #[track_caller]
            #[inline]
            pub fn load(&self, order: Ordering) -> $value {
                let load = || self.0.inner.load(order);
                let operation = ObjectOperation::new(KIND, "loads");
                self.0.object.step(operation, load, |_| loaded(order))
            }

            /// Stores a value.
            #[track_caller]
            #[inline]
            pub fn store(&self, value: $value, order: Ordering) {
                let store = || self.0.inner.store(value, order);
                let operation = ObjectOperation::new(KIND, "stores into");
                self.0.object.step(operation, store, |()| stored(order));
            }

            /// Stores a value if the current value is `current`; returns the previous value.
            ///
            /// # Errors
            ///
            /// Returns the current value if it is not `current`.
            #[track_caller]
            #[inline]
            pub fn compare_exchange(
                &self,
                current: $value,
                new: $value,
                success: Ordering,
                failure: Ordering,
            ) -> Result<$value, $value> {
                let exchange = || self.0.inner.compare_exchange(current, new, success, failure);
                let operation = ObjectOperation::new(KIND, "compares and exchanges");
                self.0.object.step(operation, exchange, |result| match result {
                    Ok(_) => updated(success),
                    Err(_) => loaded(failure),
                })
            }

            /// As [`compare_exchange`](Self::compare_exchange), but in production may fail spuriously.
            ///
            /// # Errors
            ///
            /// Returns the current value if it was not exchanged.
            #[track_caller]
            #[inline]
            pub fn compare_exchange_weak(
                &self,
                current: $value,
                new: $value,
                success: Ordering,
                failure: Ordering,
            ) -> Result<$value, $value> {
                if !seam::is_controlled() {
                    return self.0.inner.compare_exchange_weak(current, new, success, failure);
                }
                self.compare_exchange(current, new, success, failure)
            }

            /// Updates the value by `f`, and retries after interference; returns the previous value.
            ///
            /// # Errors
            ///
            /// Returns the current value if `f` returns `None`.
            #[track_caller]
            #[inline]
            pub fn fetch_update(
                &self,
                set_order: Ordering,
                fetch_order: Ordering,
                mut f: impl FnMut($value) -> Option<$value>,
            ) -> Result<$value, $value> {
                let mut seen = self.load(fetch_order);
                while let Some(new) = f(seen) {
                    match self.compare_exchange_weak(seen, new, set_order, fetch_order) {
                        Ok(seen) => return Ok(seen),
                        Err(now) => seen = now,
                    }
                }
                Err(seen)
            }

            $(
                /// Updates the value; returns the previous one.
                #[track_caller]
                #[inline]
                pub fn $update(&self, value: $value, order: Ordering) -> $value {
                    let update = || self.0.inner.$update(value, order);
                    let operation = ObjectOperation::new(KIND, $what);
                    self.0.object.step(operation, update, |_| updated(order))
                }
            )*

            /// Returns the value, without synchronisation, since the borrow is exclusive.
            pub fn get_mut(&mut self) -> &mut $value {
                self.0.inner.get_mut()
            }

            /// Returns the value.
            pub fn into_inner(self) -> $value {
                self.0.inner.into_inner()
            }
        }

        impl $(<$of>)? Default for $atomic $(<$of>)? {
            #[track_caller]
            fn default() -> Self {
                Self::new(<$value>::default())
            }
        }

        impl $(<$of>)? From<$value> for $atomic $(<$of>)? {
            #[track_caller]
            fn from(value: $value) -> Self {
                Self::new(value)
            }
        }

        impl $(<$of>)? fmt::Debug for $atomic $(<$of>)? {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.inner.fmt(f)
            }
        }
    };
}

macro_rules! numbers {
    ($($atomic:ident $value:ty),*) => {
        $(
            atomic!(
                $atomic, $value, swap "swaps", fetch_add "adds to", fetch_sub "subtracts from",
                fetch_max "takes the maximum of", fetch_min "takes the minimum of", fetch_and "ands",
                fetch_or "ors", fetch_xor "xors"
            );
        )*
    };
}

numbers!(
    AtomicU8 u8, AtomicU16 u16, AtomicU32 u32, AtomicU64 u64, AtomicUsize usize,
    AtomicI8 i8, AtomicI16 i16, AtomicI32 i32, AtomicI64 i64, AtomicIsize isize
);
atomic!(AtomicBool, bool, swap "swaps", fetch_and "ands", fetch_or "ors", fetch_xor "xors");
atomic!(AtomicPtr<T>, *mut T, swap "swaps");

/// A memory fence, as in the standard library: orders earlier operations, and later atomic stores, before
/// operations that follow a fence after a load of one of these stores.
///
/// Under test a fence is no step of its own, since every load sees the last store anyway; the order is taken
/// into account at a [`RaceCell`](crate::sync::RaceCell).
///
/// ```
/// use actor_core::sync::blocking::atomic::{AtomicBool, Ordering, fence};
///
/// static READY: AtomicBool = AtomicBool::new(false);
///
/// fence(Ordering::Release);
/// READY.store(true, Ordering::Relaxed);
/// ```
///
/// # Panics
///
/// With `Ordering::Relaxed`, which orders nothing.
#[inline]
pub fn fence(order: Ordering) {
    if seam::is_controlled() && order != Ordering::Relaxed {
        let fence = MadeAccess::Fence {
            acquires: acquires(order),
            releases: releases(order),
        };
        seam::try_with(|rt| rt.access(fence));
        return;
    }
    std::sync::atomic::fence(order);
}
