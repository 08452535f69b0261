//! Probabilistic concurrency testing (PCT): random priorities with change points, [`Pct`].

use rand_core::Rng;
use rand_xoshiro::Xoshiro256PlusPlus;

use crate::strategy::changes::{ChangeReader, FEW};
use crate::strategy::per_operation::PerOperation;
use crate::strategy::tree::{Highest, Tree};
use crate::strategy::{
    Choice, Enabled, Execution, Fairness, Needs, Pruned, Strategy, below, generator,
};

/// Runs the enabled operation with the highest priority, and lowers priorities at a few change points (PCT:
/// Burckhardt, Kothari, Musuvathi and Nagarakatte, A Randomized Scheduler with Probabilistic Guarantees of
/// Finding Bugs, ASPLOS 2010).
///
/// Each operation draws a random priority when it is first seen, so a later one is as likely to be on top
/// as at any other rank. A depth of d has d - 1 change points: distinct steps among the first k with an
/// alternative, where k is the [expected number](crate::strategy::Execution::contended_steps), drawn anew in each
/// execution. At a change point the operation on top falls below all that never fell.
///
/// With a [given depth](Self::with_depth), the operations that fell are ordered by levels drawn beforehand.
/// Guarantee: a bug that needs d steps in one order is found with probability at least 1 / (n k^(d-1)) in
/// each execution with n operations and at most k steps with an alternative.
///
/// With [none](Self::new), each execution draws its depth from 2 to 10, since bugs of message programs tend
/// to be deeper than those of threads, and an operation falls below all others. That shows up to twice as
/// many behaviours, but where operations wait for each other, the proof of the bound does not cover it.
///
/// Unfair: the operation on top may starve all others.
#[derive(Debug)]
pub struct Pct {
    depth: Option<u32>,
    /// The change points still ahead, the next one last: the step, counted among those with an alternative,
    /// and the priority to which the operation on top falls.
    changes: Vec<(u64, u64)>,
    /// The priority of each operation: zero before it is drawn, below [`INITIAL`] after a fall.
    priorities: PerOperation<u64>,
    follower: ChangeReader,
    /// The priorities of the enabled operations.
    ranks: Tree<Highest<u64>>,
    contended_steps: u64,
    rng: Xoshiro256PlusPlus,
}

/// The lowest initial priority.
const INITIAL: u64 = 1 << 63;

impl Pct {
    /// The greatest depth.
    pub const DEPTH_MAX: u32 = crate::settings::strategy::DEPTH_MAX;

    /// Draws a depth in each execution.
    pub fn new() -> Self {
        Self {
            depth: None,
            changes: Vec::new(),
            priorities: PerOperation::default(),
            follower: ChangeReader::default(),
            ranks: Tree::default(),
            contended_steps: 0,
            rng: generator(0),
        }
    }

    /// Sets the depth, from 1 to [`DEPTH_MAX`](Self::DEPTH_MAX); other values are clamped. A depth of 1 has
    /// no change points.
    pub fn with_depth(depth: u32) -> Self {
        Self {
            depth: Some(depth.clamp(1, Self::DEPTH_MAX)),
            ..Self::new()
        }
    }

    /// Draws the change points: one at every step, if there are too few steps.
    fn draw_changes(&mut self, execution: &Execution) {
        self.changes.clear();
        let depth = self
            .depth
            .map_or_else(|| 2 + below(&mut self.rng, 9), u64::from);
        let steps = execution.contended_steps().min(u64::from(u32::MAX));
        let count = (depth - 1).min(steps);
        // Floyd's sampling: all sets of `count` distinct steps are equally likely.
        for last in steps - count..steps {
            let drawn = below(&mut self.rng, last + 1);
            let known = self.changes.iter().any(|(step, _)| *step == drawn);
            let step = if known { last } else { drawn };
            self.changes.push((step, 0));
        }
        self.changes
            .sort_unstable_by_key(|(step, _)| std::cmp::Reverse(*step));
        // The next change point is the last of the list, and has the highest level.
        for (level, change) in (1..).zip(&mut self.changes) {
            change.1 = level;
        }
        if self.depth.is_some() {
            self.shuffle_levels();
        }
    }

    fn shuffle_levels(&mut self) {
        for last in (1..self.changes.len()).rev() {
            let other = below(&mut self.rng, last as u64 + 1) as usize;
            let level = self.changes[last].1;
            self.changes[last].1 = std::mem::replace(&mut self.changes[other].1, level);
        }
    }

    /// The position of the enabled operation with the highest priority. New operations draw one.
    #[inline]
    fn top(&mut self, enabled: &Enabled<'_>) -> usize {
        if enabled.len() > FEW {
            return self.top_of_many(enabled);
        }
        self.forget_ranks();
        let (mut top, mut highest) = (0, 0);
        for position in 0..enabled.len() {
            let priority = self.priority(enabled, position);
            if priority > highest {
                (top, highest) = (position, priority);
            }
        }
        top
    }

    fn top_of_many(&mut self, enabled: &Enabled<'_>) -> usize {
        self.ranks.truncate(enabled.len());
        for position in self.follower.observe(enabled) {
            let priority = self.priority(enabled, position);
            self.ranks.set(position, Highest(priority));
        }
        self.ranks.top()
    }

    #[inline]
    fn priority(&mut self, enabled: &Enabled<'_>, position: usize) -> u64 {
        let priority = self.priorities.of(enabled[position].operation);
        if *priority == 0 {
            *priority = INITIAL | self.rng.next_u64();
        }
        *priority
    }

    #[inline]
    fn forget_ranks(&mut self) {
        self.follower.begin();
        self.ranks.clear();
    }
}

impl Default for Pct {
    fn default() -> Self {
        Self::new()
    }
}

impl Strategy for Pct {
    fn name(&self) -> String {
        crate::settings::strategy::StrategySpec::Pct(self.depth).to_string()
    }

    fn needs(&self) -> Needs {
        Needs {
            length: self.depth != Some(1),
            ..Needs::default()
        }
    }

    fn begin(&mut self, execution: &Execution) -> Option<Fairness> {
        self.rng = generator(execution.seed);
        self.priorities.clear();
        self.forget_ranks();
        self.contended_steps = 0;
        self.draw_changes(execution);
        Some(Fairness::Unfair)
    }

    #[inline]
    fn pick(&mut self, enabled: &Enabled<'_>) -> Result<usize, Pruned> {
        if enabled.len() == 1 {
            return Ok(0);
        }
        let mut top = self.top(enabled);
        if let Some((step, level)) = self.changes.last().copied()
            && step == self.contended_steps
        {
            self.changes.pop();
            *self.priorities.of(enabled[top].operation) = level;
            self.ranks.set(top, Highest(level));
            top = self.top(enabled);
        }
        self.contended_steps += 1;
        Ok(top)
    }

    fn choose(&mut self, choice: Choice<'_>) -> Option<u32> {
        Some(below(&mut self.rng, choice.bound()) as u32)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::sync::Arc;

    use super::*;

    fn begin(strategy: &mut Pct, seed: u64, max_steps: u64) {
        strategy.begin(&Execution {
            iteration: 0,
            seed,
            max_steps,
            estimates: Arc::default(),
            length: None,
            faults: crate::data::faults::FaultBudgets::none(),
        });
    }

    #[test]
    fn change_points_are_distinct_and_levels_an_order() {
        for (depth, steps, count) in [(1, 10, 0), (4, 1_000, 3), (10, 9, 9), (10, 5, 5), (3, 0, 0)]
        {
            let mut strategy = Pct::with_depth(depth);
            for seed in 0..100 {
                begin(&mut strategy, seed, steps);
                let (mut points, mut levels): (Vec<_>, Vec<_>) =
                    strategy.changes.iter().copied().unzip();
                assert!(points.iter().all(|point| *point < steps));
                assert!(points.is_sorted_by(|a, b| a > b), "the next is the last");
                points.dedup();
                levels.sort_unstable();
                assert_eq!(points.len(), count);
                assert!(levels.into_iter().eq(1..=count as u64));
            }
        }
    }

    /// Each of the 6 pairs of 4 steps, in each of 2 orders of levels, within five standard errors; a seed
    /// fails with a chance of 7·10^-6.
    #[test]
    fn every_placement_is_equally_likely() {
        let mut counts = BTreeMap::new();
        let mut strategy = Pct::with_depth(3);
        let executions = 12_000;
        for seed in 0..executions {
            begin(&mut strategy, seed, 4);
            *counts.entry(strategy.changes.clone()).or_insert(0) += 1;
        }
        assert_eq!(counts.len(), 12);
        let expected = executions as f64 / 12.0;
        for (placement, count) in counts {
            let deviation = (f64::from(count) - expected).abs();
            assert!(deviation < 5.0 * expected.sqrt(), "{placement:?}: {count}");
        }
    }

    #[test]
    fn no_execution_is_without_change_points() {
        let mut counts = [0; 11];
        let mut strategy = Pct::new();
        for seed in 0..9_000 {
            begin(&mut strategy, seed, 100);
            counts[strategy.changes.len()] += 1;
            let levels = strategy.changes.iter().map(|(_, level)| *level);
            assert!(
                levels.eq(1..=strategy.changes.len() as u64),
                "each below all before"
            );
        }
        assert_eq!((counts[0], counts[10]), (0, 0));
        // Five standard errors of 1 000.
        assert!(
            counts[1..10]
                .iter()
                .all(|count| (850..1_150).contains(count)),
            "{counts:?}"
        );
    }
}
