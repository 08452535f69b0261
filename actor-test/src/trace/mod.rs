//! Executions on disk and back: trace files, saved schedules, and running either again.
//!
//! `exploring` has what failed replayed and recorded, `hosting` has it written and runs the schedules
//! that were saved, `cli` shows and replays a file. A [`replay`] runs the engine under the
//! recorded decisions and tells where it left them; a [`witness`] writes down the decisions of an
//! execution that may take its process down.

mod file;
pub(crate) mod replay;
pub(crate) mod saved;
pub(crate) mod witness;

pub(crate) use file::*;
