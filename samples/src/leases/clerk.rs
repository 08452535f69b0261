//! A clerk: reads and writes the ledger under a lease.

use std::time::Duration;

use actor_core::prelude::*;
use actor_core::services::{Lease, LeaseTerms, LeasesRef};

use super::{Bug, DEPOSITS, Ledger, Read, TIME_TO_LIVE, Write};

/// The time after which a clerk asks again.
const RETRY: Duration = Duration::from_secs(2);

/// Makes deposits, one after the other.
pub struct Clerk {
    store: LeasesRef,
    ledger: ActorRef<Ledger>,
    bug: Option<Bug>,
}

impl Clerk {
    /// Returns a clerk that asks this store for leases, and writes in this ledger.
    pub fn new(store: LeasesRef, ledger: ActorRef<Ledger>, bug: Option<Bug>) -> Self {
        Self { store, ledger, bug }
    }
}

#[actor]
impl Clerk {
    #[start]
    async fn start(&mut self, cx: &mut Context<Self>) {
        for _ in 0..DEPOSITS {
            while !self.deposit(cx).await {
                cx.sleep(RETRY).await;
            }
        }
    }
}

impl Clerk {
    // ANCHOR: deposit
    /// Makes a deposit under one lease; returns false if it may not have been made.
    async fn deposit(&mut self, cx: &mut Context<Self>) -> bool {
        let terms = LeaseTerms::new(TIME_TO_LIVE);
        let Ok(mut lease) = Lease::acquire(cx, &self.store, "ledger", terms).await else {
            return false;
        };
        let Ok(Ok(balance)) = self.ledger.ask(Read(lease.fence())).await else {
            return false;
        };
        if !lease.is_held(cx) {
            // The balance was read under a lease that has ended.
            if self.bug != Some(Bug::OldWork) {
                return false;
            }
            match Lease::acquire(cx, &self.store, "ledger", terms).await {
                Ok(again) => lease = again,
                Err(_) => return false,
            }
        }
        let written = self.ledger.ask(Write(lease.fence(), balance + 1)).await;
        lease.release();
        written == Ok(Ok(()))
    }
    // ANCHOR_END: deposit
}
