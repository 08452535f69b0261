//! A trial of a state search, within a budget and as long as a proof seems possible: [`Trial`].

use crate::data::coverage_claim::Gap;
use crate::data::extent::SizeEstimate;
use crate::strategy::search::{EXECUTION, SearchBudget};
use crate::strategy::{Choice, Ended, Ending};

/// The price of a step with a fingerprint of the state, in steps of a plain execution.
const STEP: u64 = 4;

/// The budget of a trial, and its reasons to end early.
#[derive(Debug)]
pub(super) struct Trial {
    limit: SearchBudget,
    executions: u64,
    /// The price at which the next estimate is made.
    estimated_at: u64,
    is_seeded: bool,
    is_over: bool,
    /// The reason why the trial ended, if the executions don't show it.
    why: Option<Gap>,
}

impl Trial {
    pub(super) fn new(limit: SearchBudget) -> Self {
        Self {
            limit,
            executions: 0,
            estimated_at: EXECUTION,
            is_seeded: false,
            is_over: false,
            why: None,
        }
    }

    pub(super) fn limit(&self) -> &SearchBudget {
        &self.limit
    }

    /// True if another execution may be run.
    pub(super) fn goes_on(&mut self, extent: impl FnOnce() -> Option<SizeEstimate>) -> bool {
        let spent = self.limit.spent();
        if spent >= self.estimated_at {
            self.estimated_at = spent.saturating_mul(2);
            if let Some(extent) = extent() {
                self.why = self.hopeless(extent);
                self.is_over |= self.why.is_some();
            }
        }
        !self.is_over && !self.limit.is_reached()
    }

    fn hopeless(&self, extent: SizeEstimate) -> Option<Gap> {
        let SizeEstimate { met, most, .. } = extent;
        let Some(most) = most else {
            return self
                .limit
                .is_half_spent()
                .then_some(Gap::NoEnd { states: met });
        };
        // Removes the factor of doubt, which the upper estimate includes.
        let all = (most as f64 / SizeEstimate::ERROR_FACTOR).max(met as f64);
        let about = (all * self.executions as f64 / met as f64) as u64;
        self.limit
            .exceeds_worth(met, all)
            .then_some(Gap::TooMany { about })
    }

    pub(super) fn chooses(&mut self, choice: Choice<'_>) {
        self.is_seeded |= matches!(choice, Choice::Seed);
    }

    pub(super) fn ended(&mut self, ended: &Ended) {
        self.executions += 1;
        self.limit.spend(EXECUTION + STEP * ended.steps);
        self.is_over |= self.is_seeded || ended.ending == Ending::Bound;
    }

    /// The gap that the trial leaves.
    pub(super) fn gap(&self) -> Option<Gap> {
        match self.is_over {
            true => self.why.clone(),
            false => self.limit.gap(),
        }
    }
}
