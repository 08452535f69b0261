//! The messages between servers, master, failure detector and clients.

use std::fmt;

use actor_core::prelude::*;
use serde::{Deserialize, Serialize};

use super::{Client, FailureDetector, Master, Server};

/// The address of a server.
pub type ServerRef = ActorRef<Server>;

/// A client's request. The number stays the same when the request is sent again.
///
/// The `Debug` form is short, so that reports stay readable.
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

/// A log entry: an update with its sequence number.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Entry {
    /// The sequence number, from 1.
    pub seq: u64,
    /// The request that made the update.
    pub request: Request,
    /// The value that the update writes.
    pub value: u64,
    /// The client that gets the reply.
    pub client: ActorRef<Client>,
}

/// Asks the head to write a value.
#[derive(Debug, Serialize, Deserialize)]
pub struct Update {
    /// The request.
    pub request: Request,
    /// The value to write.
    pub value: u64,
    /// The client that gets the reply.
    pub client: ActorRef<Client>,
}

/// The reply to an [`Update`]: every server has it.
#[derive(Debug)]
pub struct UpdateReply {
    /// The request.
    pub request: Request,
    /// The sequence number of the update in all histories.
    pub seq: u64,
}

/// Asks the tail for the value.
#[derive(Debug, Serialize, Deserialize)]
pub struct Query {
    /// The request.
    pub request: Request,
    /// The client that gets the reply.
    pub client: ActorRef<Client>,
}

/// Answers a [`Query`].
#[derive(Debug)]
pub struct QueryReply {
    /// The request.
    pub request: Request,
    /// The sequence number of the last update; 0 if there is none.
    pub seq: u64,
    /// The value that the last update wrote.
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
    /// The sequence number of the last acknowledged update.
    pub seq: u64,
}

/// From the master: a server's place in the chain.
#[derive(Debug)]
pub struct Join {
    /// The predecessor; `None` for the head.
    pub pred: Option<ServerRef>,
    /// The successor; `None` for the tail.
    pub succ: Option<ServerRef>,
}

/// From the master: the old head has failed, and this server takes its place.
#[derive(Debug)]
pub struct BecomeHead {
    /// The master, which gets the answer.
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
    /// The master, which gets the answer.
    pub master: ActorRef<Master>,
}

/// Answers [`BecomeTail`].
#[derive(Debug)]
pub struct TailChanged {
    /// The new tail.
    pub server: ActorId,
}

/// From the master: the server's predecessor has failed, and another server takes its place.
#[derive(Debug)]
pub struct NewPred {
    /// The new predecessor.
    pub pred: ServerRef,
    /// The master, which gets the answer.
    pub master: ActorRef<Master>,
}

/// Answers [`NewPred`] with the state that the new predecessor needs.
#[derive(Debug)]
pub struct NewSuccInfo {
    /// The new predecessor.
    pub pred: ActorId,
    /// The server that answers.
    pub succ: ActorId,
    /// The last update that the server has received.
    pub last_received: u64,
    /// The last update that the server has acknowledged.
    pub last_acked: u64,
}

/// From the master: the server's successor has failed, and another server takes its place.
#[derive(Debug)]
pub struct NewSucc {
    /// The new successor.
    pub succ: ServerRef,
    /// The last update that the new successor has received.
    pub last_received: u64,
    /// The last update that the new successor has acknowledged.
    pub last_acked: u64,
    /// The master, which gets the answer.
    pub master: ActorRef<Master>,
}

/// Answers [`NewSucc`]: both neighbours are linked.
#[derive(Debug)]
pub struct Success {
    /// The server that answers.
    pub pred: ActorId,
    /// The new successor of that server.
    pub succ: ActorId,
}

/// From the master to the clients: the current head and tail.
#[derive(Clone, Debug)]
pub struct HeadTailChanged {
    /// The head, which takes updates.
    pub head: ServerRef,
    /// The tail, which answers queries.
    pub tail: ServerRef,
}

/// Asks a server if it is alive.
#[derive(Debug)]
pub struct Ping {
    /// The failure detector, which gets the answer.
    pub from: ActorRef<FailureDetector>,
}

/// Answers [`Ping`]: the server is alive.
#[derive(Debug)]
pub struct Pong {
    /// The server that answers.
    pub server: ActorId,
}

/// From the failure detector to the master: a server has failed.
#[derive(Debug)]
pub struct ServerFailed {
    /// The server that failed.
    pub server: ActorId,
}

/// Switches off a server that may have failed.
#[derive(Debug)]
pub struct Fail;

/// Asks a client for the number of its replies; answered when the client is done.
#[derive(Debug)]
pub struct HowManyReplies;

/// For monitors: a server has added an update to its history.
#[derive(Debug)]
pub struct Appended {
    /// The sequence number of the update.
    pub seq: u64,
    /// The request of the update.
    pub request: Request,
}

/// For monitors: the chain is complete again.
#[derive(Debug)]
pub struct ChainFormed;
