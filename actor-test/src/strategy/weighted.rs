//! The weighted random walk.

use rand_xoshiro::Xoshiro256PlusPlus;

use super::{Choice, Enabled, Execution, Fairness, StepKind, Strategy, below, generator};

/// Picks at random by weights of step kinds (MaceMC, section 4.3): unbiased walks take unlikely
/// paths, such as a timer that fires seven times running before a message arrives.
///
/// Fair, since every weight is positive.
#[derive(Debug)]
pub struct Weighted {
    weights: Weights,
    largest: u64,
    rng: Xoshiro256PlusPlus,
}

/// The weight of each kind of step; at least one each, and best within a factor of 100, since the
/// rarer kind is drawn and rejected that often where nothing else is enabled.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Weights {
    /// Starting, handling, flushing and resuming. Default 8.
    pub work: u32,
    /// A timer that fires. Default 1.
    pub timer: u32,
}

impl Default for Weights {
    fn default() -> Self {
        Self { work: 8, timer: 1 }
    }
}

impl Weighted {
    /// A walk with the given weights; a weight of zero counts as one.
    pub fn new(weights: Weights) -> Self {
        let weights = Weights {
            work: weights.work.max(1),
            timer: weights.timer.max(1),
        };
        Self {
            weights,
            largest: u64::from(weights.work.max(weights.timer)),
            rng: generator(0),
        }
    }

    fn weight(&self, kind: StepKind) -> u64 {
        u64::from(match kind {
            StepKind::Timer => self.weights.timer,
            _ => self.weights.work,
        })
    }
}

impl Strategy for Weighted {
    fn name(&self) -> String {
        let Weights { work, timer } = self.weights;
        if self.weights == Weights::default() {
            "weighted".into()
        } else {
            format!("weighted:{work}/{timer}")
        }
    }

    fn fairness(&self) -> Fairness {
        Fairness::Fair
    }

    fn begin(&mut self, execution: &Execution) -> bool {
        self.rng = generator(execution.seed);
        true
    }

    fn pick(&mut self, enabled: &Enabled<'_>) -> Option<usize> {
        // By rejection, so that a step costs the same however many operations are enabled: one drawn
        // uniformly is taken with its share of the largest weight.
        loop {
            let index = below(&mut self.rng, enabled.len() as u64) as usize;
            let weight = self.weight(enabled[index].kind);
            if weight == self.largest || below(&mut self.rng, self.largest) < weight {
                return Some(index);
            }
        }
    }

    fn choose(&mut self, choice: Choice) -> u32 {
        below(&mut self.rng, choice.bound()) as u32
    }
}
