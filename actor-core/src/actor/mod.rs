//! What a program is written in: the trait that `#[actor]` implements, the context of a handler, and the
//! references by which actors send to each other.
//!
//! - [`definition`]: the trait, and what its tables promise; [`rest`]: what both executors run of it.
//! - [`context`]: what a handler can do; [`timeouts`] and [`receive`]: what it has for that.
//! - [`reference`]: who receives; [`sending`]: to mailboxes that may be full; [`protocol`]: by what an
//!   actor can do, not by its type.
//! - [`spawner`]: how an actor is started; [`names`]: how it is found.
//! - `alike`: what all references have; [`crossing`] and `references`: what goes to another node.
//!
//! The trait names the context in its signatures, the context the references, and these the trait: so
//! they share a room. Programs and generated code call it, and the rooms above. What is generic here is
//! compiled once for every actor type of a program, and hands on at once what does not need the type.

mod alike;
pub(crate) mod context;
pub(crate) mod crossing;
mod definition;
pub(crate) mod names;
pub(crate) mod protocol;
pub(crate) mod receive;
mod reference;
#[cfg(feature = "codec")]
mod references;
mod reply_recipient;
pub(crate) mod rest;
pub(crate) mod sending;
mod spawner;
pub(crate) mod timeouts;
mod weak;
mod world;

pub use context::{Context, Piped};
pub use definition::{AcceptedBy, Actor, Call, Flow, Handler};
pub use reference::{ActorRef, AnyRef, Recipient};
pub use reply_recipient::ReplyRecipient;
pub use spawner::Spawner;
pub use weak::WeakRef;

pub(crate) use reference::Ways;
