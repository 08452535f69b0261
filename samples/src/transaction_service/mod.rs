//! Transfers between two accounts, by two-phase commit over replicated participants.
//!
//! The coordinator and both accounts are pairs: a leader, and a backup on another node. The backup gets the
//! leader's durable state before any other actor acts on it. A [`Directory`], on a node that never fails,
//! watches all pairs. When a leader is lost, the directory promotes the backup and notifies the others.
//!
//! A [`Client`] asks for a [`Transfer`]. The leading [`Coordinator`] makes a transaction of it, and asks
//! both accounts to [`Prepare`] it. The coordinator commits if both vote yes, and aborts otherwise. An
//! [`Account`] that has prepared a transaction is locked until it receives the [`Decision`]. A new
//! coordinator aborts an undecided transaction, and sends a decision that was made again.
//!
//! **The bugs it teaches.**
//! - [`Bug::ApplyTwice`]: an account that receives a decision again applies it again.
//! - [`Bug::DecideBeforeReplicate`]: the coordinator sends its decision to the accounts before its
//!   backup has it. If only one account receives the decision, the new coordinator aborts at the other.
//! - [`Bug::TransactionIdRestart`]: a new coordinator numbers its transactions from 1.
//!   The accounts mistake the new transactions for earlier ones with the same numbers.
//! - [`Bug::LockLeak`]: the coordinator does not wait until an abort has arrived. If
//!   the account's leader is lost with the abort, the new leader keeps its lock for ever.

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

/// A bug that a test can switch on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Bug {
    /// An account applies a decision every time that it receives it.
    ApplyTwice,
    /// The coordinator sends its decision before its backup has it.
    DecideBeforeReplicate,
    /// A new coordinator numbers its transactions from 1.
    TransactionIdRestart,
    /// The coordinator does not wait until an abort has arrived.
    LockLeak,
}

/// The initial balance of each account.
pub const DEPOSIT: i64 = 2;

/// The nodes of the coordinators.
pub const COORDINATORS: [&str; 2] = ["c1", "c2"];
/// The nodes of the accounts.
pub const ACCOUNTS: [(Side, [&str; 2]); 2] =
    [(Side::Left, ["l1", "l2"]), (Side::Right, ["r1", "r2"])];
/// The node of the directory and the clients, which never fails.
pub const OFFICE: &str = "office";

// ANCHOR: set_up
/// Starts the nodes, and two clients with this number of transfers each, in opposite directions.
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
