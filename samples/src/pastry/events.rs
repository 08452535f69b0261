//! What peers send to each other.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

/// A peer wants to join: to be passed on to the nearest.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Join {
    /// The number of the peer.
    pub joiner: u32,
    /// The number of whom it comes from.
    pub from: u32,
}

/// A [`Join`] came to a peer that has not joined.
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
    /// All that the nearest peer knows.
    pub leaves: BTreeSet<u32>,
}

/// All that a peer knows, itself among them.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Leaves {
    /// Their numbers.
    pub leaves: BTreeSet<u32>,
}

/// Time to send a [`Join`] again.
#[derive(Clone, Debug)]
pub struct Again;

/// For monitors: a peer has started, and wants to join.
#[derive(Clone, Debug)]
pub struct Joining {
    /// Its number.
    pub number: u32,
}

/// For monitors: a peer has joined.
#[derive(Clone, Debug)]
pub struct Joined {
    /// Its number.
    pub number: u32,
}
