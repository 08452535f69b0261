//! The handle of a production system: [`LiveSystem`].

use std::any::TypeId;
use std::fmt;
use std::future::Future;
use std::io;
use std::panic::{RefUnwindSafe, UnwindSafe};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

#[cfg(feature = "futures")]
use futures_executor::ThreadPool;
use tokio::runtime::Handle;

use super::status::ActorStatus;
use super::watchdog::watch_actors;
use crate::error::Error;
use crate::panics::lock;
use crate::production::actor::hub::{Guard, Hub, watch_heat};
use crate::production::actor::live_actor::LiveActor;
use crate::production::actor::node::LiveNode;
use crate::production::host::executor::{Executor, within};
use crate::production::observing::hooks::DeadLetter;
#[cfg(feature = "tracing")]
use crate::production::observing::hooks::Hooks;
use crate::production::observing::limits::{DeepMailbox, StuckActor};
use crate::production::observing::observer_flags::{AGES, DEPTH, STUCK};
use crate::production::observing::report::Unfinished;
use crate::production::observing::violation::MonitorViolation;
use crate::seam::{ScriptedFault, ShutdownSummary};
use crate::specification::{AnyMonitor, Monitor};
use crate::supervision::Failure;

/// The part of a production system that a test does not have: hooks, counters and wall-clock limits.
/// Returned by [`System::as_live`](crate::System::as_live), which is `None` under test.
///
/// A hook runs at once, on the thread of its cause, so it should be short. A hook may send to actors; the
/// effects of a hook itself, a dead letter for instance, are counted but not shown to any hook. A panic in
/// a hook is caught. A hook must not own a [`System`](crate::System), which would then never be dropped.
///
/// ```
/// use actor_core::System;
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), actor_core::Error> {
/// let sys = System::new();
/// if let Some(live) = sys.as_live() {
///     live.on_failure(|failure| eprintln!("{failure}"));
///     live.on_dead_letter(|letter| eprintln!("{:?} for {}", letter.event, letter.name));
/// }
/// # sys.shutdown().await?;
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct LiveSystem(Arc<Guard>);

// Panics are caught at their origin, in an actor, a hook or a monitor, and leave the system consistent.
impl UnwindSafe for LiveSystem {}
impl RefUnwindSafe for LiveSystem {}

impl LiveSystem {
    #[track_caller]
    pub(crate) fn new() -> Self {
        let Ok(handle) = Handle::try_current() else {
            panic!(
                "System::new() was called outside a tokio runtime: call it in an async fn under \
                 #[tokio::main], or within `Runtime::enter`"
            )
        };
        Self::on(Executor::Tokio(handle))
    }

    #[cfg(feature = "futures")]
    pub(crate) fn on_pool(pool: ThreadPool) -> Self {
        Self::on(Executor::Pool(pool))
    }

    fn on(executor: Executor) -> Self {
        Self::of(Hub::new(executor))
    }

    pub(in crate::production) fn of(hub: Arc<Hub>) -> Self {
        Self(Guard::new(hub))
    }

    /// Sets the directory of the files of [`Scope::disk`](crate::Scope::disk), and creates it if it is
    /// missing. Call this before actors use the disk.
    ///
    /// ```
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// # let data = std::env::temp_dir().join(format!("actor-core-disk-{}", std::process::id()));
    /// let sys = actor_core::System::new();
    /// if let Some(live) = sys.as_live() {
    ///     live.disk_at(&data)?;
    /// }
    /// assert!(actor_core::Scope::disk(&sys).read_dir(".").await?.is_empty());
    /// # std::fs::remove_dir(&data)?;
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// If the directory can't be created or reached.
    pub fn disk_at(&self, root: impl AsRef<Path>) -> io::Result<()> {
        self.0.hub.disk.set_root(root.as_ref())
    }

    /// Calls `hook` for every [`Failure`] of an actor, instead of the hook before.
    /// The default prints one line to the standard error.
    pub fn on_failure(&self, hook: impl Fn(&Failure) + Send + Sync + 'static) {
        self.0.hub.hooks.failure.set(hook);
    }

    /// Calls `hook` for every [`DeadLetter`], instead of the hook before. By default dead letters are
    /// only counted: after a shutdown there may be many.
    pub fn on_dead_letter(&self, hook: impl Fn(&DeadLetter<'_>) + Send + Sync + 'static) {
        self.0.hub.hooks.on_dead_letter(Arc::new(hook));
    }

    /// Calls `hook` for every [`MonitorViolation`], instead of the hook before.
    /// The default prints one line to the standard error.
    ///
    /// A monitor's panic is not printed: the first registered monitor wraps the current panic hook of the
    /// process, so that panics of monitors don't reach it.
    pub fn on_violation(&self, hook: impl Fn(&MonitorViolation) + Send + Sync + 'static) {
        self.0.hub.hooks.violation.set(hook);
    }

    /// Sets if a monitor goes on after a violation, in its state and with the changes that its handler made
    /// before the panic; otherwise the monitor is removed, and reports one violation. The setting applies
    /// to violations from now on. Later violations may be mere consequences.
    ///
    /// ```
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() {
    /// let sys = actor_core::System::new();
    /// if let Some(live) = sys.as_live() {
    ///     live.go_on_after_violations(true);
    /// }
    /// # }
    /// ```
    pub fn go_on_after_violations(&self, goes_on: bool) {
        self.0.hub.monitors.go_on(goes_on);
    }

    /// Reports a monitor as soon as it has been hot for longer than `limit`, once until it is cold again.
    /// Time in warm states does not count. The last limit set applies; by default there is none.
    ///
    /// ```
    /// # use std::time::Duration;
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() {
    /// let sys = actor_core::System::new();
    /// if let Some(live) = sys.as_live() {
    ///     live.hot_limit(Duration::from_secs(30));
    /// }
    /// # }
    /// ```
    pub fn hot_limit(&self, limit: Duration) {
        self.0.hub.monitors.set_limit(limit);
        self.watch_heat();
    }

    /// Sets a limit as [`hot_limit`](Self::hot_limit) does, for monitors of type `M` alone, which then
    /// ignore the general limit. The monitor may be registered before or after.
    ///
    /// ```
    /// # use std::time::Duration;
    /// # use actor_core::prelude::*;
    /// # #[derive(Debug)]
    /// # struct Lock;
    /// # #[derive(Default)]
    /// # struct Released;
    /// # #[monitor(hot(Hot), cold(Cold))]
    /// # impl Released {
    /// #     #[on]
    /// #     fn lock(&mut self, _: &Lock, cx: &mut MonitorContext<Self>) {
    /// #         cx.goto(ReleasedState::Hot);
    /// #     }
    /// # }
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() {
    /// let sys = actor_core::System::new();
    /// sys.monitor::<Released>();
    /// if let Some(live) = sys.as_live() {
    ///     live.hot_limit(Duration::from_secs(30));
    ///     live.hot_limit_of::<Released>(Duration::from_secs(2));
    /// }
    /// # }
    /// ```
    pub fn hot_limit_of<M: Monitor>(&self, limit: Duration) {
        self.0.hub.monitors.set_limit_of(TypeId::of::<M>(), limit);
        self.watch_heat();
    }

    fn watch_heat(&self) {
        let Guard { hub, heat, .. } = &*self.0;
        heat.get_or_init(|| hub.executor.spawn(watch_heat(hub.clone())));
    }

    /// Calls `hook` for every [`StuckActor`], instead of the hook before, once a
    /// [limit](Self::watch_stuck) is set. The default prints one line to the standard error.
    pub fn on_stuck(&self, hook: impl Fn(&StuckActor) + Send + Sync + 'static) {
        self.0.hub.watchdog.stuck.set(hook);
    }

    /// Reports each actor whose handler has run or waited for longer than `limit`, once for each handler.
    /// Hooks of actors count as handlers. Time in a wait by [`forever`](crate::forever) does not count:
    /// the measurement begins after it. The last limit set applies; by default there is none.
    ///
    /// A task checks every actor four times in each `limit`, at most once in a millisecond, so a report
    /// may come up to a quarter of `limit` late. A handler that began before the first limit was set is
    /// detected only if it is async. From the first limit on, each event costs a store.
    ///
    /// The task needs a thread of the runtime: on a current-thread runtime, handlers that wait are
    /// detected, and those that occupy the thread are not.
    ///
    /// ```
    /// # use std::time::Duration;
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() {
    /// let sys = actor_core::System::new();
    /// if let Some(live) = sys.as_live() {
    ///     live.watch_stuck(Duration::from_secs(5));
    ///     live.on_stuck(|stuck| eprintln!("{stuck}"));
    /// }
    /// # }
    /// ```
    ///
    /// # Panics
    ///
    /// The task panics once on a tokio runtime without a time driver, and nothing is watched then.
    pub fn watch_stuck(&self, limit: Duration) {
        self.0.hub.watchdog.limit_stuck(limit);
        self.watch(STUCK);
    }

    /// Calls `hook` for every [`DeepMailbox`], instead of the hook before, once a
    /// [limit](Self::watch_depth) is set. The default prints one line to the standard error.
    pub fn on_depth(&self, hook: impl Fn(&DeepMailbox) + Send + Sync + 'static) {
        self.0.hub.watchdog.deep.set(hook);
    }

    /// Reports each actor with more than `limit` unread events, once until it has fewer than half as
    /// many. Deferred events count as unread. The last limit set applies; by default there is none.
    ///
    /// A task checks every actor ten times in a second, or more often for
    /// [`watch_stuck`](Self::watch_stuck): a mailbox that is deep for a shorter time may go unreported.
    /// From the first limit on, each event costs a store.
    ///
    /// ```
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() {
    /// let sys = actor_core::System::new();
    /// if let Some(live) = sys.as_live() {
    ///     live.watch_depth(10_000);
    ///     live.on_depth(|deep| eprintln!("{deep}"));
    /// }
    /// # }
    /// ```
    ///
    /// # Panics
    ///
    /// As [`watch_stuck`](Self::watch_stuck) does.
    pub fn watch_depth(&self, limit: usize) {
        self.0.hub.watchdog.limit_depth(limit);
        self.watch(DEPTH);
    }

    fn watch(&self, what: u8) {
        let Guard { hub, watchdog, .. } = &*self.0;
        hub.observer_flags.add(what);
        watchdog.get_or_init(|| hub.executor.spawn(watch_actors(hub.clone())));
    }

    /// Shows the actors of this system at a local socket, from now on until the result is dropped: `cargo
    /// actor-test top PATH` displays them, once a second. Only the user of this process may open the
    /// socket: its mode is 0600 from the beginning. This calls [`keep_ages`](Self::keep_ages), too. A
    /// thread of its own answers; there is no cost without connections.
    ///
    /// Needs the feature `top`, and Unix.
    ///
    /// ```
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let sys = actor_core::System::new();
    /// # let path = std::env::temp_dir().join(format!("actor-core-top-{}", std::process::id()));
    /// let shown = sys.as_live().map(|live| live.show_at(&path)).transpose()?;
    /// // ...
    /// drop(shown);
    /// # assert!(!path.exists());
    /// sys.shutdown().await?;
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// If another program shows its actors at that path, the path is not a socket, or the socket can't be
    /// made. A socket without a listener is replaced.
    #[cfg(all(unix, feature = "top"))]
    pub fn show_at(
        &self,
        path: impl AsRef<Path>,
    ) -> io::Result<super::status_socket::StatusSocket> {
        let shown = super::status_socket::StatusSocket::at(path.as_ref(), Arc::downgrade(&self.0))?;
        self.keep_ages();
        Ok(shown)
    }

    #[cfg(all(unix, feature = "top"))]
    pub(in crate::production) fn guarded(guard: Arc<Guard>) -> Self {
        Self(guard)
    }

    /// Records when events are sent, from now on, so that [`actors`](Self::actors) returns for how long
    /// the oldest unread event of each has waited. Each send then reads the clock, and each event costs a
    /// store. Events of timers and notices of an actor's end have no age. No event has one while a
    /// monitor is registered, since monitors need the senders in its place.
    ///
    /// ```
    /// use actor_core::prelude::*;
    /// use std::time::Duration;
    ///
    /// #[derive(Debug)]
    /// struct Print;
    ///
    /// struct Printer;
    ///
    /// #[actor]
    /// impl Printer {
    ///     #[on]
    ///     async fn print(&mut self, _: Print) {
    ///         std::future::pending::<()>().await;
    ///     }
    /// }
    ///
    /// # #[tokio::main(flavor = "current_thread", start_paused = true)]
    /// # async fn main() {
    /// let sys = System::new();
    /// let live = sys.as_live().unwrap();
    /// live.keep_ages();
    /// let printer = sys.spawn(Printer);
    /// printer.tell(Print);
    /// printer.tell(Print); // waits for the first
    /// tokio::time::sleep(Duration::from_secs(2)).await;
    /// assert!(live.actors()[0].oldest >= Some(Duration::from_secs(2)));
    /// # }
    /// ```
    pub fn keep_ages(&self) {
        for hub in self.hubs() {
            hub.observer_flags.add(AGES);
        }
    }

    /// Returns the number of dead letters since the system was made.
    pub fn dead_letters(&self) -> u64 {
        self.0.hub.hooks.dead_letters()
    }

    /// Returns the number of live actors.
    pub fn actor_count(&self) -> usize {
        self.hubs().iter().map(|hub| hub.registry.len()).sum()
    }

    /// Returns the status of every actor that has been spawned and has not ended, in the order of their
    /// spawns. Actors run meanwhile, so each status is from a different moment.
    ///
    /// The call takes time proportional to the number of actors; there is no other cost.
    ///
    /// ```
    /// use actor_core::prelude::*;
    ///
    /// #[derive(Debug)]
    /// struct Print;
    /// #[derive(Debug)]
    /// struct Load;
    ///
    /// struct Printer;
    ///
    /// #[actor(states(Empty(defer(Print)), Loaded))]
    /// impl Printer {
    ///     #[on(Empty)]
    ///     fn load(&mut self, _: Load, cx: &mut Context<Self>) {
    ///         cx.goto(PrinterState::Loaded);
    ///     }
    ///
    ///     #[on(Loaded)]
    ///     async fn print(&mut self, _: Print) {
    ///         std::future::pending::<()>().await;
    ///     }
    /// }
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() {
    /// let sys = System::new();
    /// let printer = sys.spawn_named("printer", Printer);
    /// # tokio::task::yield_now().await;
    /// let live = sys.as_live().unwrap();
    /// assert_eq!(live.actors()[0].to_string(), "printer (Printer) in state Empty, 0 unread");
    /// printer.ask(Load).await.ok();
    /// printer.tell(Print);
    /// # for _ in 0..3 { tokio::task::yield_now().await; }
    /// printer.tell(Print);
    /// let status = live.actors()[0].to_string();
    /// assert_eq!(status, "printer (Printer) in state Loaded, awaits in Print, 1 unread");
    /// # }
    /// ```
    pub fn actors(&self) -> Vec<ActorStatus> {
        let mut actors = Vec::with_capacity(self.actor_count());
        for hub in self.hubs() {
            let mut from = Some(0);
            while let Some(begin) = from {
                let add = |actor: &LiveActor| actors.push(ActorStatus::of(actor));
                from = hub.registry.visit(begin, add);
            }
        }
        actors.sort_unstable_by_key(|status| status.actor);
        actors
    }

    /// Returns the actors that the last shutdown has aborted, in the order of their spawns, as they were
    /// at the deadline; empty if every actor stopped in time.
    ///
    /// ```
    /// use std::time::Duration;
    ///
    /// use actor_core::prelude::*;
    ///
    /// #[derive(Debug)]
    /// struct Print;
    ///
    /// struct Printer;
    ///
    /// #[actor]
    /// impl Printer {
    ///     #[on]
    ///     async fn print(&mut self, _: Print) {
    ///         std::future::pending::<()>().await;
    ///     }
    /// }
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() {
    /// let sys = System::new();
    /// let printer = sys.spawn_named("printer", Printer);
    /// printer.tell(Print);
    /// printer.tell(Print);
    /// if sys.shutdown_within(Duration::from_millis(10)).await.is_err() {
    ///     for actor in sys.as_live().unwrap().shutdown_report() {
    ///         eprintln!("{actor}"); // printer awaits in Print, 1 unread
    ///     }
    /// }
    /// # let live = sys.as_live().unwrap();
    /// # let text = live.shutdown_report()[0].to_string();
    /// # assert_eq!(text, "printer awaits in Print, 1 unread");
    /// # }
    /// ```
    pub fn shutdown_report(&self) -> Vec<Unfinished> {
        lock(&self.0.hub.unfinished).clone()
    }

    pub(crate) fn node(&self, name: &str, mut boot: Box<dyn FnMut(&Self) + Send>) {
        let boot = Box::new(move |guard: &Arc<Guard>| boot(&Self(guard.clone())));
        self.0.hub.nodes.start(&self.0.hub, name, boot);
    }

    /// Injects the faults that exist in production: crash and restart of a node. Others are ignored.
    pub(crate) fn fault(&self, fault: &ScriptedFault) {
        let Hub { nodes, .. } = &*self.0.hub;
        match fault {
            ScriptedFault::Crash(node) => nodes.with(&self.0.hub, node, LiveNode::crash),
            ScriptedFault::Restart(node, _) => nodes.with(&self.0.hub, node, LiveNode::restart),
            _ => {}
        }
    }

    #[cfg(feature = "tracing")]
    pub(in crate::production) fn hooks(&self) -> &Hooks {
        &self.0.hub.hooks
    }

    /// Returns the hubs of the system itself and of its running nodes.
    pub(in crate::production) fn hubs(&self) -> Vec<Arc<Hub>> {
        let mut hubs = vec![self.0.hub.clone()];
        if self.0.hub.node.is_none() {
            hubs.extend(self.0.hub.nodes.running());
        }
        hubs
    }

    pub(crate) fn monitor(&self, monitor: Box<dyn AnyMonitor>) {
        self.0.hub.monitor(monitor);
    }

    pub(crate) fn set_ask_limit(&self, limit: Duration) {
        for hub in self.hubs() {
            hub.set_ask_limit(limit);
        }
    }

    pub(crate) fn now(&self) -> Duration {
        self.0.hub.now()
    }

    pub(crate) fn hub(&self) -> &Arc<Hub> {
        &self.0.hub
    }

    /// Awaits `first`, which stops some actors, and then stops the others.
    pub(crate) async fn shutdown(
        &self,
        first: impl Future<Output = ()>,
        deadline: Duration,
    ) -> Result<ShutdownSummary, Error> {
        let hub = &self.0.hub;
        let (begun, lost_before) = (hub.now(), self.dead_letters());
        let first = {
            let _clock = hub.executor.enter();
            within(deadline, first)
        };
        first.await;
        let deadline = deadline.saturating_sub(hub.now().saturating_sub(begun));
        let hubs = self.hubs();
        for actor in hubs.iter().flat_map(|hub| hub.registry.close()) {
            actor.stop_in_order();
        }
        if timeout(&hubs, deadline).await {
            let dead_letters = self.dead_letters() - lost_before;
            return Ok(ShutdownSummary { dead_letters });
        }
        let left = hubs.iter().flat_map(|hub| hub.registry.close());
        let left: Vec<_> = left.map(|actor| unfinished(&actor)).collect();
        for hub in &hubs {
            hub.registry.abort();
        }
        if left.is_empty() {
            let dead_letters = self.dead_letters() - lost_before;
            return Ok(ShutdownSummary { dead_letters });
        }
        let names = left.iter().map(|actor| actor.name.clone()).collect();
        *lock(&hub.unfinished) = left;
        Err(Error::ShutdownTimedOut(names))
    }
}

/// Returns the status of an actor at the deadline.
fn unfinished(actor: &LiveActor) -> Unfinished {
    let doing = actor.work.doing();
    let event = doing.event(actor.info());
    Unfinished {
        actor: actor.id(),
        name: actor.name().into_owned(),
        event,
        state: event.and_then(|_| doing.state(actor.info())),
        waits: doing.waits(),
        unread: actor.unread(),
    }
}

/// Waits until every actor has left; returns `false` if the deadline came first.
fn timeout(hubs: &[Arc<Hub>], deadline: Duration) -> impl Future<Output = bool> + Send {
    // The clock is that of the system's runtime, on any thread.
    let _clock = hubs.first().map(|hub| hub.executor.enter());
    let emptied = within(deadline, async move {
        for hub in hubs {
            hub.registry.emptied().await;
        }
    });
    async move { emptied.await.is_some() }
}

impl fmt::Debug for LiveSystem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LiveSystem")
            .field("actors", &self.actor_count())
            .field("dead_letters", &self.dead_letters())
            .finish()
    }
}
