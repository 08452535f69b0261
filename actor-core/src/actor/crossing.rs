//! Serialisation between nodes: messages, replies and references are encoded and decoded.
//!
//! Under test a message between nodes is encoded with [`codec`](crate::codec) and decoded again, so that
//! values shared by accident are not shared across nodes. In production, nodes pass messages on unchanged.
//!
//! The capability of a type is found at a concrete type, as for
//! [fingerprints](crate::__private::AutorefValue): the macros write `(&&ToCarry(event)).carry()`, and Rust
//! takes the first method whose bounds hold (autoref specialisation).

use std::any::type_name;

use crate::asking::Reply;
use crate::event::Event;
use crate::seam::CannotCross;

/// The value to be carried to another node: an event, or a [`Reply`].
#[derive(Debug)]
pub struct ToCarry<'a, T: ?Sized>(pub &'a T);

impl<T: ?Sized> Clone for ToCarry<'_, T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T: ?Sized> Copy for ToCarry<'_, T> {}

/// The bound of `#[actor(remote)]` on events and replies: they can be carried between nodes.
#[diagnostic::on_unimplemented(
    message = "`{Self}` can't go from one node to another",
    label = "`#[actor(remote)]` asks for it",
    note = "put `#[derive(serde::Serialize, serde::Deserialize)]` on it, with actor-core's feature `codec`"
)]
pub trait Crosses {}

#[cfg(feature = "codec")]
impl<T: serde::Serialize + serde::Deserialize<'static>> Crosses for T {}

/// Carries a type that can be encoded and decoded.
#[cfg(feature = "codec")]
pub trait Coded<T> {
    /// Returns the value that arrives.
    fn carry(self) -> Result<T, CannotCross>;
}

#[cfg(feature = "codec")]
impl<T: serde::Serialize + serde::Deserialize<'static>> Coded<T> for &&ToCarry<'_, T> {
    fn carry(self) -> Result<T, CannotCross> {
        coded(self.0)
    }
}

/// Encodes and decodes the value.
#[cfg(feature = "codec")]
pub(crate) fn coded<T: serde::Serialize + serde::Deserialize<'static>>(
    value: &T,
) -> Result<T, CannotCross> {
    crate::codec::carried(value).map_err(|error| CannotCross::Failed {
        of: type_name::<T>(),
        error: error.to_string(),
    })
}

/// Rejects a type that can be encoded, but not decoded.
#[cfg(feature = "codec")]
pub trait HalfCoded<T> {
    /// Returns an error that names the missing derive.
    fn carry(self) -> Result<T, CannotCross>;
}

#[cfg(feature = "codec")]
impl<T: serde::Serialize> HalfCoded<T> for &ToCarry<'_, T> {
    fn carry(self) -> Result<T, CannotCross> {
        Err(CannotCross::Missing {
            of: type_name::<T>(),
            derive: "Deserialize",
        })
    }
}

/// Rejects any other type.
pub trait Uncoded<T> {
    /// Returns an error that names the missing derives.
    fn carry(self) -> Result<T, CannotCross>;
}

impl<T> Uncoded<T> for ToCarry<'_, T> {
    fn carry(self) -> Result<T, CannotCross> {
        Err(missing::<T>())
    }
}

/// Carries the reply to an event whose reply type is not encoded, which works only if nobody asks.
pub trait UncodedReply<R> {
    /// Returns an error that names the missing derives, unless the event was sent without an `ask`.
    fn carry_reply(self) -> Result<Reply<R>, CannotCross>;
}

impl<R> UncodedReply<R> for ToCarry<'_, Reply<R>> {
    fn carry_reply(self) -> Result<Reply<R>, CannotCross> {
        match self.0.is_unasked() {
            true => Ok(Reply::nobody()),
            false => Err(missing::<R>()),
        }
    }
}

/// Carries the reply to an event whose reply type is encoded.
pub trait CodedReply<R: Event> {
    /// Returns the reply that arrives.
    fn carry_reply(self) -> Result<Reply<R>, CannotCross>;
}

#[cfg(feature = "codec")]
impl<R: Event + serde::Serialize + serde::Deserialize<'static>> CodedReply<R>
    for &ToCarry<'_, Reply<R>>
{
    fn carry_reply(self) -> Result<Reply<R>, CannotCross> {
        Ok(self.0.duplicate(coded))
    }
}

fn missing<T: ?Sized>() -> CannotCross {
    CannotCross::Missing {
        of: type_name::<T>(),
        derive: match cfg!(feature = "codec") {
            true => "Serialize, Deserialize",
            false => "",
        },
    }
}

/// The carrying methods that the macros call.
pub mod of_a_message {
    #[cfg(feature = "codec")]
    pub use super::{Coded as _, HalfCoded as _};
    pub use super::{CodedReply as _, Uncoded as _, UncodedReply as _};
}
