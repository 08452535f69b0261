//! The messages between peers.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

/// A peer wants to join. The message is routed to the nearest peer.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Join {
    /// The number of the peer that wants to join.
    pub joiner: u32,
    /// The number of the peer that sends or forwards the message.
    pub from: u32,
}

/// A [`Join`] was routed to a peer that has not joined.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Bounced {
    /// The number of the peer that wants to join.
    pub joiner: u32,
    /// The number of the peer that has not joined.
    pub by: u32,
}

/// Answers a [`Join`].
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Welcome {
    /// The leaf set of the nearest peer.
    pub leaves: BTreeSet<u32>,
}

/// The leaf set of a peer, itself included.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Leaves {
    /// The numbers in the leaf set.
    pub leaves: BTreeSet<u32>,
}

/// A timer: send the [`Join`] again.
#[derive(Clone, Debug)]
pub struct Again;

/// For monitors: a peer has started, and wants to join.
#[derive(Clone, Debug)]
pub struct Joining {
    /// The number of the peer.
    pub number: u32,
}

/// For monitors: a peer has joined.
#[derive(Clone, Debug)]
pub struct Joined {
    /// The number of the peer.
    pub number: u32,
}
