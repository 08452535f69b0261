//! What replicas say to each other, and what happens to them.

use std::fmt;

use actor_core::prelude::*;

use super::Replica;

/// The number of a primary's term: 3.2 is that of the second replica in the third round.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub struct Ballot {
    /// The round; from one.
    pub round: u32,
    /// Whose ballot it is.
    pub replica: u32,
}

impl fmt::Debug for Ballot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.round, self.replica)
    }
}

/// Tells a replica who the others are, and who is the primary of the first term.
#[derive(Debug)]
pub struct Join {
    /// The others.
    pub others: Vec<ActorRef<Replica>>,
    /// The number of the first primary.
    pub primary: u32,
}

/// The primary is there, and so many decrees are committed. Renews its lease.
#[derive(Debug)]
pub struct CommittedHint {
    /// The primary's ballot.
    pub ballot: Ballot,
    /// How many decrees are committed.
    pub committed: usize,
}

/// Asks for the log.
#[derive(Debug)]
pub struct StatusQuery {
    /// The number of the query.
    pub query: u32,
    /// Who asks.
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
    /// The ballot of the primary to be.
    pub ballot: Ballot,
    /// Who asks.
    pub from: ActorRef<Replica>,
}

/// Promises to follow no primary older than `ballot`.
#[derive(Debug)]
pub struct Promise {
    /// The ballot of the [`Prepare`].
    pub ballot: Ballot,
    /// The log of who promises.
    pub decrees: Vec<u32>,
}

/// Another primary has a lease or a promise.
#[derive(Debug)]
pub struct Refused {
    /// The ballot of the [`Prepare`].
    pub ballot: Ballot,
    /// The newest ballot that was promised.
    pub promised: Ballot,
}

/// There is a new primary.
#[derive(Debug)]
pub struct Elected {
    /// Its ballot.
    pub ballot: Ballot,
    /// How many decrees it knows.
    pub decrees: usize,
}

/// Ends a replica.
#[derive(Debug)]
pub struct Crash;

/// Asks the observer for the next primary's ballot and how many decrees it knows; answered when
/// there is one.
#[derive(Debug)]
pub struct WhoIsNext;
