//! Whom an actor has to do with: [`Kin`].

use std::sync::{Arc, Weak};

use super::cell::Cell;
use super::household::Household;
use super::lane::LINKED;
use super::lock;
use crate::reference::ActorId;
use crate::roster::{Roster, Sweep};
use crate::watch::StopReason;

/// Whether the actor has ended, and who wants to know.
pub(super) enum End {
    /// Not yet. Most actors have no kin.
    Awaited(Option<Box<Kin>>),
    /// Its inbox is closed and every watcher was told.
    Ended(StopReason),
}

/// Whom an actor has to do with beside those that send to it.
#[derive(Default)]
pub(super) struct Kin {
    watchers: Watchers,
    /// Its children, as a supervisor.
    pub(super) household: Option<Arc<Household>>,
    links: Links,
    /// Whose failure it is to share, or has shared last.
    shares: Option<ActorId>,
    /// What tells it of the failure of an actor that it is linked to, where it does not share it.
    trap: Option<Notify>,
}

/// An actor that shares this one's failures, as this one its.
struct Link {
    other: Weak<Cell>,
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
pub(crate) type Notify = fn(&Cell, ActorId, StopReason);

/// Who is told of the end of another actor.
pub(crate) struct Watcher {
    pub(crate) watcher: Weak<Cell>,
    /// In which life it began to watch: in the next it has forgotten.
    pub(crate) life: u32,
    /// Sends the notice that this actor has ended.
    pub(crate) notify: Notify,
}

impl Watcher {
    fn tell(&self, ended: ActorId, reason: StopReason) {
        if let Some(cell) = self.watcher.upgrade()
            && cell.life() == self.life
        {
            (self.notify)(&cell, ended, reason);
        }
    }
}

#[derive(Default)]
struct Watchers(Vec<Watcher>);

impl Watchers {
    /// Drops the watchers that have ended, each time that the list would have to grow, so that a
    /// long life watched by many short ones does not gather them.
    fn push(&mut self, watcher: Watcher) {
        let Self(watchers) = self;
        if watchers.len() == watchers.capacity() {
            watchers.retain(|entry| {
                let watcher = entry.watcher.upgrade();
                watcher.is_some_and(|watcher| watcher.is_running())
            });
            watchers.reserve(watchers.len());
        }
        watchers.push(watcher);
    }
}

impl Cell {
    /// Looks at the kin; `None` where the actor has ended.
    pub(super) fn with_kin<T>(&self, f: impl FnOnce(&mut Option<Box<Kin>>) -> T) -> Option<T> {
        match &mut *lock(&self.end) {
            End::Awaited(kin) => Some(f(kin)),
            End::Ended(_) => None,
        }
    }

    /// Tells `watcher` when the actor has ended; at once where it has.
    pub(crate) fn watch(&self, watcher: Watcher) {
        let ended = {
            let mut end = lock(&self.end);
            match &mut *end {
                End::Ended(reason) => *reason,
                End::Awaited(kin) => {
                    kin.get_or_insert_default().watchers.push(watcher);
                    return;
                }
            }
        };
        watcher.tell(self.id(), ended);
    }

    /// Links two actors.
    pub(super) fn link(self: &Arc<Self>, other: &Arc<Self>) {
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

    /// Takes note that the two are linked, unless this one has ended.
    fn add_link(&self, other: &Arc<Self>) -> Result<(), StopReason> {
        match &mut *lock(&self.end) {
            End::Ended(reason) => Err(*reason),
            End::Awaited(kin) => {
                let link = Link {
                    other: Arc::downgrade(other),
                    life: other.life(),
                };
                kin.get_or_insert_default().links.add(other.id(), link);
                Ok(())
            }
        }
    }

    /// Is told of failures of actors that it is linked to, and does not share them.
    pub(super) fn trap_links(&self, notify: Notify) {
        self.with_kin(|kin| kin.get_or_insert_default().trap = Some(notify));
    }

    /// Its value is dropped: who is linked to it shares its failure. Not so the one whose failure
    /// this is: where that is back and has linked itself anew, it is linked to the next life.
    pub(super) fn break_links(&self, reason: StopReason) {
        let taken = self.with_kin(|kin| {
            let kin = kin.as_mut()?;
            kin.trap = None;
            Some((std::mem::take(&mut kin.links), kin.shares.take()))
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
                self.with_kin(|kin| kin.get_or_insert_default().links.add(other.id(), link));
                continue;
            }
            other.forget_link_to(self.id());
            if reason.is_failure() {
                other.share_failure(self.id(), reason);
            }
        }
    }

    fn with_link_to(&self, other: ActorId, change: impl FnOnce(&mut Link)) {
        self.with_kin(|kin| {
            let links = kin.as_mut().map(|kin| &mut kin.links.roster);
            links.and_then(|links| links.get_mut(&other)).map(change)
        });
    }

    fn forget_link_to(&self, other: ActorId) {
        self.with_kin(|kin| kin.as_mut()?.links.roster.remove(&other));
    }

    fn share_failure(&self, of: ActorId, reason: StopReason) {
        let trap = self.with_kin(|kin| {
            let kin = kin.get_or_insert_default();
            kin.shares = Some(of);
            kin.trap
        });
        match trap {
            Some(Some(notify)) => notify(self, of, reason),
            Some(None) => self.order(LINKED),
            None => {}
        }
    }

    /// Tells every watcher that the actor has ended.
    pub(super) fn end_kin(&self, reason: StopReason) {
        let before = std::mem::replace(&mut *lock(&self.end), End::Ended(reason));
        if let End::Awaited(Some(kin)) = before {
            for watcher in kin.watchers.0 {
                watcher.tell(self.id(), reason);
            }
        }
    }
}
