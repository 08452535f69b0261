//! Fair cycles: maximal end components in which an obligation can stay pending for ever, [`region`].
//!
//! A *region* is a set of states, with all outcomes of some operations' steps in each of them, such that
//! all states are reachable from each other and no outcome leaves the set. An execution that takes no other
//! steps stays there whatever is chosen, and visits all of the region again and again, almost surely. (A
//! region is a maximal end component of the graph, with choices as chances; without choices, a strongly
//! connected component.) A [`Demand`] on fairness decides if a schedule may neglect the other steps.

use super::components::Components;
use super::graph::{Edge, Graph, OUTSIDE};
use crate::data::bug::Demand;

/// States in which a schedule can stay, and the steps that it takes there.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct EndComponent {
    /// The states in rising order.
    pub(super) states: Vec<u32>,
    /// The operations that take steps in each state, in rising order.
    pub(super) operations: Vec<Vec<u32>>,
}

/// A maximal region in which a schedule that satisfies the demand can stay for ever and visit a hot state
/// again and again; of several ones, that with the least state.
pub(super) fn region(graph: &Graph, demand: Demand) -> Option<EndComponent> {
    let mut work = Work {
        graph,
        demand,
        allowed: allowed(graph),
        components: Components::new(graph.len()),
        is_among: vec![false; graph.len()],
        found: Vec::new(),
    };
    let all: Vec<u32> = (0..graph.len() as u32).collect();
    work.decompose(all);
    work.found.into_iter().min_by_key(|region| region.states[0])
}

/// For each state, true for each of its actions that may be taken in a region.
fn allowed(graph: &Graph) -> Vec<Vec<bool>> {
    let states = 0..graph.len() as u32;
    let stays = |state| {
        let actions = graph.actions(state);
        actions
            .map(|outcomes| outcomes.iter().all(|edge| edge.to != OUTSIDE))
            .collect()
    };
    states.map(stays).collect()
}

struct Work<'a> {
    graph: &'a Graph,
    demand: Demand,
    allowed: Vec<Vec<bool>>,
    components: Components,
    /// True for the states that are being decomposed.
    is_among: Vec<bool>,
    found: Vec<EndComponent>,
}

impl Work<'_> {
    /// Finds the regions within these states in which the demand can be satisfied.
    fn decompose(&mut self, states: Vec<u32>) {
        let mut work = vec![states];
        while let Some(states) = work.pop() {
            for mut component in self.components(&states) {
                component.sort_unstable();
                let leads_out = self.forbid_ways_out(&component);
                let is_whole = component.len() == states.len() && !leads_out;
                let kept = self.with_steps(&component);
                if !is_whole || kept.len() < component.len() {
                    work.extend(Some(kept).filter(|kept| !kept.is_empty()));
                } else {
                    work.extend(self.judge(component));
                }
            }
        }
    }

    fn components(&mut self, states: &[u32]) -> Vec<Vec<u32>> {
        let mut components = std::mem::replace(&mut self.components, Components::new(0));
        for state in states {
            self.is_among[*state as usize] = true;
        }
        let found = components.find(self.graph, states, |state, edge| {
            edge.to != OUTSIDE
                && self.is_among[edge.to as usize]
                && self.is_allowed(state, edge.operation)
        });
        for state in states {
            self.is_among[*state as usize] = false;
        }
        self.components = components;
        found
    }

    fn is_allowed(&self, state: u32, operation: u32) -> bool {
        let mut actions = self.graph.actions(state);
        let at = actions.position(|outcomes| outcomes[0].operation == operation);
        at.is_some_and(|at| self.allowed[state as usize][at])
    }

    /// Forbids the actions that may lead out of the component; returns true if there were any.
    fn forbid_ways_out(&mut self, component: &[u32]) -> bool {
        let mut any = false;
        for state in component {
            for (at, outcomes) in self.graph.actions(*state).enumerate() {
                let leads_out = |edge: &Edge| component.binary_search(&edge.to).is_err();
                let is_allowed = &mut self.allowed[*state as usize][at];
                if *is_allowed && outcomes.iter().any(leads_out) {
                    *is_allowed = false;
                    any = true;
                }
            }
        }
        any
    }

    /// The states that still have an allowed action.
    fn with_steps(&self, states: &[u32]) -> Vec<u32> {
        let takes = |state: &u32| self.allowed[*state as usize].contains(&true);
        states.iter().copied().filter(takes).collect()
    }

    /// The operations that take steps in a state of the region.
    fn taken(&self, state: u32) -> Vec<u32> {
        let actions = self.graph.actions(state).enumerate();
        let taken = actions.filter(|(at, _)| self.allowed[state as usize][*at]);
        taken.map(|(_, outcomes)| outcomes[0].operation).collect()
    }

    /// Keeps a region if it satisfies the demand; else returns the states that remain to be decomposed.
    fn judge(&mut self, states: Vec<u32>) -> Option<Vec<u32>> {
        if !states
            .iter()
            .any(|state| self.graph.is_hot[*state as usize])
        {
            return None;
        }
        let operations: Vec<Vec<u32>> = states.iter().map(|state| self.taken(*state)).collect();
        let mut steps: Vec<u32> = operations.iter().flatten().copied().collect();
        steps.sort_unstable();
        steps.dedup();
        let neglected = |state: u32| {
            let actions = self.graph.actions(state);
            let enabled = actions.map(|outcomes| outcomes[0].operation);
            let neglected = enabled.filter(|operation| steps.binary_search(operation).is_err());
            neglected.collect::<Vec<u32>>()
        };
        let is_kept = match self.demand {
            Demand::Nothing => true,
            // No operation without steps here may be enabled in all states.
            Demand::Weak => {
                let mut always = neglected(states[0]);
                for state in &states[1..] {
                    let here = neglected(*state);
                    always.retain(|operation| here.binary_search(operation).is_ok());
                }
                always.is_empty()
            }
            Demand::Strong => {
                let kept = |state: &u32| neglected(*state).is_empty();
                let left: Vec<u32> = states.iter().copied().filter(kept).collect();
                if left.len() < states.len() {
                    return (!left.is_empty()).then(|| {
                        self.forbid_ways_out(&left);
                        self.with_steps(&left)
                    });
                }
                true
            }
            Demand::Random => states
                .iter()
                .all(|state| neglected(*state).is_empty() && self.keeps_all(*state)),
        };
        if is_kept {
            self.found.push(EndComponent { states, operations });
        }
        None
    }

    /// True if every enabled step stays in the region.
    fn keeps_all(&self, state: u32) -> bool {
        !self.allowed[state as usize].contains(&false)
    }
}

#[cfg(test)]
mod tests {
    use super::super::graph::{Edge, Graph, OUTSIDE};
    use super::*;
    use crate::hash::mix;

    /// Searches for a set of actions to which a schedule can keep for ever, by trying all sets of actions.
    fn by_force(graph: &Graph, demand: Demand) -> bool {
        let actions: Vec<(u32, Vec<Edge>)> = (0..graph.len() as u32)
            .flat_map(|state| {
                graph
                    .actions(state)
                    .map(move |edges| (state, edges.to_vec()))
            })
            .collect();
        assert!(actions.len() <= 16, "there are too many");
        (1..1_u32 << actions.len()).any(|set| {
            let taken: Vec<&(u32, Vec<Edge>)> = (0..actions.len())
                .filter(|at| set >> at & 1 == 1)
                .map(|at| &actions[at])
                .collect();
            goes_on(graph, &taken) && keeps(graph, &taken, demand)
        })
    }

    /// True if the states of these actions reach each other, no action leaves them, and one is hot.
    fn goes_on(graph: &Graph, taken: &[&(u32, Vec<Edge>)]) -> bool {
        let is_there = |state: u32| taken.iter().any(|(from, _)| *from == state);
        if !taken.iter().any(|(state, _)| graph.is_hot[*state as usize])
            || taken
                .iter()
                .any(|(_, edges)| edges.iter().any(|edge| !is_there(edge.to)))
        {
            return false;
        }
        taken.iter().all(|(first, _)| {
            let mut reached = vec![*first];
            let mut at = 0;
            while at < reached.len() {
                let here = reached[at];
                let from = taken.iter().filter(|(state, _)| *state == here);
                for edge in from.flat_map(|(_, edges)| edges) {
                    if !reached.contains(&edge.to) {
                        reached.push(edge.to);
                    }
                }
                at += 1;
            }
            taken.iter().all(|(state, _)| reached.contains(state))
        })
    }

    fn keeps(graph: &Graph, taken: &[&(u32, Vec<Edge>)], demand: Demand) -> bool {
        let states: Vec<u32> = taken.iter().map(|(state, _)| *state).collect();
        let is_enabled = |operation: u32, state: &u32| {
            graph
                .edges(*state)
                .iter()
                .any(|edge| edge.operation == operation)
        };
        let steps = |operation: u32| {
            taken
                .iter()
                .any(|(_, edges)| edges[0].operation == operation)
        };
        let all_taken = || {
            states.iter().all(|state| {
                let of = taken.iter().filter(|(from, _)| from == state);
                of.count() == graph.actions(*state).count()
            })
        };
        (0..4).all(|operation| {
            steps(operation)
                || match demand {
                    Demand::Nothing | Demand::Random => true,
                    Demand::Weak => !states.iter().all(|state| is_enabled(operation, state)),
                    Demand::Strong => !states.iter().any(|state| is_enabled(operation, state)),
                }
        }) && (demand != Demand::Random || all_taken())
    }

    fn random(number: u64) -> Graph {
        let mut rolled = number;
        let mut roll = |sides: u64| {
            rolled = mix(rolled, 0x5eed);
            rolled % sides
        };
        let states = 2 + roll(5);
        let mut actions = 0;
        let state = |_| {
            let mut edges = Vec::new();
            for operation in 0..1 + roll(3) as u32 {
                let operation = (operation + roll(2) as u32) % 4;
                if actions >= 11 {
                    break;
                }
                actions += 1;
                for _ in 0..1 + roll(5) / 4 {
                    let to = match roll(states + 1) {
                        out if out == states => OUTSIDE,
                        to => to as u32,
                    };
                    edges.push(Edge { operation, to });
                }
            }
            (edges, roll(3) > 0)
        };
        let states: Vec<(Vec<Edge>, bool)> = (0..states).map(state).collect();
        Graph::new(states)
    }

    /// Checks every demand on random graphs.
    #[test]
    fn regions_are_found_where_there_are_any() {
        let mut found = [0; 4];
        for number in 0..1_500 {
            let graph = random(number);
            for (at, demand) in Demand::ALL.into_iter().enumerate() {
                let region = region(&graph, demand);
                let there_is = by_force(&graph, demand);
                assert_eq!(
                    region.is_some(),
                    there_is,
                    "{number}, {demand:?}: {graph:?}"
                );
                found[at] += u32::from(there_is);
            }
        }
        // A stronger demand has fewer regions.
        assert!(
            found[0] > found[1] && found[1] > found[2] && found[2] > found[3],
            "{found:?}"
        );
        assert!(found[3] > 100, "{found:?}");
    }
}
