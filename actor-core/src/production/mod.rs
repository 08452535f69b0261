//! The production executor: actors on tokio tasks, or on a thread pool of the `futures` crate.
//!
//! - [`system`]: the system, as a program holds it, and the watchdog.
//! - [`handling`]: the local half of an actor: inbox, timers, effects.
//! - [`actor`](self::actor): actors, their tasks, scheduling and supervision.
//! - [`observing`]: hooks, monitors, meters and reports.
//! - [`mailbox`]: the mailboxes of actors.
//! - [`host`]: tokio, threads, the disk.
//!
//! Each uses those below it. References and contexts call this module through
//! [`dispatch`](crate::dispatch); it runs the untyped parts of actors, which the [`seam`](crate::seam) has.
//!
//! Each effect of a handler takes place at its call, not when the handler returns as under test. Other
//! actors can't observe the difference, since they only see the events that it sends.
//!
//! No lock is held while user code runs, drops included, except the lock of the monitors.

mod actor;
mod handling;
mod host;
mod mailbox;
mod observing;
mod system;

pub use observing::hooks::{DeadLetter, DeadLetterReason};
pub use observing::limits::{DeepMailbox, StuckActor};
pub use observing::report::Unfinished;
pub use observing::violation::{MonitorStep, MonitorViolation, MonitorViolationKind};
pub use system::live::LiveSystem;
pub use system::status::ActorStatus;
#[cfg(all(unix, feature = "top"))]
pub use system::status_socket::StatusSocket;

pub(crate) use actor::actor_task::{spawn, spawn_with};
pub(crate) use actor::children::supervise;
pub(crate) use actor::hub::Hub;
pub(crate) use actor::live_actor::{LiveActor, OfferState};
pub(crate) use actor::names::{LiveLookup, NamedActor};
pub(crate) use actor::relations::Awaits;
pub(crate) use actor::reply::{Observed, why_lost};
pub(crate) use actor::waits::TrackedAsk;
pub(crate) use handling::local::{Fire, LocalActor};
pub(crate) use handling::timer::LiveTimer;
pub(crate) use host::chance::next_u64;
pub(crate) use host::disk::LiveDisk;
pub(crate) use host::executor::{ExecutorSleep, sleep};
pub(crate) use host::forever::count;
pub(crate) use host::lease::Holder;
pub(crate) use observing::work::{ENTRY_HOOK, EXIT_HOOK, START_HOOK, STOP_HOOK};
