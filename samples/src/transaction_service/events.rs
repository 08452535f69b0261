//! What coordinators, accounts, clients and the directory send.

use std::collections::BTreeMap;
use std::fmt;

use actor_core::prelude::*;
use serde::{Deserialize, Serialize};

use super::{Account, Client, Coordinator};

/// Of which account.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
pub enum Side {
    /// What is transferred comes from here.
    Left,
    /// And goes here.
    Right,
}

/// A client's request. It keeps its number when it is sent again.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Request {
    /// Which client.
    pub client: u32,
    /// Which of its requests, from 1.
    pub number: u32,
}

impl fmt::Debug for Request {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.client, self.number)
    }
}

/// From a client: take so much from the left account to the right one.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Transfer {
    /// The request.
    pub request: Request,
    /// Below zero, it goes the other way.
    pub amount: i64,
    /// Whom to answer.
    pub client: ActorRef<Client>,
}

/// Answers a [`Transfer`].
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Answer {
    /// The request.
    pub request: Request,
    /// Whether it was done.
    pub committed: bool,
}

/// A transfer that has a number.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Transaction {
    /// The number, from 1.
    pub number: u64,
    /// What is to be done.
    pub transfer: Transfer,
    /// Whether it is committed or aborted, where that is decided.
    pub decision: Option<bool>,
}

/// From the leading coordinator to its backup: where it is.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Record {
    /// Its last transaction.
    pub transaction: Transaction,
    /// The leader.
    pub leader: ActorRef<Coordinator>,
}

/// The backup has the record.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Recorded {
    /// The number of the transaction.
    pub number: u64,
    /// Whether it was decided.
    pub decided: bool,
}

/// From the coordinator to an account: can it be done?
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
    /// Which account.
    pub side: Side,
    /// Whether it can be done.
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
    /// Which account.
    pub side: Side,
}

/// What an account must not forget.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Book {
    /// What there is.
    pub balance: i64,
    /// For which transaction it is locked.
    pub lock: Option<u64>,
    /// What was decided of each transaction.
    pub settled: BTreeMap<u64, bool>,
}

/// From an account's leader to its backup.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Copy {
    /// Which copy, from 1.
    pub number: u64,
    /// What it has.
    pub book: Book,
    /// The leader.
    pub leader: ActorRef<Account>,
}

/// The backup has that copy.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Copied(pub u64);

/// From the directory: who coordinates.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Coordinators {
    /// The leader.
    pub leader: ActorRef<Coordinator>,
    /// Its backup, if it has one.
    pub backup: Option<ActorRef<Coordinator>>,
}

/// From the directory: who has an account.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Accounts {
    /// Which account.
    pub side: Side,
    /// The leader.
    pub leader: ActorRef<Account>,
    /// Its backup, if it has one.
    pub backup: Option<ActorRef<Account>>,
}

/// For monitors: a replica of an account has carried out a decision.
#[derive(Clone, Debug)]
pub struct Settled {
    /// Which account.
    pub side: Side,
    /// Of which request.
    pub request: Request,
    /// What was decided.
    pub committed: bool,
}

/// For monitors: both accounts have carried out the decision, as the coordinator has it.
#[derive(Clone, Debug)]
pub struct Finished {
    /// Of which request.
    pub request: Request,
    /// What was decided.
    pub committed: bool,
}

/// Asks a client how many answers it got; answered when it has all.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct HowMany;
