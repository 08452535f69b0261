//! A store of reservations behind a web service: handlers of requests ask actors, which are
//! supervised, and come back with what they knew when they fail.
//!
//! The items are divided among [`Shard`]s. A shard writes each change to its [`Journal`] before it
//! answers, and reads the journal when it starts; so whatever was answered outlives a crash. Its
//! mailbox has a bound, and a request that finds it full is refused at once, since waiting in a line
//! that is too long helps nobody. What becomes of an ask decides the status of the answer:
//!
//! | the ask | the status |
//! |---|---|
//! | is answered | 200; 404 and 409 where there is no such item, or not enough of it |
//! | finds the mailbox full | 503 |
//! | finds the system shutting down | 503 |
//! | takes too long | 504 |
//! | is lost with a shard that failed | 500: it may have been done, or not |
//!
//! **The bug it teaches.** With [`Bug::WriteBehind`], a shard answers first and writes later, three
//! changes at a time. It is faster, and right until a shard crashes with a change that it had
//! confirmed and not written: what is sold is then sold again.

mod journal;
mod shard;
mod store;
#[cfg(test)]
mod tests;
pub mod web;

pub use journal::{Append, Change, Journal, Read, Record};
pub use shard::{AddStock, Bug, Crash, Refusal, Reserve, Shard, Stock};
pub use store::{Layout, Store, set_up};
