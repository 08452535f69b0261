//! What the coordinator, its clock and its log, the participants and the clients say to each other.

use std::collections::BTreeSet;
use std::fmt;

use actor_core::prelude::*;

use super::{Client, Coordinator, Participant};

/// A transaction, in the order in which they began.
///
/// Its `Debug` form is short, so that it leaves room in a report.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Tx {
    /// How often the coordinator had recovered when it began.
    pub life: u32,
    /// Which one of that life, from 1.
    pub number: u32,
}

impl fmt::Debug for Tx {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.life, self.number)
    }
}

/// How a transaction ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub enum Outcome {
    /// With its value written by every participant.
    Committed,
    /// With nothing written.
    Aborted,
}

/// Asks the coordinator to write a value to all participants, or to none.
#[derive(Debug, Hash)]
pub struct WriteRequest {
    /// Where.
    pub key: u32,
    /// What.
    pub value: u64,
    /// Whom to answer.
    pub client: ActorRef<Client>,
}

/// Answers a [`WriteRequest`].
#[derive(Debug, Hash)]
pub struct WriteResponse {
    /// The transaction.
    pub tx: Tx,
    /// How it ended.
    pub outcome: Outcome,
}

/// Asks the coordinator for a value.
#[derive(Debug, Hash)]
pub struct ReadRequest {
    /// Where.
    pub key: u32,
    /// Whom to answer.
    pub client: ActorRef<Client>,
}

/// Has a participant answer a [`ReadRequest`]. Any will do.
#[derive(Debug, Hash)]
pub struct Fetch {
    /// Where.
    pub key: u32,
    /// Whom to answer.
    pub client: ActorRef<Client>,
}

/// Answers a [`ReadRequest`].
#[derive(Debug, Hash)]
pub struct ReadResponse {
    /// What was last written there.
    pub value: Option<u64>,
}

/// The first phase: asks a participant whether it can commit.
#[derive(Debug, Hash)]
pub struct Prepare {
    /// The transaction.
    pub tx: Tx,
    /// Where it writes.
    pub key: u32,
    /// What it writes.
    pub value: u64,
    /// Whom to answer.
    pub coordinator: ActorRef<Coordinator>,
}

/// Answers [`Prepare`]. From a yes on, the decision is up to the coordinator.
#[derive(Debug, Hash)]
pub struct Vote {
    /// The transaction.
    pub tx: Tx,
    /// Who votes.
    pub participant: ActorId,
    /// It can commit.
    pub yes: bool,
}

/// The second phase, after a yes of every participant.
#[derive(Debug, Hash)]
pub struct Commit {
    /// The transaction.
    pub tx: Tx,
}

/// The second phase, after a no or a time-out.
#[derive(Debug, Hash)]
pub struct Abort {
    /// The transaction.
    pub tx: Tx,
}

/// Asks the coordinator for a decision that takes long to come.
#[derive(Debug, Hash)]
pub struct DecisionRequest {
    /// The transaction.
    pub tx: Tx,
    /// Who is in doubt.
    pub participant: ActorRef<Participant>,
}

/// Starts the coordinator's clock.
#[derive(Debug, Hash)]
pub struct StartTimer {
    /// Whose clock it is.
    pub coordinator: ActorRef<Coordinator>,
}

/// Stops the clock, if it is not too late.
#[derive(Debug, Hash)]
pub struct CancelTimer;

/// The clock was stopped: there will be no [`Timeout`].
#[derive(Debug, Hash)]
pub struct CancelOk;

/// It was too late: the [`Timeout`] was sent before this.
#[derive(Debug, Hash)]
pub struct CancelFail;

/// The time is over.
#[derive(Debug, Hash)]
pub struct Timeout;

/// Stops the clock after a crash.
#[derive(Debug, Hash)]
pub struct Restart {
    /// Whose clock it is.
    pub coordinator: ActorRef<Coordinator>,
}

/// The clock stands still, and nothing is to come of what was before.
#[derive(Debug, Hash)]
pub struct Restarted;

/// Writes a decision to commit to the log. What the log does not have is aborted.
#[derive(Debug, Hash)]
pub struct Append {
    /// The transaction.
    pub tx: Tx,
    /// Whom to answer.
    pub coordinator: ActorRef<Coordinator>,
}

/// The decision is on the disk.
#[derive(Debug, Hash)]
pub struct Appended {
    /// The transaction.
    pub tx: Tx,
}

/// Asks for the log after a crash.
#[derive(Debug, Hash)]
pub struct ReadLog {
    /// Whom to answer.
    pub coordinator: ActorRef<Coordinator>,
}

/// Answers [`ReadLog`].
#[derive(Debug, Hash)]
pub struct LogRead {
    /// How often the log was read after a crash.
    pub life: u32,
    /// What has committed.
    pub committed: BTreeSet<Tx>,
}

/// The coordinator's machine loses its power: what is not on the disk is forgotten.
#[derive(Debug, Hash)]
pub struct Crash;

/// Asks a client how many of its writes were committed; answered when it is done.
#[derive(Debug, Hash)]
pub struct HowManyCommitted;

/// For monitors: a participant has ended a transaction that it had voted for.
#[derive(Debug, Hash)]
pub struct Applied {
    /// The transaction.
    pub tx: Tx,
    /// How it ended, for this participant.
    pub outcome: Outcome,
}
