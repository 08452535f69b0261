//! Where actors under test meet the engine: its side of
//! [`Runtime`](actor_core::runtime::Runtime).
//!
//! A handler calls in here, through a pointer of its thread, while the run loop has it run. What it
//! asks for goes into its operation's outbox, as an effect that is carried out later; choices are
//! answered at once, by the strategy.
//!
//! [`controlled`] has every call that there is, and does the short ones itself; the longer ones are by
//! concern: [`asks`], [`births`], [`clocks`], [`disks`], [`environment`], [`events`], [`nodes`], [`references`],
//! [`rooms`], [`timers`];
//! what is shared is met in [`sharing`], and the stacks of those who meet there lie in [`tasks`]. All of
//! them work on what is [`shared`] with `running` and `sameness`.

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
