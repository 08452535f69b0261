//! Looks for actors that are stuck and mailboxes that are deep: a task of the system.

use std::collections::{HashMap, HashSet};
use std::future::poll_fn;
use std::sync::Arc;
use std::task::Poll;
use std::time::Duration;

use tokio::time::Instant;

use crate::identity::ActorId;
use crate::production::host::executor::within;
use crate::production::host::lock;
use crate::production::observing::limits::{DeepMailbox, Found, Limits, StuckActor};
use crate::production::observing::work::Doing;
use crate::production::running::actor::{Hub, LiveActor};

/// Looks at every actor again and again, until [`Guard`](crate::production::running::actor::Guard) aborts it.
pub(in crate::production) async fn watch_actors(hub: Arc<Hub>) {
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
