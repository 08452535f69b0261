//! The states in which something is owed, and the steps between them: [`Graph`].

/// A step: the operation that takes it, by a number, and the state to which it leads.
///
/// Several steps of one operation from one state are the outcomes of its choices.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct Edge {
    pub(super) operation: u32,
    pub(super) to: u32,
}

/// Some states, numbered from zero, with all steps from each.
///
/// Steps that lead to none of these states lead to [`OUTSIDE`]; they count where it matters that they can
/// be taken.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct Graph {
    /// Where the edges of each state begin, and where those of the last end.
    begins: Vec<u32>,
    edges: Vec<Edge>,
    /// In which states what is owed is hot: elsewhere it is warm since it was.
    pub(super) is_hot: Vec<bool>,
}

/// A state that is none of the graph's.
pub(super) const OUTSIDE: u32 = u32::MAX;

impl Graph {
    /// The states with their edges, and whether each is hot.
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

    /// The steps from a state, by operation: all outcomes of each.
    pub(super) fn actions(&self, state: u32) -> impl Iterator<Item = &[Edge]> {
        let edges = self.edges(state);
        edges.chunk_by(|one, other| one.operation == other.operation)
    }
}
