//! Limits for stuck handlers and deep mailboxes, and the hooks for actors that exceed them.

use std::fmt;
use std::sync::Mutex;
use std::time::Duration;

use tokio::sync::Notify;

use super::hooks::Hook;
use super::work::HandlerInState;
use crate::identity::ActorId;
use crate::panics::lock;

/// The time between two checks of the mailboxes.
const DEPTH_PERIOD: Duration = Duration::from_millis(100);

/// The resolution of the runtime's clock.
const PERIOD_MIN: Duration = Duration::from_millis(1);

/// The number of checks within the time limit of a handler.
const CHECKS: u32 = 4;

/// An actor whose handler, or hook, has run or waited for longer than
/// [`LiveSystem::watch_stuck`](crate::LiveSystem::watch_stuck) allows.
///
/// Printed as one line: `printer has awaited in Print in state Busy for 5s`.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct StuckActor {
    /// The identity of the actor.
    pub actor: ActorId,
    /// The name of the actor.
    pub name: String,
    /// The event that the actor handles, or the hook, `#[start]` for instance.
    pub event: &'static str,
    /// The state in which the handler was called; `None` for a plain actor.
    pub state: Option<&'static str>,
    /// True if the handler waits at an `.await`; otherwise it occupies a thread.
    pub waits: bool,
    /// A lower bound of the time.
    pub time: Duration,
}

impl fmt::Display for StuckActor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { name, time, .. } = self;
        let verb = if self.waits {
            "awaited in"
        } else {
            "kept a thread in"
        };
        let work = HandlerInState(self.event, self.state);
        write!(f, "{name} has {verb} {work} for {time:?}")
    }
}

/// An actor with more unread events than [`LiveSystem::watch_depth`](crate::LiveSystem::watch_depth)
/// allows.
///
/// Printed as one line: `printer has 1200 unread events`.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct DeepMailbox {
    /// The identity of the actor.
    pub actor: ActorId,
    /// The name of the actor.
    pub name: String,
    /// The number of events that the actor has not begun to handle.
    pub unread: usize,
}

impl fmt::Display for DeepMailbox {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} has {} unread events", self.name, self.unread)
    }
}

/// The limits that are checked, and the hooks for actors that exceed them.
#[derive(Default)]
pub(in crate::production) struct Watchdog {
    pub(in crate::production) limits: Mutex<WatchdogLimits>,
    /// Notified when the limits have changed.
    pub(in crate::production) changed: Notify,
    pub(in crate::production) stuck: Hook<StuckActor>,
    pub(in crate::production) deep: Hook<DeepMailbox>,
}

/// The time limit of handlers, and the limit of unread events.
#[derive(Clone, Copy, Default)]
pub(in crate::production) struct WatchdogLimits {
    pub(in crate::production) stuck: Option<Duration>,
    pub(in crate::production) depth: Option<usize>,
}

impl WatchdogLimits {
    /// Returns the time between two checks.
    pub(in crate::production) fn period(self) -> Duration {
        let stuck = self.stuck.map(|limit| limit / CHECKS);
        let depth = self.depth.map(|_| DEPTH_PERIOD);
        let period = stuck.into_iter().chain(depth).min();
        period.unwrap_or(DEPTH_PERIOD).max(PERIOD_MIN)
    }
}

/// An actor that exceeds a limit.
pub(in crate::production) enum LimitExceeded {
    Stuck(StuckActor),
    Deep(DeepMailbox),
}

impl Watchdog {
    pub(in crate::production) fn limit_stuck(&self, limit: Duration) {
        lock(&self.limits).stuck = Some(limit);
        self.changed.notify_one();
    }

    pub(in crate::production) fn limit_depth(&self, limit: usize) {
        lock(&self.limits).depth = Some(limit);
        self.changed.notify_one();
    }

    pub(in crate::production) fn report(&self, found: LimitExceeded) {
        match found {
            LimitExceeded::Stuck(stuck) => self.stuck.call(&stuck),
            LimitExceeded::Deep(deep) => self.deep.call(&deep),
        }
    }
}
