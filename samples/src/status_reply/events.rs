//! The messages between replicas, and the fault injected into them.

use std::fmt;

use actor_core::prelude::*;

use super::Replica;

/// The number of a primary's term: 3.2 belongs to the second replica in the third round.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub struct Ballot {
    /// The round, from one.
    pub round: u32,
    /// The number of the replica that owns the ballot.
    pub replica: u32,
}

impl fmt::Debug for Ballot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.round, self.replica)
    }
}

/// Informs a replica of the others, and of the primary of the first term.
#[derive(Debug)]
pub struct Join {
    /// The other replicas.
    pub others: Vec<ActorRef<Replica>>,
    /// The number of the first primary.
    pub primary: u32,
}

/// A heartbeat of the primary, with the number of committed decrees. Renews the lease.
#[derive(Debug)]
pub struct CommittedHint {
    /// The primary's ballot.
    pub ballot: Ballot,
    /// The number of committed decrees.
    pub committed: usize,
}

/// Asks for the log.
#[derive(Debug)]
pub struct StatusQuery {
    /// The number of the query.
    pub query: u32,
    /// The replica that asks.
    pub from: ActorRef<Replica>,
}

/// Answers a [`StatusQuery`].
#[derive(Debug)]
pub struct StatusReply {
    /// The number of the query.
    pub query: u32,
    /// The log.
    pub decrees: Vec<u32>,
}

/// Asks for the promise to follow no older primary.
#[derive(Debug)]
pub struct Prepare {
    /// The ballot of the candidate.
    pub ballot: Ballot,
    /// The candidate.
    pub from: ActorRef<Replica>,
}

/// Promises to follow no primary older than `ballot`.
#[derive(Debug)]
pub struct Promise {
    /// The ballot of the [`Prepare`].
    pub ballot: Ballot,
    /// The log of the replica that promises.
    pub decrees: Vec<u32>,
}

/// Refuses a [`Prepare`]: another primary has a lease or a promise.
#[derive(Debug)]
pub struct Refused {
    /// The ballot of the [`Prepare`].
    pub ballot: Ballot,
    /// The newest ballot that was promised.
    pub promised: Ballot,
}

/// A new primary is elected.
#[derive(Debug)]
pub struct Elected {
    /// The ballot of the new primary.
    pub ballot: Ballot,
    /// The number of decrees that the new primary knows.
    pub decrees: usize,
}

/// Stops a replica.
#[derive(Debug)]
pub struct Crash;

/// Asks the observer for the next primary's ballot and
/// number of decrees; answered when there is a new primary.
#[derive(Debug)]
pub struct WhoIsNext;
