//! The messages between the replicas and the client.

use actor_core::prelude::*;
use serde::{Deserialize, Serialize};

use super::Replica;

/// Informs a replica of all replicas and of the client.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Join {
    /// All replicas, the master first.
    pub replicas: Vec<ActorRef<Replica>>,
    /// The client, which is notified of new masters.
    pub client: Recipient<NewMaster>,
}

/// From the client: write a value.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Put {
    /// The number of the value, from 1.
    pub number: u64,
    /// The client, which is notified when the value is safe.
    pub client: Recipient<Done>,
}

/// The value with this number is safe.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Done(pub u64);

/// From the master: a modified page. The page does not count without its log record.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Page {
    /// The master's term.
    pub term: u64,
    /// The number of the value on the page.
    pub number: u64,
}

/// A replica has stored the page.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct PageKept {
    /// The master's term.
    pub term: u64,
    /// The number of the value on the page.
    pub number: u64,
}

/// From the master: the log has all records up to this one.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Log {
    /// The master's term.
    pub term: u64,
    /// The number of the last record.
    pub number: u64,
}

/// A replica has stored the log up to this record.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct LogKept {
    /// The master's term.
    pub term: u64,
    /// The number of the last record.
    pub number: u64,
}

/// A request for votes: the sender is a candidate for master.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Stand {
    /// The term that the candidate would lead.
    pub term: u64,
    /// The last record of the candidate's log.
    pub log: u64,
    /// The candidate.
    pub from: ActorRef<Replica>,
}

/// A vote for a candidate.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Vote {
    /// The term of the election.
    pub term: u64,
    /// The voter.
    pub from: ActorRef<Replica>,
}

/// Announces the new master after an election.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct NewMaster {
    /// The term of the new master.
    pub term: u64,
    /// The last record of the master's log.
    pub log: u64,
    /// The master.
    pub master: ActorRef<Replica>,
}

/// Asks the master for the records that the replica lacks.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct UpdateReq {
    /// The replica that lacks records.
    pub from: ActorRef<Replica>,
}

/// From a master that has met another one: hold a new election.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct DupMaster;

/// A timer: the candidate asks for votes again.
#[derive(Clone, Debug)]
pub struct Again;

/// Asks the client for the number of values it has put; answered when all are safe.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct HowMany;
