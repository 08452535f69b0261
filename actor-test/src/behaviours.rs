//! How many different behaviours were seen, in bounded memory.

use std::collections::BTreeMap;

use crate::hash::mix;
use crate::report::BehaviourStatistics;

/// How many behaviours are kept before every other one is forgotten.
const KEPT_MAX: usize = 1 << 18;

/// Counts different behaviours by their hashes.
///
/// Up to 2^18 it is exact. Beyond, adaptive sampling (Wegman; Flajolet 1990): only hashes that end
/// in so many zero bits are kept, and each stands for the others. What is kept depends on the set of
/// hashes alone, not on their order.
#[derive(Debug, Default)]
pub(crate) struct Behaviours {
    kept: BTreeMap<u64, u32>,
    level: u32,
    executions: u64,
}

impl Behaviours {
    /// Adds the behaviour of one execution; tells whether it is new, as far as is known.
    pub(crate) fn add(&mut self, class: u64) -> bool {
        self.executions += 1;
        let hash = mix(class, 0x5eed);
        if !self.keeps(hash) {
            return false;
        }
        let times = self.kept.entry(hash).or_insert(0);
        *times = times.saturating_add(1);
        let is_new = *times == 1;
        while self.kept.len() > KEPT_MAX {
            self.level += 1;
            let level = self.level;
            self.kept.retain(|hash, _| hash.trailing_zeros() >= level);
        }
        is_new
    }

    fn keeps(&self, hash: u64) -> bool {
        hash.trailing_zeros() >= self.level
    }

    /// How many, and how likely the next execution shows a new one.
    pub(crate) fn statistics(&self) -> BehaviourStatistics {
        let once = self.kept.values().filter(|times| **times == 1).count() as u64;
        let seen_once = once << self.level;
        BehaviourStatistics {
            seen: (self.kept.len() as u64) << self.level,
            exact: self.level == 0,
            new_chance: if self.executions == 0 {
                1.0
            } else {
                (seen_once as f64 / self.executions as f64).min(1.0)
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exact_while_small() {
        let mut behaviours = Behaviours::default();
        assert!(behaviours.add(1));
        assert!(behaviours.add(2));
        assert!(!behaviours.add(1));
        let statistics = behaviours.statistics();
        assert_eq!((statistics.seen, statistics.exact), (2, true));
        assert!((statistics.new_chance - 1.0 / 3.0).abs() < 1e-9);
    }

    #[test]
    fn estimates_when_large() {
        let mut behaviours = Behaviours::default();
        let many = 3_000_000;
        for class in 0..many {
            behaviours.add(class);
        }
        let statistics = behaviours.statistics();
        assert!(!statistics.exact);
        let error = (statistics.seen as f64 / many as f64 - 1.0).abs();
        assert!(error < 0.02, "relative error {error}");
        assert!(behaviours.kept.len() <= KEPT_MAX);
    }
}
