//! Estimate of the number of remaining graphs, from the number of backtrack points at each depth.

use serde::{Deserialize, Serialize};

/// The number of explored graphs, and of their backtrack points, at each depth of the tree of graphs.
///
/// The estimate assumes that each remaining subtree has the mean size of those at its depth. The error is
/// unknown: a depth-first search has mostly seen the part of the tree in which it began.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(super) struct DepthEstimate(Vec<[u64; 2]>);

impl DepthEstimate {
    /// Counts an explored graph and its backtrack points.
    pub(super) fn count(&mut self, depth: u32, noted: usize) {
        let depth = depth as usize;
        if self.0.len() <= depth {
            self.0.resize(depth + 1, [0, 0]);
        }
        self.0[depth][0] += 1;
        self.0[depth][1] += noted as u64;
    }

    pub(super) fn add(&mut self, other: &Self) {
        let len = self.0.len().max(other.0.len());
        self.0.resize(len, [0, 0]);
        for (own, other) in self.0.iter_mut().zip(&other.0) {
            own[0] += other[0];
            own[1] += other[1];
        }
    }

    /// Estimates the number of remaining graphs, given the depth of each remaining backtrack point.
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

    /// In a tree whose graphs of one depth are equal, one graph per depth makes the estimate exact.
    #[test]
    fn what_is_left_of_a_regular_tree_is_known() {
        let mut levels = DepthEstimate::default();
        levels.count(0, 3);
        levels.count(1, 2);
        levels.count(2, 0);
        // Of 1 + 3 + 6 graphs three were explored: one leaf remains at depth 2, and two subtrees of three at
        // depth 1.
        assert_eq!(levels.left([2, 1, 1].into_iter()), 7.0);
        let mut others = DepthEstimate::default();
        others.count(2, 2);
        levels.add(&others);
        assert_eq!(levels.left([2].into_iter()), 2.0);
        assert_eq!(levels.left([7].into_iter()), 1.0);
    }
}
