//! The ledger: a balance that is read and written under a lease.

use actor_core::prelude::*;
use actor_core::services::Fence;
use serde::{Deserialize, Serialize};

use super::Bug;

/// Asks for the balance, as the holder with this fence.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Read(pub Fence);

/// Sets the balance, as the holder with this fence.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Write(pub Fence, pub u64);

/// The fence is older than one that the ledger has seen.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Stale;

/// Keeps the balance, and the largest fence that it has seen.
#[derive(Debug)]
pub struct Ledger {
    balance: u64,
    fence: Fence,
    bug: Option<Bug>,
}

impl Ledger {
    /// Returns a ledger without deposits.
    pub fn new(bug: Option<Bug>) -> Self {
        Self {
            balance: 0,
            fence: Fence::default(),
            bug,
        }
    }

    // ANCHOR: fence
    fn check(&mut self, fence: Fence) -> Result<(), Stale> {
        if fence < self.fence && self.bug != Some(Bug::NoFence) {
            return Err(Stale);
        }
        self.fence = fence;
        Ok(())
    }
    // ANCHOR_END: fence
}

// ANCHOR: ledger
#[actor(remote)]
impl Ledger {
    #[on]
    fn read(&mut self, Read(fence): Read) -> Result<u64, Stale> {
        if self.bug != Some(Bug::FenceOfWrites) {
            self.check(fence)?;
        }
        Ok(self.balance)
    }

    #[on]
    fn write(&mut self, Write(fence, balance): Write) -> Result<(), Stale> {
        self.check(fence)?;
        assert_eq!(balance, self.balance + 1, "a deposit is lost");
        self.balance = balance;
        Ok(())
    }
}
// ANCHOR_END: ledger
