//! The budget of a search in steps of executions, [`SearchBudget`].

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::data::coverage_claim::Gap;

/// The costs of an execution, of each of its steps, and of a label, in steps of a plain execution.
pub(in crate::strategy) const EXECUTION: u64 = 20;
pub(super) const STEP: u64 = 2;
pub(super) const LABEL: u64 = 2;

/// The factor by which the estimated cost of a search may be too high.
const ESTIMATE_ERROR_FACTOR: u64 = 8;

/// The budget of a search in steps of executions, and the steps spent so far.
#[derive(Clone, Debug)]
pub(crate) struct SearchBudget {
    /// The search is given up when its estimated cost exceeds [`ESTIMATE_ERROR_FACTOR`] times this many steps.
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

    /// A budget of [`ESTIMATE_ERROR_FACTOR`] times `steps`, for a search that is worth `steps`.
    pub(crate) fn with_error_factor(steps: u64) -> Self {
        Self {
            worth: steps,
            ..Self::of(steps.saturating_mul(ESTIMATE_ERROR_FACTOR))
        }
    }

    /// An unlimited budget.
    pub(crate) fn none() -> Self {
        Self::of(u64::MAX)
    }

    /// Sets the number of steps that the search may have spent by now.
    pub(crate) fn allow(&self, steps: u64) {
        self.now.allowed.store(steps, Ordering::Relaxed);
    }

    pub(crate) fn spent(&self) -> u64 {
        self.now.spent.load(Ordering::Relaxed)
    }

    pub(in crate::strategy) fn spend(&self, steps: u64) {
        self.now.spent.fetch_add(steps, Ordering::Relaxed);
    }

    /// True if the search has spent all steps allowed so far.
    pub(crate) fn is_reached(&self) -> bool {
        self.spent() >= self.now.allowed.load(Ordering::Relaxed)
    }

    /// Returns the gap that the exhausted budget leaves in the coverage, or `None` if steps are left.
    pub(in crate::strategy) fn gap(&self) -> Option<Gap> {
        let steps = self.now.allowed.load(Ordering::Relaxed);
        self.is_reached().then_some(Gap::Budget { steps })
    }

    /// True if the extrapolated cost far exceeds the worth, given `done` of an estimated `all` work items.
    pub(in crate::strategy) fn exceeds_worth(&self, done: u64, all: f64) -> bool {
        let cost = all * self.spent() as f64 / done as f64;
        cost > ESTIMATE_ERROR_FACTOR as f64 * self.worth as f64
    }

    /// True if a search without an estimate of its size has spent half of its budget.
    pub(in crate::strategy) fn is_half_spent(&self) -> bool {
        self.spent() > self.most / 2
    }
}
