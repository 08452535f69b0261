//! Random descents, which come first: they tell how much there is, and where bugs are that need little.

use std::sync::Arc;

use super::graph::{ExecutionGraph, Revisit};
use crate::hash::mix;

/// Descents into the tree of graphs, each from its root: of what was noted in a graph one is drawn, until
/// a graph has nothing noted.
///
/// A descent tells how large the tree seems: one graph, as many as were noted in it, so many times as
/// many as were noted in the one that was drawn, and so on. The mean of that over all descents is the
/// size of the tree (Knuth, Estimating the efficiency of backtrack programs, 1975); of a few it is often
/// less, since the large parts of a tree are seldom met.
///
/// A search that is depth first turns what comes late in an execution round first, and what comes first
/// last, after all the rest. The descents turn round anything.
#[derive(Debug, Default)]
pub(super) struct Descents {
    root: Option<(Arc<ExecutionGraph>, Vec<Revisit>)>,
    /// How many graphs there seem to be that are as deep as the current one.
    width: f64,
    /// The sizes of the tree that all descents have told together.
    sizes: f64,
    done: u32,
    drawn: u64,
}

impl Descents {
    /// How many there are.
    const COUNT: u32 = 16;

    /// The graph after this one, in which these were noted; or the root with what was noted in it, when
    /// all descents are done.
    pub(super) fn next(&mut self, graph: ExecutionGraph, edits: Vec<Revisit>) -> DescentStep {
        if self.width == 0.0 {
            self.width = 1.0;
        }
        self.sizes += self.width;
        self.width *= edits.len() as f64;
        let graph = Arc::new(graph);
        if let Some(next) = self.draw(&graph, &edits) {
            self.root.get_or_insert((graph, edits));
            return DescentStep::Graph(next);
        }
        let (root, noted) = self.root.get_or_insert((graph, edits)).clone();
        self.done += 1;
        if self.done < Self::COUNT
            && let Some(next) = self.draw(&root, &noted)
        {
            // The root is a part of this descent's size as well.
            self.sizes += 1.0;
            self.width = noted.len() as f64;
            return DescentStep::Graph(next);
        }
        DescentStep::Over(root, noted)
    }

    /// One of the graphs that were noted in this one.
    fn draw(&mut self, graph: &ExecutionGraph, edits: &[Revisit]) -> Option<ExecutionGraph> {
        let count = edits.len() as u64;
        self.drawn += 1;
        let drawn = mix(self.drawn, 0xde5c).checked_rem(count)?;
        let edit = edits.get(drawn as usize)?;
        Some(graph.edited(*edit))
    }

    /// How many graphs there seem to be; `None` before some descents are done.
    pub(super) fn size(&self) -> Option<f64> {
        (self.done >= Self::COUNT / 4).then(|| self.sizes / f64::from(self.done))
    }
}

/// What comes after a graph.
pub(super) enum DescentStep {
    /// This one.
    Graph(ExecutionGraph),
    /// The descents are done, and this is their root.
    Over(Arc<ExecutionGraph>, Vec<Revisit>),
}
