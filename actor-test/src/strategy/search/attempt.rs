//! Searches that are tried, at a cost that is known beforehand.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use super::{Behaviours, Dpor, InTurn};
use crate::strategy::{Gap, Strategy};

/// The search that is tried before a test is sampled. It ends where it has cost so many steps, or seems
/// to be about to; what it has cost is told.
pub(crate) fn attempt(steps: u64) -> (Box<dyn Strategy>, Spent) {
    let spent = Spent::default();
    let limit = Limit {
        steps,
        spent: spent.clone(),
    };
    let dpor = Behaviours::new(Dpor::within(limit));
    (Box::new(InTurn::new(dpor)), spent)
}

/// What a search has cost up to now.
#[derive(Clone, Debug, Default)]
pub(crate) struct Spent(Arc<AtomicU64>);

impl Spent {
    /// In steps.
    pub(crate) fn steps(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }
}

/// How much a search may cost.
#[derive(Debug)]
pub(super) struct Limit {
    steps: u64,
    spent: Spent,
}

impl Limit {
    /// An estimate may be too high by so many times.
    const DOUBT: f64 = 8.0;

    pub(super) fn spend(&self, steps: u64) {
        self.spent.0.fetch_add(steps, Ordering::Relaxed);
    }

    /// Why a search is to be broken off, which has looked at so many graphs: it has spent everything, or
    /// there seem to be far more than it can pay for.
    pub(super) fn exceeded(&self, graphs: u64, size: Option<f64>) -> Option<Gap> {
        let (spent, steps) = (self.spent.steps(), self.steps);
        if spent >= steps {
            return Some(Gap::Budget { steps });
        }
        let size = size?;
        let cost = size * spent as f64 / graphs as f64;
        let about = size as u64;
        (cost > Self::DOUBT * steps as f64).then_some(Gap::TooMany { about })
    }
}
