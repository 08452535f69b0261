//! What a type offers for its fingerprint, found out where the type is concrete.
//!
//! The macros write `(&&&Offer(value)).feed(to)`. Rust looks for the method on `&&&Offer`, then on
//! `&&Offer`, and so on, and takes the first whose bounds hold: so a type is asked for its
//! [`Fingerprint`], else hashed, and one that has neither is told apart without an error. In generic
//! code only what the bounds in scope promise counts.
//!
//! An actor, event or monitor uses the methods of [`of_a_whole`]; a field those of [`of_a_field`],
//! where offering nothing is an error. Whether an actor can be printed is found out by those of
//! [`of_a_print`].

use std::collections::HashMap;
use std::fmt::Debug;
use std::hash::Hash;

use super::{Fingerprint, Fingerprinter};

/// A value that may offer a fingerprint.
#[derive(Debug)]
pub struct Offer<'a, T: ?Sized>(pub &'a T);

impl<T: ?Sized> Clone for Offer<'_, T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T: ?Sized> Copy for Offer<'_, T> {}

/// A type with a fingerprint of its own.
pub trait Own {
    /// Feeds the value; tells that it did.
    fn feed(self, to: &mut Fingerprinter) -> bool;
}

impl<T: Fingerprint + ?Sized> Own for &&&Offer<'_, T> {
    #[inline]
    fn feed(self, to: &mut Fingerprinter) -> bool {
        self.0.fingerprint(to);
        true
    }
}

/// A type that can be hashed.
pub trait Hashed {
    /// Feeds the value; tells that it did.
    fn feed(self, to: &mut Fingerprinter) -> bool;
}

impl<T: Hash + ?Sized> Hashed for &&Offer<'_, T> {
    #[inline]
    fn feed(self, to: &mut Fingerprinter) -> bool {
        self.0.hash(to);
        true
    }
}

/// Any other type.
pub trait Bare {
    /// Feeds nothing, which is all there is to a type without data; tells whether it is one.
    fn feed(self, to: &mut Fingerprinter) -> bool;
}

impl<T> Bare for Offer<'_, T> {
    #[inline]
    fn feed(self, _: &mut Fingerprinter) -> bool {
        size_of::<T>() == 0
    }
}

/// A map or set without an order whose elements can be hashed.
pub trait Unordered {
    /// Feeds the value; tells that it did.
    fn feed(self, to: &mut Fingerprinter) -> bool;
}

impl<K: Hash, V: Hash, S> Unordered for &Offer<'_, HashMap<K, V, S>> {
    fn feed(self, to: &mut Fingerprinter) -> bool {
        to.unordered(self.0.iter(), |entry, to| entry.hash(to));
        true
    }
}

/// A field that offers nothing: the bound says so.
pub trait Missing<T: ?Sized> {
    /// Feeds the value; tells that it did.
    fn feed(self, to: &mut Fingerprinter) -> bool
    where
        T: Fingerprint;
}

impl<T: ?Sized> Missing<T> for Offer<'_, T> {
    fn feed(self, to: &mut Fingerprinter) -> bool
    where
        T: Fingerprint,
    {
        self.0.fingerprint(to);
        true
    }
}

/// A type that can be printed.
pub trait Printed<'a> {
    /// The value as something to print.
    fn debug(self) -> Option<&'a dyn Debug>;
}

impl<'a, T: Debug> Printed<'a> for &Offer<'a, T> {
    #[inline]
    fn debug(self) -> Option<&'a dyn Debug> {
        Some(self.0)
    }
}

/// Any other type.
pub trait Unprinted<'a> {
    /// Nothing.
    fn debug(self) -> Option<&'a dyn Debug>;
}

impl<'a, T> Unprinted<'a> for Offer<'a, T> {
    #[inline]
    fn debug(self) -> Option<&'a dyn Debug> {
        None
    }
}

/// The methods for printing an actor.
pub mod of_a_print {
    pub use super::{Printed as _, Unprinted as _};
}

/// The methods for an actor, event or monitor.
pub mod of_a_whole {
    pub use super::{Bare as _, Hashed as _, Own as _};
}

/// The methods for a field.
pub mod of_a_field {
    pub use super::{Hashed as _, Missing as _, Own as _, Unordered as _};
}
