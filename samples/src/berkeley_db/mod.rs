//! A replicated database, after the two bugs of Berkeley DB in Yang et al., "MODIST: Transparent Model
//! Checking of Unmodified Distributed Systems", section 4.2.
//!
//! Three nodes have a [`Replica`] each. The *master* writes what a [`Client`] [`Put`]s: it sends the
//! modified [`Page`] to the others, and when one of them has it, the [`Log`] record that makes it count.
//! The others watch their connection to the master. Where that is lost they hold an election: who
//! stands asks for votes, a vote goes to who has as much of the log, and who has two of three is the
//! master. It says so ([`NewMaster`]), and those who follow it ask for what they lack ([`UpdateReq`]). A
//! connection may have been lost while the old master lives. A master that hears of another one has all
//! of them give up and elect anew ([`DupMaster`]).
//!
//! **The bugs it teaches.**
//! - [`Bug::UnexpectedUpdateReq`]: a replica that is asked for an update and is no master panics. It was
//!   one when the other asked: between the two it has heard that there are two masters.
//! - [`Bug::RecoveringNotElectable`]: who has a page and not its log record does not stand, since its
//!   database is half written. If the master is lost when both others have the page and none the
//!   record, there is nobody left to stand. They should forget the page.

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

/// The nodes with a replica. The first is the master to begin with.
pub const NODES: [&str; 3] = ["n1", "n2", "n3"];

/// A mistake that can be switched on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Bug {
    /// A replica that is not the master panics when it is asked for an update.
    UnexpectedUpdateReq,
    /// A replica with a page and without its log record does not stand for master.
    RecoveringNotElectable,
}

// ANCHOR: set_up
/// Starts the nodes, and a client with so many values to put, which is on none of them; returns it.
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
        // None, where the node is gone already.
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
