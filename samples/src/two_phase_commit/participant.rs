//! A participant: values, locks and votes.

use std::collections::BTreeMap;
use std::time::Duration;

use actor_core::prelude::*;

use super::{
    Abort, Applied, Bug, Commit, DecisionRequest, Fetch, Outcome, Prepare, ReadResponse, Tx, Vote,
};

/// A participant refuses one of this number of transactions, as if a constraint did not hold.
const REFUSALS: usize = 8;
/// The time after which a participant asks for a late decision.
const PATIENCE: Duration = Duration::from_millis(200);

/// A timer: the decision on a transaction is late.
#[derive(Debug, Hash)]
pub struct Doubt {
    tx: Tx,
}

/// Keeps values, and votes on transactions that change them.
#[derive(Debug, Hash)]
pub struct Participant {
    /// The values, each with the transaction that wrote it.
    values: BTreeMap<u32, (Tx, u64)>,
    /// The transactions with a yes vote and no decision yet.
    prepared: BTreeMap<Tx, Prepare>,
    /// The reads that wait for a transaction on their key.
    waiting: Vec<Fetch>,
    bug: Option<Bug>,
}

// ANCHOR: participant
#[actor]
impl Participant {
    /// Creates a participant without values.
    pub fn new(bug: Option<Bug>) -> Self {
        Self {
            values: BTreeMap::new(),
            prepared: BTreeMap::new(),
            waiting: Vec::new(),
            bug,
        }
    }

    #[on]
    fn prepare(&mut self, prepare: Prepare, cx: &mut Context<Self>) {
        let tx = prepare.tx;
        let yes = self.accepts(&prepare) && cx.choose(REFUSALS) > 0;
        prepare.coordinator.tell(Vote {
            tx,
            participant: cx.me().id(),
            yes,
        });
        if yes {
            self.prepared.insert(tx, prepare);
            cx.after(PATIENCE, Doubt { tx });
        }
    }

    /// Returns true if the key is unlocked, and no later transaction has written to it.
    fn accepts(&self, prepare: &Prepare) -> bool {
        let written = self.values.get(&prepare.key);
        !self.is_locked(prepare.key) && written.is_none_or(|(tx, _)| *tx < prepare.tx)
    }

    fn is_locked(&self, key: u32) -> bool {
        self.prepared.values().any(|prepare| prepare.key == key)
    }

    #[on]
    fn commit(&mut self, commit: Commit, cx: &mut Context<Self>) {
        self.end(commit.tx, Outcome::Committed, cx);
    }

    #[on]
    fn abort(&mut self, abort: Abort, cx: &mut Context<Self>) {
        self.end(abort.tx, Outcome::Aborted, cx);
    }

    /// Ignores a decision that was already carried out, or that followed a no.
    fn end(&mut self, tx: Tx, outcome: Outcome, cx: &mut Context<Self>) {
        let Some(Prepare { key, value, .. }) = self.prepared.remove(&tx) else {
            return;
        };
        if outcome == Outcome::Committed {
            self.values.insert(key, (tx, value));
        }
        cx.announce(Applied { tx, outcome });
        for fetch in std::mem::take(&mut self.waiting) {
            self.fetch(fetch);
        }
    }

    /// Asks for the decision: after a yes, the participant may not decide by itself.
    #[on]
    fn doubt(&mut self, doubt: Doubt, cx: &mut Context<Self>) {
        let tx = doubt.tx;
        let Some(prepare) = self.prepared.get(&tx) else {
            return;
        };
        if self.bug == Some(Bug::UnilateralAbort) {
            return self.end(tx, Outcome::Aborted, cx);
        }
        let participant = cx.me();
        let request = DecisionRequest { tx, participant };
        prepare.coordinator.tell(request);
        cx.after(PATIENCE, doubt);
    }

    /// Answers a read once no transaction on the key is undecided.
    #[on]
    fn fetch(&mut self, fetch: Fetch) {
        if self.is_locked(fetch.key) {
            self.waiting.push(fetch);
        } else {
            let value = self.values.get(&fetch.key).map(|(_, value)| *value);
            fetch.client.tell(ReadResponse { value });
        }
    }
}
// ANCHOR_END: participant
