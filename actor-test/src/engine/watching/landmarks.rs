//! What an execution came through, for portfolios that learn and for reports.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use crate::data::interned;
use crate::hash::{mix, text};

/// How many landmarks of one execution are kept, and how many are remembered at all.
const MET_MAX: usize = 4096;
const KNOWN_MAX: usize = 1 << 17;

/// The combinations of monitor and actor states of an execution, the goals it reached and the labels
/// that it came by.
///
/// A combination says how many actors of each type are in each state, and in which state each
/// monitor is. It is kept as a sum of hashes, so a transition costs two.
#[derive(Debug)]
pub(crate) struct Landmarks {
    combination: u64,
    met: Vec<u64>,
    /// Combinations met lately, so that going to and fro does not fill the list.
    recent: [u64; 64],
    goals: Vec<u64>,
    labels: Vec<&'static str>,
    /// What monitors and predicates have seen, in order, as a hash.
    view: u64,
    /// What an earlier execution has told of already.
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
    /// Forgets the execution before.
    pub(crate) fn begin(&mut self) {
        self.combination = 0;
        self.met.clear();
        self.recent = [0; 64];
        self.goals.clear();
        self.labels.clear();
        self.view = 0;
    }

    /// A monitor or a predicate looks, where the execution has come to what the hash says. They may
    /// tell orders of steps apart that nobody else can.
    #[inline]
    pub(crate) fn looked(&mut self, at: u64) {
        self.view = mix(self.view, at);
    }

    /// An actor, of a type named by a hash, or a monitor has gone from one state to another.
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

    /// A predicate that is to be true sometimes was.
    pub(crate) fn goal(&mut self, name: &str) {
        self.goals.push(text(name));
    }

    /// The program came by a label.
    pub(crate) fn label(&mut self, label: &'static str) {
        if !self.labels.contains(&label) {
            self.labels.push(label);
        }
    }

    /// The combinations and goals that no execution of this engine has told of before, and all
    /// labels.
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

/// What an execution came through.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct LandmarkReport {
    pub(crate) combinations: Vec<u64>,
    pub(crate) goals: Vec<u64>,
    #[serde(with = "interned")]
    pub(crate) labels: Vec<&'static str>,
    /// What monitors and predicates saw, in order, as a hash, where that was kept.
    pub(crate) view: u64,
}

#[cfg(test)]
mod tests {
    use super::Landmarks;

    /// Two actors leave their first state: each combination of states is told once, in whatever order
    /// the execution has come to it.
    #[test]
    fn a_combination_is_told_once() {
        let mut landmarks = Landmarks::default();
        let mut told = |moved: &[(u64, u64, u64)]| {
            landmarks.begin();
            for (whose, from, to) in moved {
                landmarks.moved(*whose, *from, *to);
            }
            landmarks.report().combinations.len()
        };
        let (one, other) = ((1, 0, 1), (2, 0, 1));
        assert_eq!(told(&[one, other]), 2);
        assert_eq!(told(&[one, other]), 0);
        // What only the other has left is new; that both have is not.
        assert_eq!(told(&[other, one]), 1);
        // Back again, it is where it began.
        assert_eq!(told(&[one, (1, 1, 0)]), 0);
        assert_eq!(told(&[other, (2, 1, 0)]), 0);
        assert_eq!(told(&[(1, 0, 2)]), 1);
    }
}
