//! The acceptor role of a node.

use std::collections::BTreeMap;

use super::{Accept, Accepted, Ballot, Bug, Prepare, Promise, Rejected, Slot, Vote};

/// The promises and accepted commands of a node.
#[derive(Debug, Hash)]
pub(super) struct Acceptor {
    promised: Ballot,
    accepted: BTreeMap<Slot, Vote>,
    /// The promise of each slot, used with [`Bug::PromisePerSlot`] only.
    promised_for: BTreeMap<Slot, Ballot>,
    bug: Option<Bug>,
}

impl Acceptor {
    pub(super) fn new(bug: Option<Bug>) -> Self {
        Self {
            promised: Ballot::default(),
            accepted: BTreeMap::new(),
            promised_for: BTreeMap::new(),
            bug,
        }
    }

    pub(super) fn promised(&self) -> Ballot {
        self.promised
    }

    pub(super) fn prepare(&mut self, prepare: &Prepare) -> Result<Promise, Rejected> {
        let ballot = prepare.ballot;
        if ballot <= self.promised {
            return Err(self.rejection(ballot));
        }
        self.promised = ballot;
        let accepted = self.accepted.range(prepare.first..);
        let accepted: Vec<_> = accepted.map(|(_, vote)| *vote).collect();
        self.promised_for.insert(prepare.first, ballot);
        for vote in &accepted {
            self.promised_for.insert(vote.slot, ballot);
        }
        Ok(Promise { ballot, accepted })
    }

    pub(super) fn accept(&mut self, accept: &Accept) -> Result<Accepted, Rejected> {
        let Accept {
            slot,
            ballot,
            command,
            ..
        } = *accept;
        if ballot < self.promise_for(slot) {
            return Err(self.rejection(ballot));
        }
        self.promised = self.promised.max(ballot);
        self.promised_for.insert(slot, ballot);
        let vote = Vote {
            slot,
            ballot,
            command,
        };
        self.accepted.insert(slot, vote);
        Ok(Accepted { ballot, slot })
    }

    fn promise_for(&self, slot: Slot) -> Ballot {
        match self.bug {
            Some(Bug::PromisePerSlot) => self.promised_for.get(&slot).copied().unwrap_or_default(),
            _ => self.promised,
        }
    }

    fn rejection(&self, ballot: Ballot) -> Rejected {
        let promised = self.promised;
        Rejected { ballot, promised }
    }
}
