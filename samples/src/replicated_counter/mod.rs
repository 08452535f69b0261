//! A counter on three nodes, each of which may crash.
//!
//! Each node has a [`Replica`]. It keeps how much was added on each node, so that two replicas are
//! merged by the larger number of each. A replica that is told to [`Add`] sends what it knows to the
//! others, and answers when one of them has it: then two of three do. A replica that starts says
//! [`Hello`] to the others, and they send it what they know. So it comes back after a crash, and the others
//! find it again: each has a [`Proxy`](actor_core::Proxy) of each other.
//!
//! **The bug it teaches.** With [`Bug::EarlyAnswer`] a replica answers as soon as it has added by
//! itself. Where its node crashes before another has heard of it, what was acknowledged is lost. Without
//! a crash nothing is ever wrong.

mod events;
mod replica;
#[cfg(test)]
mod tests;

use actor_core::prelude::*;

pub use events::*;
pub use replica::Replica;

/// The nodes.
pub const NODES: [&str; 3] = ["n1", "n2", "n3"];

/// A mistake that can be switched on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Bug {
    /// A replica answers before any other has what was added.
    EarlyAnswer,
}

// ANCHOR: set_up
/// Starts three nodes with a replica on each.
pub fn set_up(sys: &System, bug: Option<Bug>) {
    for name in NODES {
        sys.node(name, move |node| {
            let replica = Replica::new(name, bug);
            node.spawner().name("replica").registered().spawn(replica);
        });
    }
}
// ANCHOR_END: set_up

/// How much the replica on a node has counted; none where the node is down.
pub async fn total(sys: &System, node: &str) -> Option<u64> {
    let replica = sys.lookup::<Replica>(format!("{node}/replica")).await;
    replica.ok()?.ask(Total).await.ok()
}
