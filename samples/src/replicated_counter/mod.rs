//! A replicated counter (a grow-only CRDT) on three nodes, each of which may crash.
//!
//! Each node has a [`Replica`], which keeps the amount added on each node. Two replicas merge by taking
//! the larger amount for each node. A replica that receives [`Add`] sends its counts to the others, and
//! answers when one of them has merged them: then two of three have the amount. A replica that starts
//! sends [`Hello`] to the others, and they send their counts. A replica therefore recovers after a
//! crash. Each replica refers to the others [by name](actor_core::Scope::at), which survives a restart.
//!
//! **The bug it teaches.** With [`Bug::EarlyAnswer`], a replica answers as soon as it
//! has added the amount itself. If its node crashes before another replica has merged
//! the counts, an acknowledged amount is lost. Without a crash the bug does not show.

mod events;
mod replica;
#[cfg(test)]
mod tests;

use actor_core::prelude::*;

pub use events::*;
pub use replica::Replica;

/// The names of the nodes.
pub const NODES: [&str; 3] = ["n1", "n2", "n3"];

/// A bug that a test can switch on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Bug {
    /// A replica answers before any other replica has the amount.
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

/// Returns the total that the replica on a node knows; `None` if the node is down.
pub async fn total(sys: &System, node: &str) -> Option<u64> {
    let replica = sys.at::<Replica>(format!("{node}/replica"));
    replica.ask(Total).await.ok()
}
