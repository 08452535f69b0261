//! The engine: runs one execution after another of a test, step by step, on one thread.
//!
//! It reads no clock, no operating system randomness and no hash-map order, so the same decisions
//! lead to the same execution on every machine.

mod effects;
mod execution;
mod handling;
mod recording;
mod sameness;
mod seam;
mod session;
mod supervision;
mod watching;
mod workshop;
mod world;

pub(crate) use execution::{End, Engine, Outcome, Program, RunOptions, Watch};
pub(crate) use recording::tape::{Decision, Witness};
pub(crate) use watching::observations::Observations;
pub(crate) use watching::specifications::Observed;
