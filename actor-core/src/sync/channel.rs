//! The parts that the ends of all channels share.

use crate::object::{Accessed, OwnedObject};

/// One end of a channel: that of tokio or the standard library, and the identity of the channel.
#[derive(Clone)]
pub(super) struct End<I> {
    pub(super) inner: I,
    pub(super) object: OwnedObject,
}

impl<I> End<I> {
    /// Makes the ends of a new channel.
    #[track_caller]
    pub(super) fn pair<R>((sender, receiver): (I, R)) -> (Self, End<R>) {
        let sender = Self {
            inner: sender,
            object: OwnedObject::new(),
        };
        let receiver = sender.with(receiver);
        (sender, receiver)
    }

    /// Reads the state of the channel.
    #[track_caller]
    pub(super) fn read<T>(&self, kind: &'static str, f: impl FnOnce(&I) -> T) -> T {
        self.object.read(kind, "looks into", || f(&self.inner))
    }

    /// Makes another end of the same channel.
    pub(super) fn with<R>(&self, inner: R) -> End<R> {
        let object = self.object.clone();
        End { inner, object }
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
