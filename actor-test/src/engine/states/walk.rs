//! A search of the states of a [`Region`], breadth first and without running them: [`ReachabilitySearch`].

use crate::engine::states::region::{NONE, Reachability, Region};
use crate::engine::world::marks::operation_name;
use crate::hash::mix;
use crate::number_table::HashIndex;

/// The maximum number of states in a region.
pub(super) const STATES_MAX: usize = 100_000;

/// The maximum number of numbers in all states together.
const NUMBERS_MAX: usize = 1 << 22;

pub(super) struct ReachabilitySearch<'a> {
    region: &'a Region,
    /// The number of times that a step must have been taken.
    taken: u8,
    /// For each operation that takes part, the node of its step.
    begin: Vec<Option<u32>>,
    /// The states one after the other: the number of the rest, then that of each operation that takes part.
    states: Vec<u32>,
    /// The numbers of states by hash.
    known: HashIndex,
    /// The edges between states, each as target and source, if they are needed.
    edges: Vec<(u32, u32)>,
    keeps_edges: bool,
    pub(super) visited: u64,
    next: Vec<u32>,
}

impl<'a> ReachabilitySearch<'a> {
    pub(super) fn new(region: &'a Region, taken: u8) -> Self {
        let now = region.columns.iter();
        let now = now.map(|operation| region.at[*operation as usize]);
        let states: Vec<u32> = [region.rest].into_iter().chain(now).collect();
        let parts = states.iter().enumerate();
        let hash = parts.fold(0, |hash: u64, (column, number)| {
            hash.wrapping_add(hash_of(column, *number))
        });
        let mut known = HashIndex::default();
        known.enter(hash);
        let begin = |operation: &u32| region.known_step(operation_name(*operation));
        Self {
            region,
            taken,
            next: states.clone(),
            states,
            known,
            begin: region.columns.iter().map(begin).collect(),
            edges: Vec::new(),
            keeps_edges: region.rests.iter().any(|rest| !rest.is_hot),
            visited: 0,
        }
    }

    fn width(&self) -> usize {
        self.next.len()
    }

    pub(super) fn run(&mut self, patient: bool, steps_max: u64) -> Reachability {
        let mut from = 0;
        while from < self.known.len() {
            let has_steps = match self.expand(from, patient) {
                Some(has_steps) => has_steps,
                None => return Reachability::Open,
            };
            let too_many = self.known.len() > STATES_MAX || self.states.len() > NUMBERS_MAX;
            if !has_steps || too_many || self.visited > steps_max {
                return Reachability::Unknown;
            }
            from += 1;
        }
        if self.all_lead_to_heat() {
            Reachability::Closed(self.known.len() as u64)
        } else {
            Reachability::Unknown
        }
    }

    /// Takes every step of a state; returns true if there are any, and `None` if one is unknown.
    fn expand(&mut self, state: usize, patient: bool) -> Option<bool> {
        let region = self.region;
        let begin = state * self.width();
        let mut has_steps = false;
        for (column, operation) in region.columns.iter().enumerate() {
            let part = self.states[begin + 1 + column];
            if region.parts[part as usize].is_enabled {
                has_steps = true;
                self.take(state, *operation, self.begin[column]?)?;
            }
        }
        if patient && has_steps {
            return Some(true);
        }
        let rest = &region.rests[self.states[begin] as usize];
        for step in rest.steps.as_ref()? {
            has_steps = true;
            self.take(state, step.of, region.known_step(step.name)?)?;
        }
        Some(has_steps)
    }

    /// Takes the step of an operation, whose node is `begin_at`.
    fn take(&mut self, state: usize, of: u32, begin_at: u32) -> Option<()> {
        self.visited += 1;
        let region = self.region;
        let begin = state * self.width();
        let from = &self.states[begin..begin + self.width()];
        let column_of = |operation: u32| {
            let column = region.column_of.get(operation as usize).copied();
            column.filter(|column| *column != NONE)
        };
        let number_of = |operation: u32| match column_of(operation) {
            Some(column) => Some(from[1 + column as usize]),
            None => region.at.get(operation as usize).copied(),
        };
        let node = region.known_branch(begin_at, number_of(of).unwrap_or(NONE))?;
        let mut node = region.known_branch(node, from[0])?;
        let others = region.list(region.nodes[node as usize].others?);
        for other in others {
            node = region.known_branch(node, number_of(*other)?)?;
        }
        let outcome = region.nodes[node as usize].outcome.as_ref()?;
        if outcome.taken < self.taken {
            return None;
        }
        let mut hash = self.known.keys()[state];
        self.next.clear();
        self.next.extend_from_slice(from);
        let mut set = |column: usize, number: u32| {
            let before = std::mem::replace(&mut self.next[column], number);
            hash = hash
                .wrapping_sub(hash_of(column, before))
                .wrapping_add(hash_of(column, number));
        };
        set(0, outcome.rest);
        let taker = (of != NONE).then_some(of);
        let operations = taker.iter().chain(others);
        for (operation, number) in operations.zip(region.list(outcome.parts)) {
            set(1 + column_of(*operation)? as usize, *number);
        }
        self.reach(state, hash);
        Some(())
    }

    /// Records that the next state is reachable from a state.
    fn reach(&mut self, from: usize, hash: u64) {
        let (width, states, next) = (self.width(), &self.states, &self.next);
        let (to, is_new) = self.known.enter_if(hash, |other| {
            let begin = other as usize * width;
            states[begin..begin + width] == **next
        });
        if is_new {
            self.states.extend_from_slice(&self.next);
        }
        if self.keeps_edges {
            self.edges.push((to, from as u32));
        }
    }

    /// Returns true if a hot state is reachable from each state.
    fn all_lead_to_heat(&mut self) -> bool {
        if !self.keeps_edges {
            return true;
        }
        self.edges.sort_unstable();
        let width = self.width();
        let is_hot = |state: usize| self.region.rests[self.states[state * width] as usize].is_hot;
        let mut leads: Vec<bool> = (0..self.known.len()).map(is_hot).collect();
        let mut found: Vec<u32> = (0..leads.len() as u32)
            .filter(|state| leads[*state as usize])
            .collect();
        let mut count = found.len();
        while let Some(state) = found.pop() {
            let first = self.edges.partition_point(|(to, _)| *to < state);
            let into = self.edges[first..].iter();
            for (_, from) in into.take_while(|(to, _)| *to == state) {
                if !std::mem::replace(&mut leads[*from as usize], true) {
                    found.push(*from);
                    count += 1;
                }
            }
        }
        count == leads.len()
    }
}

fn hash_of(column: usize, number: u32) -> u64 {
    mix(column as u64 + 1, u64::from(number))
}
