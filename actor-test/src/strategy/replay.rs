//! Replay of a recorded schedule: [`Replay`].

use super::{Choice, Enabled, Execution, Fairness, Needs, Pruned, Strategy};
use crate::data::faults::Fault;

/// A decision between two steps: a fault strikes, or faults are over.
///
/// Such a decision is recorded only when it is made, as three numbers: a mark that no other decision
/// equals, the number of steps since the previous decision, and the fault. The number of steps is needed
/// since steps without an alternative are not recorded.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct FaultDecision {
    pub(crate) after: u32,
    /// The number of the fault among the possible ones, from one; zero if no more faults come.
    pub(crate) what: u32,
}

impl FaultDecision {
    /// The mark: no position and no answer equals it, and a seed that would is replaced by another.
    pub(crate) const MARK: u32 = 0xfa17_ca1a;

    /// Reads the decision at the beginning of `numbers`, if it is one between steps.
    fn read(numbers: &[u32]) -> Option<Self> {
        match numbers {
            [Self::MARK, after, what, ..] => Some(Self {
                after: *after,
                what: *what,
            }),
            _ => None,
        }
    }
}

/// Takes recorded decisions one after another. Behind the last one, and for a decision that isn't possible,
/// the first operation or answer is taken; the engine reports the first decision that differs from the
/// recording.
#[derive(Debug)]
pub struct Replay {
    decisions: Vec<u32>,
    next: usize,
    /// The number of the step in progress.
    step: u64,
    /// The number of the step with the last decision.
    at: u64,
    fairness: Fairness,
}

impl Replay {
    /// Replays `decisions` under the fairness of the strategy that made them.
    pub fn new(decisions: Vec<u32>, fairness: Fairness) -> Self {
        Self {
            decisions,
            next: 0,
            step: 0,
            at: 0,
            fairness,
        }
    }

    fn decide(&mut self, bound: u64) -> u32 {
        let decision = self.decisions.get(self.next).copied().unwrap_or(0);
        self.next += 1;
        self.at = self.step;
        if u64::from(decision) < bound {
            decision
        } else {
            0
        }
    }
}

impl Replay {
    /// The decision between two steps that is due.
    fn due(&self, enabled: &Enabled<'_>) -> Option<FaultDecision> {
        let left = self.decisions.get(self.next..).unwrap_or_default();
        let is_due = |between: &FaultDecision| self.at + u64::from(between.after) <= enabled.step();
        FaultDecision::read(left).filter(is_due)
    }

    /// Consumes that decision, and returns it as the answer to the choice.
    fn fault_between(&mut self, enabled: &Enabled<'_>, faults: &[Fault]) -> Option<u32> {
        let FaultDecision { what, .. } = self.due(enabled)?;
        self.next += 3;
        self.at = enabled.step();
        if what == 0 {
            return Some(Choice::END_FAULTS);
        }
        // A fault is a step as well, in which choices may be asked for.
        self.step = enabled.step() + 1;
        (what as usize <= faults.len()).then_some(what)
    }
}

impl Strategy for Replay {
    fn name(&self) -> String {
        "replay".into()
    }

    fn needs(&self) -> Needs {
        Needs::all_choices()
    }

    fn begin(&mut self, _: &Execution) -> Option<Fairness> {
        (self.next, self.step, self.at) = (0, 0, 0);
        Some(self.fairness)
    }

    fn pick(&mut self, enabled: &Enabled<'_>) -> Result<usize, Pruned> {
        self.step = enabled.step() + 1;
        // A pick without an alternative was not recorded.
        Ok(match enabled.len() {
            1 => 0,
            enabled => self.decide(enabled as u64) as usize,
        })
    }

    fn choose(&mut self, choice: Choice<'_>) -> Option<u32> {
        match choice {
            Choice::FaultBetween(enabled, faults) => self.fault_between(enabled, faults),
            _ => Some(self.decide(choice.bound())),
        }
    }
}
