//! Whom an actor has to do with: [`Relations`].

use std::collections::BTreeMap;
use std::sync::{Arc, Weak};

use super::actor::{End, LiveActor};
use super::children::LiveChildren;
use crate::identity::ActorId;
use crate::production::host::lock;
use crate::production::mailbox::lane::LINKED;
use crate::roster::{Roster, Sweep};
use crate::supervision::StopReason;

/// Whom an actor has to do with beside those that send to it.
#[derive(Default)]
pub(crate) struct Relations {
    watchers: Watchers,
    /// Its children, as a supervisor.
    pub(in crate::production) children: Option<Arc<LiveChildren>>,
    links: Links,
    /// Whose failure it is to share, or has shared last.
    shares: Option<ActorId>,
    /// What tells it of the failure of an actor that it is linked to, where it does not share it.
    trap: Option<Notify>,
}

/// An actor that shares this one's failures, as this one its.
struct Link {
    other: Weak<LiveActor>,
    /// In which life of the other: in its next it has forgotten.
    life: u32,
}

/// By the other actor.
#[derive(Default)]
struct Links {
    roster: Roster<ActorId, Link>,
    sweep: Sweep,
}

impl Links {
    fn add(&mut self, to: ActorId, link: Link) {
        let Self { roster, sweep } = self;
        if sweep.is_due(roster.len()) {
            roster.retain(|link| link.other.strong_count() > 0);
            sweep.done(roster.len());
        }
        roster.insert(to, link);
    }
}

/// Sends the notice that an actor has ended.
pub(crate) type Notify = fn(&LiveActor, ActorId, StopReason);

/// Who waits for an actor's end, and is told of it in a way of its own.
pub(crate) trait AwaitsEnd: Send {
    /// The actor has ended.
    fn ended(self: Box<Self>, reason: StopReason);
    /// Nobody waits any more.
    fn is_over(&self) -> bool;
}

/// Who waits for an actor's start, and is told of it, or why there is none.
pub(crate) trait AwaitsStart: Send {
    /// The actor has started, or has ended before.
    fn told(self: Box<Self>, start: Result<(), StopReason>);
    /// Nobody waits any more.
    fn is_over(&self) -> bool;
}

/// Who waits for the end of another actor, or for its start.
enum Waiting {
    Watcher(Watcher),
    Start(Box<dyn AwaitsStart>),
    Other(Box<dyn AwaitsEnd>),
}

impl Waiting {
    fn tell(self, ended: ActorId, reason: StopReason) {
        match self {
            Self::Watcher(watcher) => watcher.tell(ended, reason),
            Self::Start(other) => other.told(Err(reason)),
            Self::Other(other) => other.ended(reason),
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

/// Who is told of the end of another actor.
pub(crate) struct Watcher {
    pub(crate) watcher: Weak<LiveActor>,
    /// Gone where it watches no more.
    pub(crate) mark: Weak<()>,
    /// Sends the notice that this actor has ended.
    pub(crate) notify: Notify,
}

/// Whom an actor watches in its present life, with a mark for each: without it, nothing is told.
#[derive(Default)]
pub(in crate::production) struct Watched {
    marks: BTreeMap<ActorId, Arc<()>>,
    sweep: Sweep,
}

impl Watched {
    /// The mark for that actor. Those of actors that have ended go, now and then.
    pub(in crate::production) fn mark(&mut self, of: ActorId) -> Weak<()> {
        let Self { marks, sweep } = self;
        if sweep.is_due(marks.len()) {
            marks.retain(|_, mark| Arc::weak_count(mark) > 0);
            sweep.done(marks.len());
        }
        Arc::downgrade(marks.entry(of).or_default())
    }

    pub(in crate::production) fn forget(&mut self, other: ActorId) {
        self.marks.remove(&other);
    }
}

impl Watcher {
    fn tell(&self, ended: ActorId, reason: StopReason) {
        if let Some(actor) = self.watcher.upgrade()
            && self.mark.strong_count() > 0
        {
            (self.notify)(&actor, ended, reason);
        }
    }
}

#[derive(Default)]
struct Watchers(Vec<Waiting>);

impl Watchers {
    /// Drops those that wait no more, each time that the list would have to grow, so that a long life
    /// watched by many short ones does not gather them.
    fn push(&mut self, waiting: Waiting) {
        let Self(watchers) = self;
        if watchers.len() == watchers.capacity() {
            watchers.retain(|entry| !entry.is_over());
            watchers.reserve(watchers.len());
        }
        watchers.push(waiting);
    }
}

impl LiveActor {
    /// Looks at the relations; `None` where the actor has ended.
    pub(in crate::production) fn with_relations<T>(
        &self,
        f: impl FnOnce(&mut Option<Box<Relations>>) -> T,
    ) -> Option<T> {
        match &mut *lock(&self.end) {
            End::Awaited(relations) => Some(f(relations)),
            End::Ended(_) => None,
        }
    }

    /// Tells `watcher` when the actor has ended; at once where it has.
    pub(crate) fn watch(&self, watcher: Watcher) {
        self.await_end_by(Waiting::Watcher(watcher));
    }

    /// As [`watch`](Self::watch), for whoever is no actor.
    pub(crate) fn await_end(&self, other: Box<dyn AwaitsEnd>) {
        self.await_end_by(Waiting::Other(other));
    }

    /// Tells when the actor has run its start hook, or has ended before; at once where it has.
    pub(crate) fn await_start(&self, other: Box<dyn AwaitsStart>) {
        let start = {
            let mut end = lock(&self.end);
            match &mut *end {
                End::Ended(reason) => Err(*reason),
                End::Awaited(_) if self.has_started() => Ok(()),
                End::Awaited(relations) => {
                    let Relations { watchers, .. } = &mut **relations.get_or_insert_default();
                    return watchers.push(Waiting::Start(other));
                }
            }
        };
        other.told(start);
    }

    /// It has run its start hook: whoever waits for that is told.
    #[cold]
    pub(in crate::production) fn start_is_over(&self) {
        let waiting = self.with_relations(|relations| {
            self.set_started(true);
            let Watchers(watchers) = &mut relations.as_mut()?.watchers;
            let starts = |waiting: &mut Waiting| matches!(waiting, Waiting::Start(_));
            Some(watchers.extract_if(.., starts).collect::<Vec<_>>())
        });
        for waiting in waiting.flatten().into_iter().flatten() {
            if let Waiting::Start(other) = waiting {
                other.told(Ok(()));
            }
        }
    }

    /// Its value is dropped, and may be made anew.
    pub(in crate::production) fn start_is_ahead(&self) {
        self.with_relations(|_| self.set_started(false));
    }

    fn await_end_by(&self, waiting: Waiting) {
        let ended = {
            let mut end = lock(&self.end);
            match &mut *end {
                End::Ended(reason) => *reason,
                End::Awaited(relations) => {
                    relations.get_or_insert_default().watchers.push(waiting);
                    return;
                }
            }
        };
        waiting.tell(self.id(), ended);
    }

    /// Links two actors.
    pub(in crate::production) fn link(self: &Arc<Self>, other: &Arc<Self>) {
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

    /// Ends a link.
    pub(in crate::production) fn unlink(&self, other: &Self) {
        self.forget_link_to(other.id());
        other.forget_link_to(self.id());
    }

    /// Takes note that the two are linked, unless this one has ended.
    fn add_link(&self, other: &Arc<Self>) -> Result<(), StopReason> {
        match &mut *lock(&self.end) {
            End::Ended(reason) => Err(*reason),
            End::Awaited(relations) => {
                let link = Link {
                    other: Arc::downgrade(other),
                    life: other.life(),
                };
                relations
                    .get_or_insert_default()
                    .links
                    .add(other.id(), link);
                Ok(())
            }
        }
    }

    /// Is told of failures of actors that it is linked to, and does not share them.
    pub(in crate::production) fn trap_links(&self, notify: Notify) {
        self.with_relations(|relations| relations.get_or_insert_default().trap = Some(notify));
    }

    /// Its value is dropped: who is linked to it shares its failure. Not so the one whose failure
    /// this is: where that is back and has linked itself anew, it is linked to the next life.
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
            if other.life() != link.life {
                continue;
            }
            if reason == StopReason::Linked && shares == Some(other.id()) {
                other.with_link_to(self.id(), |link| link.life = self.life() + 1);
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

    /// What supervises its children.
    pub(in crate::production) fn children(self: &Arc<Self>) -> Arc<LiveChildren> {
        let make = || LiveChildren::of(self);
        let found = self.with_relations(|relations| {
            let relations = relations.get_or_insert_default();
            relations.children.get_or_insert_with(make).clone()
        });
        found.unwrap_or_else(make)
    }

    /// Ends: what is left of the inbox becomes dead letters, and every watcher is told, in the
    /// order in which they began to watch.
    pub(in crate::production) fn end(&self, reason: StopReason) {
        let reason = self.hub().ended(reason);
        self.close();
        let before = std::mem::replace(&mut *lock(&self.end), End::Ended(reason));
        if let End::Awaited(Some(relations)) = before {
            for waiting in relations.watchers.0 {
                waiting.tell(self.id(), reason);
            }
        }
    }
}
