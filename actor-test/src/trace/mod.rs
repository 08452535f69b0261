//! Executions on disk and back: traces, saved schedules, tokens, stories.

mod file;
pub(crate) mod reproduction;
pub(crate) mod saved;
pub mod story;

pub(crate) use file::*;
