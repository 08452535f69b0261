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

use std::convert::identity;
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
    (
        $atomic:ident $(<$of:ident>)?, $value:ty, $shown:ident,
        $($update:ident $what:literal $preposition:literal $($now:ident)?),*
    ) => {
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
                let Some(object) = self.0.object.controlled() else {
                    return self.0.inner.load(order);
                };
                let access = object.begin_access(ObjectOperation::new(KIND, "loads"));
                let value = self.0.inner.load(order);
                let values = format_args!("{}, {order:?}, from", $shown(value));
                object.record_values(access, loaded(order), values);
                value
            }

            /// Stores a value.
            #[track_caller]
            #[inline]
            pub fn store(&self, value: $value, order: Ordering) {
                let Some(object) = self.0.object.controlled() else {
                    return self.0.inner.store(value, order);
                };
                let access = object.begin_access(ObjectOperation::new(KIND, "stores"));
                let was = self.now();
                self.0.inner.store(value, order);
                let values = format_args!("{} (was {}), {order:?}, into", $shown(value), $shown(was));
                object.record_values(access, stored(order), values);
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
                let Some(object) = self.0.object.controlled() else {
                    return exchange();
                };
                let access = object.begin_access(ObjectOperation::new(KIND, "compares with"));
                let result = exchange();
                let shown = $shown(current);
                match result {
                    Ok(was) => {
                        let (new, was) = ($shown(new), $shown(was));
                        let values = format_args!("{shown} and stores {new} (was {was}), {success:?}, into");
                        object.record_values(access, updated(success), values);
                    }
                    Err(now) => {
                        let values = format_args!("{shown}, finds {}, {failure:?}, at", $shown(now));
                        object.record_values(access, loaded(failure), values);
                    }
                }
                result
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
                    let Some(object) = self.0.object.controlled() else {
                        return self.0.inner.$update(value, order);
                    };
                    let access = object.begin_access(ObjectOperation::new(KIND, $what));
                    let was = self.0.inner.$update(value, order);
                    let values = format_args!(
                        concat!("{} (was {}", $(", ", stringify!($now), " {}",)? "), {:?}, ", $preposition),
                        $shown(value),
                        $shown(was),
                        $($shown(self.$now()),)?
                        order
                    );
                    object.record_values(access, updated(order), values);
                    was
                }
            )*

            /// Returns the value under test, where nothing runs beside the operation.
            fn now(&self) -> $value {
                self.0.inner.load(Ordering::Relaxed)
            }

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
                $atomic, $value, identity, swap "swaps in" "at", fetch_add "adds" "to" now,
                fetch_sub "subtracts" "from" now, fetch_max "takes the maximum with" "at" now,
                fetch_min "takes the minimum with" "at" now, fetch_and "ands with" "at" now,
                fetch_or "ors with" "at" now, fetch_xor "xors with" "at" now
            );
        )*
    };
}

/// Describes a pointer without its address, which differs from run to run.
fn pointer<T>(pointer: *mut T) -> &'static str {
    if pointer.is_null() {
        "null"
    } else {
        "a pointer"
    }
}

numbers!(
    AtomicU8 u8, AtomicU16 u16, AtomicU32 u32, AtomicU64 u64, AtomicUsize usize,
    AtomicI8 i8, AtomicI16 i16, AtomicI32 i32, AtomicI64 i64, AtomicIsize isize
);
atomic!(
    AtomicBool, bool, identity, swap "swaps in" "at", fetch_and "ands with" "at" now,
    fetch_or "ors with" "at" now, fetch_xor "xors with" "at" now
);
atomic!(AtomicPtr<T>, *mut T, pointer, swap "swaps in" "at");

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
