//! Updates on a primary and its backups, after PacificA: Lin et al., "PacificA: Replication in
//! Log-Based Distributed Storage Systems", and the bug that Yang et al. found in it ("MODIST:
//! Transparent Model Checking of Unmodified Distributed Systems", section 4.4).
//!
//! Three nodes have a [`Replica`] each. The first is the primary: it puts an [`Update`] at the end of its
//! list, has the others [`Prepare`] it, and when all have [`Prepared`] it, it is committed: the
//! [`Client`] is answered, and the others are told by [`Commit`]. A [`Master`], which does not fail,
//! watches the nodes. Where one is lost, it sends a [`Configuration`] without it, and if that was the
//! primary, the next replica takes its place. What this one has prepared, and does not know to be
//! committed, may have been answered. So it prepares that anew, and commits it.
//!
//! **The bug it teaches.** With [`Bug::NoRequeue`] a new primary has the others prepare anew, and forgets to
//! note that it waits for them. Updates are committed in order, so where the first of them is missing
//! among those that are waited for, nothing is committed any more. It takes a primary that is lost
//! after the next one has prepared an update, and before it has heard that the update is committed.

mod client;
mod events;
mod master;
mod replica;
mod specifications;
#[cfg(test)]
mod tests;

use actor_core::prelude::*;

pub use client::{Client, ClientState};
pub use events::*;
pub use master::Master;
pub use replica::{Replica, ReplicaState};
pub use specifications::{Agreement, AgreementState, Answered, AnsweredState};

/// The nodes with a replica. The first that is left is the primary.
pub const NODES: [&str; 3] = ["n1", "n2", "n3"];

/// A mistake that can be switched on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Bug {
    /// A new primary does not wait for what it has others prepare anew.
    NoRequeue,
}

// ANCHOR: set_up
/// Starts the nodes of the replicas, and two more on which nothing fails: the master's, and that of a
/// client with so many updates.
pub fn set_up(sys: &System, updates: u32, bug: Option<Bug>) {
    sys.monitor::<Answered>();
    sys.monitor::<Agreement>();
    for name in NODES {
        sys.node(name, move |node| {
            let replica = Replica::new(bug);
            node.spawner().name("replica").registered().spawn(replica);
        });
    }
    sys.node("master", |node| {
        let master = Master::default();
        node.spawner().name("master").registered().spawn(master);
    });
    sys.node("client", move |node| {
        let client = Client::new(updates);
        node.spawner().name("client").registered().spawn(client);
    });
    sys.faults().spare("master");
    sys.faults().spare("client");
}
// ANCHOR_END: set_up
