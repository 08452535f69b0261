//! Single-decree Paxos: several proposers, a group of acceptors, and one value that is decided.
//!
//! After Leslie Lamport, "Paxos Made Simple". A [`Proposer`] has a [`Ballot`] and sends [`Prepare`]
//! to all [`Acceptor`]s. An acceptor that has promised nothing newer answers [`Promise`], with the
//! proposal that it accepted last. Where a majority has promised, the proposer sends [`Accept`], with
//! the value of the newest of these proposals, or its own where there is none. Where a majority has
//! accepted, the value is decided, and the proposer tells the [`Learner`]. A proposer whose ballot
//! can't win any more backs off, and tries a newer one.
//!
//! Where a test says so, what an acceptor answers goes over a [`Line`], which delivers some of it
//! twice. It is an actor, so that everybody else is on one node and a message takes two steps: on nodes
//! the tester would double the messages, see `chain_replication` for one that fails so.
//!
//! **The bugs it teaches.** All of them end in two decided values, which is what [`Agreement`] rules
//! out.
//! - [`Bug::NoPromiseCheck`]: an acceptor accepts any proposal, whatever it has promised.
//! - [`Bug::OwnValue`]: a proposer keeps to its own value, whatever was accepted before.
//! - [`Bug::SameBallot`]: a ballot is a round without the proposer's number, so two proposers may
//!   share one, and acceptors promise each ballot to both.
//! - [`Bug::HalfQuorum`]: half of the acceptors, rounded down, pass for a majority. Where the sends of
//!   a handler arrive in one step this goes unnoticed, since then all acceptors hear everything in
//!   the same order.
//! - [`Bug::LowestBallot`]: a proposer takes the value of the oldest accepted proposal. It takes
//!   three ballots to matter: one that is accepted by a minority, one that is decided, and one that
//!   hears of both.
//! - [`Bug::DupCount`]: a proposer counts answers, not acceptors. On a line that delivers an answer
//!   twice, one acceptor makes a majority.

mod acceptor;
mod events;
mod learner;
mod line;
mod proposer;
mod specifications;
#[cfg(test)]
mod tests;

use actor_core::prelude::*;

pub use acceptor::Acceptor;
pub use events::*;
pub use learner::{Learner, LearnerState};
pub use line::Line;
pub use proposer::{Proposer, ProposerState};
pub use specifications::{Agreement, AgreementState, Decision, DecisionState};

/// A mistake that can be switched on.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub enum Bug {
    /// Acceptors accept what they have promised not to.
    NoPromiseCheck,
    /// Proposers ignore the values that were accepted before.
    OwnValue,
    /// Ballots do not tell proposers apart.
    SameBallot,
    /// A quorum is one acceptor short of a majority.
    HalfQuorum,
    /// Proposers take over the oldest accepted proposal, not the newest.
    LowestBallot,
    /// Proposers count answers, not the acceptors that gave them.
    DupCount,
}

/// Who takes part, and how long.
#[derive(Clone, Copy, Debug, Hash)]
pub struct Group {
    /// How many proposers there are; number k proposes the value k.
    pub proposers: u32,
    /// How many acceptors there are.
    pub acceptors: usize,
    /// How many ballots a proposer tries before it gives up; `None` for as many as it takes.
    pub ballots: Option<u32>,
    /// How many answers of each acceptor may be delivered twice.
    pub copies: u32,
}

/// Starts acceptors and proposers, and the learner that hears of every decision.
///
/// The agreement is monitored here, and that there is a decision where it is promised: see
/// [`Decision`].
pub fn set_up(sys: &System, group: Group, bug: Option<Bug>) -> ActorRef<Learner> {
    sys.monitor::<Agreement>();
    let learner = sys.spawn(Learner::default());
    let acceptors: Vec<_> = (0..group.acceptors)
        .map(|_| {
            let line = (group.copies > 0).then(|| sys.spawn(Line::new(group.copies)));
            sys.spawn(Acceptor::new(line, bug))
        })
        .collect();
    for number in 1..=group.proposers {
        let acceptors = acceptors.clone();
        let learner = learner.clone();
        sys.spawn(Proposer::new(
            number,
            acceptors,
            learner,
            group.ballots,
            bug,
        ));
    }
    learner
}
