//! What goes from one node to another: messages, replies and references, encoded and decoded.
//!
//! Under test a message between nodes is encoded with [`codec`](crate::codec) and decoded again, so
//! that what a program shares by accident is not shared there either. In production the nodes of one
//! process hand messages over as they are.
//!
//! What a type offers is found out where it is concrete, as for [fingerprints](crate::__private::Offer):
//! the macros write `(&&&Carried(event)).carry()`, and Rust takes the first method whose bounds hold.

use std::any::type_name;

use crate::asking::Reply;
use crate::event::Event;
use crate::parts::CannotCross;

/// What is to go to another node: an event, or a [`Reply`].
#[derive(Debug)]
pub struct Carried<'a, T: ?Sized>(pub &'a T);

impl<T: ?Sized> Clone for Carried<'_, T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T: ?Sized> Copy for Carried<'_, T> {}

/// What `#[actor(remote)]` asks of events and replies: they go from one node to another.
#[diagnostic::on_unimplemented(
    message = "`{Self}` can't go from one node to another",
    label = "`#[actor(remote)]` asks for it",
    note = "put `#[derive(serde::Serialize, serde::Deserialize)]` on it, with actor-core's feature `codec`"
)]
pub trait Crosses {}

#[cfg(feature = "codec")]
impl<T: serde::Serialize + serde::Deserialize<'static>> Crosses for T {}

/// What the framework's own actors send each other: it goes as it is.
pub trait AsItIs: Clone {}

/// See `AsItIs`.
pub trait Handed<T> {
    /// The same value.
    fn carry(self) -> Result<T, CannotCross>;
}

impl<T: AsItIs> Handed<T> for &&&Carried<'_, T> {
    fn carry(self) -> Result<T, CannotCross> {
        Ok(self.0.clone())
    }
}

/// A type that is encoded.
#[cfg(feature = "codec")]
pub trait Coded<T> {
    /// What arrives.
    fn carry(self) -> Result<T, CannotCross>;
}

#[cfg(feature = "codec")]
impl<T: serde::Serialize + serde::Deserialize<'static>> Coded<T> for &&Carried<'_, T> {
    fn carry(self) -> Result<T, CannotCross> {
        coded(self.0)
    }
}

/// Encodes and decodes.
#[cfg(feature = "codec")]
pub(crate) fn coded<T: serde::Serialize + serde::Deserialize<'static>>(
    value: &T,
) -> Result<T, CannotCross> {
    crate::codec::carried(value).map_err(|error| CannotCross::Failed {
        of: type_name::<T>(),
        error: error.to_string(),
    })
}

/// A type that is encoded, and can't be decoded.
#[cfg(feature = "codec")]
pub trait HalfCoded<T> {
    /// Names what is missing.
    fn carry(self) -> Result<T, CannotCross>;
}

#[cfg(feature = "codec")]
impl<T: serde::Serialize> HalfCoded<T> for &Carried<'_, T> {
    fn carry(self) -> Result<T, CannotCross> {
        Err(CannotCross::Missing {
            of: type_name::<T>(),
            derive: "Deserialize",
        })
    }
}

/// Any other type.
pub trait Uncoded<T> {
    /// Names what is missing.
    fn carry(self) -> Result<T, CannotCross>;
}

impl<T> Uncoded<T> for Carried<'_, T> {
    fn carry(self) -> Result<T, CannotCross> {
        Err(missing::<T>())
    }
}

/// The reply to an event, where its type is not encoded: fine as long as nobody asks.
pub trait UncodedReply<R> {
    /// Names what is missing.
    fn carry_reply(self) -> Result<Reply<R>, CannotCross>;
}

impl<R> UncodedReply<R> for Carried<'_, Reply<R>> {
    fn carry_reply(self) -> Result<Reply<R>, CannotCross> {
        match self.0.was_told() {
            true => Ok(Reply::nobody()),
            false => Err(missing::<R>()),
        }
    }
}

/// The reply to an event, where its type goes to other nodes.
pub trait CodedReply<R: Event> {
    /// What arrives.
    fn carry_reply(self) -> Result<Reply<R>, CannotCross>;
}

#[cfg(feature = "codec")]
impl<R: Event + serde::Serialize + serde::Deserialize<'static>> CodedReply<R>
    for &Carried<'_, Reply<R>>
{
    fn carry_reply(self) -> Result<Reply<R>, CannotCross> {
        Ok(self.0.again(coded))
    }
}

/// The reply to an event of the framework's own.
pub trait HandedReply<R: Event> {
    /// The same.
    fn carry_reply(self) -> Result<Reply<R>, CannotCross>;
}

impl<R: Event + AsItIs> HandedReply<R> for &&Carried<'_, Reply<R>> {
    fn carry_reply(self) -> Result<Reply<R>, CannotCross> {
        Ok(self.0.again(|value| Ok(value.clone())))
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

/// The methods that the macros call.
pub mod of_a_message {
    #[cfg(feature = "codec")]
    pub use super::{Coded as _, HalfCoded as _};
    pub use super::{
        CodedReply as _, Handed as _, HandedReply as _, Uncoded as _, UncodedReply as _,
    };
}
