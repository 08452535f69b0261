//! A primitive of tokio or the standard library, and its identity under test: [`Observed`].

use crate::object::{Accessed, Object, OwnedObject};

/// A primitive that is under the tester's control: each operation on it is a step.
#[derive(Clone, Debug)]
pub(super) struct Observed<I: ?Sized, O = Object> {
    pub(super) object: O,
    pub(super) inner: I,
}

impl<I> Observed<I> {
    #[track_caller]
    pub(super) const fn new(inner: I) -> Self {
        let object = Object::new();
        Self { object, inner }
    }
}

impl<I: ?Sized, O: Accessed> Observed<I, O> {
    /// Performs an operation that changes nothing.
    #[inline]
    #[track_caller]
    pub(super) fn read<'a, T>(
        &'a self,
        kind: &'static str,
        verb: &'static str,
        f: impl FnOnce(&'a I) -> T,
    ) -> T {
        self.object.read(kind, verb, || f(&self.inner))
    }

    /// Performs an operation that changes the object.
    #[inline]
    #[track_caller]
    pub(super) fn change<T>(
        &self,
        kind: &'static str,
        verb: &'static str,
        f: impl FnOnce(&I) -> T,
    ) -> T {
        self.object.change(kind, verb, || f(&self.inner))
    }

    /// Performs an operation that changes the object if it succeeds.
    #[inline]
    #[track_caller]
    pub(super) fn try_change<'a, T, E>(
        &'a self,
        kind: &'static str,
        verb: &'static str,
        f: impl FnOnce(&'a I) -> Result<T, E>,
    ) -> Result<T, E> {
        self.object.try_change(kind, verb, || f(&self.inner))
    }
}

/// One end of a channel.
pub(super) type End<I> = Observed<I, OwnedObject>;

impl<I> End<I> {
    /// Makes the ends of a new channel.
    #[track_caller]
    pub(super) fn pair<R>((inner, receiver): (I, R)) -> (Self, End<R>) {
        let object = OwnedObject::new();
        let sender = Self { object, inner };
        let receiver = sender.with(receiver);
        (sender, receiver)
    }

    /// Makes another end of the same channel.
    pub(super) fn with<R>(&self, inner: R) -> End<R> {
        let object = self.object.clone();
        End { object, inner }
    }
}

/// Implements `Clone`: a clone belongs to the same channel.
macro_rules! clones {
    ($end:ident) => {
        impl<T> Clone for $end<T> {
            fn clone(&self) -> Self {
                Self(self.0.clone())
            }
        }
    };
}

/// Implements `Drop`, which under test is an access that the other ends can observe, and `Debug`.
macro_rules! ends {
    ($end:ident, $verb:literal) => {
        impl<T> Drop for $end<T> {
            fn drop(&mut self) {
                self.0.object.record_drop(KIND, $verb);
            }
        }

        debug_opaque!($end<T>);
    };
}

/// Implements `Debug` without the fields.
macro_rules! debug_opaque {
    ($name:ident <$($of:tt),*>) => {
        impl<T> std::fmt::Debug for $name<$($of),*> {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.debug_struct(stringify!($name)).finish_non_exhaustive()
            }
        }
    };
}
