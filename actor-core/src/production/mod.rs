//! The production executor.
//!
//! - [`system`]: a system, as a program holds it, and what looks at its actors.
//! - [`handling`]: what an actor's handlers do.
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

mod handling;
mod host;
mod mailbox;
mod observing;
mod running;
mod system;

pub use observing::hooks::{DeadLetter, DeadLetterReason};
pub use observing::limits::{DeepMailbox, StuckActor};
pub use observing::report::Unfinished;
pub use observing::violation::{MonitorStep, MonitorViolation, MonitorViolationKind};
pub use running::spawning::{AskSupervisor, Factory, NamesOn, Spawn};
pub use running::target::Target;
pub use system::live::LiveSystem;
#[cfg(all(unix, feature = "top"))]
pub use system::showing::Shown;
pub use system::status::ActorStatus;

pub(crate) use handling::side::{Fire, Side};
pub(crate) use handling::timer::LiveTimer;
pub(crate) use host::chance::next_u64;
pub(crate) use host::disk::LiveDisk;
pub(crate) use host::executor::{Sleep, sleep};
pub(crate) use host::forever::count;
pub(crate) use host::lease::Holder;
pub(crate) use observing::work::{ENTRY_HOOK, EXIT_HOOK, START_HOOK, STOP_HOOK};
pub(crate) use running::actor::{Asked, LiveActor, Observed, Room};
pub(crate) use running::node::LiveNode;
pub(crate) use running::relations::{AwaitsEnd, AwaitsStart};
pub(crate) use running::reply::why_lost;
pub(crate) use running::target::{Count, Counted, WeakTarget, Where};
