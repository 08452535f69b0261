//! A replica of the list, as primary or backup.

use std::collections::{BTreeMap, BTreeSet};

use actor_core::prelude::*;

use super::{Bug, Commit, Committed, Configuration, Prepare, Prepared, Update, Updated};
use ReplicaState as To;

/// Keeps a list of updates, a prefix of which is committed.
#[derive(Debug)]
pub struct Replica {
    version: u64,
    list: Vec<Update>,
    /// The number of committed updates at the beginning of the list.
    committed: usize,
    /// The primary's backups.
    backups: Vec<ActorRef<Replica>>,
    /// For the primary: the places not yet committed, each with the replicas that have not prepared it.
    waiting: BTreeMap<usize, BTreeSet<ActorId>>,
    bug: Option<Bug>,
}

// ANCHOR: replica
// The client may hear of a new primary before that replica does.
#[actor(states(Backup(defer(Update)), Primary))]
impl Replica {
    /// Creates a replica with an empty list.
    pub fn new(bug: Option<Bug>) -> Self {
        Self {
            version: 0,
            list: Vec::new(),
            committed: 0,
            backups: Vec::new(),
            waiting: BTreeMap::new(),
            bug,
        }
    }

    /// Prepares uncommitted updates again: a backup accepts nothing of an old configuration.
    #[on]
    fn configured(&mut self, configuration: Configuration, cx: &mut Context<Self>) {
        self.version = configuration.version;
        let mut replicas = configuration.replicas;
        if replicas.first() != Some(&cx.me()) {
            return;
        }
        self.backups = replicas.split_off(1);
        let forgets = self.bug == Some(Bug::NoRequeue) && cx.state() == To::Backup;
        cx.goto(To::Primary);
        for place in self.committed + 1..=self.list.len() {
            self.have_prepared(place, cx);
            if !forgets {
                self.wait_for(place);
            }
        }
        self.commit(cx);
    }

    #[on(Primary)]
    fn update(&mut self, update: Update, cx: &mut Context<Self>) {
        let is_it = |known: &Update| known.number == update.number;
        match self.list.iter().position(is_it) {
            Some(place) if place < self.committed => update.client.tell(Updated(update.number)),
            // The answer follows when the update is committed.
            Some(_) => {}
            None => {
                self.list.push(update);
                self.have_prepared(self.list.len(), cx);
                self.wait_for(self.list.len());
                self.commit(cx);
            }
        }
    }

    /// Replaces the updates that an earlier primary had prepared at this place and after it.
    #[on]
    fn prepare(&mut self, prepare: Prepare, cx: &mut Context<Self>) {
        if prepare.version < self.version {
            return;
        }
        self.version = prepare.version;
        let (place, replica) = (prepare.place, cx.me());
        if place > self.committed {
            self.list.truncate(place - 1);
            self.list.push(prepare.update);
        }
        prepare.primary.tell(Prepared { place, replica });
    }

    #[on]
    fn prepared(&mut self, prepared: Prepared, cx: &mut Context<Self>) {
        if let Some(missing) = self.waiting.get_mut(&prepared.place) {
            missing.remove(&prepared.replica.id());
        }
        self.commit(cx);
    }

    #[on]
    fn committed(&mut self, commit: Commit, cx: &mut Context<Self>) {
        while commit.version == self.version && self.committed < commit.place {
            self.commit_next(cx);
        }
    }
}
// ANCHOR_END: replica

impl Replica {
    fn have_prepared(&self, place: usize, cx: &Context<Self>) {
        for backup in &self.backups {
            backup.tell(Prepare {
                version: self.version,
                place,
                update: self.list[place - 1].clone(),
                primary: cx.me(),
            });
        }
    }

    fn wait_for(&mut self, place: usize) {
        let missing = self.backups.iter().map(ActorRef::id).collect();
        self.waiting.insert(place, missing);
    }

    /// Commits the updates that all have prepared, in order.
    fn commit(&mut self, cx: &mut Context<Self>) {
        while let Some(missing) = self.waiting.get(&(self.committed + 1))
            && missing.is_empty()
        {
            let place = self.committed + 1;
            self.waiting.remove(&place);
            self.commit_next(cx);
            let update = &self.list[place - 1];
            update.client.tell(Updated(update.number));
            for backup in &self.backups {
                let version = self.version;
                backup.tell(Commit { version, place });
            }
        }
    }

    fn commit_next(&mut self, cx: &mut Context<Self>) {
        self.committed += 1;
        cx.announce(Committed {
            place: self.committed,
            number: self.list[self.committed - 1].number,
        });
    }
}
