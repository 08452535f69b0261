//! Searches that are tried: at a cost that is known beforehand, and as long as they may lead to a proof.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use super::{BehaviourSearch, Dpor, SearchStrategy};
use crate::strategy::{Gap, States, Strategy, StrategySpec};

/// How many times as large as a search is worth its estimate may be: it may be as much too high.
const ESTIMATE_ERROR_FACTOR: u64 = 8;

/// A search that is tried. It has nothing left to run where it has cost what it may; where it may cost
/// more, it goes on. It ends where it seems to need far more than it is worth, and where it can't lead to
/// a proof any more: at an execution that is cut off, or that asks for a seed.
pub(crate) fn budgeted_search(spec: &StrategySpec, limit: &SearchBudget) -> Box<dyn Strategy> {
    match spec {
        StrategySpec::Dpor(None) => {
            let dpor = BehaviourSearch::new(Dpor::within(limit.clone()));
            Box::new(SearchStrategy::new(dpor))
        }
        StrategySpec::States(None) => Box::new(States::depth_first().within(limit.clone())),
        other => unreachable!("`{other}` is not tried"),
    }
}

/// How much a search may cost, in steps of executions, and what it has cost up to now.
#[derive(Clone, Debug)]
pub(crate) struct SearchBudget {
    /// It is given up where it seems to need [many times](DOUBT) as much.
    worth: u64,
    most: u64,
    now: Arc<Now>,
}

#[derive(Debug)]
struct Now {
    allowed: AtomicU64,
    spent: AtomicU64,
}

impl SearchBudget {
    /// As much as it is worth, and no more.
    pub(crate) fn of(steps: u64) -> Self {
        Self {
            worth: steps,
            most: steps,
            now: Arc::new(Now {
                allowed: AtomicU64::new(steps),
                spent: AtomicU64::new(0),
            }),
        }
    }

    /// As much as it seems to need, where that is not far more than it is worth.
    pub(crate) fn with_doubt(steps: u64) -> Self {
        Self {
            worth: steps,
            ..Self::of(steps.saturating_mul(ESTIMATE_ERROR_FACTOR))
        }
    }

    /// Whatever it needs.
    pub(crate) fn none() -> Self {
        Self::of(u64::MAX)
    }

    /// It may have cost so much by now.
    pub(crate) fn allow(&self, steps: u64) {
        self.now.allowed.store(steps, Ordering::Relaxed);
    }

    /// What it has cost.
    pub(crate) fn spent(&self) -> u64 {
        self.now.spent.load(Ordering::Relaxed)
    }

    pub(in crate::strategy) fn spend(&self, steps: u64) {
        self.now.spent.fetch_add(steps, Ordering::Relaxed);
    }

    /// It has cost what it may cost by now.
    pub(crate) fn is_reached(&self) -> bool {
        self.spent() >= self.now.allowed.load(Ordering::Relaxed)
    }

    /// What comes after it, where it is reached.
    pub(in crate::strategy) fn gap(&self) -> Option<Gap> {
        let steps = self.now.allowed.load(Ordering::Relaxed);
        self.is_reached().then_some(Gap::Budget { steps })
    }

    /// A search seems to need far more than it is worth, which has done so much of what seems to be all.
    pub(in crate::strategy) fn exceeds_worth(&self, done: u64, all: f64) -> bool {
        let cost = all * self.spent() as f64 / done as f64;
        cost > ESTIMATE_ERROR_FACTOR as f64 * self.worth as f64
    }

    /// The same, where the search knows of no end.
    pub(in crate::strategy) fn is_half_spent(&self) -> bool {
        self.spent() > self.most / 2
    }
}
