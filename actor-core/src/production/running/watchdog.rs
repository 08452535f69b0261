//! Actors that are stuck, and mailboxes that are deep: a task of the system looks for them.

use std::collections::{HashMap, HashSet};
use std::fmt;
use std::future::poll_fn;
use std::sync::{Arc, Mutex};
use std::task::Poll;
use std::time::Duration;

use tokio::sync::Notify;
use tokio::time::Instant;

use super::actor::LiveActor;
use super::hub::Hub;
use crate::identity::ActorId;
use crate::production::host::executor::within;
use crate::production::host::lock;
use crate::production::observing::hooks::guarded;
use crate::production::observing::work::{Doing, Named};

/// How often mailboxes are looked at.
const DEPTH_PERIOD: Duration = Duration::from_millis(100);

/// What the clock of the runtime can tell apart.
const PERIOD_MIN: Duration = Duration::from_millis(1);

/// How many parts of its limit a handler may be stuck for until it is looked at.
const LOOKS: u32 = 4;

/// An actor whose handler, or hook, has run or waited for longer than
/// [`LiveSystem::watch_stuck`](crate::LiveSystem::watch_stuck) allows.
///
/// It prints as one line: `printer has awaited in Print in state Busy for 5s`.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct StuckActor {
    /// Which actor.
    pub actor: ActorId,
    /// Its name.
    pub name: String,
    /// The event that it handles, or the hook, `#[start]` for instance.
    pub event: &'static str,
    /// The state in which that was called; `None` for a plain actor.
    pub state: Option<&'static str>,
    /// It waits at an `.await`; otherwise it occupies a thread.
    pub waits: bool,
    /// For how long at least.
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
        let work = Named(self.event, self.state);
        write!(f, "{name} has {verb} {work} for {time:?}")
    }
}

/// An actor with more unread events than
/// [`LiveSystem::watch_depth`](crate::LiveSystem::watch_depth) allows.
///
/// It prints as one line: `printer has 1200 unread events`.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct DeepMailbox {
    /// Which actor.
    pub actor: ActorId,
    /// Its name.
    pub name: String,
    /// How many events it has not begun to handle.
    pub unread: usize,
}

impl fmt::Display for DeepMailbox {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} has {} unread events", self.name, self.unread)
    }
}

type OnStuck = Arc<dyn Fn(&StuckActor) + Send + Sync>;
type OnDeep = Arc<dyn Fn(&DeepMailbox) + Send + Sync>;

/// What is looked for, and who is told.
pub(super) struct Watchdog {
    limits: Mutex<Limits>,
    /// Notified when the limits have changed.
    changed: Notify,
    on_stuck: Mutex<OnStuck>,
    on_deep: Mutex<OnDeep>,
}

#[derive(Clone, Copy, Default)]
struct Limits {
    stuck: Option<Duration>,
    depth: Option<usize>,
}

impl Limits {
    fn period(self) -> Duration {
        let stuck = self.stuck.map(|limit| limit / LOOKS);
        let depth = self.depth.map(|_| DEPTH_PERIOD);
        let period = stuck.into_iter().chain(depth).min();
        period.unwrap_or(DEPTH_PERIOD).max(PERIOD_MIN)
    }
}

impl Watchdog {
    pub(super) fn new() -> Self {
        Self {
            limits: Mutex::default(),
            changed: Notify::new(),
            on_stuck: Mutex::new(Arc::new(|stuck| eprintln!("actor-core: {stuck}"))),
            on_deep: Mutex::new(Arc::new(|deep| eprintln!("actor-core: {deep}"))),
        }
    }

    pub(super) fn limit_stuck(&self, limit: Duration) {
        lock(&self.limits).stuck = Some(limit);
        self.changed.notify_one();
    }

    pub(super) fn limit_depth(&self, limit: usize) {
        lock(&self.limits).depth = Some(limit);
        self.changed.notify_one();
    }

    pub(super) fn on_stuck(&self, hook: OnStuck) {
        let before = std::mem::replace(&mut *lock(&self.on_stuck), hook);
        drop(before);
    }

    pub(super) fn on_deep(&self, hook: OnDeep) {
        let before = std::mem::replace(&mut *lock(&self.on_deep), hook);
        drop(before);
    }

    fn tell(&self, found: Found) {
        match found {
            Found::Stuck(stuck) => {
                let hook = lock(&self.on_stuck).clone();
                guarded(|| hook(&stuck));
            }
            Found::Deep(deep) => {
                let hook = lock(&self.on_deep).clone();
                guarded(|| hook(&deep));
            }
        }
    }
}

/// Looks at every actor again and again, until [`Guard`](super::hub::Guard) aborts it.
pub(super) async fn watch_actors(hub: Arc<Hub>) {
    let mut known = Known::default();
    loop {
        let limits = *lock(&hub.watchdog.limits);
        known = known.look(&hub, limits).await;
        let changed = hub.watchdog.changed.notified();
        within(limits.period(), changed).await;
    }
}

/// Lets others run. Tokio's own puts the task where no other thread of the runtime finds it while
/// this one is kept by a handler.
async fn yield_once() {
    let mut yielded = false;
    poll_fn(|task| {
        if std::mem::replace(&mut yielded, true) {
            return Poll::Ready(());
        }
        task.waker().wake_by_ref();
        Poll::Pending
    })
    .await;
}

/// What was seen at the last look.
#[derive(Default)]
struct Known {
    /// The actors that were at work.
    busy: HashMap<ActorId, Busy>,
    /// Those whose depth was reported, until it is below half of the limit.
    deep: HashSet<ActorId>,
}

#[derive(Clone, Copy)]
struct Busy {
    doing: Doing,
    since: Instant,
    reported: bool,
}

enum Found {
    Stuck(StuckActor),
    Deep(DeepMailbox),
}

impl Known {
    /// What is seen now. Actors that have ended are forgotten.
    async fn look(&self, hub: &Hub, limits: Limits) -> Self {
        let mut now = Self::default();
        let mut from = Some(0);
        while let Some(begin) = from {
            let mut found = Vec::new();
            from = hub.registry.look(begin, |actor| {
                found.extend(self.look_at_work(&mut now, actor, limits.stuck));
                found.extend(self.look_at_depth(&mut now, actor, limits.depth));
            });
            // Not under the registry's lock.
            for found in found {
                hub.watchdog.tell(found);
            }
            yield_once().await;
        }
        now
    }

    fn look_at_work(
        &self,
        now: &mut Self,
        actor: &LiveActor,
        limit: Option<Duration>,
    ) -> Option<Found> {
        let limit = limit?;
        let doing = actor.work.doing();
        let event = doing.event(actor.info())?;
        if actor.work.may_wait_forever() {
            return None;
        }
        let before = self.busy.get(&actor.id());
        let before = before.filter(|before| before.doing.is_same(doing));
        let since = before.map_or_else(Instant::now, |before| before.since);
        let time = since.elapsed();
        let reported = before.is_some_and(|before| before.reported);
        let overdue = before.is_some() && time >= limit;
        let busy = Busy {
            doing,
            since,
            reported: reported || overdue,
        };
        now.busy.insert(actor.id(), busy);
        (overdue && !reported).then(|| {
            Found::Stuck(StuckActor {
                actor: actor.id(),
                name: actor.name().into_owned(),
                event,
                state: doing.state(actor.info()),
                waits: doing.waits(),
                time,
            })
        })
    }

    fn look_at_depth(
        &self,
        now: &mut Self,
        actor: &LiveActor,
        limit: Option<usize>,
    ) -> Option<Found> {
        let limit = limit?;
        let unread = actor.mailbox().queued() + actor.work.fetched();
        let reported = self.deep.contains(&actor.id());
        if unread > limit || (reported && unread >= limit / 2) {
            now.deep.insert(actor.id());
        }
        (unread > limit && !reported).then(|| {
            Found::Deep(DeepMailbox {
                actor: actor.id(),
                name: actor.name().into_owned(),
                unread,
            })
        })
    }
}
