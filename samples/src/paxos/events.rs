//! What proposers, acceptors and the learner say to each other.

use std::fmt;

use actor_core::prelude::*;

use super::{Acceptor, Proposer};

/// The number of a proposal: 3.2 is that of the second proposer in the third round. No two
/// proposers have a ballot in common.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Hash)]
pub struct Ballot {
    /// The round; from one.
    pub round: u32,
    /// Whose ballot it is.
    pub proposer: u32,
}

impl fmt::Debug for Ballot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.round, self.proposer)
    }
}

/// A value, under a ballot.
#[derive(Clone, Copy, Debug, Hash)]
pub struct Proposal {
    /// Its number.
    pub ballot: Ballot,
    /// What is proposed.
    pub value: u32,
}

/// Asks an acceptor to promise that it will accept nothing older than `ballot`.
#[derive(Debug, Hash)]
pub struct Prepare {
    /// The number of the proposal to come.
    pub ballot: Ballot,
    /// Who asks.
    pub from: ActorRef<Proposer>,
}

/// Promises that nothing older than `ballot` will be accepted.
#[derive(Clone, Debug, Hash)]
pub struct Promise {
    /// The ballot of the [`Prepare`].
    pub ballot: Ballot,
    /// What was accepted last.
    pub accepted: Option<Proposal>,
    /// Who promises.
    pub from: ActorRef<Acceptor>,
}

/// Asks an acceptor to accept a proposal.
#[derive(Debug, Hash)]
pub struct Accept {
    /// The number of the proposal.
    pub ballot: Ballot,
    /// What is proposed.
    pub value: u32,
    /// Who asks.
    pub from: ActorRef<Proposer>,
}

/// A proposal is accepted.
#[derive(Clone, Debug, Hash)]
pub struct Accepted {
    /// The ballot of the [`Accept`].
    pub ballot: Ballot,
    /// Who accepted it.
    pub from: ActorRef<Acceptor>,
}

/// A [`Prepare`] or an [`Accept`] came too late.
#[derive(Clone, Debug, Hash)]
pub struct Rejected {
    /// Its ballot.
    pub ballot: Ballot,
    /// What was promised before, to somebody else.
    pub promised: Ballot,
    /// Who rejects it.
    pub from: ActorRef<Acceptor>,
}

/// A majority has accepted a proposal.
#[derive(Debug, Hash)]
pub struct Decided {
    /// Its value.
    pub value: u32,
}

/// Asks the learner for the value; answered when there is one.
#[derive(Debug, Hash)]
pub struct WhatIsDecided;
