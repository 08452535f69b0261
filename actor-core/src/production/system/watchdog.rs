//! The watchdog task of a system: detection of stuck actors and deep mailboxes.

use std::collections::{HashMap, HashSet};
use std::future::poll_fn;
use std::sync::Arc;
use std::task::Poll;
use std::time::Duration;

use tokio::time::Instant;

use crate::identity::ActorId;
use crate::panics::lock;
use crate::production::actor::hub::Hub;
use crate::production::actor::live_actor::LiveActor;
use crate::production::host::executor::within;
use crate::production::observing::limits::{
    DeepMailbox, LimitExceeded, StuckActor, WatchdogLimits,
};
use crate::production::observing::work::HandlerWord;

/// Checks every actor periodically, until [`Guard`](crate::production::actor::hub::Guard) aborts it.
pub(in crate::production) async fn watch_actors(hub: Arc<Hub>) {
    let mut known = CheckResult::default();
    loop {
        let limits = *lock(&hub.watchdog.limits);
        known = known.check(&hub, limits).await;
        let changed = hub.watchdog.changed.notified();
        within(limits.period(), changed).await;
    }
}

/// Yields once. Tokio's own would leave the task to this thread, even while a handler occupies it.
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

/// The findings of the last check.
#[derive(Default)]
struct CheckResult {
    /// The actors that handled an event.
    busy: HashMap<ActorId, Busy>,
    /// The actors whose depth was reported, until it is below half of the limit.
    deep: HashSet<ActorId>,
}

#[derive(Clone, Copy)]
struct Busy {
    doing: HandlerWord,
    since: Instant,
    reported: bool,
}

impl CheckResult {
    /// Checks every actor. Actors that have ended are not kept.
    async fn check(&self, hub: &Hub, limits: WatchdogLimits) -> Self {
        let mut now = Self::default();
        let mut from = Some(0);
        while let Some(begin) = from {
            let mut found = Vec::new();
            from = hub.registry.visit(begin, |actor| {
                found.extend(self.check_work(&mut now, actor, limits.stuck));
                found.extend(self.check_depth(&mut now, actor, limits.depth));
            });
            // Outside the registry's lock.
            for found in found {
                hub.watchdog.report(found);
            }
            yield_once().await;
        }
        now
    }

    fn check_work(
        &self,
        now: &mut Self,
        actor: &LiveActor,
        limit: Option<Duration>,
    ) -> Option<LimitExceeded> {
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
            LimitExceeded::Stuck(StuckActor {
                actor: actor.id(),
                name: actor.name().into_owned(),
                event,
                state: doing.state(actor.info()),
                waits: doing.waits(),
                time,
            })
        })
    }

    fn check_depth(
        &self,
        now: &mut Self,
        actor: &LiveActor,
        limit: Option<usize>,
    ) -> Option<LimitExceeded> {
        let limit = limit?;
        let unread = actor.mailbox().queued() + actor.work.fetched();
        let reported = self.deep.contains(&actor.id());
        if unread > limit || (reported && unread >= limit / 2) {
            now.deep.insert(actor.id());
        }
        (unread > limit && !reported).then(|| {
            LimitExceeded::Deep(DeepMailbox {
                actor: actor.id(),
                name: actor.name().into_owned(),
                unread,
            })
        })
    }
}
