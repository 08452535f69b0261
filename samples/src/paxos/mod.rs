//! Single-decree Paxos: several proposers, a group of acceptors, and one decided value.
//!
//! The protocol follows Leslie Lamport, "Paxos Made Simple". A [`Proposer`] has a [`Ballot`] and
//! sends [`Prepare`] to all [`Acceptor`]s. An acceptor that has promised nothing newer answers
//! [`Promise`], with the proposal that it accepted last. After promises of a majority, the
//! proposer sends [`Accept`], with the value of the newest reported proposal, or with its own
//! value if there is none. A value that a majority accepts is decided, and the proposer notifies
//! the [`Learner`]. A proposer whose ballot can't win any more backs off, and tries a newer one.
//!
//! In some tests the acceptors answer over a [`Line`], which delivers some answers twice. The line
//! is an actor, so that a message takes only two steps and all actors run on one node. Between
//! nodes, the tester itself can duplicate messages; `chain_replication` is a sample with such nodes.
//!
//! **The bugs it teaches.** Each of them leads to
//! two decided values, which violates [`Agreement`].
//! - [`Bug::NoPromiseCheck`]: an acceptor accepts any proposal, and ignores its promises.
//! - [`Bug::OwnValue`]: a proposer keeps its own value, and ignores accepted proposals.
//! - [`Bug::SameBallot`]: a ballot is a round without the proposer's number.
//!   Two proposers may then share a ballot, and acceptors promise it to both.
//! - [`Bug::HalfQuorum`]: half of the acceptors, rounded down, pass for a
//!   majority. If all sends of a handler arrive in one step, this bug does not
//!   show, since all acceptors then receive all messages in the same order.
//! - [`Bug::LowestBallot`]: a proposer takes the value of the oldest
//!   accepted proposal. The bug needs three ballots: one that is accepted by
//!   a minority, one that is decided, and one whose proposer learns of both.
//! - [`Bug::DupCount`]: a proposer counts answers, not acceptors. If
//!   the line delivers an answer twice, one acceptor makes a majority.

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

/// A bug that a test can switch on.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub enum Bug {
    /// Acceptors accept proposals that they have promised not to accept.
    NoPromiseCheck,
    /// Proposers ignore the values that were accepted before.
    OwnValue,
    /// Two proposers may have the same ballot.
    SameBallot,
    /// A quorum is one acceptor short of a majority.
    HalfQuorum,
    /// Proposers take over the oldest accepted proposal, not the newest.
    LowestBallot,
    /// Proposers count answers, not the acceptors that gave them.
    DupCount,
}

/// The size of the system, and its limits.
#[derive(Clone, Copy, Debug, Hash)]
pub struct Group {
    /// The number of proposers; proposer k proposes the value k.
    pub proposers: u32,
    /// The number of acceptors.
    pub acceptors: usize,
    /// The number of ballots that a proposer tries before it gives up; `None` for no limit.
    pub ballots: Option<u32>,
    /// The number of answers of each acceptor that may be delivered twice.
    pub copies: u32,
}

/// Starts acceptors and proposers, and the learner that hears of every decision.
///
/// This registers the monitor of agreement. Tests that
/// promise a decision register [`Decision`], too.
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
