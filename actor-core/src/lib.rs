//! Actors, state machines and monitors: written once, run in production, and tested under a deterministic
//! executor that controls every interleaving, timer and random choice.
//!
//! # The problem
//!
//! A program of many concurrent parts fails in rare interleavings: once in a thousand runs, and never again
//! under the debugger. Actors make the parts small: each has its own state, changes it by one event at a
//! time, and shares nothing. The remaining source of errors is the order of events. So an actor here
//! interacts with the world through its [`Context`] alone, and there are two kinds of context. One belongs to
//! a tokio runtime. The other belongs to a tester that decides every order itself, finds the order that
//! violates a specification, and can replay it. The actor is the same.
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
//! # Guarantees
//!
//! - **One event at a time.** An actor handles one event, and everything that follows from it (exit and
//!   entry hooks, raised events), before it takes the next. An async handler that waits keeps the actor:
//!   later events stay in the inbox.
//! - **Orders come first.** A [kill](ActorRef::kill), and a supervisor's orders after the failure of a child,
//!   overtake the events in the inbox; an order to [stop](ActorRef::stop) comes after them.
//! - **First in, first out, for each sender.** Events from one actor to another are handled in the order in
//!   which they were sent, except for deferred ones: the next is always the first that the state does not
//!   defer.
//! - **At most once.** An event is handled once or never. An event that the state ignores is not handled.
//!   If the actor stops first, or its mailbox is full, the event becomes a *dead letter*, which is counted
//!   and passed to [a hook](LiveSystem::on_dead_letter). An [`ask`](ActorRef::ask) reports the reason:
//!   [`AskError`].
//! - **A bounded mailbox keeps its bound.** Every unread event counts, deferred events too, until the actor
//!   begins to handle it. [`send`](ActorRef::send) waits for a full mailbox, first come, first served;
//!   [`tell`](ActorRef::tell) never waits; see [`Mailbox`](mailbox::Mailbox) and
//!   [`Overflow`](mailbox::Overflow). A `send` that is dropped before it is done has sent nothing, and one
//!   that fails returns the event.
//! - **An ask ends.** An ask ends with the reply, or with the reason why there is none, at the latest when
//!   the reply is dropped with its actor. A [time limit](Ask::timeout) ends it sooner.
//! - **A failure stays with its actor.** Four things stop an actor, and no other actor: a panic in a
//!   handler; a broken rule, such as two decisions in one handler; an event that the current state neither
//!   handles, defers nor ignores; and an `Err` that a handler returns for an event sent by `tell`. The failed
//!   actor is dropped without its `#[stop]` hook, since its state can't be trusted. The inbox becomes dead
//!   letters; its watchers and [a hook](LiveSystem::on_failure) are notified.
//! - **A supervised child is restarted.** An actor that was spawned with [a factory](Spawner::spawn_with) is
//!   restarted by the actor, or the system, that spawned it. The child keeps its reference and its inbox, and
//!   restarts as often as [`Supervision`] allows and after a [`Backoff`](supervision::Backoff). A supervisor
//!   that ends stops its children first; a supervisor that restarts children too often fails itself.
//! - **Timers and background futures end with their actor.** A cancelled timer's event is not handled, even
//!   if the timer has already fired.
//! - **A watcher is always notified.** [`Context::watch`] delivers one [`Terminated`], after the watched
//!   actor's inbox has closed.
//! - **Monitors see causes before effects.** A monitor observes an event before its target can.
//!
//! # Not guaranteed
//!
//! - No order between events of different senders; the tester's work is to find the harmful orders.
//! - No certain delivery: [`tell`](ActorRef::tell) returns nothing, because it is not yet known if the
//!   target lives. Use `ask` if delivery matters.
//! - No limit to an inbox, unless its [mailbox](mailbox::Mailbox) is bounded. An overloaded actor's inbox
//!   grows.
//! - No way out of a cycle of asks: handlers that await each other's replies wait for ever, unless one has
//!   a time limit. The tester finds such a cycle, and so do [builds with debug
//!   assertions](supervision::FailureKind::AskCycle).
//! - No preemption: a handler that loops or blocks keeps a thread of the runtime. Handlers that return
//!   share the thread fairly, whatever the length of their inboxes.
//! - No garbage collection by default: dropping the last reference stops an actor only if it was spawned as
//!   [reference-counted](Spawner::ref_counted).
//!
//! # The end of a system
//!
//! [`System::shutdown`] stops every actor in order: each handles the events that were sent to it before, runs
//! its `#[stop]` hook and ends. Events that ending actors send to each other may come too late, and actors
//! spawned from then on never start. Dropping the last [`System`] instead aborts every actor: none handles
//! another event, and no `#[stop]` hook runs. The end of the tokio runtime does the same.
//!
//! # Observability
//!
//! [`LiveSystem`] has hooks for failures and dead letters, detects [stuck actors](LiveSystem::watch_stuck)
//! and [deep mailboxes](LiveSystem::watch_depth), and [reports](LiveSystem::shutdown_report) unfinished work
//! after a shutdown. Two features of the crate are off by default, and then cost nothing:
//!
//! - `tracing`: a span `handle` at the debug level for each message handled, with the fields `actor` (the
//!   name), `id`, `event` and `state`. The span is entered whenever the handler runs, and left while it
//!   waits. There are tracing events for spawns, stops and dead letters (debug) and for failures and restarts
//!   (warn). The target of all is `actor_core`.
//! - `metrics`: the metrics in the table, for each actor type, which is the label `actor`. An actor uses
//!   the recorder that was installed when the first actor of its type was spawned in its system.
//!
//! | Name | Kind | Meaning |
//! |---|---|---|
//! | `actor_messages_handled_total` | counter | messages whose handlers have ended, in whatever way |
//! | `actor_handler_seconds` | histogram | duration of a handler, waits included |
//! | `actor_mailbox_depth` | histogram | unread events when the actor took some from its mailbox |
//! | `actor_restarts_total` | counter | restarts of supervised actors |
//! | `actor_failures_total` | counter | failures passed to [`LiveSystem::on_failure`] |
//! | `actor_dead_letters_total` | counter | dead letters passed to [`LiveSystem::on_dead_letter`] |
//! | `actor_alive` | gauge | actors that were spawned and have not ended |
//!
//! # Executors
//!
//! [`System::new`] runs actors on the tokio runtime of the caller. With the feature `futures`,
//! `System::on_pool` runs them on a thread pool of the `futures` crate, without a runtime. In both, an idle
//! actor is no task: a sender puts it into a run queue, and one task for each thread works off the queues.
//!
//! # Further reading
//!
//! [`actor`] documents the handlers and hooks, [`Context`] their operations, [`monitor`] the specifications,
//! [`System`] the set-up, and [`LiveSystem`] everything that exists in production only. [`macro@protocol`]
//! frees actors of each other's types, and [`Probe`](services::Probe) stands in for an actor in a test.
//! Actors find each other by [name](Scope::register), receive broadcasts in a [`Group`](services::Group),
//! subscribe to [`Topics`](services::Topics), and share work in a [`Pool`](services::Pool). The crate
//! `actor-test` tests all of it.

// docs.rs shows for each item which feature it needs.
#![cfg_attr(docsrs, feature(doc_cfg))]

#[doc(hidden)]
pub mod __private;
mod actor;
mod asking;
#[cfg(feature = "codec")]
pub mod codec;
mod dispatch;
mod environment;
mod error;
mod event;
mod fingerprint;
pub mod fs;
pub mod hint;
mod identity;
mod insertion_ordered_map;
pub mod journal;
mod object;
mod panics;
mod production;
mod renaming;
#[doc(hidden)]
pub mod seam;
mod select;
pub mod services;
mod slab;
pub mod specification;
pub mod supervision;
pub mod sync;
mod system;
mod table;
pub mod task;
pub mod thread;

/// Marks a place, or a situation, that tests should cover.
///
/// Under test the report counts the executions that passed each label, and the portfolio gives more turns to
/// strategies that pass a label for the first time. In production the macro does nothing.
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

pub use actor_macros::Fingerprint;

/// Turns a type into an actor: the functions of its `impl` block handle events.
///
/// ```
/// use actor_core::prelude::*;
///
/// #[derive(Debug)]
/// struct Deposit(u64);
/// #[derive(Debug)]
/// struct Balance;
/// #[derive(Debug)]
/// struct Close;
///
/// #[derive(Default)]
/// struct Account {
///     balance: u64,
/// }
///
/// #[actor(states(Open, Closed(ignore(Deposit, Close))))]
/// impl Account {
///     #[on(Open)]
///     fn deposit(&mut self, Deposit(amount): Deposit) {
///         self.balance += amount;
///     }
///
///     /// What a handler returns is the reply to an `ask`.
///     #[on]
///     fn balance(&mut self, _: Balance) -> u64 {
///         self.balance
///     }
///
///     #[on(Open)]
///     fn close(&mut self, _: Close, cx: &mut Context<Self>) {
///         cx.goto(AccountState::Closed);
///     }
/// }
///
/// use actor_core::Actor;
///
/// assert_eq!(Account::INFO.states, ["Open", "Closed"]);
/// assert_eq!(Account::first_state(), AccountState::Open);
/// ```
///
/// # Handlers and hooks
///
/// | attribute | when it runs |
/// | --- | --- |
/// | `#[on]` | the event came, in a state that does nothing else with it |
/// | `#[on(S, T)]` | the event came, in one of these states |
/// | `#[entry(S, T)]`, `#[exit(S, T)]` | the state is entered, or left |
/// | `#[start]`, `#[stop]` | the actor starts, or stops |
///
/// A handler takes `(&mut self, event: Event)` or `(&mut self, event: Event, cx: &mut Context<Self>)`; a hook
/// takes the same without the event, and returns nothing. A `#[start]` hook may return `Result<(), E>`: an
/// `Err` is a failure of the actor, as a panic is. All of them may be `async`, and may take `&self`. Other
/// functions of the block are left unchanged. A `#[cfg(..)]` on a handler applies to its generated code.
///
/// The returned value of a handler is the reply. A handler that replies later, or lets another actor reply,
/// takes the reply as a parameter between the event and `cx`, and returns nothing:
/// `(&mut self, event: Event, reply: Reply<T>, cx: &mut Context<Self>)`. All handlers of an event have the
/// same type of reply.
///
/// In rustdoc the actor's page lists the handled events as implementations of `Handler`, with the comments of
/// the handlers, which may be private.
///
/// # Options
///
/// - `states(A, B(defer(E), ignore(F)))` declares a state machine that starts in `A`, and the enum of its
///   states, named after the type: `AccountState`. A state may have a doc comment. `defer` keeps an event for
///   a later state, `ignore` drops it. The lists of a state take precedence over `#[on]`. No state may both
///   list an event and handle it by `#[on(S)]`, unless a `cfg` may remove that handler. An event that a state
///   neither handles, defers nor ignores is a bug when it arrives.
/// - `receive(E, ..)` declares events that are taken by `cx.receive::<E>()`: they are kept until then, in
///   every state without a handler for them.
/// - `remote` declares that the actor's events and their replies are sent between nodes, so that a type
///   that can't be encoded does not compile. `remote(E, ..)` declares it for these events.
/// - A visibility, as in `#[actor(pub(crate), states(..))]`, for the enum of states. The default is `pub`,
///   and the visibility can't be less than that of the type.
/// - `crate = path` gives the path of `actor_core`, if that is not `::actor_core`.
pub use actor_macros::actor;

/// Turns a type into a monitor: the functions of its `impl` block observe events and judge them.
///
/// In a hot state a monitor has a pending obligation, and must not stay for ever. A failed assertion is a
/// bug.
///
/// ```
/// use actor_core::prelude::*;
///
/// #[derive(Debug)]
/// struct Request;
/// #[derive(Debug)]
/// struct Response;
///
/// /// Every request is answered, in the end.
/// #[derive(Default)]
/// struct Answered {
///     open: u32,
/// }
///
/// #[monitor(hot(Pending), cold(Quiet))]
/// impl Answered {
///     #[on]
///     fn request(&mut self, _: &Request, cx: &mut MonitorContext<Self>) {
///         self.open += 1;
///         cx.goto(AnsweredState::Pending);
///     }
///
///     #[on(Pending)]
///     fn response(&mut self, _: &Response, cx: &mut MonitorContext<Self>) {
///         self.open -= 1;
///         if self.open == 0 {
///             cx.goto(AnsweredState::Quiet);
///         }
///     }
///
///     #[on(Quiet)]
///     fn unasked(&mut self, _: &Response) {
///         panic!("a response that nobody asked for");
///     }
/// }
///
/// use actor_core::specification::Monitor;
///
/// assert_eq!(Answered::first_state(), AnsweredState::Quiet);
/// ```
///
/// A handler takes `(&mut self, event: &Event)`, and `cx: &mut MonitorContext<Self>` if it needs one. A
/// handler is sync, returns nothing and sends nothing. `#[on(S, T)]` observes in these states, `#[on]` in all
/// that have no handler of their own.
///
/// An event is observed when it is sent or announced (`sent`, the default), when an actor is about to handle
/// it (`#[on(handled)]`), or when it is sent to an asker as a reply (`#[on(replied)]`); states and moments
/// may be combined, as in `#[on(Pending, handled)]`.
///
/// # Options
///
/// - `hot(..)`, `cold(..)` and `warm(..)` declare states, in this order, and the enum of them, named after
///   the type. A warm state leaves the temperature as it is. A monitor starts in its first cold state, or
///   without one in its first warm state. Bare `hot`, `cold` and `warm` declare states named `Hot`, `Cold`
///   and `Warm`. Without states a monitor only asserts.
/// - A visibility for the enum, and `crate = path`, as for actors.
pub use actor_macros::monitor;

/// Turns a trait into a protocol: a set of events that an actor accepts, whatever its type.
///
/// Each function is an event and the type of its reply. The protocol of `trait Store` is `dyn Store`, and
/// `StoreRef` is a reference to any actor that handles all of its events with these replies. An `ActorRef` is
/// converted to it by `into`; the result has `tell` and `ask` for the protocol's events and no others.
///
/// ```
/// use actor_core::prelude::*;
///
/// #[derive(Debug)]
/// pub struct Get(pub String);
/// #[derive(Debug)]
/// pub struct Put(pub String, pub u64);
///
/// /// Remembers numbers by their names.
/// #[protocol]
/// pub trait Store {
///     /// What was put last under that name.
///     fn get(get: Get) -> Option<u64>;
///     /// Keeps a number.
///     fn put(put: Put);
/// }
///
/// /// It needs a store, and does not care which.
/// struct Counter {
///     store: StoreRef,
/// }
/// # struct Memory;
/// # #[actor]
/// # impl Memory {
/// #     #[on]
/// #     fn get(&mut self, _: Get) -> Option<u64> { None }
/// #     #[on]
/// #     fn put(&mut self, _: Put) {}
/// # }
/// # fn _counter(memory: &ActorRef<Memory>) -> Counter {
/// #     Counter { store: memory.into() }
/// # }
/// ```
///
/// A function has no receiver, no body and no parameters except its event. The trait has neither parameters
/// nor supertraits. Nobody implements the trait, and the reference has its visibility.
/// `#[protocol(crate = path)]` gives the path of `actor_core`, if that is not `::actor_core`.
pub use actor_macros::protocol;

pub use actor::{
    Actor, ActorRef, AnyRef, Context, Handler, Piped, Recipient, ReplyRecipient, Scope, Spawner,
    TimerBuilder, TimerKey, WeakRef,
};
pub use asking::{Ask, Reply, TimedAsk};
pub use environment::{ActorRng, Timer, Timestamp, forever};
pub use error::Error;
pub use event::Event;
pub use fingerprint::{Fingerprint, Fingerprinter};
pub use identity::ActorId;
pub use production::LiveSystem;
pub use seam::{AskError, CHAIN_MAX};
pub use supervision::ending::{StopReason, Terminated};
pub use supervision::options::Supervision;
pub use system::{Faults, System};
pub use table::State;

/// The start and the end of actors and systems: futures that wait for them, and the summary of a shutdown.
///
/// [`ActorRef::started`], [`ActorRef::stopped`], [`ActorRef::stop`] and [`System::shutdown`] return them;
/// [`StopReason`] and [`Terminated`] say why an actor has ended.
pub mod lifecycle {
    pub use crate::asking::{Started, Stopped, Stopping};
    pub use crate::seam::ShutdownSummary;
    pub use crate::system::Shutdown;
}

/// Mailboxes: their bounds, the action when one is full, and the sends that wait for capacity or fail.
///
/// [`Spawner::mailbox`] sets the [`Mailbox`](mailbox::Mailbox) of an actor, which is unbounded by default.
pub mod mailbox {
    pub use crate::actor::sending::{SendError, Sending, TrySendError, TrySending};
    pub use crate::seam::{Mailbox, Overflow};
}

/// Names of actors: the futures and errors of [`Scope::lookup`] and [`Scope::try_register`].
pub mod names {
    pub use crate::actor::names::NameLookup;
    pub use crate::seam::{LookupError, NameTaken};
}

/// Observation of a production system: the data that the hooks and reports of [`LiveSystem`] pass on.
pub mod observability {
    #[cfg(all(unix, feature = "top"))]
    pub use crate::production::StatusSocket;
    pub use crate::production::{
        ActorStatus, DeadLetter, DeadLetterReason, DeepMailbox, MonitorStep, MonitorViolation,
        MonitorViolationKind, StuckActor, Unfinished,
    };
}

/// Protocols: the traits behind [`macro@protocol`], for code that is generic over an actor's type.
///
/// A [`ProtocolRef`](protocols::ProtocolRef) leads to any actor that offers the protocol.
pub mod protocols {
    pub use crate::actor::AcceptedBy;
    pub use crate::actor::protocol::{EventOf, OfferedBy, Protocol, ProtocolRef};
}

/// Items that the macros generate and executors read: the generated parts of [`Actor`] and
/// [`Monitor`](specification::Monitor).
pub mod generated {
    pub use crate::actor::{Call, Flow};
    pub use crate::specification::monitor::{Moment, MonitorInfo, Observation};
    pub use crate::table::{ActorInfo, Disposition, EventInfo, Stateless};
}

/// The items that an actor's source usually needs.
pub mod prelude {
    // The derive macro alone: only hand-written implementations need the trait.
    pub use actor_macros::Fingerprint;

    pub use crate::specification::{MonitorContext, World};
    pub use crate::{
        Actor, ActorId, ActorRef, Ask, AskError, Context, Recipient, Reply, Scope, StopReason,
        System, Terminated, Timer, actor, monitor, protocol,
    };
}
