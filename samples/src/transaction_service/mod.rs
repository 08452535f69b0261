//! Transfers between two accounts, by two-phase commit over replicated participants.
//!
//! The coordinator and both accounts are pairs: a leader, and a backup on another node. Whatever a leader
//! must not forget its backup has before anybody acts on it. A [`Directory`], on a node where nothing
//! fails, watches them all. Where a leader is lost it makes the backup the leader, and tells everybody.
//!
//! A [`Client`] asks for a [`Transfer`]. The leading [`Coordinator`] makes a transaction of it, has both
//! accounts [`Prepare`] it, and decides: to commit it where both vote for it, and else to abort it. An
//! [`Account`] that has prepared a transaction is locked until it hears the [`Decision`]. A new
//! coordinator aborts what was not decided, and tells the accounts again what was.
//!
//! **The bugs it teaches.**
//! - [`Bug::ApplyTwice`]: an account that is told a decision again applies it again.
//! - [`Bug::DecideBeforeReplicate`]: the coordinator tells the accounts before its backup has the
//!   decision. Where only one of them hears it, the new coordinator aborts at the other.
//! - [`Bug::TransactionIdRestart`]: a new coordinator numbers its transactions from 1. What the accounts
//!   know of those that had the numbers before counts for the new ones.
//! - [`Bug::LockLeak`]: the coordinator does not wait until an abort has arrived. Where the account's
//!   leader is lost with it, the new one keeps its lock for ever.

mod account;
mod client;
mod coordinator;
mod directory;
mod events;
mod specifications;
#[cfg(test)]
mod tests;

use actor_core::prelude::*;

pub use account::{Account, AccountState};
pub use client::{Client, ClientState};
pub use coordinator::{Coordinator, CoordinatorState};
pub use directory::Directory;
pub use events::*;
pub use specifications::{
    Answered, AnsweredState, Atomicity, AtomicityState, Effects, EffectsState, the_books_balance,
};

/// A mistake that can be switched on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Bug {
    /// An account applies a decision as often as it is told.
    ApplyTwice,
    /// The coordinator tells its decision before its backup has it.
    DecideBeforeReplicate,
    /// A new coordinator numbers its transactions from 1.
    TransactionIdRestart,
    /// The coordinator does not wait until an abort has arrived.
    LockLeak,
}

/// What there is on each account to begin with.
pub const DEPOSIT: i64 = 2;

/// The nodes of the coordinators.
pub const COORDINATORS: [&str; 2] = ["c1", "c2"];
/// The nodes of the accounts.
pub const ACCOUNTS: [(Side, [&str; 2]); 2] =
    [(Side::Left, ["l1", "l2"]), (Side::Right, ["r1", "r2"])];
/// The node of the directory and the clients, where nothing fails.
pub const OFFICE: &str = "office";

// ANCHOR: set_up
/// Starts the nodes, and two clients with so many transfers each, in opposite directions.
pub fn set_up(sys: &System, transfers: u32, bug: Option<Bug>) {
    sys.monitor::<Answered>();
    sys.monitor::<Atomicity>();
    sys.monitor::<Effects>();
    for name in COORDINATORS {
        sys.node(name, move |node| {
            let coordinator = Coordinator::new(bug);
            node.spawner()
                .name("leader")
                .registered()
                .spawn(coordinator);
        });
    }
    for (side, names) in ACCOUNTS {
        for name in names {
            sys.node(name, move |node| {
                let account = Account::new(side, bug);
                node.spawner().name("leader").registered().spawn(account);
            });
        }
    }
    sys.node(OFFICE, move |node| {
        let clients = [(1, 2), (2, -2)]
            .map(|(client, amount)| node.spawn(Client::new(client, amount, transfers)));
        node.spawn(Directory::new(clients.to_vec()));
    });
    sys.faults().spare(OFFICE);
}
// ANCHOR_END: set_up
