//! The actor API: the trait that `#[actor]` implements, the context of a handler, and references.
//!
//! - [`definition`]: the trait and its tables; [`instance`]: the type-erased actor that both executors run.
//! - [`context`]: the context of a handler; [`scoped_timers`] and [`receive`]: its timers and receives.
//! - [`reference`]: the references; [`sending`]: sending to bounded mailboxes; [`protocol`]: references
//!   by a set of events, not by the type of the actor.
//! - [`spawner`]: the builder that starts an actor; [`names`]: the registry of names.
//! - `alike`: methods of all references; [`crossing`] and `references`: serialisation between nodes.
//!
//! The trait names the context in its signatures, the context the references, and these the trait, so they
//! share a module. Generic code is compiled once for every actor type, so it calls non-generic code early.

pub(crate) mod context;
pub(crate) mod crossing;
mod definition;
pub(crate) mod instance;
pub(crate) mod names;
pub(crate) mod protocol;
pub(crate) mod receive;
mod reference;
pub(crate) mod reference_macros;
#[cfg(feature = "codec")]
mod references;
mod reply_recipient;
mod scope;
pub(crate) mod scoped_timers;
pub(crate) mod sending;
mod spawner;
mod weak;
mod world;

pub use context::{Context, Piped, TimerBuilder, TimerKey};
pub use definition::{AcceptedBy, Actor, Call, Flow, Handler};
pub use reference::{ActorRef, AnyRef, Recipient};
pub use reply_recipient::ReplyRecipient;
pub use scope::Scope;
pub use spawner::Spawner;
pub use weak::WeakRef;

pub(crate) use reference::SendFns;
pub(crate) use scope::HasParent;
