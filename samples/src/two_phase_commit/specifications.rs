//! The specifications of two-phase commit.

use std::collections::{BTreeMap, BTreeSet};

use actor_core::prelude::*;

use super::{
    Append, Applied, Outcome, Prepare, ReadRequest, ReadResponse, Tx, Vote, WriteRequest,
    WriteResponse,
};

// ANCHOR: atomicity
/// A safety property (atomicity): all participants of a transaction
/// commit or none does, and all answers agree with that.
#[derive(Debug, Default, Hash)]
pub struct Atomicity {
    transactions: BTreeMap<Tx, Seen>,
}

/// The observations of one transaction.
#[derive(Debug, Default, Hash)]
struct Seen {
    asked: BTreeSet<ActorId>,
    voted: BTreeSet<ActorId>,
    committed: bool,
    aborted: bool,
}

#[monitor(cold(Watching))]
impl Atomicity {
    #[on]
    fn prepare(&mut self, prepare: &Prepare, cx: &mut MonitorContext<Self>) {
        self.seen(prepare.tx).asked.extend(cx.target());
    }

    #[on]
    fn vote(&mut self, vote: &Vote) {
        if vote.yes {
            self.seen(vote.tx).voted.insert(vote.participant);
        }
    }

    /// The record in the log commits the transaction.
    #[on]
    fn append(&mut self, append: &Append) {
        let Seen { asked, voted, .. } = self.seen(append.tx);
        let tx = append.tx;
        assert!(
            asked == voted,
            "transaction {tx:?} commits without a vote of everybody"
        );
    }

    #[on]
    fn applied(&mut self, applied: &Applied) {
        self.ended(applied.tx, applied.outcome);
    }

    #[on]
    fn response(&mut self, response: &WriteResponse) {
        self.ended(response.tx, response.outcome);
    }

    fn ended(&mut self, tx: Tx, outcome: Outcome) {
        let seen = self.seen(tx);
        match outcome {
            Outcome::Committed => seen.committed = true,
            Outcome::Aborted => seen.aborted = true,
        }
        let both = seen.committed && seen.aborted;
        assert!(
            !both,
            "transaction {tx:?} is committed for some and aborted for others"
        );
    }

    fn seen(&mut self, tx: Tx) -> &mut Seen {
        self.transactions.entry(tx).or_default()
    }
}
// ANCHOR_END: atomicity

// ANCHOR: liveness
/// A liveness property: every request is answered eventually.
///
/// The property holds only without a crash: a crashed coordinator forgets its clients.
#[derive(Debug, Default, Hash)]
pub struct Progress {
    open: u32,
}

#[monitor(hot(Waiting), cold(Answered))]
impl Progress {
    #[on]
    fn write(&mut self, _: &WriteRequest, cx: &mut MonitorContext<Self>) {
        self.asked(cx);
    }

    #[on]
    fn read(&mut self, _: &ReadRequest, cx: &mut MonitorContext<Self>) {
        self.asked(cx);
    }

    #[on]
    fn written(&mut self, _: &WriteResponse, cx: &mut MonitorContext<Self>) {
        self.answered(cx);
    }

    #[on]
    fn was_read(&mut self, _: &ReadResponse, cx: &mut MonitorContext<Self>) {
        self.answered(cx);
    }

    fn asked(&mut self, cx: &mut MonitorContext<Self>) {
        self.open += 1;
        cx.goto(ProgressState::Waiting);
    }

    fn answered(&mut self, cx: &mut MonitorContext<Self>) {
        assert!(self.open > 0, "an answer that nobody asked for");
        self.open -= 1;
        if self.open == 0 {
            cx.goto(ProgressState::Answered);
        }
    }
}

/// A liveness property: every yes vote gets a decision eventually, even if the coordinator crashes.
#[derive(Debug, Default, Hash)]
pub struct Certainty {
    in_doubt: BTreeSet<(Tx, ActorId)>,
}

#[monitor(hot(InDoubt), cold(Certain))]
impl Certainty {
    #[on]
    fn vote(&mut self, vote: &Vote, cx: &mut MonitorContext<Self>) {
        if vote.yes {
            self.in_doubt.insert((vote.tx, vote.participant));
            cx.goto(CertaintyState::InDoubt);
        }
    }

    #[on]
    fn applied(&mut self, applied: &Applied, cx: &mut MonitorContext<Self>) {
        if let Some(participant) = cx.sender() {
            self.in_doubt.remove(&(applied.tx, participant));
        }
        if self.in_doubt.is_empty() {
            cx.goto(CertaintyState::Certain);
        }
    }
}
// ANCHOR_END: liveness
