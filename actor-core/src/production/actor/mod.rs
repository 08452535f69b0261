//! The actors of the production executor: their tasks, scheduling, supervision, relations and names.
//!
//! - [`node`]: nodes, which crash and restart as a whole.
//! - [`actor_task`]: the actor task, from the `#[start]` hook to the dead letters. `turn`: the handling of one
//!   message for `tracing` and `metrics`.
//! - [`relations`]: the watchers and links of an actor; [`children`]: the children of a supervisor.
//! - [`background`]: a future beside an actor, whose panic is reported.
//! - [`live_actor`]: the shared half of an actor: identity, mailbox, end.
//! - [`reply`]: the reasons of lost replies, and replies for monitors.
//! - [`hub`]: the data that all actors of one system share: its [`registry`], hooks and monitors.
//! - [`names`]: the registry of names of a system or node, and references by name.
//! - [`waits`]: the detection of cycles of asks. [`telemetry`]: actors for `tracing` and `metrics`.
//! - [`host_threads`]: threads of blocking actors; [`dispatcher`]: workers; [`sentinel`]: their substitutes.
//!
//! An actor refers to its system, the system to its actors, and senders wake actors, which send: these
//! files are one thing, and use each other.
//!
//! Handlers and the system call this module. Next to nothing here is generic over the actor's type, since
//! generic code is compiled again for every actor type of a program.

pub(crate) mod actor_task;
pub(crate) mod background;
pub(crate) mod children;
mod dispatcher;
mod host_threads;
pub(crate) mod hub;
pub(crate) mod live_actor;
pub(crate) mod names;
pub(crate) mod node;
mod registry;
pub(crate) mod relations;
pub(crate) mod reply;
mod sentinel;
pub(crate) mod telemetry;
#[cfg(any(feature = "tracing", feature = "metrics"))]
pub(crate) mod turn;
pub(crate) mod waits;
