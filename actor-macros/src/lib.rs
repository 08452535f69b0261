//! The macros of `actor-core` and `actor-test`: [`macro@actor`], [`macro@monitor`],
//! [`macro@protocol`], [`macro@Fingerprint`] and [`macro@actor_test`].
//!
//! Users reach them through those crates. All macros work in the same steps, one file a step: the arguments
//! and the item are parsed, a model resolves their names, checks inspect the whole, and the code generator
//! writes code that could be written by hand. Every mistake of one compilation is reported at its own token,
//! and the user's item is emitted nevertheless, so that one typo does not become twenty errors.
//!
//! Some checks are left to rustc, or to the tester. Types are compared as they are written, so that `Ping`
//! and `self::Ping` are two events here, and conflicting implementations to rustc.

#![forbid(unsafe_code)]

mod actor;
mod block;
mod condition;
mod dispatch;
mod errors;
mod events;
mod fingerprint;
mod fingerprint_methods;
mod monitor;
mod nearest;
mod options;
mod owned;
mod protocol;
mod roles;
mod select;
mod signature;
#[cfg(test)]
mod snapshots;
mod states;
mod test;
mod types;

use proc_macro::TokenStream;

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
#[proc_macro_attribute]
pub fn actor(arguments: TokenStream, item: TokenStream) -> TokenStream {
    actor::expand(arguments.into(), item.into()).into()
}

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
#[proc_macro_attribute]
pub fn monitor(arguments: TokenStream, item: TokenStream) -> TokenStream {
    monitor::expand(arguments.into(), item.into()).into()
}

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
#[proc_macro_attribute]
pub fn protocol(arguments: TokenStream, item: TokenStream) -> TokenStream {
    protocol::expand(arguments.into(), item.into()).into()
}

/// Derives the fingerprint with which the tester compares values: see the trait `actor_core::Fingerprint`.
///
/// Every field is fed by its own `Fingerprint`, or else by its `Hash`, except for those with
/// `#[fingerprint(skip)]`. On the type of an actor, `#[fingerprint(interchangeable)]` declares that the
/// actors of the type are interchangeable, and `#[fingerprint(crate = path)]` gives the path of `actor_core`,
/// if that is not `::actor_core`.
#[proc_macro_derive(Fingerprint, attributes(fingerprint))]
pub fn fingerprint(item: TokenStream) -> TokenStream {
    fingerprint::expand(item.into()).into()
}

/// Turns a function into a test: the tester runs it many times, under different schedules.
///
/// The function takes the system, and optional parameters (see [Parameters](#parameters)). The function may
/// be `async`, and returns nothing or a `Result<(), E>` whose error is a failure. The macro generates a
/// `#[test]` of the same name: in a `#[cfg(test)]` module or in `tests/`, under `cargo test` and under
/// `cargo actor-test`.
///
/// An execution continues after the body has returned, an async one too: all events that it has sent are
/// handled, and so is everything that follows, until nothing but periodic timers is left. For a program that
/// never becomes quiescent, `sys.finish()` at the end of an async body ends the execution. A test whose
/// actors take no step in any execution fails.
///
/// ```
/// # use actor_macros::actor_test;
/// use actor_core::System;
///
/// #[actor_test(iterations = 1000, max_steps = 500)]
/// fn nothing_happens(sys: &System) {
///     sys.always("time stands still without timers", |_| true);
/// }
///
/// #[actor_test(strategy = "random", seed = 7)]
/// async fn time_passes(_sys: &System) -> Result<(), std::fmt::Error> {
///     Ok(())
/// }
/// ```
///
/// # Options
///
/// | option | what it sets |
/// | --- | --- |
/// | `iterations = 1000` | how many schedules are tried |
/// | `max_steps = 500`, `max_steps = "500:2000"` | when a schedule is cut: an unfair one, and a fair one |
/// | `temperature = 2500` | for how many steps a monitor may be hot |
/// | `seed = 7` | what all choices derive from |
/// | `strategy = "pct:3"` | how schedules are chosen; may be repeated |
/// | `expect_bug = "part of its message"` | the test passes where this bug is found; `iterations` is then the least, whatever `-i` says |
/// | `deny = "vacuous"`, `"unreached"`, or both with a comma | specifications that could not have failed, states and handlers never reached: the test fails for them |
/// | `timers = patient` | timers fire only when no event can be handled |
/// | `atomic_handlers` | what a handler sends arrives in one step |
/// | `supervised` | a failure of a supervised actor is no bug: its supervisor acts |
/// | `faults(drop = 3, crash = 1)` | how many faults of each kind an execution may have; `actor_test::faults::FaultKind` lists the kinds |
/// | `clocks(offset = "20ms", drift = 0.001)` | how far the clocks of nodes are apart: at the start, by how much they go faster or slower, by how much a fault has one `jump`, and the `resolution` of timestamps |
/// | `clock_error_ms = 5` | how far apart timers may be and still fire in either order |
/// | `n in 2..=4` | the values of a parameter, see below |
/// | `pairwise`, `t_wise = 3` | which combinations of parameters are run, see below |
/// | `crate = path` | where `actor_test` is, if not at `::actor_test` |
///
/// `#[ignore]` works as in any test. `#[should_panic]` does not: name the bug with `expect_bug`.
///
/// # Parameters
///
/// A parameter of the function after the system takes the values that `name in values` lists, where `values`
/// is any `IntoIterator` over the parameter's type, which is `Clone + Debug + Send + Sync + 'static`. The
/// test is run for each combination of values:
///
/// ```
/// # use actor_macros::actor_test;
/// use actor_core::System;
///
/// #[derive(Clone, Copy, Debug)]
/// enum Loss {
///     None,
///     Some,
/// }
///
/// #[actor_test(size in 2..=4, loss in [Loss::None, Loss::Some], iterations = 50)]
/// fn a_leader_is_elected(sys: &System, size: u32, loss: Loss) {
///     // ..
/// }
///
/// // 4 combinations of 8, in which each two values of two parameters meet.
/// #[actor_test(batched in [false, true], eager in [false, true], cached in [false, true], pairwise)]
/// fn what_is_written_is_read(sys: &System, batched: bool, eager: bool, cached: bool) {
///     // ..
/// }
/// ```
///
/// A combination is named after its values, as their `Debug` prints them:
/// `tests::a_leader_is_elected[size=2, loss=Some]`. `cargo actor-test` lists, filters, runs and reports each
/// separately; `cargo test` runs them one after the other in one test, which fails if one of them does. Each
/// is explored with all iterations, and its schedules depend on the seed and on its own values alone: they
/// stay the same when other values are added or removed.
///
/// `pairwise` runs fewer combinations, enough that each value of a parameter is combined with each value of
/// any other. With `t_wise = 3` each three parameters take all combinations of their values, and so on, up to
/// the number of parameters; `t_wise = 1` runs each value at least once. Most bugs depend on few parameters.
///
/// With `expect_bug` at least one combination must have the bug, and those without a bug pass.
///
/// The values are evaluated once in a process, and must be the same in each process. Every parameter has
/// values, no two values of one print the same, and there are 10 000 combinations at most.
#[proc_macro_attribute]
pub fn actor_test(arguments: TokenStream, item: TokenStream) -> TokenStream {
    test::expand(arguments.into(), item.into()).into()
}

/// The expansion of `actor_core::select!`; the first argument is the path of `actor_core`.
#[doc(hidden)]
#[proc_macro]
pub fn select(input: TokenStream) -> TokenStream {
    select::expand(input.into()).into()
}
