//! Watchers, links and children of an actor: [`Relations`].

use std::collections::BTreeMap;
use std::sync::{Arc, Weak};

use super::children::LiveChildren;
use super::live_actor::{ActorEnd, LiveActor};
use crate::identity::ActorId;
use crate::insertion_ordered_map::{CleanupSchedule, InsertionOrderedMap};
use crate::panics::lock;
use crate::production::mailbox::signals::LINKED;
use crate::supervision::StopReason;

/// The relations of an actor to others, beside the sending of events.
#[derive(Default)]
pub(crate) struct Relations {
    watchers: Watchers,
    pub(in crate::production) children: Option<Arc<LiveChildren>>,
    links: Links,
    /// The linked actor whose failure this one shares, or has shared last.
    shares: Option<ActorId>,
    /// The function that notifies the actor of a linked actor's failure, if links are trapped.
    trap: Option<SendNotice>,
}

/// A link: the other actor shares this one's failures, and this one the other's.
struct Link {
    other: Weak<LiveActor>,
    /// The other actor's restart count; a restart makes the link void.
    life: u32,
}

/// The links, by the other actor.
#[derive(Default)]
struct Links {
    roster: InsertionOrderedMap<ActorId, Link>,
    sweep: CleanupSchedule,
}

impl Links {
    fn add(&mut self, to: ActorId, link: Link) {
        let Self { roster, sweep } = self;
        if sweep.is_due(roster.len()) {
            roster.retain(|link| link.other.strong_count() > 0);
            sweep.record_cleanup(roster.len());
        }
        roster.insert(to, link);
    }
}

/// Sends the notice that an actor has ended.
pub(crate) type SendNotice = fn(&LiveActor, ActorId, StopReason);

/// A waiter for a `T` that is no actor: for an actor's start, or for the reason of its end.
pub(crate) trait Awaits<T>: Send {
    fn notify(self: Box<Self>, of: T);
    /// Returns true if nobody waits any more.
    fn is_over(&self) -> bool;
}

/// The outcome of a start: the reason of an end before it is an error.
type StartOutcome = Result<(), StopReason>;

/// A waiter for the end of another actor, or for its start.
enum EndWaiter {
    Watcher(Watcher),
    Start(Box<dyn Awaits<StartOutcome>>),
    Other(Box<dyn Awaits<StopReason>>),
}

impl EndWaiter {
    fn notify(self, reason: StopReason) {
        match self {
            Self::Watcher(watcher) => watcher.notify(reason),
            Self::Start(other) => other.notify(Err(reason)),
            Self::Other(other) => other.notify(reason),
        }
    }

    fn is_over(&self) -> bool {
        match self {
            Self::Watcher(entry) => {
                let watcher = entry.watcher.upgrade();
                entry.mark.strong_count() == 0
                    || !watcher.is_some_and(|watcher| watcher.is_running())
            }
            Self::Start(other) => other.is_over(),
            Self::Other(other) => other.is_over(),
        }
    }
}

/// A watch: the watcher is notified when the actor ends.
pub(crate) struct Watcher {
    pub(crate) watcher: Weak<LiveActor>,
    /// The watched actor, as the notice has it: the watcher may have used a name.
    pub(crate) of: ActorId,
    /// Dropped when the watcher ends the watch.
    pub(crate) mark: Weak<()>,
    /// Sends the notice that the watched actor has ended.
    pub(crate) notify: SendNotice,
}

/// The watches of an actor since its last restart. A watch is void once its mark is dropped.
#[derive(Default)]
pub(in crate::production) struct OwnWatches {
    marks: BTreeMap<ActorId, Arc<()>>,
    sweep: CleanupSchedule,
}

impl OwnWatches {
    /// Returns the mark for that actor. Marks of ended actors are removed now and then.
    pub(in crate::production) fn mark(&mut self, of: ActorId) -> Weak<()> {
        let Self { marks, sweep } = self;
        if sweep.is_due(marks.len()) {
            marks.retain(|_, mark| Arc::weak_count(mark) > 0);
            sweep.record_cleanup(marks.len());
        }
        Arc::downgrade(marks.entry(of).or_default())
    }

    pub(in crate::production) fn forget(&mut self, other: ActorId) {
        self.marks.remove(&other);
    }
}

impl Watcher {
    fn notify(&self, reason: StopReason) {
        if let Some(actor) = self.watcher.upgrade()
            && self.mark.strong_count() > 0
        {
            (self.notify)(&actor, self.of, reason);
        }
    }
}

#[derive(Default)]
struct Watchers(Vec<EndWaiter>);

impl Watchers {
    /// Adds a waiter. Removes waiters that are over each time the list would grow, so that an actor
    /// watched by many short-lived ones does not collect them.
    fn push(&mut self, waiting: EndWaiter) {
        let Self(watchers) = self;
        if watchers.len() == watchers.capacity() {
            watchers.retain(|entry| !entry.is_over());
            watchers.reserve(watchers.len());
        }
        watchers.push(waiting);
    }
}

impl LiveActor {
    /// Calls `f` with the relations; `None` if the actor has ended.
    pub(in crate::production) fn with_relations<T>(
        &self,
        f: impl FnOnce(&mut Option<Box<Relations>>) -> T,
    ) -> Option<T> {
        match &mut *lock(&self.end) {
            ActorEnd::Awaited(relations) => Some(f(relations)),
            ActorEnd::Ended(_) => None,
        }
    }

    /// Notifies `watcher` when the actor has ended; at once if it has already.
    pub(crate) fn watch(&self, watcher: Watcher) {
        self.await_end_by(EndWaiter::Watcher(watcher));
    }

    /// Waits for the actor's end as [`watch`](Self::watch) does, for a waiter that is no actor.
    pub(crate) fn await_end(&self, other: Box<dyn Awaits<StopReason>>) {
        self.await_end_by(EndWaiter::Other(other));
    }

    /// Notifies when the actor has run its start hook or has ended; at once if it has already.
    pub(crate) fn await_start(&self, other: Box<dyn Awaits<StartOutcome>>) {
        let start = {
            let mut end = lock(&self.end);
            match &mut *end {
                ActorEnd::Ended(reason) => Err(*reason),
                ActorEnd::Awaited(_) if self.has_started() => Ok(()),
                ActorEnd::Awaited(relations) => {
                    let Relations { watchers, .. } = &mut **relations.get_or_insert_default();
                    return watchers.push(EndWaiter::Start(other));
                }
            }
        };
        other.notify(start);
    }

    /// Records that the start hook has run, and notifies the waiters for that.
    #[cold]
    pub(in crate::production) fn start_is_over(&self) {
        let waiting = self.with_relations(|relations| {
            self.set_started(true);
            let Watchers(watchers) = &mut relations.as_mut()?.watchers;
            let starts = |waiting: &mut EndWaiter| matches!(waiting, EndWaiter::Start(_));
            Some(watchers.extract_if(.., starts).collect::<Vec<_>>())
        });
        for waiting in waiting.flatten().into_iter().flatten() {
            if let EndWaiter::Start(other) = waiting {
                other.notify(Ok(()));
            }
        }
    }

    /// Resets the start, since the value is dropped, and may be replaced.
    pub(in crate::production) fn start_is_ahead(&self) {
        self.with_relations(|_| self.set_started(false));
    }

    fn await_end_by(&self, waiting: EndWaiter) {
        let ended = {
            let mut end = lock(&self.end);
            match &mut *end {
                ActorEnd::Ended(reason) => *reason,
                ActorEnd::Awaited(relations) => {
                    relations.get_or_insert_default().watchers.push(waiting);
                    return;
                }
            }
        };
        waiting.notify(ended);
    }

    pub(crate) fn link(self: &Arc<Self>, other: &Arc<Self>) {
        if self.id() == other.id() {
            return;
        }
        let linked = other.add_link(self);
        match linked {
            Ok(()) => drop(self.add_link(other)),
            Err(reason) if reason.is_failure() => self.share_failure(other.id(), reason),
            Err(_) => {}
        }
    }

    pub(crate) fn unlink(&self, other: &Self) {
        self.forget_link_to(other.id());
        other.forget_link_to(self.id());
    }

    /// Records the link at this actor, unless it has ended.
    fn add_link(&self, other: &Arc<Self>) -> Result<(), StopReason> {
        match &mut *lock(&self.end) {
            ActorEnd::Ended(reason) => Err(*reason),
            ActorEnd::Awaited(relations) => {
                let link = Link {
                    other: Arc::downgrade(other),
                    life: other.restart_count(),
                };
                relations
                    .get_or_insert_default()
                    .links
                    .add(other.id(), link);
                Ok(())
            }
        }
    }

    /// Notifies the actor of failures of linked actors, which it then does not share.
    pub(crate) fn trap_links(&self, notify: SendNotice) {
        self.with_relations(|relations| relations.get_or_insert_default().trap = Some(notify));
    }

    /// Removes the links when the value is dropped; linked actors share its failure. If this failure comes
    /// from a linked actor that is restarted and linked again, the new link is kept.
    pub(in crate::production) fn break_links(&self, reason: StopReason) {
        let taken = self.with_relations(|relations| {
            let relations = relations.as_mut()?;
            relations.trap = None;
            Some((
                std::mem::take(&mut relations.links),
                relations.shares.take(),
            ))
        });
        let Some(Some((links, shares))) = taken else {
            return;
        };
        for link in links.roster.into_values() {
            let Some(other) = link.other.upgrade() else {
                continue;
            };
            if other.restart_count() != link.life {
                continue;
            }
            if reason == StopReason::Linked && shares == Some(other.id()) {
                other.with_link_to(self.id(), |link| link.life = self.restart_count() + 1);
                self.with_relations(|relations| {
                    relations
                        .get_or_insert_default()
                        .links
                        .add(other.id(), link)
                });
                continue;
            }
            other.forget_link_to(self.id());
            if reason.is_failure() {
                other.share_failure(self.id(), reason);
            }
        }
    }

    fn with_link_to(&self, other: ActorId, change: impl FnOnce(&mut Link)) {
        self.with_relations(|relations| {
            let links = relations
                .as_mut()
                .map(|relations| &mut relations.links.roster);
            links.and_then(|links| links.get_mut(&other)).map(change)
        });
    }

    fn forget_link_to(&self, other: ActorId) {
        self.with_relations(|relations| relations.as_mut()?.links.roster.remove(&other));
    }

    fn share_failure(&self, of: ActorId, reason: StopReason) {
        let trap = self.with_relations(|relations| {
            let relations = relations.get_or_insert_default();
            relations.shares = Some(of);
            relations.trap
        });
        match trap {
            Some(Some(notify)) => notify(self, of, reason),
            Some(None) => self.order(LINKED),
            None => {}
        }
    }

    /// Returns the supervision state of the children.
    pub(in crate::production) fn children(self: &Arc<Self>) -> Arc<LiveChildren> {
        let make = || LiveChildren::of(self);
        let found = self.with_relations(|relations| {
            let relations = relations.get_or_insert_default();
            relations.children.get_or_insert_with(make).clone()
        });
        found.unwrap_or_else(make)
    }

    /// Ends the actor: unread events become dead letters, watchers are notified in order of registration.
    pub(in crate::production) fn end(&self, reason: StopReason) {
        let reason = self.hub().ended(reason);
        self.close();
        let before = std::mem::replace(&mut *lock(&self.end), ActorEnd::Ended(reason));
        if let ActorEnd::Awaited(Some(relations)) = before {
            for waiting in relations.watchers.0 {
                waiting.notify(reason);
            }
        }
    }
}
