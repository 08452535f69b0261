//! The messages between coordinators, accounts, clients and the directory.

use std::collections::BTreeMap;
use std::fmt;

use actor_core::prelude::*;
use serde::{Deserialize, Serialize};

use super::{Account, Client, Coordinator};

/// The two accounts.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
pub enum Side {
    /// The account that money is transferred from.
    Left,
    /// The account that money is transferred to.
    Right,
}

/// A client's request. The number stays the same when the request is sent again.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Request {
    /// The number of the client.
    pub client: u32,
    /// The number of the request among those of the client, from 1.
    pub number: u32,
}

impl fmt::Debug for Request {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.client, self.number)
    }
}

/// From a client: transfer an amount from the left account to the right one.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Transfer {
    /// The request.
    pub request: Request,
    /// The amount; a negative one is transferred from right to left.
    pub amount: i64,
    /// The client, which gets the answer.
    pub client: ActorRef<Client>,
}

/// Answers a [`Transfer`].
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Answer {
    /// The request.
    pub request: Request,
    /// True if the transfer was carried out.
    pub committed: bool,
}

/// A transfer with a transaction number.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Transaction {
    /// The number of the transaction, from 1.
    pub number: u64,
    /// The transfer.
    pub transfer: Transfer,
    /// True if committed, false if aborted, `None` while undecided.
    pub decision: Option<bool>,
}

/// From the leading coordinator to its backup: the state of the last transaction.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Record {
    /// The last transaction.
    pub transaction: Transaction,
    /// The leader.
    pub leader: ActorRef<Coordinator>,
}

/// The backup has the record.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Recorded {
    /// The number of the transaction.
    pub number: u64,
    /// True if the record had a decision.
    pub decided: bool,
}

/// From the coordinator to an account: vote on a transaction.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Prepare {
    /// The transaction.
    pub transaction: Transaction,
    /// The coordinator.
    pub from: ActorRef<Coordinator>,
}

/// Answers [`Prepare`].
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Vote {
    /// The number of the transaction.
    pub number: u64,
    /// The account that votes.
    pub side: Side,
    /// True if the account can carry out the transaction.
    pub yes: bool,
}

/// From the coordinator to an account: the transaction is decided.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Decision {
    /// The transaction.
    pub transaction: Transaction,
    /// The coordinator.
    pub from: ActorRef<Coordinator>,
}

/// The account has carried out the decision.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Done {
    /// The number of the transaction.
    pub number: u64,
    /// The account.
    pub side: Side,
}

/// The durable state of an account.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Book {
    /// The balance.
    pub balance: i64,
    /// The transaction that holds the lock of the account.
    pub lock: Option<u64>,
    /// The decision on each transaction.
    pub settled: BTreeMap<u64, bool>,
}

/// From an account's leader to its backup.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Copy {
    /// The number of the copy, from 1.
    pub number: u64,
    /// The state of the leader.
    pub book: Book,
    /// The leader.
    pub leader: ActorRef<Account>,
}

/// The backup has that copy.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Copied(pub u64);

/// From the directory: the current coordinators.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Coordinators {
    /// The leader.
    pub leader: ActorRef<Coordinator>,
    /// The backup of the leader, if there is one.
    pub backup: Option<ActorRef<Coordinator>>,
}

/// From the directory: the current replicas of an account.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Accounts {
    /// The account.
    pub side: Side,
    /// The leader.
    pub leader: ActorRef<Account>,
    /// The backup of the leader, if there is one.
    pub backup: Option<ActorRef<Account>>,
}

/// For monitors: a replica of an account has carried out a decision.
#[derive(Clone, Debug)]
pub struct Settled {
    /// The account.
    pub side: Side,
    /// The request.
    pub request: Request,
    /// True if the request was committed.
    pub committed: bool,
}

/// For monitors: the coordinator knows that both accounts have carried out the decision.
#[derive(Clone, Debug)]
pub struct Finished {
    /// The request.
    pub request: Request,
    /// True if the request was committed.
    pub committed: bool,
}

/// Asks a client for the number of its answers; answered when the client has all of them.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct HowMany;
