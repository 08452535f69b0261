//! Executions on disk: trace files, saved schedules, replays and decision logs of crashes.
//!
//! `exploring` replays and records failing executions, `hosting` writes traces and runs saved schedules, and
//! the tool shows, replays, or prints a file as a [`document`]. A [`replay`] runs the engine under the
//! recorded decisions and reports the first divergence. [`following`] names the steps of an execution, and
//! follows named steps in part or in another order. [`actor_matching`] matches the actors of a changed program with
//! the recorded ones. A [`decision_log`] records the decisions of an execution that may crash its process.

mod actor_matching;
pub(crate) mod decision_log;
pub(crate) mod document;
mod error;
mod file;
pub(crate) mod following;
mod format;
mod place;
pub(crate) mod replay;
pub(crate) mod saved;
pub(crate) mod schedule;
mod story;
#[cfg(test)]
mod tests;

pub use file::Trace;
pub use place::{directory, write_all};
pub(crate) use place::{own_package, slug};
