//! A proposer: ballots, quorums and back-off.

use std::time::Duration;

use actor_core::prelude::*;

use super::{
    Accept, Accepted, Acceptor, Ballot, Bug, Decided, Learner, Prepare, Promise, Proposal, Rejected,
};
use ProposerState as To;

/// The back-off: a proposer that was outvoted waits for this time, or for a small multiple of it.
const BACK_OFF: Duration = Duration::from_millis(10);

/// A timer: try a newer ballot.
#[derive(Debug, Hash)]
pub struct Retry;

/// Proposes a value under one ballot after another, until one of them is decided.
#[derive(Debug, Hash)]
pub struct Proposer {
    value: u32,
    ballot: Ballot,
    acceptors: Vec<ActorRef<Acceptor>>,
    learner: ActorRef<Learner>,
    /// The acceptors that have answered in this phase of the ballot.
    votes: Vec<ActorRef<Acceptor>>,
    /// The proposals that these acceptors have accepted before.
    reported: Vec<Proposal>,
    /// The acceptors that have rejected this ballot.
    rejections: Vec<ActorRef<Acceptor>>,
    /// The newest round in any rejection.
    newest_round: u32,
    ballots_left: Option<u32>,
    bug: Option<Bug>,
}

// ANCHOR: proposer
#[actor(states(
    Preparing(ignore(Accepted)),
    Proposing(ignore(Promise)),
    BackingOff(ignore(Promise, Accepted, Rejected)),
    Finished(ignore(Promise, Accepted, Rejected)),
))]
impl Proposer {
    /// Creates a proposer that notifies `learner` of a decision.
    pub fn new(
        number: u32,
        acceptors: Vec<ActorRef<Acceptor>>,
        learner: ActorRef<Learner>,
        ballots: Option<u32>,
        bug: Option<Bug>,
    ) -> Self {
        let proposer = match bug {
            Some(Bug::SameBallot) => 0,
            _ => number,
        };
        Self {
            value: number,
            ballot: Ballot { round: 0, proposer },
            acceptors,
            learner,
            votes: Vec::new(),
            reported: Vec::new(),
            rejections: Vec::new(),
            newest_round: 0,
            ballots_left: ballots,
            bug,
        }
    }

    #[entry(Preparing)]
    fn prepare(&mut self, cx: &mut Context<Self>) {
        self.ballot.round = self.newest_round + 1;
        self.votes.clear();
        self.reported.clear();
        self.rejections.clear();
        for acceptor in &self.acceptors {
            let (ballot, from) = (self.ballot, cx.me());
            acceptor.tell(Prepare { ballot, from });
        }
    }

    #[on(Preparing)]
    fn promised(&mut self, promise: Promise, cx: &mut Context<Self>) {
        if promise.ballot == self.ballot {
            self.reported.extend(promise.accepted);
            if self.is_quorum_with(promise.from) {
                cx.goto(To::Proposing);
            }
        }
    }

    #[entry(Proposing)]
    fn propose(&mut self, cx: &mut Context<Self>) {
        self.votes.clear();
        let (ballot, value) = (self.ballot, self.safe_value());
        for acceptor in &self.acceptors {
            acceptor.tell(Accept {
                ballot,
                value,
                from: cx.me(),
            });
        }
    }

    /// Returns the value to propose: a value that may be decided under an older ballot comes first.
    fn safe_value(&self) -> u32 {
        let reported = self.reported.iter();
        let bound_to = match self.bug {
            Some(Bug::OwnValue) => None,
            Some(Bug::LowestBallot) => reported.min_by_key(|proposal| proposal.ballot),
            _ => reported.max_by_key(|proposal| proposal.ballot),
        };
        bound_to.map_or(self.value, |proposal| proposal.value)
    }

    #[on(Proposing)]
    fn accepted(&mut self, accepted: Accepted, cx: &mut Context<Self>) {
        if accepted.ballot == self.ballot && self.is_quorum_with(accepted.from) {
            let value = self.safe_value();
            self.learner.tell(Decided { value });
            cx.goto(To::Finished);
        }
    }

    fn is_quorum_with(&mut self, acceptor: ActorRef<Acceptor>) -> bool {
        if self.bug == Some(Bug::DupCount) || !self.votes.contains(&acceptor) {
            self.votes.push(acceptor);
        }
        self.votes.len() >= self.quorum()
    }

    fn quorum(&self) -> usize {
        match self.bug {
            Some(Bug::HalfQuorum) => self.acceptors.len() / 2,
            _ => self.acceptors.len() / 2 + 1,
        }
    }

    #[on(Preparing, Proposing)]
    fn rejected(&mut self, rejected: Rejected, cx: &mut Context<Self>) {
        if rejected.ballot != self.ballot {
            return;
        }
        self.newest_round = self.newest_round.max(rejected.promised.round);
        if !self.rejections.contains(&rejected.from) {
            self.rejections.push(rejected.from);
        }
        if self.acceptors.len() - self.rejections.len() < self.quorum() {
            self.lose(cx);
        }
    }

    /// Gives up a ballot that can't win any more.
    fn lose(&mut self, cx: &mut Context<Self>) {
        if let Some(left) = &mut self.ballots_left {
            *left -= 1;
        }
        cx.goto(match self.ballots_left {
            Some(0) => To::Finished,
            _ => To::BackingOff,
        });
    }

    #[entry(BackingOff)]
    fn back_off(&mut self, cx: &mut Context<Self>) {
        let times = 1 + cx.choose(4) as u32;
        cx.after(BACK_OFF * times, Retry);
    }

    #[on(BackingOff)]
    fn retry(&mut self, _: Retry, cx: &mut Context<Self>) {
        cx.goto(To::Preparing);
    }
}
// ANCHOR_END: proposer
