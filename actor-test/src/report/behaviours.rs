//! Counts distinct behaviours in bounded memory, and estimates how many are unseen.

use std::collections::{BTreeMap, VecDeque};

use serde::{Deserialize, Serialize};

use crate::hash::mix;

/// The number of hashes kept before half of them are dropped.
const KEPT_MAX: usize = 1 << 17;

/// The number of a strategy's last executions for its chance of a new behaviour, which falls over time.
const WINDOW: usize = 1000;

/// The number of distinct behaviours seen, and estimates of the unseen ones.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
#[non_exhaustive]
pub struct BehaviourStatistics {
    /// The number of behaviours, exact or estimated.
    pub seen: u64,
    /// True if the number is exact, since no behaviour had to be dropped.
    pub exact: bool,
    /// The estimated chance that the next execution shows a new behaviour (Good and Turing): the share of
    /// executions that showed what no other did. A share of one is no estimate: nothing is known then.
    pub new_chance: f64,
    /// A lower estimate of all behaviours, from those seen once and twice (Chao). The estimate holds on
    /// average, and is low if many behaviours are rare.
    pub at_least: u64,
}

/// Counts distinct behaviours by their hashes.
///
/// The count is exact up to 2^17. Beyond, adaptive sampling (Wegman; Flajolet 1990) keeps only hashes that
/// end in a number of zero bits, each of which stands for several. The kept hashes depend only on the set
/// of all hashes, not on their order.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub(crate) struct BehaviourCounter {
    kept: BTreeMap<u64, SeenBehaviour>,
    level: u32,
    executions: u64,
    recent: BTreeMap<usize, VecDeque<u64>>,
}

/// A behaviour: the strategy and iteration that showed it first, and the number of times it was seen.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
struct SeenBehaviour {
    times: u32,
    iteration: u64,
    strategy: usize,
}

impl BehaviourCounter {
    /// Adds the behaviour of one execution, and returns true if it is new, as far as is known.
    pub(crate) fn add(&mut self, class: u64, iteration: u64, strategy: usize) -> bool {
        self.executions += 1;
        let hash = mix(class, 0x5eed);
        let recent = self.recent.entry(strategy).or_default();
        if recent.len() == WINDOW {
            recent.pop_front();
        }
        recent.push_back(hash);
        let seen = SeenBehaviour {
            times: 1,
            iteration,
            strategy,
        };
        self.insert(hash, seen)
    }

    fn insert(&mut self, hash: u64, seen: SeenBehaviour) -> bool {
        if !self.keeps(hash) {
            return false;
        }
        let Some(known) = self.kept.get_mut(&hash) else {
            self.kept.insert(hash, seen);
            while self.kept.len() > KEPT_MAX {
                self.forget_half(self.level + 1);
            }
            return true;
        };
        known.times = known.times.saturating_add(seen.times);
        if seen.iteration < known.iteration {
            (known.iteration, known.strategy) = (seen.iteration, seen.strategy);
        }
        false
    }

    fn forget_half(&mut self, level: u32) {
        self.level = level;
        self.kept.retain(|hash, _| hash.trailing_zeros() >= level);
    }

    fn keeps(&self, hash: u64) -> bool {
        hash.trailing_zeros() >= self.level
    }

    /// Adds the behaviours of another part of the same search.
    pub(crate) fn merge(&mut self, other: Self) {
        self.executions += other.executions;
        if other.level > self.level {
            self.forget_half(other.level);
        }
        for (hash, seen) in other.kept {
            self.insert(hash, seen);
        }
        for (strategy, recent) in other.recent {
            self.recent.entry(strategy).or_default().extend(recent);
        }
    }

    /// Returns the count of behaviours, and the chance that the next execution shows a new one.
    pub(crate) fn statistics(&self) -> BehaviourStatistics {
        let times = |times: u32| {
            let such = self.kept.values().filter(|seen| seen.times == times);
            (such.count() as u64) << self.level
        };
        let (once, twice) = (times(1), times(2));
        let seen = (self.kept.len() as u64) << self.level;
        // Chao's estimator (1984), in the form that needs no division by zero.
        let unseen = once as f64 * once.saturating_sub(1) as f64 / (2.0 * (twice as f64 + 1.0));
        BehaviourStatistics {
            seen,
            exact: self.level == 0,
            new_chance: match self.executions {
                0 => 1.0,
                executions => (once as f64 / executions as f64).min(1.0),
            },
            at_least: seen.saturating_add(unseen as u64),
        }
    }

    /// Returns the number of behaviours that a strategy was the first to show.
    pub(crate) fn first_seen_by(&self, strategy: usize) -> u64 {
        let such = self.kept.values().filter(|seen| seen.strategy == strategy);
        (such.count() as u64) << self.level
    }

    /// Returns the estimated chance that the next execution of a strategy shows a new behaviour: the share
    /// of its last executions that showed what no other did (Good and Turing, over a window).
    pub(crate) fn new_chance_of(&self, strategy: usize) -> f64 {
        let recent = self.recent.get(&strategy);
        let known = recent
            .into_iter()
            .flatten()
            .filter(|hash| self.keeps(**hash));
        let (mut all, mut once) = (0u32, 0u32);
        for hash in known {
            all += 1;
            once += u32::from(self.kept.get(hash).is_some_and(|seen| seen.times == 1));
        }
        match all {
            0 => 1.0,
            _ => f64::from(once) / f64::from(all),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exact_while_small() {
        let mut behaviours = BehaviourCounter::default();
        assert!(behaviours.add(1, 0, 0));
        assert!(behaviours.add(2, 1, 1));
        assert!(!behaviours.add(1, 2, 1));
        let statistics = behaviours.statistics();
        assert_eq!((statistics.seen, statistics.exact), (2, true));
        assert!((statistics.new_chance - 1.0 / 3.0).abs() < 1e-9);
        assert_eq!(
            (behaviours.first_seen_by(0), behaviours.first_seen_by(1)),
            (1, 1)
        );
        assert_eq!(
            (behaviours.new_chance_of(0), behaviours.new_chance_of(1)),
            (0.0, 0.5)
        );
        assert_eq!(behaviours.new_chance_of(2), 1.0);
    }

    #[test]
    fn estimates_when_large() {
        let mut behaviours = BehaviourCounter::default();
        let many = 3_000_000;
        for class in 0..many {
            behaviours.add(class, class, 0);
        }
        let statistics = behaviours.statistics();
        assert!(!statistics.exact);
        let error = (statistics.seen as f64 / many as f64 - 1.0).abs();
        assert!(error < 0.02, "relative error {error}");
        assert!(behaviours.kept.len() <= KEPT_MAX);
        assert_eq!(behaviours.new_chance_of(0), 1.0);
    }

    /// Chao's estimate of a uniform distribution is close once most behaviours have been seen twice.
    #[test]
    fn the_number_of_behaviours_is_estimated_from_those_seen_once_and_twice() {
        let mut behaviours = BehaviourCounter::default();
        let mut state = 7;
        for iteration in 0..2_000 {
            state = mix(state, iteration);
            behaviours.add(state % 1_000, iteration, 0);
        }
        let BehaviourStatistics { seen, at_least, .. } = behaviours.statistics();
        assert!((800..950).contains(&seen), "{seen}");
        assert!((950..1_050).contains(&at_least), "{at_least}");
    }

    /// Four behaviours seen once and two seen twice: six, and 4 * 3 / (2 * (2 + 1)) = 2 more at least.
    #[test]
    fn the_least_number_is_that_of_chao() {
        let mut behaviours = BehaviourCounter::default();
        for (iteration, class) in [1, 2, 3, 4, 5, 5, 6, 6].into_iter().enumerate() {
            behaviours.add(class, iteration as u64, 0);
        }
        let BehaviourStatistics { seen, at_least, .. } = behaviours.statistics();
        assert_eq!((seen, at_least), (6, 8));
        behaviours.add(6, 8, 0);
        // A behaviour seen three times is not one seen twice: 4 * 3 / (2 * (1 + 1)) = 3.
        assert_eq!(behaviours.statistics().at_least, 9);
    }

    #[test]
    fn parts_merge_to_the_whole() {
        let class = |iteration: u64| mix(iteration, 3) % 400_000;
        let mut whole = BehaviourCounter::default();
        let mut parts = vec![BehaviourCounter::default(); 3];
        for iteration in 0..600_000 {
            whole.add(class(iteration), iteration, (iteration % 2) as usize);
            parts[iteration as usize % 3].add(
                class(iteration),
                iteration,
                (iteration % 2) as usize,
            );
        }
        let mut merged = parts.remove(1);
        parts.into_iter().for_each(|part| merged.merge(part));
        assert_eq!(merged.kept, whole.kept);
        assert_eq!(merged.statistics(), whole.statistics());
        for strategy in 0..2 {
            assert_eq!(
                merged.first_seen_by(strategy),
                whole.first_seen_by(strategy)
            );
        }
    }
}
