//! The actors that run, and what runs them.
//!
//! - [`system`]: what a program holds; the last handle to go aborts every actor. [`node`]: a part of a
//!   system that lives and dies together.
//! - [`hub`]: what the actors of one system share: its [`registry`], hooks and monitors.
//! - [`spawning`]: an actor on its way in; [`target`]: whom a reference refers to, and who counts references.
//! - [`actor`]: an actor as others see it: identity, mailbox, end; [`relations`]: who watches it, whom it
//!   is linked to; [`children`]: those of a supervisor; [`waits`]: who awaits whose reply.
//! - [`life`]: the actor itself, from the `#[start]` hook to the dead letters; [`inbox`]: the side of its
//!   mailbox that it alone reads; [`side`]: what a handler's context does to the world; [`timer`].
//! - [`dispatcher`]: who runs next; [`stage`]: where the handlers of actors that block run;
//!   [`sentinel`]: what waits behind a worker that does not come back.
//! - [`telemetry`], `turn` and `following`: what `tracing` and `metrics` are told; [`watchdog`]: looks for who is stuck;
//!   [`status`] and [`report`]: who lives, and what a shutdown left; `showing`: the same over a socket.
//!
//! An actor knows its system, and the system its actors, so these share a room. Next to nothing here knows
//! an actor's type, since whatever does is compiled again for every actor type of a program.

pub(crate) mod actor;
pub(crate) mod children;
mod dispatcher;
#[cfg(feature = "tracing")]
mod following;
pub(crate) mod hub;
mod inbox;
mod life;
pub(crate) mod node;
mod registry;
pub(crate) mod relations;
pub(crate) mod reply;
pub(crate) mod report;
mod sentinel;
#[cfg(all(unix, feature = "top"))]
pub(crate) mod showing;
pub(crate) mod side;
pub(crate) mod spawning;
mod stage;
pub(crate) mod status;
pub(crate) mod system;
pub(crate) mod target;
mod telemetry;
pub(crate) mod timer;
#[cfg(any(feature = "tracing", feature = "metrics"))]
mod turn;
pub(crate) mod waits;
pub(crate) mod watchdog;
