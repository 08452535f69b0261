//! The actors that run, and what runs them.
//!
//! From top to bottom; each file uses those below it alone:
//!
//! - [`composition`]: of which of these an actor in production is made.
//! - [`node`]: a part of a system that lives and dies together.
//! - [`life`]: the actor itself, from the `#[start]` hook to the dead letters. `turn`: what `tracing` and
//!   `metrics` are told of the handling of one message.
//! - [`relations`]: who watches an actor, whom it is linked to; [`children`]: those of a supervisor.
//! - [`spawning`]: an actor on its way in; [`target`]: whom a reference refers to, and who counts references.
//! - [`background`]: a future beside an actor, whose panic is reported.
//! - [`actor`]: an actor as others see it: identity, mailbox, end.
//! - [`reply`]: what production adds to an `ask`.
//! - [`hub`]: what the actors of one system share: its [`registry`], hooks and monitors.
//! - [`waits`]: who awaits whose reply. [`telemetry`]: what `tracing` and `metrics` are told of an actor.
//! - [`stage`]: where the handlers of actors that block run; [`dispatcher`]: who runs next; [`sentinel`]: what
//!   waits behind a worker that does not come back.
//!
//! An actor knows its system, and that its actors; whoever sends has a life run, and that sends. So what is
//! below says by a trait what it has to know of those above: to a dispatcher a life is something to
//! [`Run`](dispatcher::Run), to a registry an actor is a [`Member`](registry::Member), and a hub keeps what
//! only the files above know ([`Composed`](hub::Composed)). There is one type for each, so nothing is called
//! through a table, but by the sentinel, which is seldom awake.
//!
//! The handlers of actors and the system, as a program holds it, call this room. Next to nothing here knows
//! an actor's type, since whatever does is compiled again for every actor type of a program.

pub(crate) mod actor;
pub(crate) mod background;
pub(crate) mod children;
mod composition;
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
