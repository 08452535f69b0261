//! A region of states around an execution, put together from what its parts were seen to do, and
//! whether any step leads out of it.
//!
//! Two matches of ping-pong that know nothing of each other, with four states each, are sixteen
//! states together, and ten such matches a million; an execution meets every state of every match
//! in no time, and most of the million never. So what is learned is what a step does to the *parts*
//! that it touches: the operation that takes it, those that it reaches, and the rest, which is timers,
//! monitors and the like. A step can depend on nothing else, since actors share nothing. From there
//! [`Region::closed`] goes to all states that can be reached, breadth first, without running them.
//!
//! Where something does depend on the whole state, as a predicate over many actors does, or shared
//! memory, the rest is made the whole, and a region is the states that were met.

use std::collections::BTreeMap;

use crate::engine::sameness::table::Table;
use crate::engine::world::marks::operation_name;
use crate::hash::mix;

/// How many states a region may have.
const STATES_MAX: usize = 100_000;

/// How many numbers its states may have together.
const NUMBERS_MAX: usize = 1 << 22;

/// How many parts and steps may be remembered.
const LEARNED_MAX: usize = 1 << 16;

/// A step that no operation takes by itself, and an operation that is none of a state's columns.
const NONE: u32 = u32::MAX;

/// An operation as it is.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Part {
    pub(crate) print: u128,
    pub(crate) is_enabled: bool,
}

/// What is no operation, as it is.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Rest {
    pub(crate) print: u128,
    /// What is owed is hot here, not warm.
    pub(crate) is_hot: bool,
}

/// A step: its name within a state, and the operation that takes it or, of a timer, that has it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Named {
    pub(crate) name: u64,
    pub(crate) of: u32,
}

/// What was learned from a step.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum News {
    /// It did what it had done before.
    None,
    /// It was never seen.
    New,
    /// It did something else: there is something that the parts don't show.
    Untrue,
    /// There is more than can be kept.
    TooMuch,
}

/// What can be reached from here.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Reach {
    /// Some step of some state has not been seen often enough.
    Open,
    /// So many states, and no other.
    Closed(u64),
    /// More than was wanted, or a state that ends.
    Unknown,
}

#[derive(Debug, Default)]
pub(crate) struct Region {
    /// Numbers of what each operation was, and of what the rest was, by fingerprint.
    parts: BTreeMap<(u32, u128), u32>,
    enabled: Vec<bool>,
    rests: Vec<KnownRest>,
    names: BTreeMap<u64, u32>,
    /// A tree of steps: from a node, by a number, to the next.
    branches: Table,
    nodes: Vec<Node>,
    /// The operations that take part, and where each of them is among these.
    columns: Vec<u32>,
    column_of: Vec<u32>,
    /// The state that the execution is in: the rest, and each operation.
    rest: u32,
    at: Vec<u32>,
}

#[derive(Debug)]
struct KnownRest {
    is_hot: bool,
    /// The steps that are enabled here beside the operations'; `None` while that is not known.
    steps: Option<Vec<Named>>,
}

/// Where the steps of one name lead that find the same.
#[derive(Debug, Default)]
struct Node {
    /// Whom the step touches besides the one that takes it.
    others: Option<Box<[u32]>>,
    outcome: Option<Outcome>,
}

#[derive(Debug)]
struct Outcome {
    /// What becomes of the one that takes it, and of the others.
    parts: Box<[u32]>,
    rest: u32,
    taken: u8,
}

impl Region {
    /// Forgets everything.
    pub(crate) fn forget(&mut self) {
        self.parts.clear();
        self.enabled.clear();
        self.rests.clear();
        self.names.clear();
        self.branches.clear();
        self.nodes.clear();
        self.columns.clear();
        self.column_of.clear();
        self.at.clear();
    }

    /// Nothing was learned.
    pub(crate) fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// The execution is in that state; how it came there does not matter.
    pub(crate) fn enter(&mut self, live: u32, part: impl Fn(u32) -> Part, rest: Rest) {
        if self.nodes.is_empty() {
            self.nodes.push(Node::default());
        }
        self.at.clear();
        for operation in 0..live {
            let now = part(operation);
            let number = self.part(operation, now);
            self.at.push(number);
            if now.is_enabled {
                self.add_column(operation);
            }
        }
        self.rest = self.rest_number(rest);
    }

    /// The steps that are enabled where the execution is, beside the operations'.
    pub(crate) fn learn_steps(&mut self, steps: impl FnOnce() -> Vec<Named>) {
        let known = &mut self.rests[self.rest as usize].steps;
        if known.is_none() {
            let mut steps = steps();
            // Two timers that are the same in everything are one.
            steps.sort_unstable_by_key(|step| step.name);
            steps.dedup();
            *known = Some(steps);
        }
    }

    /// The execution has taken a step that touched those operations, which are sorted.
    pub(crate) fn take(
        &mut self,
        step: Named,
        touched: &[u32],
        part: impl Fn(u32) -> Part,
        rest: Rest,
    ) -> News {
        let others = touched.iter().copied().filter(|other| *other != step.of);
        let others: Box<[u32]> = others.collect();
        let mut node = self.node_of_step(step);
        let known = &mut self.nodes[node as usize].others;
        if known.get_or_insert_with(|| others.clone()) != &others {
            return News::Untrue;
        }
        for other in &others {
            let now = self.at[*other as usize];
            node = self.branch(node, now);
        }
        let taker = (step.of != NONE).then_some(step.of);
        let mut parts = Vec::with_capacity(others.len() + 1);
        for operation in taker.into_iter().chain(others) {
            let number = self.part(operation, part(operation));
            self.at[operation as usize] = number;
            self.add_column(operation);
            parts.push(number);
        }
        self.rest = self.rest_number(rest);
        let rest = self.rest;
        let known = &mut self.nodes[node as usize].outcome;
        let is_new = known.is_none();
        let outcome = known.get_or_insert_with(|| Outcome {
            parts: parts.clone().into(),
            rest,
            taken: 0,
        });
        if *outcome.parts != *parts || outcome.rest != rest {
            return News::Untrue;
        }
        outcome.taken = outcome.taken.saturating_add(1);
        if self.nodes.len() + self.parts.len() + self.rests.len() > LEARNED_MAX {
            News::TooMuch
        } else if is_new {
            News::New
        } else {
            News::None
        }
    }

    /// Which states can be reached from where the execution is, by steps each of which was taken so
    /// often; at most so many steps are looked at. They are closed where none is left out and from
    /// each of them one can be reached in which what is owed is hot. Patient timers are enabled
    /// where no operation is. Tells how many steps were looked at, too.
    pub(crate) fn closed(&self, taken: u8, patient: bool, steps_max: u64) -> (Reach, u64) {
        let mut walk = Walk::new(self, taken);
        let reach = walk.run(patient, steps_max);
        (reach, walk.looked_at)
    }

    /// The number of an operation as it is.
    fn part(&mut self, operation: u32, part: Part) -> u32 {
        let next = self.enabled.len() as u32;
        let number = *self.parts.entry((operation, part.print)).or_insert(next);
        if number == next {
            self.enabled.push(part.is_enabled);
        }
        number
    }

    fn rest_number(&mut self, rest: Rest) -> u32 {
        let next = self.rests.len() as u32;
        let number = *self.parts.entry((NONE, rest.print)).or_insert(next);
        if number == next {
            let (is_hot, steps) = (rest.is_hot, None);
            self.rests.push(KnownRest { is_hot, steps });
        }
        number
    }

    fn add_column(&mut self, operation: u32) {
        let index = operation as usize;
        if self.column_of.len() <= index {
            self.column_of.resize(index + 1, NONE);
        }
        if self.column_of[index] == NONE {
            self.column_of[index] = self.columns.len() as u32;
            self.columns.push(operation);
        }
    }

    /// The node of a step that finds its taker and the rest as they are.
    fn node_of_step(&mut self, step: Named) -> u32 {
        let next = self.names.len() as u32;
        let name = *self.names.entry(step.name).or_insert(next);
        let taker = self.at.get(step.of as usize).copied();
        let node = self.branch(0, name);
        let node = self.branch(node, taker.unwrap_or(NONE));
        self.branch(node, self.rest)
    }

    fn branch(&mut self, from: u32, by: u32) -> u32 {
        let next = self.nodes.len() as u32;
        let key = u64::from(from) << 32 | u64::from(by);
        let node = self.branches.get_or_enter(key, next, |_| true);
        if node == next {
            self.nodes.push(Node::default());
        }
        node
    }

    /// The node of the steps of that name.
    fn known_step(&self, name: u64) -> Option<u32> {
        self.known_branch(0, *self.names.get(&name)?)
    }

    fn known_branch(&self, from: u32, by: u32) -> Option<u32> {
        let key = u64::from(from) << 32 | u64::from(by);
        self.branches.get(key, |_| true)
    }
}

/// A search through the states that can be reached.
struct Walk<'a> {
    region: &'a Region,
    /// How often a step must have been taken.
    taken: u8,
    /// For each operation that takes part the node of its step.
    begin: Vec<Option<u32>>,
    /// One state after the other: its rest, then the number of each operation that takes part.
    states: Vec<u32>,
    hashes: Vec<u64>,
    known: Table,
    /// From which state to which, where that is of interest.
    edges: Vec<(u32, u32)>,
    keeps_edges: bool,
    looked_at: u64,
    next: Vec<u32>,
}

impl<'a> Walk<'a> {
    fn new(region: &'a Region, taken: u8) -> Self {
        let now = region.columns.iter();
        let now = now.map(|operation| region.at[*operation as usize]);
        let states: Vec<u32> = [region.rest].into_iter().chain(now).collect();
        let parts = states.iter().enumerate();
        let hash = parts.fold(0, |hash: u64, (column, number)| {
            hash.wrapping_add(hash_of(column, *number))
        });
        let mut known = Table::default();
        known.get_or_enter(hash, 0, |_| true);
        let begin = |operation: &u32| region.known_step(operation_name(*operation));
        Self {
            region,
            taken,
            next: states.clone(),
            states,
            hashes: vec![hash],
            known,
            begin: region.columns.iter().map(begin).collect(),
            edges: Vec::new(),
            keeps_edges: region.rests.iter().any(|rest| !rest.is_hot),
            looked_at: 0,
        }
    }

    fn width(&self) -> usize {
        self.next.len()
    }

    fn run(&mut self, patient: bool, steps_max: u64) -> Reach {
        let mut from = 0;
        while from < self.hashes.len() {
            let has_steps = match self.expand(from, patient) {
                Some(has_steps) => has_steps,
                None => return Reach::Open,
            };
            let too_many = self.hashes.len() > STATES_MAX || self.states.len() > NUMBERS_MAX;
            if !has_steps || too_many || self.looked_at > steps_max {
                return Reach::Unknown;
            }
            from += 1;
        }
        if self.all_lead_to_heat() {
            Reach::Closed(self.hashes.len() as u64)
        } else {
            Reach::Unknown
        }
    }

    /// Takes every step of a state; tells whether there are any. `None` where one is not known.
    fn expand(&mut self, state: usize, patient: bool) -> Option<bool> {
        let region = self.region;
        let begin = state * self.width();
        let mut has_steps = false;
        for (column, operation) in region.columns.iter().enumerate() {
            let part = self.states[begin + 1 + column];
            if region.enabled[part as usize] {
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

    /// Takes the step of an operation that begins at a node.
    fn take(&mut self, state: usize, of: u32, begin_at: u32) -> Option<()> {
        self.looked_at += 1;
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
        let others = region.nodes[node as usize].others.as_ref()?;
        for other in others {
            node = region.known_branch(node, number_of(*other)?)?;
        }
        let outcome = region.nodes[node as usize].outcome.as_ref()?;
        if outcome.taken < self.taken {
            return None;
        }
        let mut hash = self.hashes[state];
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
        for (operation, number) in operations.zip(&outcome.parts) {
            set(1 + column_of(*operation)? as usize, *number);
        }
        self.reach(state, hash);
        Some(())
    }

    /// Notes that the next state can be reached from one.
    fn reach(&mut self, from: usize, hash: u64) {
        let (width, states, next) = (self.width(), &self.states, &self.next);
        let number = self.hashes.len() as u32;
        let to = self.known.get_or_enter(hash, number, |other| {
            let begin = other as usize * width;
            states[begin..begin + width] == **next
        });
        if to == number {
            self.hashes.push(hash);
            self.states.extend_from_slice(&self.next);
        }
        if self.keeps_edges {
            self.edges.push((to, from as u32));
        }
    }

    /// From each state that was reached a hot one can be reached.
    fn all_lead_to_heat(&mut self) -> bool {
        if !self.keeps_edges {
            return true;
        }
        self.edges.sort_unstable();
        let width = self.width();
        let is_hot = |state: usize| self.region.rests[self.states[state * width] as usize].is_hot;
        let mut leads: Vec<bool> = (0..self.hashes.len()).map(is_hot).collect();
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

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::{NONE, Named, News, Part, Reach, Region, Rest, STATES_MAX};
    use crate::engine::world::marks::operation_name;

    const ALL: u64 = u64::MAX;

    /// A region that tells nothing but whole states apart.
    #[derive(Default)]
    struct Whole(Region);

    impl Whole {
        fn part(_: u32) -> Part {
            unreachable!("there are no parts")
        }

        fn enter(&mut self, state: u128, is_hot: bool, steps: &[u64]) {
            let rest = Rest {
                print: state,
                is_hot,
            };
            self.0.enter(0, Self::part, rest);
            self.learn(steps);
        }

        fn take(&mut self, name: u64, state: u128, is_hot: bool, steps: &[u64]) -> News {
            let rest = Rest {
                print: state,
                is_hot,
            };
            let news = self.0.take(Named { name, of: NONE }, &[], Self::part, rest);
            self.learn(steps);
            news
        }

        fn learn(&mut self, steps: &[u64]) {
            let named = |name: &u64| Named {
                name: *name,
                of: NONE,
            };
            self.0.learn_steps(|| steps.iter().map(named).collect());
        }

        fn closed(&self, taken: u8) -> Reach {
            self.0.closed(taken, false, ALL).0
        }
    }

    #[test]
    fn a_step_counts_when_it_was_taken_often_enough() {
        let mut region = Whole::default();
        region.enter(0, true, &[7]);
        for round in 1..=4 {
            let news = region.take(7, 1, false, &[8]);
            assert_eq!(news == News::New, round == 1, "round {round}");
            assert_ne!(region.take(8, 0, true, &[7]), News::Untrue);
            let closed = region.closed(4) == Reach::Closed(2);
            assert_eq!(closed, round == 4, "round {round}");
        }
    }

    #[test]
    fn a_step_that_was_never_taken_leaves_it_open() {
        let mut region = Whole::default();
        region.enter(0, true, &[7, 9]);
        for _ in 0..1_000 {
            region.take(7, 0, true, &[7, 9]);
            assert_eq!(region.closed(1), Reach::Open);
        }
        assert_eq!(region.take(9, 0, true, &[7, 9]), News::New);
        assert_eq!(region.closed(1), Reach::Closed(1));
    }

    #[test]
    fn what_was_left_behind_does_not_count() {
        let mut region = Whole::default();
        region.enter(0, true, &[7, 9]);
        region.take(7, 1, true, &[7]);
        region.take(7, 1, true, &[7]);
        assert_eq!(
            region.closed(1),
            Reach::Closed(1),
            "the first has an open step"
        );
    }

    #[test]
    fn a_region_that_is_warm_in_the_end_is_not_closed() {
        let mut region = Whole::default();
        region.enter(0, true, &[7]);
        region.take(7, 1, false, &[8]);
        region.take(8, 1, false, &[8]);
        assert_eq!(region.closed(1), Reach::Unknown);
    }

    #[test]
    fn a_state_without_a_step_is_an_end() {
        let mut region = Whole::default();
        region.enter(0, true, &[7]);
        region.take(7, 1, true, &[]);
        assert_eq!(region.closed(1), Reach::Unknown);
    }

    #[test]
    fn a_step_that_leads_elsewhere_is_noticed() {
        let mut region = Whole::default();
        region.enter(0, true, &[7]);
        assert_eq!(region.take(7, 0, true, &[7]), News::New);
        assert_eq!(region.take(7, 1, true, &[7]), News::Untrue);
        let mut parts = Region::default();
        let rest = Rest {
            print: 0,
            is_hot: true,
        };
        let part = |print| {
            move |_| Part {
                print,
                is_enabled: true,
            }
        };
        parts.enter(2, part(0), rest);
        let step = Named {
            name: operation_name(0),
            of: 0,
        };
        assert_eq!(parts.take(step, &[0], part(0), rest), News::New);
        assert_eq!(
            parts.take(step, &[0, 1], part(0), rest),
            News::Untrue,
            "it touches another"
        );
        assert_eq!(parts.take(step, &[0], part(0), rest), News::None);
    }

    /// Wheels that turn by themselves, so that all states are the product.
    #[test]
    fn it_has_a_limit() {
        for (wheels, spokes, expected) in [
            (1, 7, Reach::Closed(7)),
            (3, 10, Reach::Closed(1_000)),
            (5, 10, Reach::Closed(STATES_MAX as u64)),
            (1, 70_000, Reach::Open),
            (6, 10, Reach::Unknown),
        ] {
            let mut region = Region::default();
            let rest = Rest {
                print: 0,
                is_hot: true,
            };
            let mut at = vec![0_u128; wheels];
            let part = |at: &[u128], of: u32| Part {
                print: at[of as usize],
                is_enabled: true,
            };
            region.enter(wheels as u32, |of| part(&at, of), rest);
            region.learn_steps(Vec::new);
            for of in 0..wheels as u32 {
                for _ in 0..spokes.min(100) {
                    at[of as usize] = (at[of as usize] + 1) % spokes;
                    let step = Named {
                        name: operation_name(of),
                        of,
                    };
                    region.take(step, &[of], |of| part(&at, of), rest);
                }
            }
            let (reach, looked_at) = region.closed(1, false, ALL);
            assert_eq!(reach, expected, "{wheels} wheels of {spokes}");
            if let Reach::Closed(states) = reach {
                assert_eq!(looked_at, states * wheels as u64);
                assert_eq!(region.closed(1, false, looked_at / 2).0, Reach::Unknown);
                assert_eq!(region.closed(2, false, ALL).0, Reach::Open);
            }
        }
    }

    /// A random program of some operations: what each does in each of its states to itself, to one
    /// other and to the rest, and whether it has anything to do.
    struct Machine {
        operations: usize,
        states: usize,
        seed: u64,
    }

    impl Machine {
        fn draw(&self, of: &[usize], below: usize) -> usize {
            let hash = of
                .iter()
                .fold(self.seed, |hash, part| crate::hash::mix(hash, *part as u64));
            (hash >> 20) as usize % below
        }

        fn is_enabled(&self, operation: usize, state: usize) -> bool {
            self.draw(&[1, operation, state], 4) > 0
        }

        fn is_hot(&self, rest: usize) -> bool {
            self.draw(&[2, rest], 8) > 0
        }

        /// Whom an operation touches in a state, itself not among them.
        fn other(&self, operation: usize, state: usize) -> Option<usize> {
            let other = self.draw(&[3, operation, state], self.operations * 2);
            (other < self.operations && other != operation).then_some(other)
        }

        /// The states, the rest last, after a step.
        fn step(&self, at: &[usize], operation: usize) -> Vec<usize> {
            let (state, rest) = (at[operation], at[self.operations]);
            let other = self.other(operation, state);
            let seen = other.map_or(99, |other| at[other]);
            let mut to = at.to_vec();
            to[operation] = self.draw(&[4, operation, state, seen, rest], self.states);
            if let Some(other) = other {
                to[other] = self.draw(&[5, operation, state, seen, rest], self.states);
            }
            if self.draw(&[6, operation, state, seen], 4) == 0 {
                to[self.operations] = self.draw(&[7, operation, state, seen, rest], 2);
            }
            to
        }

        fn steps(&self, at: &[usize]) -> Vec<usize> {
            let all = 0..self.operations;
            all.filter(|operation| self.is_enabled(*operation, at[*operation]))
                .collect()
        }

        /// All that can be reached, and whether it goes on for ever and leads to heat again and again.
        fn reach(&self, from: &[usize]) -> (BTreeSet<Vec<usize>>, bool) {
            let mut reached = BTreeSet::from([from.to_vec()]);
            let mut todo = vec![from.to_vec()];
            let mut goes_on = true;
            while let Some(at) = todo.pop() {
                goes_on &= !self.steps(&at).is_empty();
                for operation in self.steps(&at) {
                    let to = self.step(&at, operation);
                    if reached.insert(to.clone()) {
                        todo.push(to);
                    }
                }
            }
            let mut hot: BTreeSet<_> = reached
                .iter()
                .filter(|at| self.is_hot(at[self.operations]))
                .cloned()
                .collect();
            loop {
                let leads = |at: &&Vec<usize>| {
                    self.steps(at)
                        .iter()
                        .any(|step| hot.contains(&self.step(at, *step)))
                };
                let more: Vec<_> = reached
                    .iter()
                    .filter(|at| !hot.contains(*at))
                    .filter(leads)
                    .cloned()
                    .collect();
                if more.is_empty() {
                    let leads_to_heat = hot.len() == reached.len();
                    return (reached, goes_on && leads_to_heat);
                }
                hot.extend(more);
            }
        }
    }

    /// Against a search of all states, over random programs: it is never closed before a walk has shown
    /// enough, and then tells how many states there are.
    #[test]
    fn it_is_closed_where_brute_force_says_so() {
        let (mut closed, mut not_closed, mut open) = (0, 0, 0);
        for seed in 0..150 {
            let machine = Machine {
                operations: 3,
                states: 4,
                seed,
            };
            let mut at = vec![0; 4];
            let mut random = seed + 1;
            let part = |at: &[usize], of: u32| Part {
                print: at[of as usize] as u128,
                is_enabled: machine.is_enabled(of as usize, at[of as usize]),
            };
            let rest = |at: &[usize]| Rest {
                print: at[3] as u128,
                is_hot: machine.is_hot(at[3]),
            };
            let mut region = Region::default();
            region.enter(3, |of| part(&at, of), rest(&at));
            region.learn_steps(Vec::new);
            for walked in 0..3_000 {
                let steps = machine.steps(&at);
                let is_over = steps.is_empty() || walked == 2_999;
                if is_over || walked % 300 == 0 {
                    let (states, is_closed) = machine.reach(&at);
                    match region.closed(1, false, ALL).0 {
                        Reach::Closed(found) => {
                            assert_eq!((found, true), (states.len() as u64, is_closed));
                            closed += u32::from(is_over);
                        }
                        Reach::Unknown => {
                            assert!(!is_closed);
                            not_closed += u32::from(is_over);
                        }
                        // Some step is rare.
                        Reach::Open => open += u32::from(is_over),
                    }
                }
                if is_over {
                    break;
                }
                random = random
                    .wrapping_mul(6_364_136_223_846_793_005)
                    .wrapping_add(1);
                let operation = steps[(random >> 33) as usize % steps.len()];
                let other = machine.other(operation, at[operation]);
                let mut touched: Vec<u32> = [Some(operation), other]
                    .into_iter()
                    .flatten()
                    .map(|of| of as u32)
                    .collect();
                touched.sort_unstable();
                at = machine.step(&at, operation);
                let of = operation as u32;
                let step = Named {
                    name: operation_name(of),
                    of,
                };
                let news = region.take(step, &touched, |of| part(&at, of), rest(&at));
                assert!(matches!(news, News::None | News::New));
                region.learn_steps(Vec::new);
            }
        }
        assert!(
            closed > 40 && not_closed > 5 && open < 15,
            "{closed}, {not_closed}, {open}"
        );
    }
}
