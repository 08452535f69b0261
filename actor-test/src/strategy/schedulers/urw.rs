//! Uniform random walk over interleavings (URW): [`Urw`].

use std::sync::Arc;

use rand_core::Rng;
use rand_xoshiro::Xoshiro256PlusPlus;

use crate::strategy::changes::{ChangeReader, FEW};
use crate::strategy::per_operation::PerOperation;
use crate::strategy::tree::{Sum, Tree};
use crate::strategy::{
    Choice, Effort, Enabled, Estimates, Execution, Fairness, Needs, Pending, Pruned, Strategy,
    below, generator,
};

/// Picks an operation in proportion to the steps that it has left, so that all interleavings are equally
/// likely (URW: Zhao, Wolff, Mathur and Roychoudhury, Selectively Uniform Concurrency Testing, ASPLOS 2025,
/// section 3.1). In a walk that is uniform over operations, one with many steps almost always ends last.
///
/// The number of steps comes from the [pilots](Estimates::effort). An operation that they did not meet gets
/// the mean of the others, and one that has taken more than expected counts as having half a step left.
///
/// Guarantee: if the numbers are exact and operations stay enabled, all interleavings are equally likely.
///
/// Unfair in name: with long estimates an operation may wait for most of an execution, though not for ever.
#[derive(Debug)]
pub struct Urw {
    estimates: Arc<Estimates>,
    /// The steps that an operation has left; zero before they were looked up.
    left: PerOperation<u64>,
    follower: ChangeReader,
    /// The weights of the enabled operations.
    weights: Tree<Sum>,
    /// The position that was picked last.
    picked: usize,
    unknown: u64,
    rng: Xoshiro256PlusPlus,
}

/// One step, in the units that are added up; integers make sums independent of the order.
pub(super) const UNIT: u64 = 1 << 10;

/// The weight of an operation that should have ended.
pub(super) const OVERDUE: u64 = UNIT / 2;

impl Urw {
    /// Creates the walk.
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
        for position in self.follower.observe(enabled).chain(picked) {
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
            // The value is never zero, so that it is looked up once.
            *left = effort
                .map_or(self.unknown, |effort| units(effort.steps))
                .max(1);
        }
        (*left).max(OVERDUE)
    }
}

/// Converts an expected number of steps to units.
pub(super) fn units(steps: f64) -> u64 {
    (steps * UNIT as f64) as u64
}

/// Draws a number below `bound`, which is above zero.
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

    fn needs(&self) -> Needs {
        Needs {
            estimates: true,
            ..Needs::default()
        }
    }

    fn begin(&mut self, execution: &Execution) -> Option<Fairness> {
        self.rng = generator(execution.seed);
        self.estimates = execution.estimates.clone();
        self.unknown = units(self.estimates.mean_effort(|effort: Effort| effort.steps));
        self.left.clear();
        self.forget_weights();
        self.picked = 0;
        Some(Fairness::Unfair)
    }

    fn pick(&mut self, enabled: &Enabled<'_>) -> Result<usize, Pruned> {
        let picked = if enabled.len() > FEW {
            self.pick_of_many(enabled)
        } else {
            self.pick_of_few(enabled)
        };
        let left = self.left.of(enabled[picked].operation);
        *left = left.saturating_sub(UNIT).max(1);
        self.picked = picked;
        Ok(picked)
    }

    fn choose(&mut self, choice: Choice<'_>) -> Option<u32> {
        Some(below(&mut self.rng, choice.bound()) as u32)
    }
}
