//! Strongly connected components, by Tarjan's algorithm without recursion: [`Components`].

use super::graph::{Edge, Graph};

/// The index of a state that was not visited.
const NONE: u32 = u32::MAX;

/// Finds components, and reuses its memory.
pub(super) struct Components {
    index: Vec<u32>,
    low: Vec<u32>,
    is_stacked: Vec<bool>,
    stack: Vec<u32>,
    next: u32,
    found: Vec<Vec<u32>>,
}

/// A state on the path of the depth-first search.
struct OpenState {
    state: u32,
    /// The number of its edges that were followed.
    followed: usize,
}

impl Components {
    pub(super) fn new(states: usize) -> Self {
        Self {
            index: vec![NONE; states],
            low: vec![0; states],
            is_stacked: vec![false; states],
            stack: Vec::new(),
            next: 0,
            found: Vec::new(),
        }
    }

    /// The components of some states, each as a list of states. Only edges for which `is_kept` holds are
    /// followed; these must lead to others of the states.
    pub(super) fn find(
        &mut self,
        graph: &Graph,
        states: &[u32],
        is_kept: impl Fn(u32, &Edge) -> bool,
    ) -> Vec<Vec<u32>> {
        let mut path: Vec<OpenState> = Vec::new();
        for first in states {
            if self.index[*first as usize] == NONE {
                path.push(self.open(*first));
            }
            while let Some(top) = path.last_mut() {
                let state = top.state;
                let Some(edge) = graph.edges(state).get(top.followed) else {
                    path.pop();
                    self.close(state, path.last().map(|below| below.state));
                    continue;
                };
                top.followed += 1;
                if !is_kept(state, edge) {
                    continue;
                }
                if self.index[edge.to as usize] == NONE {
                    path.push(self.open(edge.to));
                } else if self.is_stacked[edge.to as usize] {
                    self.lower(state, self.index[edge.to as usize]);
                }
            }
        }
        for state in states {
            self.index[*state as usize] = NONE;
        }
        self.next = 0;
        std::mem::take(&mut self.found)
    }

    fn open(&mut self, state: u32) -> OpenState {
        self.index[state as usize] = self.next;
        self.low[state as usize] = self.next;
        self.next += 1;
        self.stack.push(state);
        self.is_stacked[state as usize] = true;
        OpenState { state, followed: 0 }
    }

    fn lower(&mut self, state: u32, to: u32) {
        let low = &mut self.low[state as usize];
        *low = (*low).min(to);
    }

    /// Closes a state after all its edges, and completes the component of which it is the root.
    fn close(&mut self, state: u32, below: Option<u32>) {
        let low = self.low[state as usize];
        if let Some(below) = below {
            self.lower(below, low);
        }
        if low != self.index[state as usize] {
            return;
        }
        let from = self.stack.iter().rposition(|stacked| *stacked == state);
        let component = self.stack.split_off(from.unwrap_or_default());
        for state in &component {
            self.is_stacked[*state as usize] = false;
        }
        self.found.push(component);
    }
}
