//! The local half of an actor in production: its inbox, timers and effects.
//!
//! - [`local`]: the effects of a handler's context.
//! - [`inbox`]: the part of the mailbox that the actor alone reads.
//! - [`timer`]: armed timers.
//!
//! Contexts, which know the actor's type, call this module. The module calls the
//! [actors](super::actor), which know nothing else of handlers.

mod inbox;
pub(crate) mod local;
pub(crate) mod timer;
