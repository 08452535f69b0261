//! Generated code where everything is forbidden and every name is taken.
//!
//! To compile is to pass. The same source is built in the editions 2018, 2021 and 2024.

#![deny(missing_docs, warnings)]
#![deny(
    dead_code,
    elided_lifetimes_in_paths,
    missing_debug_implementations,
    single_use_lifetimes,
    trivial_casts,
    unreachable_pub,
    unused_qualifications,
    unused_results,
    clippy::all,
    clippy::pedantic
)]
#![allow(
    clippy::needless_pass_by_value,
    clippy::unnecessary_wraps,
    clippy::unused_async,
    clippy::unused_self
)] // The handlers here are shapes without content.
#![forbid(unsafe_code)]

/// Local types under the names that generated code must not mean.
pub mod names_taken {
    use actor_core::specification::MonitorContext;
    use actor_core::{Context, actor, monitor};

    /// Not that of `core`.
    #[derive(Debug, Default)]
    pub struct Result;
    /// Not that of `core`.
    #[derive(Debug)]
    pub struct Option;
    /// Not that of `std`.
    #[derive(Debug)]
    pub struct Vec;
    /// Not that of `std`.
    #[derive(Debug)]
    pub struct Box;
    /// Not the generated enum.
    #[derive(Debug)]
    pub struct Message;
    /// Not the trait.
    #[derive(Debug)]
    pub struct Actor;
    /// Not the trait.
    #[derive(Debug)]
    pub struct Handler;
    /// Not the state of the actor.
    #[derive(Debug)]
    pub struct State;
    /// Not that of `actor_core`.
    #[derive(Debug)]
    pub struct Reply;
    /// Not the function of the prelude.
    #[derive(Debug)]
    pub struct Some;
    /// Not a module.
    #[allow(non_camel_case_types)]
    #[derive(Debug)]
    pub struct core;
    /// A constant where a pattern may stand.
    #[allow(non_upper_case_globals)]
    pub const event: u8 = 1;
    /// A constant where a pattern may stand.
    #[allow(non_upper_case_globals)]
    pub const reply: u8 = 1;
    /// A constant where a pattern may stand.
    #[allow(non_upper_case_globals)]
    pub const cx: u8 = 1;

    /// Handles them all.
    #[derive(Debug, Default)]
    pub struct Taken {
        seen: u64,
    }

    #[actor(states(Handle, Unhandled(defer(Vec), ignore(Box)), Ok, Err, Done))]
    impl Taken {
        #[on]
        fn handler(&mut self, _: Handler) -> Result {
            self.seen += 1;
            Result
        }

        #[on]
        fn option(&mut self, _: Option, _: &mut Context<Self>) -> Message {
            self.seen += 1;
            Message
        }

        #[on(Handle, Done)]
        async fn vec(&mut self, _: Vec) {
            self.seen += 1;
        }

        #[on]
        fn call(&mut self, _: Message) -> State {
            self.seen += 1;
            State
        }

        #[on]
        fn event(&mut self, _: Actor) -> std::result::Result<Some, Reply> {
            self.seen += 1;
            Ok(Some)
        }

        #[on]
        fn first_state(&mut self, _: State) {
            self.seen += 1;
        }

        #[on]
        fn call_async(&mut self, _: core) {
            self.seen += 1;
        }

        #[on]
        fn never(&mut self, _: &'static str) -> ! {
            unreachable!("seen {}", self.seen)
        }

        #[start]
        fn start(&mut self) {
            self.seen += 1;
        }

        #[entry(Handle, Unhandled, Ok, Err, Done)]
        fn enter(&mut self) {
            self.seen += 1;
        }

        #[exit(Handle, Unhandled, Ok, Err, Done)]
        async fn leave(&mut self, _: &mut Context<Self>) {
            self.seen += 1;
        }

        #[stop]
        fn stop(&mut self) {
            self.seen += 1;
        }
    }

    /// Observes some.
    #[derive(Debug, Default)]
    pub struct Watching {
        seen: u64,
    }

    #[monitor(hot(Hot), cold(Cold), warm(Result))]
    impl Watching {
        #[on(sent, replied)]
        fn observe(&mut self, _: &Result, _: &mut MonitorContext<Self>) {
            self.seen += 1;
        }

        #[on(Hot, Cold, Result)]
        fn option(&mut self, _: &Option) {
            self.seen += 1;
        }
    }
}

/// Types that nobody else sees.
pub mod private_types {
    use actor_core::{actor, monitor};

    #[derive(Debug)]
    struct Tick;
    #[derive(Debug)]
    struct Count(u64);

    /// Public, with private events and replies.
    #[derive(Debug, Default)]
    pub struct Counter {
        count: u64,
    }

    #[actor(states(Counting))]
    impl Counter {
        #[on]
        fn tick(&mut self, _: Tick) -> Count {
            self.count += 1;
            Count(self.count)
        }
    }

    #[derive(Debug, Default)]
    struct Hidden {
        count: u64,
    }

    #[actor(states(
        /// Documented by hand.
        Counting
    ))]
    impl Hidden {
        #[on]
        fn tick(&mut self, _: Tick) {
            self.count += 1;
        }
    }

    /// Seen in the crate alone, as its states are.
    #[derive(Debug, Default)]
    pub(crate) struct Inner {
        count: u64,
    }

    #[actor(pub(crate), states(Counting))]
    impl Inner {
        #[on]
        fn tick(&mut self, _: Tick) {
            self.count += 1;
        }
    }

    #[derive(Debug, Default)]
    struct Watched {
        count: u64,
    }

    #[monitor(pub(self), hot, cold)]
    impl Watched {
        #[on]
        fn count(
            &mut self,
            count: &Count,
            cx: &mut actor_core::specification::MonitorContext<Self>,
        ) {
            self.count += count.0;
            cx.goto(WatchedState::Hot);
        }
    }

    /// Uses what is private.
    pub fn use_them(sys: &actor_core::System) {
        use actor_core::Scope;

        sys.monitor::<Watched>();
        sys.spawn(Hidden::default()).tell(Tick);
        sys.spawn(Inner::default()).tell(Tick);
        sys.spawn(Counter::default()).tell(Tick);
    }
}

/// Actors and monitors that a macro by example defines.
pub mod from_macro_rules {
    use actor_core::{actor, monitor};

    macro_rules! counters {
        ($($(#[$doc:meta])* $visibility:vis $name:ident counts $event:ty => $reply:ty { $start:expr };)*) => {$(
            $(#[$doc])*
            #[derive(Debug, Default)]
            $visibility struct $name {
                count: $reply,
            }

            #[actor(states(Idle, Counting))]
            impl $name {
                #[on]
                fn count(&mut self, _: $event, cx: &mut actor_core::Context<Self>) -> $reply {
                    let start = $start;
                    self.count += start;
                    cx.goto(State::<$name>::Counting);
                    self.count
                }
            }
        )*};
    }
    type State<A> = <A as actor_core::Actor>::State;

    macro_rules! assertion {
        ($name:ident, $event:ty, $handler:item) => {
            /// Asserts.
            #[derive(Debug, Default)]
            pub struct $name;

            #[monitor]
            impl $name {
                #[on]
                fn check(&mut self, event: &$event) {
                    $handler
                    check(event);
                }
            }
        };
    }

    /// An event.
    #[derive(Debug)]
    pub struct Tick;

    counters! {
        /// Counts.
        pub Ticks counts Tick => u64 { 1 };
        /// Counts otherwise.
        pub Numbers counts u64 => usize { 2 };
    }

    assertion!(
        Ticked,
        Tick,
        fn check(tick: &Tick) {
            assert_eq!(format!("{tick:?}"), "Tick");
        }
    );
}

/// Nothing to handle, or nothing left to handle.
pub mod empty {
    use actor_core::{actor, monitor};

    /// Does nothing.
    #[derive(Debug)]
    pub struct Nothing;

    #[actor]
    impl Nothing {}

    /// Only starts.
    #[derive(Debug)]
    pub struct Starts {
        started: bool,
    }

    #[actor]
    impl Starts {
        #[cfg(any())]
        #[on]
        fn never(&mut self, _: Never) {}

        #[start]
        async fn start(&mut self) {
            self.started = true;
        }
    }

    /// Sees nothing.
    #[derive(Debug)]
    pub struct Blind;

    #[monitor]
    impl Blind {}

    /// Sees nothing, in states.
    #[derive(Debug)]
    pub struct Waiting;

    #[monitor(cold)]
    impl Waiting {
        #[cfg(any())]
        #[on]
        fn never(&mut self, _: &Never) {}
    }
}

/// Values that can be compared, under names that generated code must not mean.
pub mod fingerprints {
    use actor_core::{Actor, ActorRef, Fingerprint};
    use std::marker::PhantomData;

    /// Not that of `actor_core`.
    #[derive(Debug, Fingerprint)]
    pub struct Offer;
    /// Not that of `actor_core`.
    #[derive(Debug, Fingerprint)]
    pub struct Fingerprinter(pub u8);
    /// Not the type of `core`.
    #[allow(non_camel_case_types)]
    #[derive(Debug, Hash)]
    pub struct bool(pub u8);
    /// A constant where a pattern may stand.
    #[allow(non_upper_case_globals)]
    pub const __field: u8 = 1;

    /// Takes them all.
    #[derive(Debug, Fingerprint)]
    pub enum Taken<'a, A: Actor, T, const N: usize>
    where
        T: Clone,
    {
        /// Without fields.
        Nothing,
        /// With one that is left out.
        Some(Offer, #[fingerprint(skip)] std::fs::File),
        /// With all others.
        All {
            /// Fingerprinted.
            to: &'a Fingerprinter,
            /// Hashed.
            r#bool: [bool; N],
            /// The actor in question.
            of: ActorRef<A>,
            /// No value.
            marker: PhantomData<A>,
            /// The parameter.
            values: Vec<T>,
        },
    }

    /// Nobody has one.
    #[derive(Debug, Fingerprint)]
    pub enum Never {}
}

/// Actors with parameters.
pub mod generic {
    use actor_core::{Context, actor};
    use std::fmt::Debug;

    /// A store of values.
    pub trait Storage: Send + 'static {
        /// The key of a value.
        type Key: Send + Debug + 'static;
        /// Why it does not.
        type Error: Send + Debug + 'static;

        /// Finds a value.
        ///
        /// # Errors
        ///
        /// If there is no value.
        fn get(&mut self, key: Self::Key) -> Result<u64, Self::Error>;
    }

    /// Finds a value.
    #[derive(Debug)]
    pub struct Get<K>(pub K);
    /// Adds a value to the cache.
    #[derive(Debug)]
    pub struct Cache<T, const N: usize>(pub [T; N]);

    /// Keeps values.
    #[derive(Debug)]
    pub struct Replica<S, T, const N: usize>
    where
        S: Storage,
    {
        store: S,
        cache: Vec<[T; N]>,
    }

    #[actor(states(Follower, Leader))]
    impl<S, T: Send + Debug + 'static, const N: usize> Replica<S, T, N>
    where
        S: Storage,
    {
        #[on(Leader)]
        async fn get(&mut self, get: Get<S::Key>) -> Result<u64, S::Error> {
            self.store.get(get.0)
        }

        #[on(Follower)]
        fn lead(&mut self, get: Get<S::Key>, cx: &mut Context<Self>) -> Result<u64, S::Error> {
            cx.goto(ReplicaState::Leader);
            self.store.get(get.0)
        }

        #[on]
        fn cache(&mut self, Cache(values): Cache<T, N>) -> usize {
            self.cache.push(values);
            self.cache.len()
        }
    }

    /// An actor whose parameter occurs in no event.
    #[derive(Debug)]
    pub struct Worker<F> {
        work: F,
        done: u64,
    }

    #[actor]
    impl<F: FnMut(u64) + Send + 'static> Worker<F> {
        #[on]
        fn work(&mut self, job: u64) {
            (self.work)(job);
            self.done += 1;
        }
    }
}

/// States that are reached in ways a macro can't follow: it must not call them unreachable.
pub mod reached_otherwise {
    use actor_core::{Actor, Context, actor};

    /// An event.
    #[derive(Debug)]
    pub struct Step;

    /// Goes where a field says.
    #[derive(Debug)]
    pub struct ByField {
        next: ByFieldState,
    }

    #[actor(states(First, Second, Third))]
    impl ByField {
        #[on]
        fn step(&mut self, _: Step, cx: &mut Context<Self>) {
            if self.next == Self::first_state() {
                cx.goto(ByFieldState::Second);
            } else {
                cx.goto(self.next);
            }
        }
    }

    /// Goes where another function says.
    #[derive(Debug)]
    pub struct ByFunction;

    #[actor(states(First, Second, Third))]
    impl ByFunction {
        #[on(First)]
        fn step(&mut self, _: Step, cx: &mut Context<Self>) {
            cx.goto(ByFunctionState::Second);
        }

        #[on(Second, Third)]
        fn step_on(&mut self, _: Step, cx: &mut Context<Self>) {
            go_on(cx);
        }
    }

    fn go_on(cx: &mut Context<ByFunction>) {
        cx.goto(ByFunctionState::Third);
    }

    type Cx<'a> = &'a mut Context<ByMatch>;

    /// Goes where a `match` says, with its context under another name.
    #[derive(Debug)]
    pub struct ByMatch {
        steps: u8,
    }

    #[actor(states(First, Second, Third))]
    impl ByMatch {
        #[on]
        fn step(&mut self, _: Step, cx: Cx<'_>) {
            cx.goto(match self.steps {
                0 => ByMatchState::Second,
                _ => ByMatchState::Third,
            });
        }

        #[entry(Second)]
        fn enter(&mut self, cx: Cx<'_>) {
            self.steps += 1;
            cx.halt();
        }
    }
}

/// An actor of a function.
pub fn local(sys: &actor_core::System) {
    use actor_core::actor;

    #[derive(Debug)]
    struct Add(u64);
    #[derive(Debug)]
    struct Sum(u64);

    #[actor(states(Open, Full))]
    impl Sum {
        #[on(Open)]
        fn add(&mut self, add: Add, cx: &mut actor_core::Context<Self>) {
            self.0 += add.0;
            cx.goto(SumState::Full);
        }
    }

    actor_core::Scope::spawn(sys, Sum(0)).tell(Add(1));
}

/// A protocol of events under the names that generated code must not mean.
pub mod protocols {
    use super::names_taken::{Actor, Handler, Message, Option, Reply, Result, Some, State};
    use actor_core::protocol;

    /// Not a part of the expansion.
    #[derive(Debug)]
    pub struct Table;
    /// Not a part of the expansion.
    #[derive(Debug)]
    pub struct Entry;

    /// Everything at once.
    #[protocol]
    pub trait Protocol {
        /// Asks.
        fn tell(table: Table) -> Result;
        /// Asks again.
        fn ask(entry: Entry) -> Option;
        /// No parameter's name.
        fn r#type(_: Message) -> ::core::option::Option<Reply>;
        /// Sent.
        fn actor(_: Actor);
        /// Sent.
        fn handler(_: Handler) -> Some;
    }

    #[protocol]
    trait Private {
        fn state(_: State);
    }

    /// Uses the private one.
    #[must_use]
    pub fn is_quiet(name: &str) -> bool {
        name == <dyn Private as actor_core::protocols::Protocol>::NAME
    }
}

/// Without the prelude.
#[no_implicit_prelude]
pub mod without_prelude {
    use ::actor_core::{Context, Fingerprint, actor, monitor, protocol};
    use ::std::fmt::Debug;
    use ::std::primitive::u64;
    use ::std::result::Result;

    /// An event.
    #[derive(Debug)]
    pub struct Get;
    /// An event.
    #[derive(Debug, Fingerprint)]
    pub struct Put(pub u64);

    /// Keeps a number.
    #[protocol]
    pub trait Store {
        /// The number.
        ///
        /// # Errors
        ///
        /// Never.
        fn get(get: Get) -> Result<u64, Put>;
        /// Another.
        fn put(put: Put);
    }

    /// Keeps it in memory.
    #[derive(Debug)]
    pub struct Memory(pub u64);

    #[actor(states(Empty(ignore(Put)), Full))]
    impl Memory {
        #[on]
        async fn get(&mut self, _: Get, cx: &mut Context<Self>) -> Result<u64, Put> {
            cx.goto(MemoryState::Full);
            Result::Ok(self.0)
        }

        #[on]
        fn put(&mut self, put: Put) {
            self.0 = put.0;
        }
    }

    /// Counts what is put.
    #[derive(Debug)]
    pub struct Puts(pub u64);

    #[monitor(hot, cold)]
    impl Puts {
        #[on]
        fn put(&mut self, _: &Put) {
            self.0 += 1;
        }
    }
}

/// An event on its way out: who names it says so, and generated code says no more.
pub mod deprecated {
    use actor_core::{actor, monitor, protocol};

    /// Use another.
    #[deprecated]
    #[derive(Debug)]
    pub struct Old;

    /// Handles it still.
    #[derive(Debug)]
    pub struct Server {
        seen: u64,
    }

    #[allow(deprecated)]
    #[actor]
    impl Server {
        #[on]
        fn old(&mut self, _: Old) {
            self.seen += 1;
        }
    }

    /// Handles it in one function.
    #[derive(Debug)]
    pub struct Other {
        seen: u64,
    }

    #[actor]
    impl Other {
        #[allow(deprecated)]
        #[on]
        fn old(&mut self, _: Old) -> u64 {
            self.seen += 1;
            self.seen
        }
    }

    /// Sees it.
    #[derive(Debug)]
    pub struct Watching {
        seen: u64,
    }

    #[monitor]
    #[expect(deprecated)]
    impl Watching {
        #[on]
        fn old(&mut self, _: &Old) {
            self.seen += 1;
        }
    }

    /// Knows it.
    #[protocol]
    #[allow(deprecated)]
    pub trait Knows {
        /// Tells it.
        fn old(old: Old);
    }
}

/// Handles to a protocol in a future that is sent between threads.
pub mod protocol_in_a_future {
    use actor_core::{Recipient, actor, protocol};
    use std::future::Future;

    /// An event.
    #[derive(Debug)]
    pub struct Ping;

    /// The actors that can be pinged.
    #[protocol]
    pub trait Peer {
        /// Pings it.
        fn ping(ping: Ping) -> u64;
    }

    /// Asks them all.
    #[derive(Debug)]
    pub struct Asking {
        peers: Vec<PeerRef>,
        sum: u64,
    }

    #[actor]
    impl Asking {
        #[on]
        async fn ask(&mut self, _: Ping) {
            let first = self.peers[0].clone();
            self.sum += first.ask(Ping).await.unwrap_or(0);
            for peer in &self.peers {
                self.sum += peer.ask(Ping).await.unwrap_or(0);
            }
            for peer in self.peers.clone() {
                let recipient: Recipient<Ping> = (&peer).into();
                self.sum += peer.ask(Ping).await.unwrap_or(0);
                recipient.tell(Ping);
            }
        }
    }

    fn spawn(_: impl Future<Output = ()> + Send + 'static) {}

    /// Asks another actor twice.
    pub fn ask_twice(peer: PeerRef) {
        spawn(async move {
            while peer.ask(Ping).await == Ok(0) {}
            peer.tell(Ping);
        });
    }
}
