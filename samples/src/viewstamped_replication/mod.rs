//! Viewstamped Replication Revisited: an account on three machines, of which one may fail at a time.
//!
//! The protocol is that of B. Liskov and J. Cowling, *Viewstamped Replication Revisited*, MIT, 2012. Each
//! node has a [`Replica`] with a log of commands. In each *view* one of them is the primary.
//! - *Normal operation*: the primary puts a command of a [`Client`] into its log and has the others
//!   [`Prepare`] it. With a majority it is committed: executed and answered.
//! - *View change*: who waits in vain for the primary votes for the next view ([`StartViewChange`]). Who
//!   hears of enough votes reports to its primary what it has ([`DoViewChange`]), and with a majority of
//!   reports that one begins ([`StartView`]).
//! - *State transfer*: who has missed something asks for it ([`GetState`]).
//! - *Recovery*: who has lost what it knew asks all others ([`Recovery`]), and takes part in nothing
//!   until the primary of the latest view has answered.
//!
//! Where the [`Group`] has a journal, replicas write down what they promise and go on with it after a
//! crash; they recover where the disk is lost. A client whose answer is lost asks again, and a table of
//! the clients has each command executed once.
//!
//! The paper leaves open, or gets wrong, what [`Bug`] names with its sources. One more is mended here
//! without a switch: what a replica has said in a view change before it lost its memory must not count
//! afterwards, when it may have recovered into the view before. E. Michael, D. Ports, N. Sharma and
//! A. Szekeres, *Recovering Shared Objects Without Stable Storage*, DISC 2017, show that it does harm, and
//! that it helps to know in which of its lives a replica has said something.
//!
//! Besides, replicas ask again less and less often while they wait, and a primary that recovers has the
//! others change the view.

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

/// How often replicas and clients look whether something is missing.
pub const TICK: Duration = Duration::from_millis(100);

/// Who takes part, and how.
#[derive(Clone, Copy, Debug)]
pub struct Group {
    /// Replicas write to disk what they promise, and find it there after a crash.
    pub journal: bool,
    /// How many clients there are.
    pub clients: u32,
    /// How many deposits each of them makes, before it asks for the balance.
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
