//! The messages between the coordinator, its clock and log, the participants and the clients.

use std::collections::BTreeSet;
use std::fmt;

use actor_core::prelude::*;

use super::{Client, Coordinator, Participant};

/// The number of a transaction; later ones compare greater.
///
/// The `Debug` form is short, so that reports stay readable.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Tx {
    /// The number of recoveries of the coordinator before the transaction.
    pub life: u32,
    /// The number of the transaction since the last recovery, from 1.
    pub number: u32,
}

impl fmt::Debug for Tx {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.life, self.number)
    }
}

/// The outcome of a transaction.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub enum Outcome {
    /// Every participant has written the value.
    Committed,
    /// No participant has written the value.
    Aborted,
}

/// Asks the coordinator to write a value to all participants, or to none.
#[derive(Debug, Hash)]
pub struct WriteRequest {
    /// The key to write to.
    pub key: u32,
    /// The value to write.
    pub value: u64,
    /// The client, which gets the answer.
    pub client: ActorRef<Client>,
}

/// Answers a [`WriteRequest`].
#[derive(Debug, Hash)]
pub struct WriteResponse {
    /// The transaction.
    pub tx: Tx,
    /// The outcome of the transaction.
    pub outcome: Outcome,
}

/// Asks the coordinator for a value.
#[derive(Debug, Hash)]
pub struct ReadRequest {
    /// The key to read.
    pub key: u32,
    /// The client, which gets the answer.
    pub client: ActorRef<Client>,
}

/// Makes a participant answer a [`ReadRequest`]; the coordinator picks any of them.
#[derive(Debug, Hash)]
pub struct Fetch {
    /// The key to read.
    pub key: u32,
    /// The client, which gets the answer.
    pub client: ActorRef<Client>,
}

/// Answers a [`ReadRequest`].
#[derive(Debug, Hash)]
pub struct ReadResponse {
    /// The last value written to the key.
    pub value: Option<u64>,
}

/// The first phase: asks a participant to vote.
#[derive(Debug, Hash)]
pub struct Prepare {
    /// The transaction.
    pub tx: Tx,
    /// The key to write to.
    pub key: u32,
    /// The value to write.
    pub value: u64,
    /// The coordinator, which gets the vote.
    pub coordinator: ActorRef<Coordinator>,
}

/// Answers [`Prepare`]. After a yes, only the coordinator may decide.
#[derive(Debug, Hash)]
pub struct Vote {
    /// The transaction.
    pub tx: Tx,
    /// The participant that votes.
    pub participant: ActorId,
    /// True if the participant can commit.
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

/// Asks the coordinator for a decision that is late.
#[derive(Debug, Hash)]
pub struct DecisionRequest {
    /// The transaction.
    pub tx: Tx,
    /// The participant in doubt.
    pub participant: ActorRef<Participant>,
}

/// Starts the coordinator's clock.
#[derive(Debug, Hash)]
pub struct StartTimer {
    /// The coordinator, which gets the [`Timeout`].
    pub coordinator: ActorRef<Coordinator>,
}

/// Stops the clock, unless the time is already over.
#[derive(Debug, Hash)]
pub struct CancelTimer;

/// Answers [`CancelTimer`]: the clock was stopped, and there will be no [`Timeout`].
#[derive(Debug, Hash)]
pub struct CancelOk;

/// Answers [`CancelTimer`]: the clock was over, and has sent [`Timeout`] before this.
#[derive(Debug, Hash)]
pub struct CancelFail;

/// The clock's time is over.
#[derive(Debug, Hash)]
pub struct Timeout;

/// Stops the clock after a crash.
#[derive(Debug, Hash)]
pub struct Restart {
    /// The coordinator, which gets the answer.
    pub coordinator: ActorRef<Coordinator>,
}

/// Answers [`Restart`]: the clock is stopped, and no earlier [`Timeout`] is in flight.
#[derive(Debug, Hash)]
pub struct Restarted;

/// Writes a decision to commit to the log. A transaction that the log lacks is aborted.
#[derive(Debug, Hash)]
pub struct Append {
    /// The transaction.
    pub tx: Tx,
    /// The coordinator, which gets the answer.
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
    /// The coordinator, which gets the answer.
    pub coordinator: ActorRef<Coordinator>,
}

/// Answers [`ReadLog`].
#[derive(Debug, Hash)]
pub struct LogRead {
    /// The number of times that the log was read after a crash.
    pub life: u32,
    /// The committed transactions.
    pub committed: BTreeSet<Tx>,
}

/// The coordinator's machine loses power, and everything that is not on the disk.
#[derive(Debug, Hash)]
pub struct Crash;

/// Asks a client for the number of its committed writes; answered when the client is done.
#[derive(Debug, Hash)]
pub struct HowManyCommitted;

/// For monitors: a participant has ended a transaction for which it had voted yes.
#[derive(Debug, Hash)]
pub struct Applied {
    /// The transaction.
    pub tx: Tx,
    /// The outcome for this participant.
    pub outcome: Outcome,
}
