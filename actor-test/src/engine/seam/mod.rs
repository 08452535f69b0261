//! The seam between actors under test and the engine: the implementation of
//! [`Runtime`](actor_core::seam::Runtime).
//!
//! A handler calls into this module, by a pointer of its thread, while the run loop runs it. A call puts an
//! effect into the operation's outbox, which is carried out later; the strategy answers choices at once.
//!
//! [`controlled`] has all calls, and implements the short ones. The longer ones are grouped by concern:
//! [`asks`], [`spawning`], [`clocks`], [`disks`], [`environment`], [`events`], [`nodes`], [`references`],
//! [`capacity`], [`timers`]. [`sharing`] has the accesses to shared objects, and [`tasks`] the stacks of the
//! operations that make them. All work on the state that is [`shared`] with `running` and `states`.

mod asks;
mod capacity;
pub(crate) mod clocks;
pub(crate) mod controlled;
mod disks;
pub(crate) mod environment;
mod events;
pub(crate) mod log_capture;
mod nodes;
mod references;
pub(crate) mod shared;
pub(crate) mod sharing;
mod spawning;
pub(crate) mod tasks;
mod timers;
