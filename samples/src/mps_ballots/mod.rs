//! The election of a primary that learns nothing, after the MPS bug in Yang et al., "MODIST:
//! Transparent Model Checking of Unmodified Distributed Systems", section 4.3.
//!
//! Replicas agree on decrees, one after the other; a primary proposes them under its *ballot*, and a
//! new primary takes a higher one. Replica [`A`](Candidate) has accepted the first decree, under ballot
//! 2. [`B`](Voter) was primary before, and has accepted two decrees, under ballot 1; the second one has
//! reached nobody else. A third replica is down, so A needs the vote of B to become primary. B
//! promises, and hands over what it has accepted, so that A proposes it again under its own ballot.
//!
//! **The bug it teaches.** With [`Bug::MixedOrder`], B compares decrees before it promises: A has
//! fewer, so it is not up to date and has to learn first. What A learns it compares by ballots: the
//! second decree has a lower one than the first that A knows of, so it is dropped. A has learnt nothing,
//! asks again under a higher ballot, and so on for ever. Two orders, each of which makes sense. As
//! ballots grow, no state ever comes again, and there is no cycle to be seen: it is the temperature
//! that tells.

use std::collections::BTreeMap;
use std::time::Duration;

use actor_core::prelude::*;

#[cfg(test)]
mod tests;

/// A mistake that can be switched on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Bug {
    /// Votes go by decrees, and learning goes by ballots.
    MixedOrder,
}

/// A candidate that was refused tries again after this.
const PATIENCE: Duration = Duration::from_millis(10);

/// What was accepted: the decrees by their numbers, each with its ballot.
pub type Accepted = BTreeMap<u64, u64>;

/// Asks for a vote.
#[derive(Debug)]
pub struct Prepare {
    /// Under which ballot.
    pub ballot: u64,
    /// The last decree that the candidate has accepted.
    pub decree: u64,
    /// Who asks.
    pub from: ActorRef<Candidate>,
}

/// A vote, with what the voter has accepted.
#[derive(Debug)]
pub struct Promise {
    /// Under which ballot.
    pub ballot: u64,
    /// What the voter has accepted.
    pub accepted: Accepted,
}

/// No vote: the candidate is not up to date.
#[derive(Debug)]
pub struct Reject;

/// Asks for what the voter has accepted.
#[derive(Debug)]
pub struct Learn {
    /// Who asks.
    pub from: ActorRef<Candidate>,
}

/// Says what the voter has accepted.
#[derive(Debug)]
pub struct Learnt {
    /// That.
    pub accepted: Accepted,
}

/// Proposes a decree.
#[derive(Debug)]
pub struct Propose {
    /// Under which ballot.
    pub ballot: u64,
    /// Which.
    pub decree: u64,
    /// Who does.
    pub from: ActorRef<Candidate>,
}

/// A decree was accepted, by a majority with the candidate itself.
#[derive(Debug)]
pub struct Accept {
    /// Which.
    pub decree: u64,
}

/// Time to try again.
#[derive(Debug)]
pub struct Again;

/// Asks the candidate for the last decree; answered when it is primary and all is accepted.
#[derive(Debug)]
pub struct LastDecree;

/// Wants to be primary.
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
    /// A decree is newer where its ballot is.
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

    /// What the voter has accepted counts, and is proposed again.
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

/// Has a vote.
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

/// An election that was begun leads to a decree, in the end.
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

/// Starts both replicas as they are after the first primary has lost its place; returns the candidate.
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
