//! Viewstamped Replication Revisited: an account on three machines, one of which may fail at a time.
//!
//! The protocol is that of B. Liskov and J. Cowling, *Viewstamped Replication Revisited*, MIT, 2012.
//! Each node has a [`Replica`] with a log of commands. In each *view* one of them is the primary.
//! - *Normal operation*: the primary appends a command of a [`Client`] to its log, and the
//!   others [`Prepare`] it. With a majority the command is committed: executed and answered.
//! - *View change*: a replica that waits in vain for the primary votes for the next view
//!   ([`StartViewChange`]). With enough votes, a replica sends its state to the next primary
//!   ([`DoViewChange`]). With a majority of those, the next primary begins the view ([`StartView`]).
//! - *State transfer*: a replica that has missed commands asks for them ([`GetState`]).
//! - *Recovery*: a replica that has lost its state asks all others ([`Recovery`]),
//!   and does not take part until the primary of the latest view has answered.
//!
//! If the [`Group`] has a journal, replicas write their promises to disk and continue
//! with them after a crash; they recover if the disk is lost. A client whose answer
//! is lost asks again, and a client table ensures that each command is executed once.
//!
//! [`Bug`] lists the points that the paper leaves open or gets wrong, with sources. One more point is
//! fixed here without a switch: messages of a view change that a replica sent before it lost its state
//! must not count afterwards, when the replica may have recovered into an earlier view. E. Michael, D.
//! Ports, N. Sharma and A. Szekeres, *Recovering Shared Objects Without Stable Storage*, DISC 2017,
//! describe the problem and the solution: each message carries the incarnation of its sender.
//!
//! Beyond the paper, waiting replicas ask again with exponential
//! back-off, and a recovering primary makes the others change the view.

mod client;
mod directory;
mod messages;
mod mistakes;
mod normal_operation;
mod recovery;
mod replica;
mod service;
mod specifications;
mod state_transfer;
mod storage;
#[cfg(test)]
mod tests;
mod view_change;

use std::time::Duration;

use actor_core::prelude::*;

pub use client::Client;
pub use messages::*;
pub use mistakes::Bug;
pub use replica::{Replica, Status};
pub use specifications::{
    Agreement, AgreementState, Linearizable, LinearizableState, Promises, PromisesState, Served,
    ServedState, is_kept,
};

/// The nodes, each with a replica.
pub const REPLICAS: [&str; 3] = ["r0", "r1", "r2"];

/// The interval at which replicas and clients check if something is missing.
pub const TICK: Duration = Duration::from_millis(100);

/// The parameters of the group.
#[derive(Clone, Copy, Debug)]
pub struct Group {
    /// True if replicas write their promises to disk, where they survive a crash.
    pub journal: bool,
    /// The number of clients.
    pub clients: u32,
    /// The number of deposits of each client, before it asks for the balance.
    pub deposits: u32,
}

// ANCHOR: set_up
/// Starts the replicas and their clients.
pub fn set_up(sys: &System, group: Group, bug: Option<Bug>) {
    sys.monitor::<Agreement>();
    sys.monitor::<Promises>();
    sys.monitor::<Linearizable>();
    sys.monitor::<Served>();
    sys.always("what is committed is kept by a majority", is_kept);
    for (name, number) in REPLICAS.into_iter().zip(0..) {
        let mut life = 0;
        sys.node(name, move |node| {
            life += 1;
            let replica = Replica::new(Member { number, life }, group, bug);
            node.spawner().name("replica").registered().spawn(replica);
        });
    }
    for client in 0..group.clients {
        let deposits = (0..group.deposits).map(|k| Operation::Deposit(10_u64.pow(k)));
        let operations = deposits.chain([Operation::Balance]);
        sys.spawn(Client::new(client, operations));
    }
}
// ANCHOR_END: set_up
