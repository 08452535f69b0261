//! Random descents into the tree of graphs: they estimate the number of behaviours and find shallow bugs
//! early.

use std::sync::Arc;

use super::graph::{ExecutionGraph, Revisit};
use crate::hash::mix;

/// Random descents from the root of the tree of graphs: each step draws one backtrack point of the current
/// graph, and the descent ends at a graph without any.
///
/// One descent estimates the size of the tree: one, plus the number of backtrack points of the root, plus
/// that number times those of the drawn graph, and so on. The mean over all descents is an unbiased estimate
/// (Knuth, Estimating the efficiency of backtrack programs, 1975). A few descents mostly underestimate, since
/// they seldom meet the large parts of a tree.
///
/// Depth-first search reverses late races first, and early races only after all the rest. The descents
/// reverse races anywhere in an execution.
#[derive(Debug, Default)]
pub(super) struct Descents {
    root: Option<(Arc<ExecutionGraph>, Vec<Revisit>)>,
    /// The estimated number of graphs at the depth of the current one.
    width: f64,
    /// The sum of the tree sizes that the descents have estimated.
    sizes: f64,
    done: u32,
    drawn: u64,
}

impl Descents {
    /// The number of descents.
    const COUNT: u32 = 16;

    /// Returns the graph that follows `graph` in a descent, or the root with its backtrack points when all
    /// descents are done.
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
            // The root counts for this descent's size as well.
            self.sizes += 1.0;
            self.width = noted.len() as f64;
            return DescentStep::Graph(next);
        }
        DescentStep::Over(root, noted)
    }

    /// Draws a backtrack point of a graph and returns the graph behind it; `None` if there is no such point.
    fn draw(&mut self, graph: &ExecutionGraph, edits: &[Revisit]) -> Option<ExecutionGraph> {
        let count = edits.len() as u64;
        self.drawn += 1;
        let drawn = mix(self.drawn, 0xde5c).checked_rem(count)?;
        let edit = edits.get(drawn as usize)?;
        Some(graph.edited(*edit))
    }

    /// Returns the estimated number of graphs; `None` before a quarter of the descents is done.
    pub(super) fn size(&self) -> Option<f64> {
        (self.done >= Self::COUNT / 4).then(|| self.sizes / f64::from(self.done))
    }
}

/// The continuation of the descents after a graph.
pub(super) enum DescentStep {
    /// The next graph of the descent.
    Graph(ExecutionGraph),
    /// All descents are done: the root and its backtrack points.
    Over(Arc<ExecutionGraph>, Vec<Revisit>),
}
