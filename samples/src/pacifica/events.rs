//! What replicas, the master and the client send.

use actor_core::prelude::*;
use serde::{Deserialize, Serialize};

use super::Replica;

/// A client wants to hear who is the primary, now and whenever another is.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Subscribe(pub Recipient<Primary>);

/// Who is the primary.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Primary(pub ActorRef<Replica>);

/// The replicas that are left.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Configuration {
    /// One more than that of the last one.
    pub version: u64,
    /// In order; the first is the primary.
    pub replicas: Vec<ActorRef<Replica>>,
}

/// A client's update.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Update {
    /// The client's number of it. An update that is sent again keeps it.
    pub number: u32,
    /// Who is told when it is committed.
    pub client: Recipient<Updated>,
}

/// An update is committed.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Updated(pub u32);

/// From the primary: put the update at this place of the list.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Prepare {
    /// Of which configuration.
    pub version: u64,
    /// From 1.
    pub place: usize,
    /// The update.
    pub update: Update,
    /// The primary.
    pub primary: ActorRef<Replica>,
}

/// The update at that place is prepared.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Prepared {
    /// The place.
    pub place: usize,
    /// By whom.
    pub replica: ActorRef<Replica>,
}

/// From the primary: all updates up to that place are committed.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Commit {
    /// Of which configuration.
    pub version: u64,
    /// The last of them.
    pub place: usize,
}

/// For monitors: a replica knows that an update is committed.
#[derive(Clone, Debug)]
pub struct Committed {
    /// Its place.
    pub place: usize,
    /// The client's number of it.
    pub number: u32,
}

/// Asks the client how many updates it has made; answered when it has made all.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct HowMany;
