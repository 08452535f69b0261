//! Executions on disk: trace files, and their schedules as text.
//!
//! `hosting` writes traces, `replay` runs them, and the tool shows, replays or prints a file as a [`document`].

pub(crate) mod document;
mod error;
mod file;
mod format;
mod place;
pub(crate) mod schedule;
mod story;

pub use file::Trace;
pub use place::{SCHEDULES, directory, is_saved, write_all};
pub(crate) use place::{own_package, slug};
