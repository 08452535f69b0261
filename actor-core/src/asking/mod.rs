//! Request and reply: the two ends of an `ask`, and the slot between them.
//!
//! [`reply`] is held by the actor that answers, [`ask`] by the asker; [`slot`] belongs to both, and
//! [`started`] and [`stopped`] wait in the same way for an actor's start and end.

mod ask;
mod reply;
mod slot;
mod started;
mod stopped;

pub use ask::{Ask, TimedAsk};
pub use reply::Reply;
pub use started::Started;
pub use stopped::{Stopped, Stopping};

pub(crate) use slot::{Origin, ReplySlot};
