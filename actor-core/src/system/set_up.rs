//! The actor system, in which actors are spawned and specifications registered: [`System`].

use std::fmt;
use std::time::Duration;

use super::shutdown::{Shutdown, shut_down, stop_in_turn};
use crate::actor::{AnyRef, HasParent, Scope};
use crate::dispatch::{Parent, Target};
use crate::environment::fallible;
use crate::error::Error;
use crate::production::LiveSystem;
use crate::seam::{self, Action, Registration, ShutdownSummary};
use crate::specification::{Answer, Expectation, Monitor, MonitorInstance, World};

/// An actor system: the production executor, or one execution of a test.
///
/// The same set-up function serves both; it takes a `&System`. Clones are handles to the same system. In
/// production, dropping the last handle aborts every actor without running its `#[stop]` hook: keep one, and
/// end with [`shutdown`](System::shutdown). References to actors are not handles; an actor, a hook or a task
/// that owns a `System` keeps it alive.
///
/// ```
/// use actor_core::prelude::*;
///
/// #[derive(Debug)]
/// struct Greet;
///
/// struct Greeter;
///
/// #[actor]
/// impl Greeter {
///     #[on]
///     fn greet(&mut self, _: Greet) -> &'static str {
///         "hello"
///     }
/// }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), actor_core::Error> {
/// let sys = System::new();
/// let greeter = sys.spawn_named("greeter", Greeter);
/// assert_eq!(greeter.ask(Greet).await, Ok("hello"));
/// sys.shutdown().await?;
/// Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct System(Inner);

#[derive(Clone)]
enum Inner {
    Live(LiveSystem),
    Controlled,
}

impl System {
    /// Creates a production system, on the tokio runtime of the caller, current-thread or multi-thread.
    /// Actors that use timers or `sleep` need its time driver (`enable_time`).
    ///
    /// # Panics
    ///
    /// If called outside a tokio runtime.
    #[expect(
        clippy::new_without_default,
        reason = "it starts an executor and may panic"
    )]
    #[track_caller]
    pub fn new() -> Self {
        Self(Inner::Live(LiveSystem::new()))
    }

    /// Creates a production system on a thread pool of the `futures` crate, instead of a tokio runtime.
    ///
    /// Timers, time limits and `sleep` need no runtime there: all such systems share a timer thread. Actors
    /// that are spawned with [`blocking`](crate::Spawner::blocking) have a thread of their own each, as those
    /// with [`thread`](crate::Spawner::thread), since the pool has no threads for blocking work. Tokio's own
    /// timers and sockets don't work in handlers. There are no other differences.
    ///
    /// The system runs as many actors at a time as the machine has cores, which is the best size of the pool.
    ///
    /// ```
    /// use actor_core::prelude::*;
    /// use futures_executor::{ThreadPool, block_on};
    ///
    /// #[derive(Debug)]
    /// struct Greet;
    ///
    /// struct Greeter;
    ///
    /// #[actor]
    /// impl Greeter {
    ///     #[on]
    ///     fn greet(&mut self, _: Greet) -> &'static str {
    ///         "hello"
    ///     }
    /// }
    ///
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let sys = System::on_pool(ThreadPool::new()?);
    /// let greeter = sys.spawn(Greeter);
    /// assert_eq!(block_on(greeter.ask(Greet)), Ok("hello"));
    /// block_on(sys.shutdown())?;
    /// # Ok(())
    /// # }
    /// ```
    #[cfg(feature = "futures")]
    pub fn on_pool(pool: futures_executor::ThreadPool) -> Self {
        Self(Inner::Live(LiveSystem::on_pool(pool)))
    }

    pub(crate) fn of_node(live: LiveSystem) -> Self {
        Self(Inner::Live(live))
    }

    /// Returns the system of the controlled execution on this thread.
    ///
    /// # Panics
    ///
    /// If called outside a controlled execution.
    #[doc(hidden)]
    pub fn controlled() -> Self {
        assert!(
            seam::is_controlled(),
            "no controlled execution runs on this thread"
        );
        Self(Inner::Controlled)
    }

    /// Registers a monitor in its first state. A second one of the same type changes nothing.
    ///
    /// In production, monitors see one order of events: each observes an event before its target can, under a
    /// lock that all monitors share, so monitors should be quick. A panic in a monitor is a violation, passed
    /// to [`LiveSystem::on_violation`]; the monitor is removed and the actors continue. Without a monitor,
    /// sending costs one more relaxed load.
    ///
    /// ```
    /// use actor_core::prelude::*;
    ///
    /// #[derive(Debug)]
    /// struct Lock;
    /// #[derive(Debug)]
    /// struct Unlock;
    ///
    /// /// What is locked is unlocked, in the end.
    /// #[derive(Default)]
    /// struct Released;
    ///
    /// #[monitor(hot, cold)]
    /// impl Released {
    ///     #[on]
    ///     fn lock(&mut self, _: &Lock, cx: &mut MonitorContext<Self>) {
    ///         cx.goto(ReleasedState::Hot);
    ///     }
    ///
    ///     #[on]
    ///     fn unlock(&mut self, _: &Unlock, cx: &mut MonitorContext<Self>) {
    ///         cx.goto(ReleasedState::Cold);
    ///     }
    /// }
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() {
    /// let sys = System::new();
    /// sys.monitor::<Released>();
    /// sys.announce(Lock);
    /// sys.announce(Unlock);
    /// # }
    /// ```
    pub fn monitor<M: Monitor + Default>(&self) {
        self.monitor_with(M::default());
    }

    /// Registers a given monitor, as [`monitor`](System::monitor) does.
    pub fn monitor_with<M: Monitor>(&self, monitor: M) {
        let monitor = Box::new(MonitorInstance::new(monitor));
        match &self.0 {
            Inner::Live(live) => live.monitor(monitor),
            Inner::Controlled => seam::register(Registration::Monitor(monitor)),
        }
    }

    /// Registers an invariant: the tester evaluates it after each step that changed an actor, and reports the
    /// first step after which it is false. Production does not evaluate predicates.
    ///
    /// A predicate returns `bool`, or a `Result` whose `Err` [describes the observation](Answer).
    pub fn always<V: Answer>(&self, name: &str, predicate: impl FnMut(&World<'_>) -> V + 'static) {
        self.predicate(name, Expectation::Always, predicate);
    }

    /// Registers a predicate that must be true at least once before an execution ends.
    pub fn eventually<V: Answer>(
        &self,
        name: &str,
        predicate: impl FnMut(&World<'_>) -> V + 'static,
    ) {
        self.predicate(name, Expectation::Eventually, predicate);
    }

    /// Registers a predicate that must be true again and again: while false, it acts as a hot monitor.
    pub fn always_eventually<V: Answer>(
        &self,
        name: &str,
        predicate: impl FnMut(&World<'_>) -> V + 'static,
    ) {
        self.predicate(name, Expectation::AlwaysEventually, predicate);
    }

    /// Registers a predicate that should be true in some execution; the report names it if it never was.
    pub fn sometimes<V: Answer>(
        &self,
        name: &str,
        predicate: impl FnMut(&World<'_>) -> V + 'static,
    ) {
        self.predicate(name, Expectation::Sometimes, predicate);
    }

    fn predicate<V: Answer>(
        &self,
        name: &str,
        expectation: Expectation,
        mut predicate: impl FnMut(&World<'_>) -> V + 'static,
    ) {
        if let Inner::Controlled = self.0 {
            let predicate = Box::new(move |world: &World<'_>| predicate(world).answered());
            seam::register(Registration::Predicate {
                name,
                expectation,
                predicate,
            });
        }
    }

    /// Registers an error with which calls of that name may fail: see
    /// [`Context::fallible`](crate::Context::fallible). Under test, a fault makes such a call return the
    /// error of `error` instead of being made. If several errors are registered for a name, a call may fail
    /// with each of them. In production this has no effect.
    ///
    /// ```
    /// use actor_core::System;
    /// use std::io;
    ///
    /// fn set_up(sys: &System) {
    ///     sys.fails("read the card", || io::Error::other("the reader is unplugged"));
    ///     sys.fails("read the card", || io::Error::from(io::ErrorKind::TimedOut));
    /// }
    /// # let _ = set_up;
    /// ```
    pub fn fails<E: 'static>(&self, call: &str, error: impl Fn() -> E + 'static) {
        self.fails_so(call, false, error);
    }

    /// As [`fails`](System::fails), but the call is made, and takes effect, before the error is returned.
    ///
    /// ```
    /// use actor_core::System;
    /// use std::io;
    ///
    /// fn set_up(sys: &System) {
    ///     sys.fails_after("charge the card", || io::Error::from(io::ErrorKind::TimedOut));
    /// }
    /// # let _ = set_up;
    /// ```
    pub fn fails_after<E: 'static>(&self, call: &str, error: impl Fn() -> E + 'static) {
        self.fails_so(call, true, error);
    }

    fn fails_so<E: 'static>(&self, call: &str, is_made: bool, error: impl Fn() -> E + 'static) {
        if let Inner::Controlled = self.0 {
            let failing = fallible::failing(is_made, error);
            seam::register(Registration::CallErrors(call, failing));
        }
    }

    /// As `now`, but not recorded as a read of the clock by the program.
    pub(crate) fn time(&self) -> Duration {
        match &self.0 {
            Inner::Live(live) => live.now(),
            Inner::Controlled => seam::with(|rt| rt.now(false)),
        }
    }

    /// Gives every later `ask` of an actor of this system a time limit: without a reply by then, it ends with
    /// [`AskError::TimedOut`](crate::AskError::TimedOut). An `ask` with its own
    /// [`timeout`](crate::Ask::timeout), or [`without_limit`](crate::Ask::without_limit), ignores this limit.
    /// Nodes have the limit of their system.
    ///
    /// By default, an `ask` waits as long as the actor that may reply lives.
    ///
    /// ```
    /// use actor_core::prelude::*;
    /// use std::time::Duration;
    ///
    /// #[derive(Debug)]
    /// struct Fetch;
    ///
    /// struct Distant;
    ///
    /// #[actor]
    /// impl Distant {
    ///     #[on]
    ///     async fn fetch(&mut self, _: Fetch, cx: &mut Context<Self>) -> u32 {
    ///         cx.sleep(Duration::from_secs(60)).await;
    ///         7
    ///     }
    /// }
    ///
    /// # #[tokio::main(flavor = "current_thread", start_paused = true)]
    /// # async fn main() {
    /// let sys = System::new();
    /// sys.ask_limit(Duration::from_secs(5));
    /// let distant = sys.spawn(Distant);
    /// assert_eq!(distant.ask(Fetch).await, Err(AskError::TimedOut));
    /// let distant = sys.spawn(Distant);
    /// assert_eq!(distant.ask(Fetch).without_limit().await, Ok(7));
    /// # }
    /// ```
    pub fn ask_limit(&self, limit: Duration) {
        match self.as_live() {
            Some(live) => live.set_ask_limit(limit),
            None => seam::register(Registration::AskLimit(limit)),
        }
    }

    pub(crate) const SHUTDOWN_DEADLINE: Duration = Duration::from_secs(10);

    /// Stops every actor in order and waits until all have stopped: each handles the events that were sent to
    /// it before, runs its `#[stop]` hook and ends. Equivalent to
    /// [`shutdown_within`](System::shutdown_within) ten seconds.
    ///
    /// All actors are stopped at the same time. An event that one of them still sends to another may come
    /// after that one has ended, and is then a dead letter: if actors form a pipeline,
    /// [`shutdown_from`](System::shutdown_from) sets the order of their ends. Actors spawned from now on
    /// never start. A second shutdown waits for the same end. A shutdown that is awaited in a handler waits
    /// for that handler until the deadline.
    ///
    /// Under test the same happens in virtual time. The deadline is reached only if nothing else can happen
    /// before, so that a schedule alone makes no shutdown fail.
    ///
    /// Returns the number of events that became dead letters meanwhile.
    ///
    /// # Errors
    ///
    /// If actors had not stopped by the deadline; the error contains their names, and they are aborted.
    pub async fn shutdown(&self) -> Result<ShutdownSummary, Error> {
        self.shutdown_within(Self::SHUTDOWN_DEADLINE).await
    }

    /// As [`shutdown`](System::shutdown), beginning with this actor and those added by
    /// [`then`](Shutdown::then), one after the other: each is stopped in order when the one before has
    /// stopped, so that it handles all events sent to it by then. The other actors are stopped last.
    ///
    /// For a pipeline, name its actors from the sources to the sinks; then events in transit are handled.
    ///
    /// ```
    /// use actor_core::prelude::*;
    ///
    /// #[derive(Debug)]
    /// struct Line(String);
    ///
    /// struct Reader(ActorRef<Printer>);
    ///
    /// #[actor]
    /// impl Reader {
    ///     #[on]
    ///     fn line(&mut self, line: Line) {
    ///         self.0.tell(line);
    ///     }
    /// }
    ///
    /// struct Printer;
    ///
    /// #[actor]
    /// impl Printer {
    ///     #[on]
    ///     fn line(&mut self, line: Line) {
    ///         println!("{}", line.0);
    ///     }
    /// }
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), actor_core::Error> {
    /// let sys = System::new();
    /// let printer = sys.spawn(Printer);
    /// let reader = sys.spawn(Reader(printer.clone()));
    /// reader.tell(Line("the last one".into()));
    /// sys.shutdown_from(&reader).then(&printer).await?; // prints it
    /// Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// As [`shutdown`](System::shutdown).
    pub fn shutdown_from(&self, first: &impl AnyRef) -> Shutdown {
        Shutdown::new(self, first)
    }

    /// As [`shutdown`](System::shutdown), with another deadline.
    ///
    /// # Errors
    ///
    /// If actors had not stopped by the deadline; the error contains their names. They are aborted: each is
    /// dropped without its `#[stop]` hook, as soon as it is not in the middle of a poll.
    ///
    /// # Panics
    ///
    /// If called on a tokio runtime without a time driver.
    pub async fn shutdown_within(&self, deadline: Duration) -> Result<ShutdownSummary, Error> {
        self.end(&[], deadline).await
    }

    /// Stops the actors in `first` one after the other, and then all others.
    pub(crate) async fn end(
        &self,
        first: &[Target],
        deadline: Duration,
    ) -> Result<ShutdownSummary, Error> {
        match &self.0 {
            Inner::Live(live) => live.shutdown(stop_in_turn(first), deadline).await,
            Inner::Controlled => shut_down(first, deadline).await,
        }
    }

    /// Ends the execution of a test, for programs that never become quiescent before the step bound.
    ///
    /// A test needs this rarely. An execution ends by itself when nothing but periodic timers is left to
    /// happen, even after an async body has returned: all events that the body has sent are delivered and
    /// handled, and so is everything that follows from them.
    ///
    /// The caller's earlier effects are carried out first. Then the execution ends as soon as nothing is hot:
    /// no monitor is in a hot state, every `eventually` was true, and every `always_eventually` is. If
    /// something is hot, the execution continues until nothing is hot, a bug is found, or the fair bound is
    /// reached, with a fair schedule under any strategy and with every temperature reset to zero. The report
    /// counts the events that were not handled by then, and a wait is no bug. Call this last: anything that
    /// the caller sends or awaits afterwards may never happen. In a sync body, which comes before every other
    /// step, it would end the execution before any actor has handled anything.
    /// other step, it would end the execution before any actor has handled anything.
    ///
    /// In production it does nothing, so that the driver of a test can run there too; a system ends by
    /// [`shutdown`](System::shutdown).
    ///
    /// ```
    /// use std::time::Duration;
    ///
    /// use actor_core::prelude::*;
    ///
    /// #[derive(Clone, Debug)]
    /// struct Turn;
    /// #[derive(Debug)]
    /// struct Turns;
    ///
    /// #[derive(Default)]
    /// struct Mill {
    ///     turns: u64,
    /// }
    ///
    /// #[actor]
    /// impl Mill {
    ///     #[start]
    ///     fn start(&mut self, cx: &mut Context<Self>) {
    ///         cx.me().tell(Turn);
    ///     }
    ///
    ///     /// It never rests.
    ///     #[on]
    ///     fn turn(&mut self, _: Turn, cx: &mut Context<Self>) {
    ///         self.turns += 1;
    ///         cx.me().tell(Turn);
    ///     }
    ///
    ///     #[on]
    ///     fn turns(&mut self, _: Turns) -> u64 {
    ///         self.turns
    ///     }
    /// }
    ///
    /// /// The body of an async test.
    /// async fn it_turns(sys: &System) {
    ///     let mill = sys.spawn(Mill::default());
    ///     while mill.ask(Turns).await.expect("it lives") < 3 {
    ///         sys.sleep(Duration::from_secs(1)).await;
    ///     }
    ///     sys.finish();
    /// }
    /// # let _ = it_turns;
    /// ```
    pub fn finish(&self) {
        if let Inner::Controlled = self.0 {
            seam::act(Action::Finish);
        }
    }

    /// Returns the live system, for settings that exist in production only; `None` under test.
    pub fn as_live(&self) -> Option<&LiveSystem> {
        match &self.0 {
            Inner::Live(live) => Some(live),
            Inner::Controlled => None,
        }
    }

    pub(crate) fn is_live(&self) -> bool {
        self.as_live().is_some()
    }
}

impl HasParent for System {
    fn parent(&self) -> Parent<'_> {
        match &self.0 {
            Inner::Live(live) => Parent::live(live.hub(), None),
            Inner::Controlled => Parent::controlled(None),
        }
    }
}

impl Scope for System {}

impl fmt::Debug for System {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self.0 {
            Inner::Live(_) => "System(production)",
            Inner::Controlled => "System(controlled)",
        })
    }
}
