//! The engine: runs one execution after another of a test, step by step, on one thread.
//!
//! It reads no clock, no operating system randomness and no hash-map order, so the same decisions
//! lead to the same execution on every machine.
//!
//! Its rooms, from top to bottom; each uses those below it alone.
//!
//! 1. [`running`]: the run loop. It asks the strategy, takes the step, does what follows, judges.
//! 2. [`sameness`]: whether two states are the same.
//! 3. [`seam`]: what actors under test call while they run.
//! 4. [`session`]: what is told of executions and known over all of them, made of the parts that lie
//!    in [`watching`] (specifications, coverage) and [`recording`] (decisions, records).
//! 5. [`workshop`]: what the engine holds of the user's, and memory to use again.
//! 6. [`world`]: the execution itself, plain data that can be cloned.
//! 7. [`panics`]: calls a user's code and catches its panics.
//!
//! A `tell` goes down and up again: `seam` puts the event into the workshop and its letter into the
//! sender's outbox in the world; later `running` carries the letter over to the receiver's inbox,
//! shows it to monitors, and has the receiver handle it.

mod arena;
mod panics;
mod recording;
mod running;
mod sameness;
mod seam;
mod session;
mod watching;
mod world;

pub(crate) use panics::show as show_panics;
pub(crate) use recording::tape::{DecisionObserver, RecordedDecision, checks, chosen};
pub(crate) use running::execution::{Engine, ObligationWatch, Program, RunOptions, StepObserver};
pub(crate) use running::outcome::{EndReason, Outcome, START, THREAD};
pub(crate) use running::own_thread::{STACK_BYTES, on_fresh_thread, on_own_thread};
pub(crate) use watching::calls::Calls;
pub(crate) use watching::observations::Observations;
pub(crate) use watching::specifications::SpecificationStats;
pub(crate) use watching::suspicion::Suspicion;
pub(crate) use world::aliases::Aliases;
pub(crate) use world::state::BODY_KEY;
pub(crate) use world::temperature::Obligation;
