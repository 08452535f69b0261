//! The production executor.
//!
//! - [`system`]: what a program holds; the last handle to go aborts every actor.
//! - [`hub`]: what the actors of one system share: its registry, hooks and monitors.
//! - [`node`]: a part of a system that lives and dies together.
//! - [`cell`]: an actor as others see it: identity, mailbox, end; [`kin`]: who watches it, whom it is
//!   linked to.
//! - [`mailbox`] and [`inbox`]: the shared queue, and the side of it that the actor alone reads;
//!   [`bound`]: how much room the queue has, and who waits for some.
//! - [`side`]: what a handler's context does to the world.
//! - [`lane`]: what an actor is told ahead of its inbox; [`household`]: the children of a supervisor.
//! - [`life`]: the actor itself, from the `#[start]` hook to the dead letters.
//! - [`disk`]: the real files.
//! - [`executor`]: the seam to tokio, or to another thread pool.
//! - [`dispatcher`]: who runs next, [`slice`]: and for how long; [`stage`]: where the handlers of actors that block run.
//! - [`sentinel`]: what waits behind a worker that does not come back.
//! - [`work`]: what an actor is at, for who looks from outside; [`report`]: what a shutdown left;
//!   [`attention`]: whether anyone looks; [`watchdog`]: looks for who is stuck.
//! - [`telemetry`]: what `tracing` and `metrics` are told; `turn`: the handling of one message, for
//!   both, and `meters`: what is counted.
//!
//! Next to nothing here knows an actor's type, since whatever does is compiled again for every
//! actor type of a program. What has to know it, the messages in the mail and the handlers, is in
//! [`parts`](crate::parts), for both executors.
//!
//! A handler's effects are not held back until it returns, as the tester does: each takes place
//! when it is called. What another actor can observe is the same, since it has no other way to look
//! at this one than the events that it is sent.
//!
//! No lock is held while a user's code runs, drops included, except a monitor's own.

mod attention;
mod bound;
mod cell;
mod current;
mod disk;
mod dispatcher;
mod executor;
mod hooks;
mod household;
mod hub;
mod inbox;
mod kin;
mod lane;
mod life;
mod mailbox;
#[cfg(feature = "metrics")]
mod meters;
mod monitors;
mod node;
#[cfg(all(test, loom_model))]
mod orderings;
mod registry;
mod reply;
mod report;
mod sentinel;
mod side;
mod slice;
mod stage;
mod status;
mod sync;
mod system;
mod telemetry;
mod timer;
#[cfg(any(feature = "tracing", feature = "metrics"))]
mod turn;
mod violation;
mod waits;
mod watchdog;
mod work;

pub use hooks::{DeadLetter, DeadLetterReason, Failure, FailureKind};
pub use report::Unfinished;
pub use status::ActorStatus;
pub use system::LiveSystem;
pub use violation::{MonitorStep, MonitorViolation, MonitorViolationKind};
pub use watchdog::{DeepMailbox, StuckActor};

pub(crate) use cell::{Cell, Room};
pub(crate) use disk::LiveDisk;
pub(crate) use executor::{Sleep, sleep};
pub(crate) use node::LiveNode;
pub(crate) use reply::{Observed, why_lost};
pub(crate) use side::Side;
pub(crate) use timer::LiveTimer;
pub(crate) use waits::Asked;
pub(crate) use work::number_of;

use std::sync::{Mutex, MutexGuard, PoisonError};

/// Locks; what a panic left behind is consistent, since no user code runs under our locks but a
/// monitor's, whose panics are caught there.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
