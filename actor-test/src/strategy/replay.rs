//! Running a recorded schedule again.

use super::{Choice, Enabled, Execution, Fairness, Offer, Strategy};

/// A decision that is taken between two steps: that no more faults come.
///
/// It is written down where it was taken alone, as two numbers: a mark that no other decision is, and
/// how many steps came after the decision before. Steps without an alternative are no decisions, and
/// could not be told apart else.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Between {
    pub(crate) after: u32,
}

impl Between {
    /// No position and no answer is this; a seed that were is another.
    pub(crate) const MARK: u32 = 0xfa17_ca1a;

    /// The decision that numbers begin with, if it is one between steps.
    fn read(numbers: &[u32]) -> Option<Self> {
        match numbers {
            [Self::MARK, after, ..] => Some(Self { after: *after }),
            _ => None,
        }
    }
}

/// Takes recorded decisions, one after another. Where they run out, or one names what is not
/// there, it goes on with the first operation or choice; the engine compares each decision with the
/// recording and reports the first that differs.
#[derive(Debug)]
pub struct Replay {
    decisions: Vec<u32>,
    next: usize,
    /// The step in progress.
    step: u64,
    /// The step of the last decision.
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

impl Strategy for Replay {
    fn name(&self) -> String {
        "replay".into()
    }

    fn fairness(&self) -> Fairness {
        self.fairness
    }

    fn begin(&mut self, _: &Execution) -> bool {
        (self.next, self.step, self.at) = (0, 0, 0);
        true
    }

    fn pick(&mut self, enabled: &Enabled<'_>) -> Option<usize> {
        self.step = enabled.step() + 1;
        // What had no alternative was not recorded.
        Some(match enabled.len() {
            1 => 0,
            enabled => self.decide(enabled as u64) as usize,
        })
    }

    fn choose(&mut self, choice: Choice) -> u32 {
        self.decide(choice.bound())
    }

    fn strike(&mut self, offer: &Offer) -> u32 {
        self.decide(u64::from(offer.ways) + 1)
    }

    fn ends_faults(&mut self, enabled: &Enabled<'_>) -> bool {
        let left = self.decisions.get(self.next..).unwrap_or_default();
        let due = |between: Between| self.at + u64::from(between.after) <= enabled.step();
        let is_due = Between::read(left).is_some_and(due);
        if is_due {
            self.next += 2;
            self.at = enabled.step();
        }
        is_due
    }

    fn places_faults(&self) -> bool {
        true
    }
}
