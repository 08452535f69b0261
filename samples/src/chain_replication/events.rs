//! What the servers, the master, the failure detector and the clients say to each other.

use std::fmt;

use actor_core::prelude::*;
use serde::{Deserialize, Serialize};

use super::{Client, FailureDetector, Master, Server};

/// A server, as the others know it.
pub type ServerRef = ActorRef<Server>;

/// A client's request. It keeps its number when it is sent again.
///
/// Its `Debug` form is short, so that it leaves room in a report.
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

/// An update, in its place in a history.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Entry {
    /// Its place, from 1.
    pub seq: u64,
    /// Whose update it is.
    pub request: Request,
    /// What it writes.
    pub value: u64,
    /// Whom to answer.
    pub client: ActorRef<Client>,
}

/// Asks the head to write a value.
#[derive(Debug, Serialize, Deserialize)]
pub struct Update {
    /// The request.
    pub request: Request,
    /// What it writes.
    pub value: u64,
    /// Whom to answer.
    pub client: ActorRef<Client>,
}

/// Every server has the update.
#[derive(Debug)]
pub struct UpdateReply {
    /// The request.
    pub request: Request,
    /// The place of the update in all histories.
    pub seq: u64,
}

/// Asks the tail for the value.
#[derive(Debug, Serialize, Deserialize)]
pub struct Query {
    /// The request.
    pub request: Request,
    /// Whom to answer.
    pub client: ActorRef<Client>,
}

/// Answers a [`Query`].
#[derive(Debug)]
pub struct QueryReply {
    /// The request.
    pub request: Request,
    /// The place of the last update; 0 where there is none.
    pub seq: u64,
    /// What it wrote.
    pub value: Option<u64>,
}

/// From a server to its successor: the next update.
#[derive(Debug, Serialize, Deserialize)]
pub struct Forward {
    /// The update.
    pub entry: Entry,
    /// The predecessor.
    pub from: ServerRef,
}

/// From a server to its predecessor: the tail has all updates up to this one.
#[derive(Debug, Serialize, Deserialize)]
pub struct Ack {
    /// The last of them.
    pub seq: u64,
}

/// From the master: a server's place in the chain.
#[derive(Debug)]
pub struct Join {
    /// Who comes before it; nobody before the head.
    pub pred: Option<ServerRef>,
    /// Who comes after it; nobody after the tail.
    pub succ: Option<ServerRef>,
}

/// From the master: the old head has failed, and this server takes its place.
#[derive(Debug)]
pub struct BecomeHead {
    /// Whom to answer.
    pub master: ActorRef<Master>,
}

/// Answers [`BecomeHead`].
#[derive(Debug)]
pub struct HeadChanged {
    /// The new head.
    pub server: ActorId,
}

/// From the master: the old tail has failed, and this server takes its place.
#[derive(Debug)]
pub struct BecomeTail {
    /// Whom to answer.
    pub master: ActorRef<Master>,
}

/// Answers [`BecomeTail`].
#[derive(Debug)]
pub struct TailChanged {
    /// The new tail.
    pub server: ActorId,
}

/// From the master: a server's predecessor has failed, and another takes its place.
#[derive(Debug)]
pub struct NewPred {
    /// The new predecessor.
    pub pred: ServerRef,
    /// Whom to answer.
    pub master: ActorRef<Master>,
}

/// Answers [`NewPred`]: what the new predecessor has to know.
#[derive(Debug)]
pub struct NewSuccInfo {
    /// The new predecessor.
    pub pred: ActorId,
    /// The server.
    pub succ: ActorId,
    /// The last update that it has.
    pub last_received: u64,
    /// The last one that it has acknowledged.
    pub last_acked: u64,
}

/// From the master: a server's successor has failed, and another takes its place.
#[derive(Debug)]
pub struct NewSucc {
    /// The new successor.
    pub succ: ServerRef,
    /// The last update that it has.
    pub last_received: u64,
    /// The last one that it has acknowledged.
    pub last_acked: u64,
    /// Whom to answer.
    pub master: ActorRef<Master>,
}

/// Answers [`NewSucc`].
#[derive(Debug)]
pub struct Success {
    /// The server.
    pub pred: ActorId,
    /// Its new successor.
    pub succ: ActorId,
}

/// From the master to the clients: whom to ask from now on.
#[derive(Clone, Debug)]
pub struct HeadTailChanged {
    /// For updates.
    pub head: ServerRef,
    /// For queries.
    pub tail: ServerRef,
}

/// Asks a server whether it lives.
#[derive(Debug)]
pub struct Ping {
    /// Who asks.
    pub from: ActorRef<FailureDetector>,
}

/// A server lives.
#[derive(Debug)]
pub struct Pong {
    /// Which server.
    pub server: ActorId,
}

/// From the failure detector to the master: a server has failed.
#[derive(Debug)]
pub struct ServerFailed {
    /// Which server.
    pub server: ActorId,
}

/// Switches a server off, since it may have failed already.
#[derive(Debug)]
pub struct Fail;

/// Asks a client how many replies it got; answered when it is done.
#[derive(Debug)]
pub struct HowManyReplies;

/// For monitors: a server has added an update to its history.
#[derive(Debug)]
pub struct Appended {
    /// Its place.
    pub seq: u64,
    /// The update.
    pub request: Request,
}

/// For monitors: the chain is whole again.
#[derive(Debug)]
pub struct ChainFormed;
