//! The uniform random walk over interleavings.

use std::sync::Arc;

use rand_core::Rng;
use rand_xoshiro::Xoshiro256PlusPlus;

use super::changes::{ChangeReader, FEW};
use super::per_operation::PerOperation;
use super::tree::{Sum, Tree};
use super::{
    Choice, Effort, Enabled, Estimates, Execution, Fairness, Pending, Strategy, below, generator,
};

/// Picks an operation in proportion to how many steps it still has, so that no interleaving is
/// likelier than another (URW: Zhao, Wolff, Mathur and Roychoudhury, Selectively Uniform Concurrency
/// Testing, ASPLOS 2025, section 3.1). Under a walk that is uniform over operations, one with many
/// steps hardly ever ends last.
///
/// How many steps an operation has is [what pilots showed](Estimates::effort); one that they did not
/// meet gets the mean of the others, and one that has taken more than that counts as if half a step
/// were left.
///
/// Guarantee: where the numbers are exact and all operations are enabled until they end, each
/// interleaving has the same probability.
///
/// Unfair in name: with long estimates an operation may wait for most of an execution, though not
/// for ever.
#[derive(Debug)]
pub struct Urw {
    estimates: Arc<Estimates>,
    /// The steps that an operation has left; zero where that is not looked up yet.
    left: PerOperation<u64>,
    follower: ChangeReader,
    /// What the enabled operations count for.
    weights: Tree<Sum>,
    /// The position picked last.
    picked: usize,
    unknown: u64,
    rng: Xoshiro256PlusPlus,
}

/// One step, in the numbers that are added up; in whole numbers, the order of additions does not
/// matter.
pub(super) const UNIT: u64 = 1 << 10;

/// What an operation counts for that should have ended.
pub(super) const OVERDUE: u64 = UNIT / 2;

impl Urw {
    /// The walk.
    pub fn new() -> Self {
        Self {
            estimates: Arc::default(),
            left: PerOperation::default(),
            follower: ChangeReader::default(),
            weights: Tree::default(),
            picked: 0,
            unknown: UNIT,
            rng: generator(0),
        }
    }

    #[inline]
    fn pick_of_few(&mut self, enabled: &Enabled<'_>) -> usize {
        self.forget_weights();
        let mut total = 0;
        for pending in enabled.iter() {
            total += self.weight(enabled, pending);
        }
        let mut drawn = below_any(&mut self.rng, total);
        for (index, pending) in enabled.iter().enumerate() {
            let weight = (*self.left.of(pending.operation)).max(OVERDUE);
            if drawn < weight {
                return index;
            }
            drawn -= weight;
        }
        0
    }

    fn pick_of_many(&mut self, enabled: &Enabled<'_>) -> usize {
        self.weights.truncate(enabled.len());
        let picked = (self.picked < enabled.len()).then_some(self.picked);
        for position in self.follower.look(enabled).chain(picked) {
            let weight = self.weight(enabled, &enabled[position]);
            self.weights.set(position, Sum(weight));
        }
        let Sum(total) = self.weights.root();
        self.weights
            .find(below_any(&mut self.rng, total), |weight| *weight)
    }

    #[inline]
    fn forget_weights(&mut self) {
        self.follower.begin();
        self.weights.clear();
    }

    #[inline]
    fn weight(&mut self, enabled: &Enabled<'_>, pending: &Pending) -> u64 {
        let left = self.left.of(pending.operation);
        if *left == 0 {
            let effort = self.estimates.effort(enabled.path(pending.operation));
            // Never zero, so that it is looked up once.
            *left = effort
                .map_or(self.unknown, |effort| units(effort.steps))
                .max(1);
        }
        (*left).max(OVERDUE)
    }
}

/// An expected number of steps in units.
pub(super) fn units(steps: f64) -> u64 {
    (steps * UNIT as f64) as u64
}

/// A number below `bound`, which is above zero.
#[inline]
pub(super) fn below_any(rng: &mut impl Rng, bound: u64) -> u64 {
    ((u128::from(rng.next_u64()) * u128::from(bound)) >> 64) as u64
}

impl Default for Urw {
    fn default() -> Self {
        Self::new()
    }
}

impl Strategy for Urw {
    fn name(&self) -> String {
        "urw".into()
    }

    fn fairness(&self) -> Fairness {
        Fairness::Unfair
    }

    fn begin(&mut self, execution: &Execution) -> bool {
        self.rng = generator(execution.seed);
        self.estimates = execution.estimates.clone();
        self.unknown = units(self.estimates.mean_effort(|effort: Effort| effort.steps));
        self.left.clear();
        self.forget_weights();
        self.picked = 0;
        true
    }

    fn pick(&mut self, enabled: &Enabled<'_>) -> Option<usize> {
        let picked = if enabled.len() > FEW {
            self.pick_of_many(enabled)
        } else {
            self.pick_of_few(enabled)
        };
        let left = self.left.of(enabled[picked].operation);
        *left = left.saturating_sub(UNIT).max(1);
        self.picked = picked;
        Some(picked)
    }

    fn choose(&mut self, choice: Choice) -> u32 {
        below(&mut self.rng, choice.bound()) as u32
    }

    fn needs_estimates(&self) -> bool {
        true
    }
}
