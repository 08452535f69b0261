//! The cycle path of a fair cycle: a path through a region that satisfies the demand and returns, [`cycle_path`].

use std::collections::{BTreeMap, VecDeque};

use super::cycles::EndComponent;
use super::graph::{Edge, Graph};
use crate::data::bug::Demand;

/// A step of the cycle path.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct CycleStep {
    pub(super) from: u32,
    pub(super) edge: Edge,
}

/// A cycle path from the first state of the region, through a hot state. Each part is the shortest path to
/// a step that the demand still wants; the last part returns to the start.
pub(super) fn cycle_path(graph: &Graph, region: &EndComponent, demand: Demand) -> Vec<CycleStep> {
    let start = region.states[0];
    let mut runner = CyclePathBuilder {
        graph,
        region,
        is_weak: demand == Demand::Weak,
        is_hot: graph.is_hot[start as usize],
        wanted: match demand {
            Demand::Nothing => Vec::new(),
            Demand::Weak => enabled(graph, start),
            Demand::Strong | Demand::Random => {
                let mut all: Vec<u32> = region.operations.iter().flatten().copied().collect();
                all.sort_unstable();
                all.dedup();
                all
            }
        },
        at: start,
        legs: Vec::new(),
    };
    while !runner.wanted.is_empty() || !runner.is_hot {
        if !runner.go(|runner, leg| runner.serves(leg)) {
            break;
        }
    }
    if runner.at != start || runner.legs.is_empty() {
        runner.go(|_, leg| leg.edge.to == start);
    }
    runner.legs
}

fn enabled(graph: &Graph, state: u32) -> Vec<u32> {
    let actions = graph.actions(state);
    actions.map(|outcomes| outcomes[0].operation).collect()
}

struct CyclePathBuilder<'a> {
    graph: &'a Graph,
    region: &'a EndComponent,
    is_weak: bool,
    /// Set once the path has visited a hot state.
    is_hot: bool,
    /// The operations that still have to take a step, or to be disabled in some state.
    wanted: Vec<u32>,
    at: u32,
    legs: Vec<CycleStep>,
}

impl CyclePathBuilder<'_> {
    /// True if the step contributes to the demand.
    fn serves(&self, leg: &CycleStep) -> bool {
        let to = leg.edge.to;
        let is_off = |operation: &u32| self.is_weak && !enabled(self.graph, to).contains(operation);
        self.wanted.contains(&leg.edge.operation)
            || self.wanted.iter().any(is_off)
            || !self.is_hot && self.graph.is_hot[to as usize]
    }

    /// The steps of the region from a state.
    fn legs_from(&self, state: u32) -> Vec<CycleStep> {
        let Ok(at) = self.region.states.binary_search(&state) else {
            return Vec::new();
        };
        let taken = &self.region.operations[at];
        let edges = self.graph.edges(state).iter();
        let kept = edges.filter(|edge| taken.binary_search(&edge.operation).is_ok());
        kept.map(|edge| CycleStep {
            from: state,
            edge: *edge,
        })
        .collect()
    }

    /// Takes a shortest path to a step that satisfies the predicate; `false` if there is none.
    fn go(&mut self, is_one: impl Fn(&Self, &CycleStep) -> bool) -> bool {
        let mut came_by: BTreeMap<u32, CycleStep> = BTreeMap::new();
        let mut queue = VecDeque::from([self.at]);
        while let Some(state) = queue.pop_front() {
            for leg in self.legs_from(state) {
                if is_one(self, &leg) {
                    let mut path = vec![leg];
                    let mut at = state;
                    while at != self.at {
                        let leg = came_by[&at];
                        path.push(leg);
                        at = leg.from;
                    }
                    path.iter().rev().for_each(|leg| self.take(*leg));
                    return true;
                }
                if leg.edge.to != self.at && !came_by.contains_key(&leg.edge.to) {
                    came_by.insert(leg.edge.to, leg);
                    queue.push_back(leg.edge.to);
                }
            }
        }
        false
    }

    fn take(&mut self, leg: CycleStep) {
        self.at = leg.edge.to;
        self.is_hot |= self.graph.is_hot[self.at as usize];
        let here = enabled(self.graph, self.at);
        let is_weak = self.is_weak;
        self.wanted.retain(|operation| {
            *operation != leg.edge.operation && (!is_weak || here.contains(operation))
        });
        self.legs.push(leg);
    }
}
