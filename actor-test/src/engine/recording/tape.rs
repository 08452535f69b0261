//! The tape: the decisions of an execution, as they are made and as they compare with a recording.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::hash::mix;
use crate::strategy::{Fairness, FaultDecision};

/// One decision: the choice, and a check of its alternatives.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(crate) struct RecordedDecision {
    /// The position among the enabled operations, or the answer to a choice.
    pub(crate) chosen: u32,
    /// A hash of the question: the number of enabled operations and the operation chosen, or the bound.
    pub(crate) check: u32,
}

/// Returns the choices without the checks.
pub(crate) fn chosen(decisions: &[RecordedDecision]) -> Vec<u32> {
    decisions.iter().map(|decision| decision.chosen).collect()
}

pub(crate) fn checks(decisions: &[RecordedDecision]) -> Vec<u32> {
    decisions.iter().map(|decision| decision.check).collect()
}

/// An observer of decisions before they take effect, which shows how far an execution came that crashes.
pub(crate) trait DecisionObserver: fmt::Debug + Send {
    /// The execution begins, under a strategy of that fairness.
    fn begins(&mut self, fairness: Fairness);

    fn steps(&mut self, step: u64);

    fn decides(&mut self, decision: RecordedDecision);

    /// The last step is over; the values that are left of the execution are dropped next.
    fn ends(&mut self);
}

/// The decisions of one execution.
#[derive(Debug, Default)]
pub(crate) struct Tape {
    taken: Vec<RecordedDecision>,
    /// The step of the last decision.
    at: u64,
    /// True if decisions are compared with expected ones, or logged.
    is_followed: bool,
    expected: Option<Vec<RecordedDecision>>,
    decision_log: Option<Box<dyn DecisionObserver>>,
    /// The step of the first decision that differs from the expected one.
    diverged_at: Option<u64>,
    /// The number of first decisions that are taken once more, and that the log has already.
    retaken: usize,
    /// The number of the search that the execution belongs to, if it does.
    search: Option<usize>,
    /// The search's execution before, which begins with the same decisions.
    before: PreviousExecution,
    /// The step of the first decision with another check than in the execution before, after the same
    /// choices.
    strayed_at: Option<u64>,
}

/// The last execution of a search.
#[derive(Debug, Default)]
struct PreviousExecution {
    search: usize,
    taken: Vec<RecordedDecision>,
    /// True while the current execution takes the same decisions.
    is_same: bool,
}

impl Tape {
    /// Starts an execution. Decisions are compared with `expected` and shown to the log, where given; and
    /// compared with the last execution of the same `search` as long as they are the same.
    pub(crate) fn begin(
        &mut self,
        expected: Option<Vec<RecordedDecision>>,
        decision_log: Option<Box<dyn DecisionObserver>>,
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
        self.is_followed = expected.is_some() || decision_log.is_some();
        self.expected = expected;
        self.decision_log = decision_log;
        self.diverged_at = None;
        self.retaken = 0;
    }

    /// Rewinds the tape for an execution that begins again and takes the same decisions, which are returned.
    pub(crate) fn rewind(&mut self) -> Vec<RecordedDecision> {
        self.retaken = self.taken.len();
        std::mem::take(&mut self.taken)
    }

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

    /// Records a fault after that step: `what` is the fault's number from one, or zero if no more come.
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
        if let Some(decision_log) = &mut self.decision_log {
            decision_log.decides(decision);
        }
    }

    pub(crate) fn decision_log(&mut self) -> Option<&mut Box<dyn DecisionObserver>> {
        self.decision_log.as_mut()
    }

    /// Drops the log at the end of the execution.
    pub(crate) fn end(&mut self) {
        self.decision_log = None;
    }

    pub(crate) fn taken(&self) -> &[RecordedDecision] {
        &self.taken
    }

    /// Returns the step of the first decision with another check than in the execution before, if any.
    pub(crate) fn strayed_at(&self) -> Option<u64> {
        self.strayed_at
    }

    pub(crate) fn diverged_at(&self) -> Option<u64> {
        self.diverged_at
    }
}
