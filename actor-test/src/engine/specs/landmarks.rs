//! Landmarks: the coverage of one execution, for portfolios that learn and for reports.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use crate::data::interned;
use crate::hash::{mix, text};

/// The maximum number of landmarks that are kept of one execution, and of all executions.
const MET_MAX: usize = 4096;
const KNOWN_MAX: usize = 1 << 17;

/// The combinations of monitor and actor states of an execution, its goals and its labels.
///
/// A combination is the number of actors of each type in each state, and the state of each monitor. A sum of
/// hashes stands for it, so a transition costs two hashes.
#[derive(Debug)]
pub(crate) struct Landmarks {
    combination: u64,
    met: Vec<u64>,
    /// The last combinations, so that moves to and fro do not fill the list.
    recent: [u64; 64],
    goals: Vec<u64>,
    labels: Vec<&'static str>,
    /// A hash of all that monitors and predicates have seen, in order.
    view: u64,
    /// The landmarks that an earlier execution has reported.
    known: BTreeSet<u64>,
}

impl Default for Landmarks {
    fn default() -> Self {
        Self {
            combination: 0,
            met: Vec::new(),
            recent: [0; 64],
            goals: Vec::new(),
            labels: Vec::new(),
            view: 0,
            known: BTreeSet::new(),
        }
    }
}

impl Landmarks {
    pub(crate) fn begin(&mut self) {
        self.combination = 0;
        self.met.clear();
        self.recent = [0; 64];
        self.goals.clear();
        self.labels.clear();
        self.view = 0;
    }

    /// Adds an observation of a monitor or a predicate, at that point of the execution. Observers may
    /// distinguish orders of steps that operations can't.
    #[inline]
    pub(crate) fn observed(&mut self, at: u64) {
        self.view = mix(self.view, at);
    }

    /// Records that an actor, of a type named by a hash, or a monitor has moved from one state to another.
    #[inline]
    pub(crate) fn moved(&mut self, whose: u64, from: u64, to: u64) {
        self.combination = self
            .combination
            .wrapping_sub(mix(whose, from))
            .wrapping_add(mix(whose, to));
        let hash = self.combination;
        let slot = &mut self.recent[(hash & 63) as usize];
        if *slot != hash && self.met.len() < MET_MAX {
            *slot = hash;
            self.met.push(hash);
        }
    }

    /// Records that a `sometimes` predicate was true.
    pub(crate) fn goal(&mut self, name: &str) {
        self.goals.push(text(name));
    }

    /// Records that the program has reached a label.
    pub(crate) fn label(&mut self, label: &'static str) {
        if !self.labels.contains(&label) {
            self.labels.push(label);
        }
    }

    /// Returns the combinations and goals that are new to this engine, and all labels.
    pub(crate) fn report(&mut self) -> LandmarkReport {
        let known = &mut self.known;
        let mut news = |hash: &u64| known.len() < KNOWN_MAX && known.insert(*hash);
        LandmarkReport {
            combinations: self.met.iter().copied().filter(&mut news).collect(),
            goals: self.goals.iter().copied().filter(&mut news).collect(),
            labels: self.labels.clone(),
            view: self.view,
        }
    }
}

/// The reported landmarks of an execution.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct LandmarkReport {
    pub(crate) combinations: Vec<u64>,
    pub(crate) goals: Vec<u64>,
    #[serde(with = "interned")]
    pub(crate) labels: Vec<&'static str>,
    /// A hash of all that monitors and predicates saw, in order, if that was kept.
    pub(crate) view: u64,
}

#[cfg(test)]
mod tests {
    use super::Landmarks;

    /// Two actors leave their first state: each combination is reported once, in whatever order it arises.
    #[test]
    fn a_combination_is_told_once() {
        let mut landmarks = Landmarks::default();
        let mut news = |moved: &[(u64, u64, u64)]| {
            landmarks.begin();
            for (whose, from, to) in moved {
                landmarks.moved(*whose, *from, *to);
            }
            landmarks.report().combinations.len()
        };
        let (one, other) = ((1, 0, 1), (2, 0, 1));
        assert_eq!(news(&[one, other]), 2);
        assert_eq!(news(&[one, other]), 0);
        // New is the combination in which only the other has moved.
        assert_eq!(news(&[other, one]), 1);
        // A move back leads to the first combination again.
        assert_eq!(news(&[one, (1, 1, 0)]), 0);
        assert_eq!(news(&[other, (2, 1, 0)]), 0);
        assert_eq!(news(&[(1, 0, 2)]), 1);
    }
}
