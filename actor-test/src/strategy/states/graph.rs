//! The graph of states with pending obligations and the steps between them: [`Graph`].

/// A step: the number of its operation, and the successor state.
///
/// Several steps of one operation from one state are the outcomes of its choices.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct Edge {
    pub(super) operation: u32,
    pub(super) to: u32,
}

/// States, numbered from zero, with all steps from each.
///
/// Steps to other states lead to [`OUTSIDE`]; they matter because they are enabled.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct Graph {
    /// The offset of each state's edges, and the end of the last one's.
    begins: Vec<u32>,
    edges: Vec<Edge>,
    /// True for states in which the obligation is hot; in the others it is warm and was hot before.
    pub(super) is_hot: Vec<bool>,
}

/// The target of steps that leave the graph.
pub(super) const OUTSIDE: u32 = u32::MAX;

impl Graph {
    /// Creates a graph of states with their edges, and true for hot ones.
    pub(super) fn new(states: impl IntoIterator<Item = (Vec<Edge>, bool)>) -> Self {
        let mut graph = Self {
            begins: vec![0],
            ..Self::default()
        };
        for (mut edges, is_hot) in states {
            edges.sort_unstable();
            edges.dedup();
            graph.edges.extend(edges);
            graph.begins.push(graph.edges.len() as u32);
            graph.is_hot.push(is_hot);
        }
        graph
    }

    pub(super) fn len(&self) -> usize {
        self.is_hot.len()
    }

    /// The steps from a state, in the order of operations.
    pub(super) fn edges(&self, state: u32) -> &[Edge] {
        let from = self.begins[state as usize] as usize;
        &self.edges[from..self.begins[state as usize + 1] as usize]
    }

    /// The steps from a state grouped by operation, each group with all outcomes.
    pub(super) fn actions(&self, state: u32) -> impl Iterator<Item = &[Edge]> {
        let edges = self.edges(state);
        edges.chunk_by(|one, other| one.operation == other.operation)
    }
}
