//! The engine: runs one execution after another of a test, step by step, on one thread.
//!
//! It reads no clock, no operating system randomness and no hash-map order, so the same decisions
//! lead to the same execution on every machine.

mod controlled;
mod enabled;
mod execution;
mod observers;
mod operation;
mod panics;
mod recorder;
mod specifications;
mod state;
mod tape;
mod thermometer;
mod timers;
mod wake;

pub(crate) use execution::{End, Engine, Outcome, Program, RunOptions};
pub(crate) use specifications::Observed;
pub(crate) use tape::Decision;
