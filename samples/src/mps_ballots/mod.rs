//! A livelock in the election of a primary, after the MPS bug in Yang et al., "MODIST:
//! Transparent Model Checking of Unmodified Distributed Systems", section 4.3.
//!
//! Replicas agree on one decree after the other. A primary proposes decrees under its *ballot*, and
//! a new primary takes a higher ballot. Replica [`A`](Candidate) has accepted the first decree,
//! under ballot 2. [`B`](Voter) was primary before, and has accepted two decrees, under ballot 1;
//! no other replica has the second one. A third replica is down, so A needs the vote of B to become
//! primary. B promises, and sends its decrees, which A then proposes under its own ballot.
//!
//! **The bug it teaches.** With [`Bug::MixedOrder`], B compares the numbers of decrees
//! before it promises: A has fewer, so A has to learn first. A compares the ballots of
//! what it learns: the ballot of the second decree is lower than that of A's first
//! one, so A drops the decree. A has learnt nothing, asks again under a higher ballot,
//! and so on for ever. Each of the two orders makes sense by itself. Ballots grow, so
//! no state repeats, and there is no cycle to detect: the temperature finds the bug.

use std::collections::BTreeMap;
use std::time::Duration;

use actor_core::prelude::*;

#[cfg(test)]
mod tests;

/// A bug that a test can switch on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Bug {
    /// Votes compare decree numbers, and learning compares ballots.
    MixedOrder,
}

/// The time after which a refused candidate tries again.
const PATIENCE: Duration = Duration::from_millis(10);

/// The accepted decrees: each number with its ballot.
pub type Accepted = BTreeMap<u64, u64>;

/// Asks for a vote.
#[derive(Debug)]
pub struct Prepare {
    /// The ballot of the candidate.
    pub ballot: u64,
    /// The last decree that the candidate has accepted.
    pub decree: u64,
    /// The candidate.
    pub from: ActorRef<Candidate>,
}

/// Answers [`Prepare`] with a vote, and with the decrees that the voter has accepted.
#[derive(Debug)]
pub struct Promise {
    /// The ballot of the candidate.
    pub ballot: u64,
    /// The decrees that the voter has accepted.
    pub accepted: Accepted,
}

/// Answers [`Prepare`] without a vote: the candidate is not up to date.
#[derive(Debug)]
pub struct Reject;

/// Asks for the decrees that the voter has accepted.
#[derive(Debug)]
pub struct Learn {
    /// The candidate.
    pub from: ActorRef<Candidate>,
}

/// Answers [`Learn`].
#[derive(Debug)]
pub struct Learnt {
    /// The decrees that the voter has accepted.
    pub accepted: Accepted,
}

/// Proposes a decree.
#[derive(Debug)]
pub struct Propose {
    /// The ballot of the candidate.
    pub ballot: u64,
    /// The number of the decree.
    pub decree: u64,
    /// The candidate.
    pub from: ActorRef<Candidate>,
}

/// A decree was accepted by a majority: the voter and the candidate itself.
#[derive(Debug)]
pub struct Accept {
    /// The number of the decree.
    pub decree: u64,
}

/// A timer: the candidate tries again.
#[derive(Debug)]
pub struct Again;

/// Asks the candidate for the last decree; answered when it is primary and all decrees are accepted.
#[derive(Debug)]
pub struct LastDecree;

/// A replica that wants to become primary.
#[derive(Debug)]
pub struct Candidate {
    voter: ActorRef<Voter>,
    ballot: u64,
    accepted: Accepted,
}

#[actor(states(Candidacy(defer(LastDecree)), Proposing(defer(LastDecree)), Primary))]
impl Candidate {
    #[entry(Candidacy)]
    fn ask_for_the_vote(&mut self, cx: &mut Context<Self>) {
        self.ballot += 1;
        self.voter.tell(Prepare {
            ballot: self.ballot,
            decree: last(&self.accepted),
            from: cx.me(),
        });
    }

    #[on(Candidacy)]
    fn refused(&mut self, _: Reject, cx: &mut Context<Self>) {
        self.voter.tell(Learn { from: cx.me() });
    }

    // ANCHOR: learn
    /// Takes over the decrees with a newer ballot.
    #[on(Candidacy)]
    fn learnt(&mut self, learnt: Learnt, cx: &mut Context<Self>) {
        let newest = self.accepted.values().copied().max().unwrap_or(0);
        let newer = learnt.accepted.into_iter();
        self.accepted
            .extend(newer.filter(|(_, ballot)| *ballot >= newest));
        cx.after(PATIENCE, Again);
    }
    // ANCHOR_END: learn

    #[on(Candidacy)]
    fn again(&mut self, _: Again, cx: &mut Context<Self>) {
        cx.goto(CandidateState::Candidacy);
    }

    /// Takes over the voter's decrees, and proposes them again.
    #[on(Candidacy)]
    fn promised(&mut self, promise: Promise, cx: &mut Context<Self>) {
        for decree in promise.accepted.into_keys() {
            self.accepted.entry(decree).or_insert(promise.ballot);
        }
        self.voter.tell(Propose {
            ballot: self.ballot,
            decree: last(&self.accepted),
            from: cx.me(),
        });
        cx.goto(CandidateState::Proposing);
    }

    #[on(Proposing)]
    fn accepted(&mut self, _: Accept, cx: &mut Context<Self>) {
        cx.goto(CandidateState::Primary);
    }

    #[on(Primary)]
    fn last_decree(&mut self, _: LastDecree) -> u64 {
        last(&self.accepted)
    }
}

/// A replica that has a vote.
#[derive(Debug)]
pub struct Voter {
    promised: u64,
    accepted: Accepted,
    bug: Option<Bug>,
}

#[actor]
impl Voter {
    // ANCHOR: vote
    #[on]
    fn prepare(&mut self, prepare: Prepare) {
        let is_behind = match self.bug {
            Some(Bug::MixedOrder) => prepare.decree < last(&self.accepted),
            None => prepare.ballot <= self.promised,
        };
        if is_behind {
            prepare.from.tell(Reject);
            return;
        }
        self.promised = prepare.ballot;
        prepare.from.tell(Promise {
            ballot: prepare.ballot,
            accepted: self.accepted.clone(),
        });
    }
    // ANCHOR_END: vote

    #[on]
    fn learn(&mut self, learn: Learn) {
        let accepted = self.accepted.clone();
        learn.from.tell(Learnt { accepted });
    }

    #[on]
    fn propose(&mut self, propose: Propose) {
        if propose.ballot >= self.promised {
            self.accepted.insert(propose.decree, propose.ballot);
            let decree = propose.decree;
            propose.from.tell(Accept { decree });
        }
    }
}

fn last(accepted: &Accepted) -> u64 {
    accepted.keys().copied().max().unwrap_or(0)
}

/// A liveness property: every election leads to an accepted decree eventually.
#[derive(Debug, Default)]
pub struct Elects;

#[monitor(hot(Electing), cold(Ruled))]
impl Elects {
    #[on]
    fn prepare(&mut self, _: &Prepare, cx: &mut MonitorContext<Self>) {
        cx.goto(ElectsState::Electing);
    }

    #[on]
    fn accept(&mut self, _: &Accept, cx: &mut MonitorContext<Self>) {
        cx.goto(ElectsState::Ruled);
    }
}

/// Starts both replicas in the state after the loss of the first primary; returns the candidate.
pub fn set_up(sys: &System, bug: Option<Bug>) -> ActorRef<Candidate> {
    sys.monitor::<Elects>();
    let voter = sys.spawn(Voter {
        promised: 1,
        accepted: [(1, 1), (2, 1)].into(),
        bug,
    });
    sys.spawn(Candidate {
        voter,
        ballot: 2,
        accepted: [(1, 2)].into(),
    })
}
