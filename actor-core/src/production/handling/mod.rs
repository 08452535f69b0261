//! What an actor's handlers do: its own side of its mailbox, and of the world.
//!
//! - [`side`]: what a handler's context does to the world.
//! - [`inbox`]: the side of the mailbox that the actor alone reads.
//! - [`timer`]: what it has armed.
//!
//! The code of an actor's type calls it, by the context. It calls the actors that [run](super::running),
//! which know of a handler only that it runs.

mod inbox;
pub(crate) mod side;
pub(crate) mod timer;
