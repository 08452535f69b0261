//! The messages between replicas and their clients.

use std::collections::BTreeMap;

use actor_core::prelude::*;
use serde::{Deserialize, Serialize};

/// The amount added on each node, by the node's name.
pub type Counts = BTreeMap<String, u64>;

// ANCHOR: events
/// Adds to the counter. The reply is the amount added on this node.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Add(pub u64);

/// Asks for the total of all nodes, as known to the replica.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Total;

/// A replica has started, and asks the others for their counts.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Hello(pub Recipient<Merge>);

/// The counts of another replica.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Merge {
    /// The counts that the replica knows.
    pub counts: Counts,
    /// The amount added on the replica's own node.
    pub own: u64,
    /// The replica, which is notified when the counts are merged.
    pub confirm: Recipient<Merged>,
}

/// A replica has merged the counts of another, up to this amount on the other's own node.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Merged(pub u64);
// ANCHOR_END: events
