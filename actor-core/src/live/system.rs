//! The production system, as a program holds it: [`LiveSystem`].

use std::fmt;
use std::future::Future;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use tokio::runtime::Handle;

use super::cell::Cell;
use super::hooks::{DeadLetter, Failure, MonitorViolation};
use super::household::Household;
use super::hub::{Guard, Hub, watch_heat};
use super::life;
use crate::error::Error;
use crate::event::Event;
use crate::monitor::AnyMonitor;
use crate::reference::Target;
use crate::runtime::{Factory, Spawn, SpawnOptions};

/// What a production system offers and a test does not: hooks, counters and wall-clock limits.
/// Found by [`System::as_live`](crate::System::as_live), which is `None` under test.
///
/// A hook runs at once, on the thread where the thing happens, so it should be short. It may send
/// to actors; what it causes itself, a dead letter for instance, is counted but not shown to a hook
/// again. A panic in a hook ends there. A hook must not own a [`System`](crate::System), which
/// would then never be dropped.
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
/// # sys.shutdown().await
/// # }
/// ```
#[derive(Clone)]
pub struct LiveSystem(Arc<Guard>);

impl LiveSystem {
    #[track_caller]
    pub(crate) fn new() -> Self {
        let Ok(handle) = Handle::try_current() else {
            panic!(
                "System::new() was called outside a tokio runtime: call it in an async fn under \
                 #[tokio::main], or within `Runtime::enter`"
            )
        };
        Self(Arc::new(Guard {
            hub: Arc::new(Hub::new(handle)),
            heat: OnceLock::new(),
        }))
    }

    /// Calls `hook` for every [`Failure`] of an actor, instead of the hook before.
    /// The default prints one line to the standard error.
    pub fn on_failure(&self, hook: impl Fn(&Failure) + Send + Sync + 'static) {
        self.0.hub.hooks.on_failure(Arc::new(hook));
    }

    /// Calls `hook` for every [`DeadLetter`], instead of the hook before. By default dead letters
    /// are counted and nothing else: after a shutdown there may be many.
    pub fn on_dead_letter(&self, hook: impl Fn(&DeadLetter<'_>) + Send + Sync + 'static) {
        self.0.hub.hooks.on_dead_letter(Arc::new(hook));
    }

    /// Calls `hook` for every [`MonitorViolation`], instead of the hook before.
    /// The default prints one line to the standard error.
    pub fn on_violation(&self, hook: impl Fn(&MonitorViolation) + Send + Sync + 'static) {
        self.0.hub.hooks.on_violation(Arc::new(hook));
    }

    /// Reports a monitor as soon as it has been hot for longer than `limit`, once until it is cold
    /// again. Time in warm states does not count. The last limit set holds; there is none at first.
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
        let Guard { hub, heat } = &*self.0;
        hub.set_hot_limit(limit);
        heat.get_or_init(|| {
            let task = hub.handle.spawn(watch_heat(hub.clone()));
            task.abort_handle()
        });
    }

    /// How many events became dead letters since the system was made.
    pub fn dead_letters(&self) -> u64 {
        self.0.hub.hooks.dead_letters()
    }

    /// How many actors have been spawned and have not ended. The registry of names is one of them,
    /// once it was used.
    pub fn actors(&self) -> usize {
        self.0.hub.registry.len()
    }

    pub(crate) fn spawn(&self, actor: &mut dyn Spawn, options: &SpawnOptions) -> Target {
        Target::live(life::spawn(&self.0.hub, actor, options))
    }

    /// A child of the system is a family of its own.
    pub(crate) fn spawn_with(&self, factory: Factory, options: &SpawnOptions) -> Target {
        let household = Household::of_system(&self.0.hub);
        Target::live(life::spawn_with(household, factory, options))
    }

    pub(crate) fn names(&self, registry: &mut dyn Spawn) -> Target {
        life::names(&self.0.hub, registry)
    }

    pub(crate) fn monitor(&self, monitor: Box<dyn AnyMonitor>) {
        self.0.hub.monitor(monitor);
    }

    pub(crate) fn announce<E: Event>(&self, event: &E) {
        self.0.hub.announce(event);
    }

    pub(crate) fn now(&self) -> Duration {
        self.0.hub.now()
    }

    pub(crate) async fn shutdown(&self, deadline: Duration) -> Result<(), Error> {
        let hub = &self.0.hub;
        for actor in hub.registry.close() {
            actor.stop_in_order();
        }
        if timeout(hub, deadline).await {
            return Ok(());
        }
        match hub.registry.abort() {
            left if left.is_empty() => Ok(()),
            left => Err(Error::ShutdownTimedOut(names(&left))),
        }
    }
}

fn names(actors: &[Arc<Cell>]) -> Vec<String> {
    let names = actors.iter().map(|actor| actor.name().into_owned());
    names.collect()
}

/// Waits until every actor has left; `false` where the deadline came first.
fn timeout(hub: &Hub, deadline: Duration) -> impl Future<Output = bool> + Send {
    // The clock is that of the system's runtime, whoever waits.
    let _runtime = hub.handle.enter();
    let emptied = tokio::time::timeout(deadline, hub.registry.emptied());
    async move { emptied.await.is_ok() }
}

impl fmt::Debug for LiveSystem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LiveSystem")
            .field("actors", &self.actors())
            .field("dead_letters", &self.dead_letters())
            .finish()
    }
}
