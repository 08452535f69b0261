//! The actors that run, and what runs them.
//!
//! - [`hub`]: what the actors of one system share: its [`registry`], hooks and monitors. [`node`]: a part
//!   of a system that lives and dies together.
//! - [`spawning`]: an actor on its way in; [`target`]: whom a reference refers to, and who counts references.
//! - [`actor`]: an actor as others see it: identity, mailbox, end; [`relations`]: who watches it, whom it
//!   is linked to; [`children`]: those of a supervisor; [`waits`]: who awaits whose [`reply`].
//! - [`life`]: the actor itself, from the `#[start]` hook to the dead letters.
//! - [`dispatcher`]: who runs next; [`stage`]: where the handlers of actors that block run;
//!   [`sentinel`]: what waits behind a worker that does not come back.
//! - [`telemetry`] and `turn`: what `tracing` and `metrics` are told.
//!
//! An actor knows what it shares with the others of its system, and that knows its actors, so these share
//! a room. Next to nothing here knows an actor's type, since whatever does is compiled again for every
//! actor type of a program.

pub(crate) mod actor;
pub(crate) mod children;
mod dispatcher;
pub(crate) mod hub;
pub(crate) mod life;
pub(crate) mod node;
mod registry;
pub(crate) mod relations;
pub(crate) mod reply;
mod sentinel;
pub(crate) mod spawning;
mod stage;
pub(crate) mod target;
pub(crate) mod telemetry;
#[cfg(any(feature = "tracing", feature = "metrics"))]
pub(crate) mod turn;
pub(crate) mod waits;
