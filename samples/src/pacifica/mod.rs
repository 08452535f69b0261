//! Primary/backup replication, after PacificA: Lin et al., "PacificA: Replication in
//! Log-Based Distributed Storage Systems", and the bug that Yang et al. found in it
//! ("MODIST: Transparent Model Checking of Unmodified Distributed Systems", section 4.4).
//!
//! Each of three nodes runs a [`Replica`]. The first is the primary: it appends each [`Update`] to its
//! list, and the others [`Prepare`] it. When all have [`Prepared`] the update, it is committed: the
//! primary answers the [`Client`], and notifies the others by [`Commit`]. A [`Master`], which never fails,
//! watches the nodes. When a node is lost, the master sends a [`Configuration`] without it; the next
//! replica then replaces a lost primary. Updates that the new primary has prepared, but does not know to
//! be committed, may have been answered. The new primary therefore prepares and commits them again.
//!
//! **The bug it teaches.** With [`Bug::NoRequeue`], a new primary makes the others prepare again,
//! and forgets to record that it waits for them. Updates are committed in order, so a missing
//! first one blocks all commits. The bug needs a primary that is lost after the next replica has
//! prepared an update, and before that replica has heard that the update is committed.

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

/// The nodes with a replica. The first one that is left is the primary.
pub const NODES: [&str; 3] = ["n1", "n2", "n3"];

/// A bug that a test can switch on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Bug {
    /// A new primary does not wait for the updates that it makes the others prepare again.
    NoRequeue,
}

// ANCHOR: set_up
/// Starts the nodes of the replicas, and two more that never fail: the node
/// of the master, and the node of a client with this number of updates.
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
