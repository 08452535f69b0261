//! What replicas and their clients send.

use std::collections::BTreeMap;

use actor_core::prelude::*;
use serde::{Deserialize, Serialize};

/// How much was added, by the node on which it was.
pub type Counts = BTreeMap<String, u64>;

// ANCHOR: events
/// Adds to the counter. The answer is how much was added on this node.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Add(pub u64);

/// How much was added on all nodes, as far as the replica knows.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Total;

/// A replica has started, and wants to know what others know.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Hello(pub Recipient<Merge>);

/// What another replica knows.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Merge {
    /// Its counts.
    pub counts: Counts,
    /// What was added on its own node.
    pub own: u64,
    /// Who wants to hear that they have arrived.
    pub confirm: Recipient<Merged>,
}

/// A replica has what another had added by then on its own node.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Merged(pub u64);
// ANCHOR_END: events
