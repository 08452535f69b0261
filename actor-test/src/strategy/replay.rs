//! Running a recorded schedule again.

use super::{Choice, Enabled, Execution, Fairness, Strategy};

/// Takes recorded decisions, one after another. Where they run out, or one names what is not
/// there, it goes on with the first operation or choice; the engine compares each decision with the
/// recording and reports the first that differs.
#[derive(Debug)]
pub struct Replay {
    decisions: Vec<u32>,
    next: usize,
    fairness: Fairness,
}

impl Replay {
    /// Replays `decisions` under the fairness of the strategy that made them.
    pub fn new(decisions: Vec<u32>, fairness: Fairness) -> Self {
        Self {
            decisions,
            next: 0,
            fairness,
        }
    }

    fn decide(&mut self, bound: u64) -> u32 {
        let decision = self.decisions.get(self.next).copied().unwrap_or(0);
        self.next += 1;
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
        self.next = 0;
        true
    }

    fn pick(&mut self, enabled: &Enabled<'_>) -> Option<usize> {
        // What had no alternative was not recorded.
        Some(match enabled.len() {
            1 => 0,
            enabled => self.decide(enabled as u64) as usize,
        })
    }

    fn choose(&mut self, choice: Choice) -> u32 {
        self.decide(choice.bound())
    }
}
