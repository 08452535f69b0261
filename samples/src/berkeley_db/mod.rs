//! A replicated database with leader election, after the two bugs of Berkeley DB in Yang et
//! al., "MODIST: Transparent Model Checking of Unmodified Distributed Systems", section 4.2.
//!
//! Each of three nodes runs a [`Replica`]. The *master* writes each value that a [`Client`] [`Put`]s:
//! it sends the modified [`Page`] to the others. When one of them has the page, the master sends the
//! [`Log`] record, which commits it. A replica that loses its connection to the master becomes a
//! candidate and asks for votes. A replica votes for a candidate whose log is at least as long as its
//! own. A candidate with two of three votes is the new master and announces it ([`NewMaster`]); its
//! followers ask for the records that they lack ([`UpdateReq`]). The old master may still be alive. A
//! master that hears of another one therefore makes all replicas hold a new election ([`DupMaster`]).
//!
//! **The bugs it teaches.**
//! - [`Bug::UnexpectedUpdateReq`]: a replica that is no longer master panics when it is asked for an
//!   update. The replica was master when the request was sent, and has since heard of a second one.
//! - [`Bug::RecoveringNotElectable`]: a replica with a page and without its log record is no
//!   candidate, since its database is half written. If the master is lost when both others have the
//!   page and neither has the record, no candidate is left. The fix: a replica discards such a page.

mod client;
mod events;
mod replica;
mod specifications;
#[cfg(test)]
mod tests;

use actor_core::prelude::*;

pub use client::{Client, ClientState};
pub use events::*;
pub use replica::{Replica, ReplicaState};
pub use specifications::{Answered, AnsweredState, Kept, KeptState, somebody_is_master};

/// The nodes with a replica. The first one is the initial master.
pub const NODES: [&str; 3] = ["n1", "n2", "n3"];

/// A bug that a test can switch on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Bug {
    /// A replica that is not the master panics when it is asked for an update.
    UnexpectedUpdateReq,
    /// A replica with a page and without its log record is no candidate.
    RecoveringNotElectable,
}

// ANCHOR: set_up
/// Starts the nodes, and a client on none of them that puts this number of values; returns the client.
pub async fn set_up(sys: &System, puts: u32, bug: Option<Bug>) -> ActorRef<Client> {
    sys.monitor::<Answered>();
    sys.monitor::<Kept>();
    for name in NODES {
        sys.node(name, move |node| {
            let replica = Replica::new(bug);
            node.spawner().name("replica").registered().spawn(replica);
        });
    }
    let client = sys.spawn(Client::new(puts));
    let mut replicas = Vec::new();
    for name in NODES {
        // The result is `None` if the node has already stopped.
        let replica = sys.lookup::<Replica>(format!("{name}/replica")).await;
        replicas.extend(replica);
    }
    for replica in &replicas {
        replica.tell(Join {
            replicas: replicas.clone(),
            client: client.recipient(),
        });
    }
    client
}
// ANCHOR_END: set_up
