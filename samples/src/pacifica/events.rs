//! The messages between replicas, the master and the client.

use actor_core::prelude::*;
use serde::{Deserialize, Serialize};

use super::Replica;

/// A client asks to be notified of the primary, now and after each change.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Subscribe(pub Recipient<Primary>);

/// The current primary.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Primary(pub ActorRef<Replica>);

/// The replicas that are still in the group.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Configuration {
    /// The version of the configuration, one more than that of the last one.
    pub version: u64,
    /// The replicas in order; the first is the primary.
    pub replicas: Vec<ActorRef<Replica>>,
}

/// A client's update.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Update {
    /// The number of the client's update, which stays the same when the update is sent again.
    pub number: u32,
    /// The client, which is notified when the update is committed.
    pub client: Recipient<Updated>,
}

/// An update is committed.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Updated(pub u32);

/// From the primary: put the update at this place of the list.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Prepare {
    /// The version of the configuration.
    pub version: u64,
    /// The place in the list, from 1.
    pub place: usize,
    /// The update.
    pub update: Update,
    /// The primary.
    pub primary: ActorRef<Replica>,
}

/// The update at that place is prepared.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Prepared {
    /// The place in the list.
    pub place: usize,
    /// The replica that has prepared the update.
    pub replica: ActorRef<Replica>,
}

/// From the primary: all updates up to that place are committed.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Commit {
    /// The version of the configuration.
    pub version: u64,
    /// The place of the last committed update.
    pub place: usize,
}

/// For monitors: a replica knows that an update is committed.
#[derive(Clone, Debug)]
pub struct Committed {
    /// The place in the list.
    pub place: usize,
    /// The client's number of the update.
    pub number: u32,
}

/// Asks the client for the number of its updates; answered when all are made.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct HowMany;
