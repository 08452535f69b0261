//! Executions on disk and back: trace files, saved schedules, and running either again.
//!
//! `exploring` has what failed replayed and recorded, `hosting` has it written and runs the schedules
//! that were saved, the tool shows and replays a file, or prints it as a [`document`]. A [`replay`]
//! runs the engine under the recorded decisions and tells where it left them; [`following`] names the
//! steps of an execution, and runs those that are left of them, or in another order; [`likeness`] tells who
//! of a changed program is who of the recorded one; a [`witness`]
//! writes down the decisions of an
//! execution that may take its process down.

pub(crate) mod document;
mod error;
mod file;
pub(crate) mod following;
mod format;
mod likeness;
mod place;
pub(crate) mod replay;
pub(crate) mod saved;
pub(crate) mod schedule;
mod story;
#[cfg(test)]
mod tests;
pub(crate) mod witness;

pub use file::Trace;
pub use place::{directory, write_all};
pub(crate) use place::{own_package, slug};
