//! How many graphs there seem to be, by what is noted in those that were looked at.

use serde::{Deserialize, Serialize};

/// For each depth in the tree of graphs, how many were looked at there, and how much was noted in them.
///
/// What is left seems as large as if from each graph on as many went on as did in the mean from those at
/// its depth. It is not known how that differs from one part of the tree to another: a search that is depth
/// first has seen most of it where it began.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(super) struct DepthEstimate(Vec<[u64; 2]>);

impl DepthEstimate {
    /// A graph was looked at, and so much noted in it.
    pub(super) fn count(&mut self, depth: u32, noted: usize) {
        let depth = depth as usize;
        if self.0.len() <= depth {
            self.0.resize(depth + 1, [0, 0]);
        }
        self.0[depth][0] += 1;
        self.0[depth][1] += noted as u64;
    }

    /// Takes over what somebody else has counted.
    pub(super) fn add(&mut self, other: &Self) {
        let len = self.0.len().max(other.0.len());
        self.0.resize(len, [0, 0]);
        for (own, other) in self.0.iter_mut().zip(&other.0) {
            own[0] += other[0];
            own[1] += other[1];
        }
    }

    /// How many graphs seem to be left, where something is noted at these depths.
    pub(super) fn left(&self, noted: impl Iterator<Item = u32>) -> f64 {
        let mut sizes = vec![1.0; self.0.len() + 1];
        for (depth, [graphs, noted]) in self.0.iter().enumerate().rev() {
            let mean = *noted as f64 / (*graphs).max(1) as f64;
            sizes[depth] = 1.0 + mean * sizes[depth + 1];
        }
        let size = |depth: u32| sizes.get(depth as usize).copied().unwrap_or(1.0);
        noted.map(size).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// In a tree where all graphs of a depth are alike, it is exact from the first of each depth on.
    #[test]
    fn what_is_left_of_a_regular_tree_is_known() {
        let mut levels = DepthEstimate::default();
        levels.count(0, 3);
        levels.count(1, 2);
        levels.count(2, 0);
        // Of 1 + 3 + 6, three were looked at: one more is left below the second, and two of the second kind.
        assert_eq!(levels.left([2, 1, 1].into_iter()), 7.0);
        let mut others = DepthEstimate::default();
        others.count(2, 2);
        levels.add(&others);
        assert_eq!(levels.left([2].into_iter()), 2.0);
        assert_eq!(levels.left([7].into_iter()), 1.0);
    }
}
