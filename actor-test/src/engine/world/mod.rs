//! What an execution consists of, as plain data: operations with their queues, timers, asks, and the
//! enabled set. Nothing here calls a user's code.

pub(crate) mod asks;
pub(crate) mod clock;
pub(crate) mod enabled;
pub(crate) mod endings;
pub(crate) mod flushing;
pub(crate) mod futures;
pub(crate) mod inbox;
pub(crate) mod links;
pub(crate) mod operation;
pub(crate) mod outbox;
pub(crate) mod owned;
pub(crate) mod pending;
pub(crate) mod reach;
pub(crate) mod room;
pub(crate) mod state;
pub(crate) mod timers;
pub(crate) mod types;
pub(crate) mod wake;
pub(crate) mod watches;
