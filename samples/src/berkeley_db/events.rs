//! What replicas and the client send.

use actor_core::prelude::*;
use serde::{Deserialize, Serialize};

use super::Replica;

/// Tells a replica who there is.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Join {
    /// All of them, the master first.
    pub replicas: Vec<ActorRef<Replica>>,
    /// Who puts values, and hears of new masters.
    pub client: Recipient<NewMaster>,
}

/// From the client: write a value.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Put {
    /// The first is 1.
    pub number: u64,
    /// Who is told when it is safe.
    pub client: Recipient<Done>,
}

/// The value with that number is safe.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Done(pub u64);

/// From the master: a page is modified. It does not count without its log record.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Page {
    /// The master's term.
    pub term: u64,
    /// Of which value.
    pub number: u64,
}

/// A replica has the page.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct PageKept {
    /// The master's term.
    pub term: u64,
    /// Of which value.
    pub number: u64,
}

/// From the master: the log has all records up to this one.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Log {
    /// The master's term.
    pub term: u64,
    /// The last record.
    pub number: u64,
}

/// A replica has the log up to there.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct LogKept {
    /// The master's term.
    pub term: u64,
    /// The last record.
    pub number: u64,
}

/// A replica stands for master.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Stand {
    /// It would be the master of that term.
    pub term: u64,
    /// The last record of its log.
    pub log: u64,
    /// The replica.
    pub from: ActorRef<Replica>,
}

/// A vote.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Vote {
    /// For the master of that term.
    pub term: u64,
    /// Whose vote it is.
    pub from: ActorRef<Replica>,
}

/// There is a master.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct NewMaster {
    /// Of that term.
    pub term: u64,
    /// The last record of its log.
    pub log: u64,
    /// The master.
    pub master: ActorRef<Replica>,
}

/// Asks the master for what the replica lacks.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct UpdateReq {
    /// The replica.
    pub from: ActorRef<Replica>,
}

/// There are two masters: elect one.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct DupMaster;

/// Time to stand again.
#[derive(Clone, Debug)]
pub struct Again;

/// Asks the client how many values it has put; answered when all are safe.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct HowMany;
