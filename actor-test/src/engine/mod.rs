//! The engine: runs one execution after another of a test, step by step, on one thread.
//!
//! It reads no clock, no operating system randomness and no hash-map order, so the same decisions
//! lead to the same execution on every machine.

mod asks;
mod clock;
mod controlled;
mod cycle;
mod effects;
mod enabled;
mod endings;
mod execution;
mod fingerprint;
mod flushing;
mod handling;
mod landmarks;
mod lasso;
mod looking;
mod observations;
mod observers;
mod opaque;
mod operation;
mod outbox;
mod panics;
mod pending;
mod prints;
mod recorder;
mod region;
mod room;
mod specifications;
mod state;
mod supervision;
mod tally;
mod tape;
mod telling;
mod thermometer;
mod timers;
mod verdict;
mod wake;

pub(crate) use execution::{End, Engine, Outcome, Program, RunOptions, Watch};
pub(crate) use observations::Observations;
pub(crate) use specifications::Observed;
pub(crate) use tape::Decision;
