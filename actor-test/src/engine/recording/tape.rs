//! Decisions as they are made, and compared with a recording.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::hash::mix;
use crate::strategy::{Fairness, FaultDecision};

/// One decision: what was chosen, and a check of what there was to choose from.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(crate) struct RecordedDecision {
    /// The position among the enabled operations, or the answer to a choice.
    pub(crate) chosen: u32,
    /// A hash of the question: how many were enabled and what the chosen one does, or the bound.
    pub(crate) check: u32,
}

/// What was chosen, without the checks.
pub(crate) fn chosen(decisions: &[RecordedDecision]) -> Vec<u32> {
    decisions.iter().map(|decision| decision.chosen).collect()
}

/// The checks alone.
pub(crate) fn checks(decisions: &[RecordedDecision]) -> Vec<u32> {
    decisions.iter().map(|decision| decision.check).collect()
}

/// Hears of each decision before it has an effect, so that it knows how far an execution came that
/// takes its process down.
pub(crate) trait DecisionObserver: fmt::Debug + Send {
    /// The execution begins, under a strategy that is this fair.
    fn begins(&mut self, fairness: Fairness);

    /// A step begins.
    fn steps(&mut self, step: u64);

    /// A decision was made.
    fn decides(&mut self, decision: RecordedDecision);

    /// The last step is over; what is left of the execution is dropped next.
    fn ends(&mut self);
}

/// The decisions of one execution.
#[derive(Debug, Default)]
pub(crate) struct Tape {
    taken: Vec<RecordedDecision>,
    /// The step of the last decision.
    at: u64,
    /// Decisions are compared, or witnessed.
    is_followed: bool,
    expected: Option<Vec<RecordedDecision>>,
    witness: Option<Box<dyn DecisionObserver>>,
    /// The step of the first decision that differs from what is expected.
    diverged_at: Option<u64>,
    /// So many of the first decisions are known already, since they are taken again.
    retaken: usize,
    /// The search that the execution belongs to, if it does, by number.
    search: Option<usize>,
    /// The execution before of a search, which begins with the same decisions.
    before: PreviousExecution,
    /// The step of the first decision that is another after the same decisions as in that one.
    strayed_at: Option<u64>,
}

/// The last execution of a search.
#[derive(Debug, Default)]
struct PreviousExecution {
    search: usize,
    taken: Vec<RecordedDecision>,
    /// What is taken now is the same until now.
    is_same: bool,
}

impl Tape {
    /// Starts an execution that is compared with `expected` and seen by a witness, where given; and with the
    /// execution before of the same `search`, as long as the same is chosen.
    pub(crate) fn begin(
        &mut self,
        expected: Option<Vec<RecordedDecision>>,
        witness: Option<Box<dyn DecisionObserver>>,
        search: Option<usize>,
    ) {
        if let Some(before) = self.search {
            std::mem::swap(&mut self.before.taken, &mut self.taken);
            self.before.search = before;
        }
        self.before.is_same = search == Some(self.before.search);
        self.search = search;
        self.strayed_at = None;
        self.taken.clear();
        self.at = 0;
        self.is_followed = expected.is_some() || witness.is_some();
        self.expected = expected;
        self.witness = witness;
        self.diverged_at = None;
        self.retaken = 0;
    }

    /// The execution begins again, and will take the decisions that it has taken; these come back.
    pub(crate) fn rewind(&mut self) -> Vec<RecordedDecision> {
        self.retaken = self.taken.len();
        std::mem::take(&mut self.taken)
    }

    /// Adds a decision, which is taken in the given step.
    #[inline]
    pub(crate) fn record(&mut self, decision: RecordedDecision, step: u64) {
        if self.is_followed && self.taken.len() >= self.retaken {
            self.follow(decision, step);
        }
        if self.before.is_same {
            self.compare(decision, step);
        }
        self.at = step;
        self.taken.push(decision);
    }

    /// Adds that a fault strikes after so many steps, the one with that number from one; or, zero, that no
    /// more come.
    pub(crate) fn record_between(&mut self, step: u64, what: u32) {
        let after = u32::try_from(step - self.at).unwrap_or(u32::MAX);
        for chosen in [FaultDecision::MARK, after, what] {
            let check = mix(0xca1a, u64::from(chosen)) as u32;
            self.record(RecordedDecision { chosen, check }, step);
        }
    }

    fn compare(&mut self, decision: RecordedDecision, step: u64) {
        let before = self.before.taken.get(self.taken.len());
        self.before.is_same = before == Some(&decision);
        if before.is_some_and(|before| before.chosen == decision.chosen && *before != decision) {
            self.strayed_at = Some(step);
        }
    }

    #[cold]
    fn follow(&mut self, decision: RecordedDecision, step: u64) {
        if let Some(expected) = &self.expected
            && self.diverged_at.is_none()
            && expected.get(self.taken.len()) != Some(&decision)
        {
            self.diverged_at = Some(step);
        }
        if let Some(witness) = &mut self.witness {
            witness.decides(decision);
        }
    }

    /// Who hears of each decision, if anyone does.
    pub(crate) fn witness(&mut self) -> Option<&mut Box<dyn DecisionObserver>> {
        self.witness.as_mut()
    }

    /// The execution is over; who witnessed it is dropped.
    pub(crate) fn end(&mut self) {
        self.witness = None;
    }

    pub(crate) fn taken(&self) -> &[RecordedDecision] {
        &self.taken
    }

    /// The step of the first decision that is another than it was after the same decisions, if any.
    pub(crate) fn strayed_at(&self) -> Option<u64> {
        self.strayed_at
    }

    /// The step of the first decision that differs from what is expected, if any.
    pub(crate) fn diverged_at(&self) -> Option<u64> {
        self.diverged_at
    }
}
