//! The seam between actors under test and the engine: the implementation of
//! [`Runtime`](actor_core::seam::Runtime).
//!
//! A handler calls into this module, by a pointer of its thread, while the run loop runs it. A call puts an
//! effect into the operation's outbox, which is carried out later; the strategy answers choices at once.
//!
//! [`controlled`] takes all calls: it checks that the caller may act, and hands data on to the
//! [`current_operation`]. By the sort of the call, its effects are in [`actions`], its set-up in
//! [`registrations`], and its facts, drops and questions in [`notes`], [`drops`] and [`queries`]. The rest is
//! grouped by concern: [`spawning`], [`waits`], [`clocks`], [`environment`], [`nodes`], the accesses to shared
//! objects in [`sharing`], and the stacks of the operations that make them in [`tasks`]. All work on the state
//! that is [`shared`] with `running` and `states`.

mod actions;
pub(crate) mod clocks;
pub(crate) mod controlled;
mod current_operation;
mod drops;
pub(crate) mod environment;
pub(crate) mod log_capture;
mod nodes;
mod notes;
mod queries;
mod registrations;
pub(crate) mod shared;
pub(crate) mod sharing;
mod spawning;
pub(crate) mod tasks;
mod waits;
