//! Autoref specialisation that finds the fingerprint of a concrete type, or its `Hash`.
//!
//! The macros write `(&&&Offer(value)).feed(to)`. Rust looks for the method on `&&&Offer`, then on `&&Offer`,
//! and so on, and takes the first whose bounds hold. So a type's [`Fingerprint`] is preferred, then its
//! `Hash`, and a type with neither causes no error. In generic code only bounds in scope count.
//!
//! An actor, event or monitor uses the methods of [`value_methods`]. A field uses those of [`field_methods`], where
//! a type that offers nothing is an error. The methods of [`debug_methods`] find out if an actor can be printed.

use std::collections::HashMap;
use std::fmt::Debug;
use std::hash::Hash;

use super::{Fingerprint, Fingerprinter};

/// A value that may have a fingerprint or a hash.
#[derive(Debug)]
pub struct AutorefValue<'a, T: ?Sized>(pub &'a T);

impl<T: ?Sized> Clone for AutorefValue<'_, T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T: ?Sized> Copy for AutorefValue<'_, T> {}

/// A type that implements [`Fingerprint`].
pub trait FeedFingerprint {
    /// Feeds the value; returns true.
    fn feed(self, to: &mut Fingerprinter) -> bool;
}

impl<T: Fingerprint + ?Sized> FeedFingerprint for &&&AutorefValue<'_, T> {
    #[inline]
    fn feed(self, to: &mut Fingerprinter) -> bool {
        self.0.fingerprint(to);
        true
    }
}

/// A type that implements [`Hash`].
pub trait Hashed {
    /// Feeds the value; returns true.
    fn feed(self, to: &mut Fingerprinter) -> bool;
}

impl<T: Hash + ?Sized> Hashed for &&AutorefValue<'_, T> {
    #[inline]
    fn feed(self, to: &mut Fingerprinter) -> bool {
        self.0.hash(to);
        true
    }
}

/// Any other type.
pub trait FeedNothing {
    /// Feeds nothing; returns true if the type has no data.
    fn feed(self, to: &mut Fingerprinter) -> bool;
}

impl<T> FeedNothing for AutorefValue<'_, T> {
    #[inline]
    fn feed(self, _: &mut Fingerprinter) -> bool {
        size_of::<T>() == 0
    }
}

/// An unordered map whose entries can be hashed.
pub trait Unordered {
    /// Feeds the value, in no order; returns true.
    fn feed(self, to: &mut Fingerprinter) -> bool;
}

impl<K: Hash, V: Hash, S> Unordered for &AutorefValue<'_, HashMap<K, V, S>> {
    fn feed(self, to: &mut Fingerprinter) -> bool {
        to.unordered(self.0.iter(), |entry, to| entry.hash(to));
        true
    }
}

/// A field that offers nothing: the unmet bound is the compile error.
pub trait Missing<T: ?Sized> {
    /// Feeds the value; returns true.
    fn feed(self, to: &mut Fingerprinter) -> bool
    where
        T: Fingerprint;
}

impl<T: ?Sized> Missing<T> for AutorefValue<'_, T> {
    fn feed(self, to: &mut Fingerprinter) -> bool
    where
        T: Fingerprint,
    {
        self.0.fingerprint(to);
        true
    }
}

/// A type that implements [`Debug`].
pub trait Printed<'a> {
    /// Returns the value as a `Debug` object.
    fn debug(self) -> Option<&'a dyn Debug>;
}

impl<'a, T: Debug> Printed<'a> for &AutorefValue<'a, T> {
    #[inline]
    fn debug(self) -> Option<&'a dyn Debug> {
        Some(self.0)
    }
}

/// A type without [`Debug`].
pub trait Unprinted<'a> {
    /// Returns `None`.
    fn debug(self) -> Option<&'a dyn Debug>;
}

impl<'a, T> Unprinted<'a> for AutorefValue<'a, T> {
    #[inline]
    fn debug(self) -> Option<&'a dyn Debug> {
        None
    }
}

/// The methods that print an actor.
pub mod debug_methods {
    pub use super::{Printed as _, Unprinted as _};
}

/// The methods that fingerprint an actor, event or monitor.
pub mod value_methods {
    pub use super::{FeedFingerprint as _, FeedNothing as _, Hashed as _};
}

/// The methods that fingerprint a field.
pub mod field_methods {
    pub use super::{FeedFingerprint as _, Hashed as _, Missing as _, Unordered as _};
}
