//! The data shared by all actors of one system: [`Hub`].

use std::any::TypeId;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock};
use std::time::Duration;

use tokio::time::Instant;

use super::children::SystemSupervision;
use super::dispatcher::{self, Dispatcher};
use super::names::NameTable;
use super::node::LiveNodes;
use super::registry::Registry;
#[cfg(debug_assertions)]
use super::waits::Waits;
use crate::event::Event;
use crate::identity::ActorId;
use crate::production::host::current::Sender;
use crate::production::host::disk::LiveDisk;
use crate::production::host::executor::{Executor, ExecutorSleep, TaskHandle, sleep, within};
use crate::production::observing::hooks::{FailureCause, Hooks};
use crate::production::observing::limits::Watchdog;
use crate::production::observing::monitors::{MonitoredEvent, Monitors};
use crate::production::observing::observer_flags::{AGES, CARRIES, OBSERVED, ObserverFlags};
use crate::production::observing::report::Unfinished;
use crate::seam::AskError;
use crate::specification::{AnyMonitor, Moment};
use crate::supervision::{Failure, StopReason};

/// The data shared by all actors of one system.
///
/// Kept alive by the system's handles, its actors and the references to them. The hub keeps an actor
/// alive only while that actor is registered, so the cycle ends with the actor.
pub(crate) struct Hub {
    pub(in crate::production) executor: Executor,
    pub(crate) disk: LiveDisk,
    pub(in crate::production) dispatcher: Arc<Dispatcher>,
    pub(in crate::production) registry: Registry,
    pub(in crate::production) hooks: Arc<Hooks>,
    /// The nodes of the system, also in the hub of a node.
    pub(in crate::production) nodes: Arc<LiveNodes>,
    /// The name of this node, in the hub of a node.
    pub(in crate::production) node: Option<Arc<str>>,
    /// True once the node has crashed.
    crashed: AtomicBool,
    /// The time limit of an `ask` in nanoseconds; `u64::MAX` is none. Relaxed: it orders nothing else.
    ask_limit: AtomicU64,
    pub(crate) names: NameTable,
    pub(in crate::production) family: SystemSupervision,
    #[cfg(debug_assertions)]
    pub(in crate::production) waits: Waits,
    pub(in crate::production) observer_flags: ObserverFlags,
    pub(in crate::production) watchdog: Watchdog,
    #[cfg(feature = "metrics")]
    pub(in crate::production) meters: crate::production::observing::meters::AllMeters,
    /// The actors that the last shutdown has aborted.
    pub(in crate::production) unfinished: Mutex<Vec<Unfinished>>,
    pub(in crate::production) monitors: Arc<Monitors>,
    started: Instant,
}

impl Hub {
    pub(in crate::production) fn new(executor: Executor) -> Arc<Self> {
        Self::with(executor, None)
    }

    pub(in crate::production) fn of_node(whole: &Arc<Self>, name: Arc<str>) -> Arc<Self> {
        Self::with(whole.executor.clone(), Some((whole, name)))
    }

    fn with(executor: Executor, node: Option<(&Arc<Self>, Arc<str>)>) -> Arc<Self> {
        let (whole, name) = node.unzip();
        let (dispatcher, queues) = dispatcher::new(&executor);
        let hub = Arc::new(Self {
            registry: Registry::new(dispatcher.clone()),
            disk: match (whole, &name) {
                (Some(whole), Some(name)) => whole.disk.of_node(name),
                _ => LiveDisk::new(executor.blocking_threads()),
            },
            executor,
            dispatcher,
            hooks: whole.map_or_else(Arc::default, |whole| whole.hooks.clone()),
            nodes: whole.map_or_else(Arc::default, |whole| whole.nodes.clone()),
            node: name,
            crashed: AtomicBool::new(false),
            ask_limit: AtomicU64::new(
                whole.map_or(u64::MAX, |whole| whole.ask_limit.load(Ordering::Relaxed)),
            ),
            names: NameTable::default(),
            family: SystemSupervision::default(),
            #[cfg(debug_assertions)]
            waits: Waits::default(),
            observer_flags: ObserverFlags::default(),
            watchdog: Watchdog::default(),
            #[cfg(feature = "metrics")]
            meters: crate::production::observing::meters::AllMeters::default(),
            unfinished: Mutex::default(),
            monitors: whole.map_or_else(Arc::default, |whole| whole.monitors.clone()),
            started: whole.map_or_else(Instant::now, |whole| whole.started),
        });
        if let Some(whole) = whole {
            hub.observer_flags
                .add(whole.observer_flags.bits() & (OBSERVED | AGES | CARRIES));
        }
        dispatcher::start(
            &hub.dispatcher,
            queues,
            &hub.executor,
            &Arc::downgrade(&hub),
        );
        hub
    }

    pub(crate) fn now(&self) -> Duration {
        self.started.elapsed()
    }

    /// Starts the time limit of the system for an `ask`.
    #[inline]
    pub(crate) fn begin_ask_limit(&self) -> Option<ExecutorSleep> {
        let limit = match self.ask_limit.load(Ordering::Relaxed) {
            u64::MAX => return None,
            limit => Duration::from_nanos(limit),
        };
        let _clock = self.executor.enter();
        Some(sleep(limit))
    }

    pub(in crate::production) fn set_ask_limit(&self, limit: Duration) {
        let limit = u64::try_from(limit.as_nanos()).unwrap_or(u64::MAX);
        self.ask_limit.store(limit, Ordering::Relaxed);
    }

    pub(in crate::production) fn failed(&self, actor: ActorId, name: &str, fault: FailureCause) {
        let failure = Failure::new(actor, name.to_owned(), fault.kind, fault.message);
        self.hooks.failure.call(&failure);
    }

    /// Returns true if monitors observe anything: the only cost of monitors if there are none.
    #[inline]
    pub(in crate::production) fn is_observed(&self) -> bool {
        self.observer_flags.bits() & OBSERVED != 0
    }

    /// Returns true if sends are observed, timestamped, or carry span contexts.
    #[inline]
    pub(in crate::production) fn observes_sends(&self) -> bool {
        self.observer_flags.bits() & (OBSERVED | AGES | CARRIES) != 0
    }

    /// Returns true if nothing observes the actors.
    #[inline]
    pub(in crate::production) fn is_unwatched(&self) -> bool {
        #[cfg(any(feature = "tracing", feature = "metrics"))]
        if super::telemetry::is_on() {
            return false;
        }
        self.observer_flags.bits() == 0
    }

    pub(in crate::production) fn monitor(&self, monitor: Box<dyn AnyMonitor>) {
        self.monitors.register(monitor);
        self.observer_flags.add(OBSERVED);
        for node in self.nodes.running() {
            node.observer_flags.add(OBSERVED);
        }
    }

    /// Crashes the node: aborts all its actors.
    pub(in crate::production) fn crash(&self) {
        // Relaxed: notices of the end come later, and are synchronised by the signals or the mailbox.
        self.crashed.store(true, Ordering::Relaxed);
        self.registry.abort();
        self.names.clear();
    }

    /// Returns the reason of an actor's end, as others are notified of it.
    pub(in crate::production) fn ended(&self, reason: StopReason) -> StopReason {
        match reason {
            StopReason::Aborted if self.crashed.load(Ordering::Relaxed) => StopReason::Disconnected,
            reason => reason,
        }
    }

    /// Returns the error of a lost reply, as the asker gets it.
    pub(in crate::production) fn lost(&self, error: AskError) -> AskError {
        match error {
            AskError::Stopped if self.crashed.load(Ordering::Relaxed) => AskError::Disconnected,
            error => error,
        }
    }

    #[cold]
    pub(in crate::production) fn observe(
        &self,
        moment: Moment,
        kind: TypeId,
        event: &dyn Event,
        sender: Sender,
        target: Option<ActorId>,
    ) {
        let seen = MonitoredEvent {
            event,
            sender: sender.id(),
            target,
            time: self.now(),
        };
        for mut violation in self.monitors.observe(moment, kind, &seen) {
            let name = |id: Option<ActorId>| self.registry.name_of(id?);
            violation.sender_name = name(violation.sender);
            violation.target_name = name(violation.target);
            self.hooks.violation.call(&violation);
        }
    }

    pub(crate) fn announce<E: Event>(&self, event: &E) {
        if self.is_observed() {
            let kind = TypeId::of::<E>();
            self.observe(Moment::Sent, kind, event, Sender::current(), None);
        }
    }
}

/// Reports monitors that are hot for too long, until [`Guard`] aborts it.
pub(in crate::production) async fn watch_heat(hub: Arc<Hub>) {
    loop {
        for violation in &hub.monitors.overdue(hub.now()) {
            hub.hooks.violation.call(violation);
        }
        let heated = hub.monitors.heated.notified();
        match hub.monitors.deadline() {
            Some(deadline) => {
                let left = deadline.saturating_duration_since(Instant::now());
                within(left, heated).await;
            }
            None => heated.await,
        }
    }
}

/// The guard that aborts the actors of a system when its last handle is dropped.
pub(in crate::production) struct Guard {
    pub(in crate::production) hub: Arc<Hub>,
    /// The task of [`watch_heat`], once a limit was set.
    pub(in crate::production) heat: OnceLock<TaskHandle>,
    /// The task of `watch_actors`, once a limit was set.
    pub(in crate::production) watchdog: OnceLock<TaskHandle>,
}

impl Guard {
    pub(in crate::production) fn new(hub: Arc<Hub>) -> Arc<Self> {
        Arc::new(Self {
            hub,
            heat: OnceLock::new(),
            watchdog: OnceLock::new(),
        })
    }
}

impl Drop for Guard {
    fn drop(&mut self) {
        for task in [&self.heat, &self.watchdog] {
            if let Some(task) = task.get() {
                task.abort();
            }
        }
        self.hub.registry.abort();
        self.hub.names.clear();
        if self.hub.node.is_none() {
            self.hub.nodes.end();
        }
    }
}
