//! A stock reservation service: HTTP handlers ask supervised actors, and an
//! actor that fails is restarted with the state that its journal has kept.
//!
//! The items are divided among [`Shard`]s. A shard writes each change to its [`Journal`] before
//! it answers, and reads the journal when it starts. An answered change therefore survives a
//! crash. The mailbox of a shard is bounded, and a request that finds it full is refused at
//! once (load shedding). The outcome of an ask decides the status of the HTTP response:
//!
//! | the ask | the status |
//! |---|---|
//! | is answered | 200; 404 and 409 where there is no such item, or not enough of it |
//! | finds the mailbox full | 503 |
//! | finds the system shutting down | 503 |
//! | takes too long | 504 |
//! | is lost with a shard that failed | 500: it may have been done, or not |
//!
//! **The bug it teaches.** With [`Bug::WriteBehind`], a shard answers first and writes
//! later, three changes at a time. That is faster, and works until a shard crashes
//! with a confirmed change that is not written: the same items are then sold twice.

mod journal;
mod shard;
mod store;
#[cfg(test)]
mod tests;
pub mod web;

pub use journal::{Append, Change, Journal, Read, Record};
pub use shard::{AddStock, Bug, Crash, Refusal, Reserve, Shard, Stock};
pub use store::{Layout, Store, set_up};
