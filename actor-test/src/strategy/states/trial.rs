//! A search of states that is tried: [`Trial`].

use crate::strategy::search::{EXECUTION, SearchBudget};
use crate::strategy::{Choice, Ended, Ending, Gap, SizeEstimate};

/// What a step costs behind which the state is looked at, in steps of an execution.
const STEP: u64 = 4;

/// It may cost so much, and ends where it can't lead to a proof.
#[derive(Debug)]
pub(super) struct Trial {
    limit: SearchBudget,
    executions: u64,
    /// An estimate is asked for when it has cost so much.
    estimated_at: u64,
    is_seeded: bool,
    is_over: bool,
    /// Why, where nothing else tells.
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

    /// Another execution may be run.
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
        // It is as much too high as it may be too low.
        let all = (most as f64 / SizeEstimate::ERROR_FACTOR).max(met as f64);
        let about = (all * self.executions as f64 / met as f64) as u64;
        self.limit
            .exceeds_worth(met, all)
            .then_some(Gap::TooMany { about })
    }

    pub(super) fn chooses(&mut self, choice: Choice) {
        self.is_seeded |= choice == Choice::Seed;
    }

    pub(super) fn ended(&mut self, ended: &Ended) {
        self.executions += 1;
        self.limit.spend(EXECUTION + STEP * ended.steps);
        self.is_over |= self.is_seeded || ended.ending == Ending::Bound;
    }

    /// What it has left out.
    pub(super) fn gap(&self) -> Option<Gap> {
        match self.is_over {
            true => self.why.clone(),
            false => self.limit.gap(),
        }
    }
}
