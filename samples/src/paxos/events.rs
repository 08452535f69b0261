//! The messages between proposers, acceptors and the learner.

use std::fmt;

use actor_core::prelude::*;

use super::{Acceptor, Proposer};

/// The number of a proposal: 3.2 belongs to the second proposer
/// in the third round. No two proposers share a ballot.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Hash)]
pub struct Ballot {
    /// The round, from one.
    pub round: u32,
    /// The number of the proposer that owns the ballot.
    pub proposer: u32,
}

impl fmt::Debug for Ballot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.round, self.proposer)
    }
}

/// A value under a ballot.
#[derive(Clone, Copy, Debug, Hash)]
pub struct Proposal {
    /// The number of the proposal.
    pub ballot: Ballot,
    /// The proposed value.
    pub value: u32,
}

/// Asks an acceptor to promise that it accepts nothing older than `ballot` (phase 1).
#[derive(Debug, Hash)]
pub struct Prepare {
    /// The number of the proposal to come.
    pub ballot: Ballot,
    /// The proposer that asks.
    pub from: ActorRef<Proposer>,
}

/// Promises that nothing older than `ballot` will be accepted.
#[derive(Clone, Debug, Hash)]
pub struct Promise {
    /// The ballot of the [`Prepare`].
    pub ballot: Ballot,
    /// The proposal that was accepted last.
    pub accepted: Option<Proposal>,
    /// The acceptor that promises.
    pub from: ActorRef<Acceptor>,
}

/// Asks an acceptor to accept a proposal (phase 2).
#[derive(Debug, Hash)]
pub struct Accept {
    /// The number of the proposal.
    pub ballot: Ballot,
    /// The proposed value.
    pub value: u32,
    /// The proposer that asks.
    pub from: ActorRef<Proposer>,
}

/// A proposal is accepted.
#[derive(Clone, Debug, Hash)]
pub struct Accepted {
    /// The ballot of the [`Accept`].
    pub ballot: Ballot,
    /// The acceptor that accepts.
    pub from: ActorRef<Acceptor>,
}

/// Rejects a [`Prepare`] or an [`Accept`] that came too late.
#[derive(Clone, Debug, Hash)]
pub struct Rejected {
    /// The ballot that is rejected.
    pub ballot: Ballot,
    /// The higher ballot that was promised to another proposer.
    pub promised: Ballot,
    /// The acceptor that rejects.
    pub from: ActorRef<Acceptor>,
}

/// A majority has accepted a proposal.
#[derive(Debug, Hash)]
pub struct Decided {
    /// The decided value.
    pub value: u32,
}

/// Asks the learner for the value; answered when there is one.
#[derive(Debug, Hash)]
pub struct WhatIsDecided;
