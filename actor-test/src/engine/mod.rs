//! The engine: a deterministic executor that runs the executions of a test step by step, on one thread.
//!
//! The engine reads no clock, no randomness of the operating system and no order of a hash map. So the same
//! decisions lead to the same execution on every machine.
//!
//! The modules of the engine, from top to bottom; each uses only those below it:
//!
//! 1. [`running`]: the run loop, which asks the strategy, takes the step, carries out effects and judges
//!    the end.
//! 2. [`states`]: comparison of states, by fingerprints.
//! 3. [`seam`]: the runtime that actors under test call.
//! 4. [`session`]: the record of one execution and statistics of all, made of parts in [`specs`]
//!    (specifications, coverage) and [`recording`] (decisions, records).
//! 5. [`arena`]: the user's values that the engine holds, and memory for reuse.
//! 6. [`world`]: the state of an execution, plain data that can be cloned.
//! 7. [`panics`]: calls a user's code and catches its panics.
//!
//! The path of a `tell`: `seam` puts the event into `arena`, and its letter into the sender's outbox
//! in `world`. Later `running` moves the letter to the receiver's inbox, shows it to monitors, and has
//! the receiver handle it.

mod arena;
mod panics;
mod recording;
mod running;
mod seam;
mod session;
mod specs;
mod states;
mod world;

pub(crate) use panics::show as show_panics;
pub(crate) use recording::tape::{DecisionObserver, RecordedDecision, checks, chosen};
pub(crate) use running::execution::{
    Engine, ObligationWatch, Program, RecordLevel, RunOptions, StepObserver,
};
pub(crate) use running::outcome::{EndReason, Outcome, START, THREAD};
pub(crate) use running::own_thread::{on_fresh_thread, on_own_thread};
pub(crate) use specs::calls::Calls;
pub(crate) use specs::observations::Observations;
pub(crate) use specs::specifications::SpecificationStats;
pub(crate) use specs::suspicion::Suspicion;
pub(crate) use world::aliases::Aliases;
pub(crate) use world::state::BODY_KEY;
pub(crate) use world::temperature::Obligation;
