//! The production executor.
//!
//! - [`running`]: the actors that run, and what runs them.
//! - [`observing`]: what is seen of them from outside.
//! - [`mailbox`]: where their events wait.
//! - [`host`]: what the executor stands on: tokio, threads, the disk.
//!
//! Each uses those below it. References and contexts call it, through [`runtime`](crate::runtime)'s room;
//! it calls back what was made of an actor where its type was known: its [parts](crate::parts).
//!
//! A handler's effects are not held back until it returns, as the tester does: each takes place
//! when it is called. What another actor can observe is the same, since it has no other way to look
//! at this one than the events that it is sent.
//!
//! No lock is held while a user's code runs, drops included, except a monitor's own.

mod host;
mod mailbox;
mod observing;
mod running;

pub use observing::hooks::{DeadLetter, DeadLetterReason};
pub use observing::violation::{MonitorStep, MonitorViolation, MonitorViolationKind};
pub use running::report::Unfinished;
#[cfg(all(unix, feature = "top"))]
pub use running::showing::Shown;
pub use running::spawning::{AskSupervisor, Factory, NamesOn, Spawn};
pub use running::status::ActorStatus;
pub use running::system::LiveSystem;
pub use running::target::Target;
pub use running::watchdog::{DeepMailbox, StuckActor};

pub(crate) use host::chance::next_u64;
pub(crate) use host::disk::LiveDisk;
pub(crate) use host::executor::{Sleep, sleep};
pub(crate) use host::forever::count;
pub(crate) use observing::work::{ENTRY_HOOK, EXIT_HOOK, START_HOOK, STOP_HOOK};
pub(crate) use running::actor::{LiveActor, Room};
pub(crate) use running::node::LiveNode;
pub(crate) use running::relations::{AwaitsEnd, AwaitsStart};
pub(crate) use running::reply::{Observed, why_lost};
pub(crate) use running::side::Side;
pub(crate) use running::target::{Count, Counted, WeakTarget, Where};
pub(crate) use running::timer::LiveTimer;
pub(crate) use running::waits::Asked;
