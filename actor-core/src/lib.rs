//! Actors, state machines and monitors: written once, run in production, and tested under a
//! deterministic executor that controls every interleaving, timer and random choice.
//!
//! # The problem
//!
//! A program of many concurrent parts fails in orders that nobody thought of, once in a thousand
//! runs, and never again under the debugger. Actors make the parts small: each has its own state,
//! changes it by one event at a time, and shares nothing. What is left to go wrong is the order in
//! which events meet. So an actor here reaches the world through its [`Context`] alone, and that
//! context has two kinds: one belongs to a tokio runtime, the other to a tester that decides every
//! order by itself, finds the one that breaks a promise, and can repeat it. The actor is the same.
//!
//! # The smallest program
//!
//! ```
//! use actor_core::prelude::*;
//!
//! #[derive(Debug)]
//! struct Add(u64);
//! #[derive(Debug)]
//! struct Total;
//!
//! #[derive(Default)]
//! struct Sum {
//!     total: u64,
//! }
//!
//! #[actor]
//! impl Sum {
//!     #[on]
//!     fn add(&mut self, add: Add) {
//!         self.total += add.0;
//!     }
//!
//!     /// What a handler returns is the reply to an `ask`.
//!     #[on]
//!     fn total(&mut self, _: Total) -> u64 {
//!         self.total
//!     }
//! }
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), actor_core::Error> {
//! let sys = System::new();
//! let sum = sys.spawn(Sum::default());
//! sum.tell(Add(2));
//! sum.tell(Add(3));
//! assert_eq!(sum.ask(Total).await, Ok(5));
//! sys.shutdown().await?;
//! Ok(())
//! # }
//! ```
//!
//! # What is guaranteed
//!
//! - **One at a time.** An actor handles one event, and everything that follows from it (exit and
//!   entry hooks, raised events), before it looks at the next. An async handler that waits keeps
//!   the actor: what arrives meanwhile stays in the inbox.
//! - **Orders come first.** A [kill](System::kill), and what a supervisor orders when a child has
//!   failed, go ahead of what is in the inbox; word to [stop](System::stop) comes after it.
//! - **First in, first out, for each sender.** Events from one actor to another are handled in the
//!   order in which they were sent, but for those that a state defers: the next event is always
//!   the first that the current state does not defer.
//! - **At most once.** An event is handled once or never. Never means that it was ignored by the
//!   actor's state, or that the actor stopped first, or that its mailbox was full; then it is a *dead
//!   letter*, which is counted and shown to [a hook](LiveSystem::on_dead_letter). An
//!   [`ask`](ActorRef::ask) says which: [`AskError`].
//! - **A bounded mailbox holds what it says.** What is unread counts, deferred events too, until the
//!   actor begins to handle it. Who [`send`](ActorRef::send)s to a full one waits, first come, first
//!   served; what is told to it, never; see [`Mailbox`] and [`Overflow`]. A `send` that is dropped
//!   before it is done has sent nothing, and one that fails gives the event back.
//! - **An ask ends.** In the reply, or in the reason why there is none, at the latest when the reply
//!   is dropped with its actor. A [limit](Ask::timeout) ends it sooner.
//! - **A failure stays with its actor.** A panic in a handler, a broken rule such as two decisions
//!   in one handler, and an event that the current state neither handles, defers nor ignores stop
//!   that actor and no other, and so does an `Err` that a handler returns to an event that was told.
//!   Its `#[stop]` hook does not run, since its state can't be trusted; it is dropped, its inbox
//!   becomes dead letters, its watchers hear of it, and so does [a hook](LiveSystem::on_failure).
//! - **A supervised child is brought back.** What [a factory makes](Spawner::spawn_with) is restarted
//!   by the actor, or the system, that has spawned it: under the same reference, with its inbox, as
//!   often as [`Supervision`] allows and after a [`Backoff`]. A supervisor that ends stops its
//!   children first; one that brings children back too often fails itself.
//! - **Timers and background futures end with their actor.** A cancelled timer's event is not
//!   handled, even where it has fired already.
//! - **A watcher always hears.** [`Context::watch`] brings one [`Terminated`], after the watched
//!   actor's inbox has closed.
//! - **Monitors see causes before effects.** A monitor observes an event before its target can.
//!
//! # What is not
//!
//! - No order between events of different senders; finding out which orders hurt is the tester's
//!   work.
//! - No delivery for certain: [`tell`](ActorRef::tell) returns nothing, because whether the target
//!   lives is not known yet. Where it matters, ask.
//! - No limit to an inbox, unless its [mailbox](Mailbox) is bounded. An actor that is sent more than
//!   it can handle grows.
//! - No way out of a cycle of asks: handlers that await each other's replies wait for ever, unless
//!   one has a limit. The tester finds it, and so do [builds with debug
//!   assertions](FailureKind::AskCycle).
//! - No preemption: a handler that loops or blocks keeps a thread of the runtime. Handlers that
//!   return share it fairly, whatever the length of their inboxes.
//! - No collection of what nobody refers to, unless you ask for it: dropping the last reference stops an
//!   actor only where it was spawned [so](Spawner::ref_counted).
//!
//! # The end of a system
//!
//! [`System::shutdown`] stops every actor in order: each handles what was sent to it before, runs
//! its `#[stop]` hook and ends. What actors send to each other while they end may come too late,
//! and actors spawned from then on never start. Dropping the last [`System`] instead aborts every
//! actor: none handles another event, and no `#[stop]` hook runs. So does the end of the tokio
//! runtime.
//!
//! # Seen from outside
//!
//! [`LiveSystem`] has hooks for failures and dead letters, looks for actors that are
//! [stuck](LiveSystem::watch_stuck) and for [deep mailboxes](LiveSystem::watch_depth), and
//! [reports](LiveSystem::shutdown_report) what a shutdown left. Two features of the crate, off by
//! default, cost nothing where they are off:
//!
//! - `tracing`: a span `handle` at the debug level for each message handled, with the fields `actor`
//!   (the name), `id`, `event` and `state`; it is entered whenever the handler runs, and left while
//!   it waits. Events tell of spawns, stops and dead letters (debug) and of failures and restarts
//!   (warn). The target of all is `actor_core`.
//! - `metrics`: what the table says, for each actor type, which is the label `actor`. Actors know
//!   the recorder that was installed when the first of their type was spawned in their system.
//!
//! | Name | Kind | What |
//! |---|---|---|
//! | `actor_messages_handled_total` | counter | messages whose handlers have ended, in whatever way |
//! | `actor_handler_seconds` | histogram | how long that took, waits included |
//! | `actor_mailbox_depth` | histogram | unread events when the actor took some from its mailbox |
//! | `actor_restarts_total` | counter | supervised actors brought back |
//! | `actor_failures_total` | counter | what [`LiveSystem::on_failure`] is told |
//! | `actor_dead_letters_total` | counter | what [`LiveSystem::on_dead_letter`] is told |
//! | `actor_alive` | gauge | actors that were spawned and have not ended |
//!
//! # Executors
//!
//! [`System::new`] runs actors on the tokio runtime of the caller. With the feature `futures` there
//! is also `System::on_pool`, for a thread pool of the `futures` crate and no runtime at all. In both
//! an actor that waits is no task: it lies in its mailbox, and whoever sends to it puts it into a run
//! queue, which a task for each thread works off.
//!
//! # Where to go next
//!
//! [`actor`] has the handlers and hooks, [`Context`] what they can do, [`monitor`] the
//! specifications, [`System`] the set-up, and [`LiveSystem`] what exists in production only.
//! [`macro@protocol`] frees actors of each other's types, and [`Probe`] plays one in a test; actors
//! are found by [name](System::register), hear the same in a [`Group`], or what is published in [`Topics`], and share work in a [`Pool`].
//! The crate `actor-test` tests all of it.

// docs.rs says of each item which feature it needs.
#![cfg_attr(docsrs, feature(doc_cfg))]

#[doc(hidden)]
pub mod __private;
mod actor;
mod asking;
#[cfg(feature = "codec")]
pub mod codec;
mod contained;
mod environment;
mod error;
mod event;
mod fingerprint;
pub mod fs;
pub mod hint;
mod identity;
mod journal;
mod object;
#[doc(hidden)]
pub mod parts;
mod production;
mod renaming;
mod roster;
#[doc(hidden)]
pub mod runtime;
mod select;
mod services;
mod slab;
mod specification;
mod supervision;
pub mod sync;
mod system;
mod table;
pub mod task;
pub mod thread;

/// Marks a place, or a situation, that tests are to come by.
///
/// Under test the report counts the executions that came by each label, and the portfolio gives more
/// turns to strategies that reach one for the first time. In production it does nothing.
///
/// ```
/// use actor_core::prelude::*;
/// use actor_core::{actor, cover};
///
/// #[derive(Debug)]
/// struct Deposit(u64);
///
/// #[derive(Default)]
/// struct Account {
///     balance: u64,
/// }
///
/// #[actor]
/// impl Account {
///     #[on]
///     fn deposit(&mut self, deposit: Deposit) {
///         match self.balance.checked_add(deposit.0) {
///             Some(balance) => self.balance = balance,
///             None => cover!("the account is full"),
///         }
///     }
/// }
/// ```
#[macro_export]
macro_rules! cover {
    ($label:expr) => {
        $crate::__private::cover($label)
    };
}

pub use actor_macros::{Fingerprint, actor, monitor, protocol};

pub use actor::names::{LookupError, NameLookup, NameTaken};
pub use actor::protocol::{EventOf, OfferedBy, Protocol, ProtocolRef};
pub use actor::sending::{SendError, Sending, TrySendError, TrySending};
pub use actor::{
    AcceptedBy, Actor, ActorRef, AnyRef, Context, Handler, Piped, Recipient, ReplyRecipient,
    Spawner, WeakRef,
};
pub use asking::{Ask, Reply, Started, Stopped, TimedAsk};
pub use environment::{ActorRng, Timer, Timestamp, forever};
pub use error::Error;
pub use event::Event;
pub use fingerprint::{Fingerprint, Fingerprinter};
pub use identity::ActorId;
pub use journal::{Journal, JournalError, RECORD_BYTES_MAX, Recovered, UNSYNCED_BYTES_MAX};
pub use parts::{AskError, CHAIN_MAX, Mailbox, Overflow, ShutdownSummary};
#[cfg(all(unix, feature = "top"))]
pub use production::Shown;
pub use production::{
    ActorStatus, DeadLetter, DeadLetterReason, DeepMailbox, LiveSystem, MonitorStep,
    MonitorViolation, MonitorViolationKind, StuckActor, Unfinished,
};
pub use services::{Group, Pool, PoolRef, Probe, Proxy, ProxyRef, Topics};
pub use specification::{Answer, Monitor, MonitorContext, Temperature, World};
pub use supervision::{
    Backoff, Decision, Failure, FailureKind, Restart, StopReason, Supervision, Terminated, Unread,
};
pub use system::{Faults, Node, Shutdown, System};
pub use table::State;

/// What the macros generate, and executors read: the parts of [`Actor`] and [`Monitor`] that nobody
/// writes by hand.
pub mod generated {
    pub use crate::actor::{Call, Flow};
    pub use crate::specification::{Moment, MonitorInfo, Observation};
    pub use crate::table::{ActorInfo, Disposition, EventInfo, Stateless};
}

/// What an actor's source usually needs.
pub mod prelude {
    // The macro alone: the trait is needed by those who write it by hand.
    pub use actor_macros::Fingerprint;

    pub use crate::{
        Actor, ActorId, ActorRef, Ask, AskError, Context, MonitorContext, Recipient, Reply,
        StopReason, System, Terminated, Timer, World, actor, monitor, protocol,
    };
}
