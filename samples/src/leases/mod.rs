//! Leases: clerks on two nodes make deposits in one ledger, and at most one cashier is on duty.
//!
//! Each [`Clerk`] takes the lease of the [`Ledger`], reads the balance, writes one that is larger by one, and
//! gives the lease back. The ledger keeps the largest [fence](actor_core::services::Fence) that it has seen,
//! and refuses work with a smaller one. The [`Cashier`] is a
//! [`Singleton`]: it has no ledger that could refuse its work.
//!
//! **The bugs it teaches.** A lease ends while its holder is paused, or while a message is on its way, and the
//! holder does not know. With [`Bug::NoFence`], the ledger accepts whatever arrives. With
//! [`Bug::FenceOfWrites`], a read does not show its fence, so an earlier holder may still write after it. With
//! [`Bug::OldWork`], a clerk whose lease has ended takes a new one and finishes the old work under its fence.
//! Without a margin for the drift of clocks, two cashiers are on duty at once.

mod clerk;
mod ledger;
#[cfg(test)]
mod tests;

use std::time::Duration;

use actor_core::prelude::*;
use actor_core::services::{LeaseStore, LeaseTerms, LeasesRef, Singleton};

pub use clerk::Clerk;
pub use ledger::{Ledger, Read, Stale, Write};

/// The time to live of a lease.
pub const TIME_TO_LIVE: Duration = Duration::from_secs(10);

/// The number of deposits of each clerk.
pub const DEPOSITS: u32 = 2;

/// A bug that a test can switch on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Bug {
    /// The ledger does not look at fences.
    NoFence,
    /// The ledger looks at the fences of writes only.
    FenceOfWrites,
    /// A clerk goes on with work that it began under an earlier lease.
    OldWork,
}

/// Starts the store of leases, on a node of its own.
fn start_store(sys: &System) {
    sys.node("store", |node| {
        let store = LeaseStore::new(TIME_TO_LIVE);
        node.spawner().name("leases").registered().spawn(store);
    });
}

/// Returns a reference to the store, which survives a restart of its node.
fn store_of(node: &System) -> LeasesRef {
    node.at::<LeaseStore>("store/leases").into()
}

/// Starts the store of leases, the ledger, and two clerks, each on a node of its own.
pub fn set_up(sys: &System, bug: Option<Bug>) {
    start_store(sys);
    sys.node("ledger", move |node| {
        let ledger = node.spawner().name("ledger").registered();
        ledger.spawn(Ledger::new(bug));
    });
    for name in ["n1", "n2"] {
        sys.node(name, move |node| {
            let ledger = node.at::<Ledger>("ledger/ledger");
            node.spawn(Clerk::new(store_of(node), ledger, bug));
        });
    }
}

/// Works while it is on duty. At most one may be, since nobody refuses its work.
#[derive(Debug)]
pub struct Cashier;

#[actor]
impl Cashier {}

/// Starts the store of leases and two nodes that compete for the cashier, with these terms.
pub fn set_up_cashiers(sys: &System, terms: LeaseTerms) {
    start_store(sys);
    for name in ["n1", "n2"] {
        sys.node(name, move |node| {
            Singleton::new(node, &store_of(node), "cashier", terms, |_| Cashier);
        });
    }
}
