//! Tests of regions, against an exhaustive search of the states of random programs.

use std::collections::BTreeSet;

use super::{NONE, OperationSnapshot, Reachability, Region, RegionStep, RestState, StepNovelty};
use crate::engine::states::walk::STATES_MAX;
use crate::engine::world::marks::operation_name;

const ALL: u64 = u64::MAX;

/// A region that compares whole states only.
#[derive(Default)]
struct Whole(Region);

impl Whole {
    fn part(_: u32) -> OperationSnapshot {
        unreachable!("there are no parts")
    }

    fn enter(&mut self, state: u128, is_hot: bool, steps: &[u64]) {
        let rest = RestState {
            print: state,
            is_hot,
        };
        self.0.enter(0, Self::part, rest);
        self.learn(steps);
    }

    fn take(&mut self, name: u64, state: u128, is_hot: bool, steps: &[u64]) -> StepNovelty {
        let rest = RestState {
            print: state,
            is_hot,
        };
        let news = self
            .0
            .take(RegionStep { name, of: NONE }, &[], Self::part, rest);
        self.learn(steps);
        news
    }

    fn learn(&mut self, steps: &[u64]) {
        let named = |name: &u64| RegionStep {
            name: *name,
            of: NONE,
        };
        self.0.learn_steps(|| steps.iter().map(named).collect());
    }

    fn closed(&self, taken: u8) -> Reachability {
        self.0.closed(taken, false, ALL).0
    }
}

#[test]
fn a_step_counts_when_it_was_taken_often_enough() {
    let mut region = Whole::default();
    region.enter(0, true, &[7]);
    for round in 1..=4 {
        let news = region.take(7, 1, false, &[8]);
        assert_eq!(news == StepNovelty::New, round == 1, "round {round}");
        assert_ne!(region.take(8, 0, true, &[7]), StepNovelty::Contradicted);
        let closed = region.closed(4) == Reachability::Closed(2);
        assert_eq!(closed, round == 4, "round {round}");
    }
}

#[test]
fn a_step_that_was_never_taken_leaves_it_open() {
    let mut region = Whole::default();
    region.enter(0, true, &[7, 9]);
    for _ in 0..1_000 {
        region.take(7, 0, true, &[7, 9]);
        assert_eq!(region.closed(1), Reachability::Open);
    }
    assert_eq!(region.take(9, 0, true, &[7, 9]), StepNovelty::New);
    assert_eq!(region.closed(1), Reachability::Closed(1));
}

#[test]
fn what_was_left_behind_does_not_count() {
    let mut region = Whole::default();
    region.enter(0, true, &[7, 9]);
    region.take(7, 1, true, &[7]);
    region.take(7, 1, true, &[7]);
    assert_eq!(
        region.closed(1),
        Reachability::Closed(1),
        "the first has an open step"
    );
}

#[test]
fn a_region_that_is_warm_in_the_end_is_not_closed() {
    let mut region = Whole::default();
    region.enter(0, true, &[7]);
    region.take(7, 1, false, &[8]);
    region.take(8, 1, false, &[8]);
    assert_eq!(region.closed(1), Reachability::Unknown);
}

#[test]
fn a_state_without_a_step_is_an_end() {
    let mut region = Whole::default();
    region.enter(0, true, &[7]);
    region.take(7, 1, true, &[]);
    assert_eq!(region.closed(1), Reachability::Unknown);
}

#[test]
fn a_step_that_leads_elsewhere_is_noticed() {
    let mut region = Whole::default();
    region.enter(0, true, &[7]);
    assert_eq!(region.take(7, 0, true, &[7]), StepNovelty::New);
    assert_eq!(region.take(7, 1, true, &[7]), StepNovelty::Contradicted);
    let mut parts = Region::default();
    let rest = RestState {
        print: 0,
        is_hot: true,
    };
    let part = |print| {
        move |_| OperationSnapshot {
            print,
            is_enabled: true,
        }
    };
    parts.enter(2, part(0), rest);
    let step = RegionStep {
        name: operation_name(0),
        of: 0,
    };
    assert_eq!(parts.take(step, &[0], part(0), rest), StepNovelty::New);
    assert_eq!(
        parts.take(step, &[0, 1], part(0), rest),
        StepNovelty::Contradicted,
        "it touches another"
    );
    assert_eq!(parts.take(step, &[0], part(0), rest), StepNovelty::None);
}

/// Wheels that turn independently, so that the states are their product.
#[test]
fn it_has_a_limit() {
    for (wheels, spokes, expected) in [
        (1, 7, Reachability::Closed(7)),
        (3, 10, Reachability::Closed(1_000)),
        (5, 10, Reachability::Closed(STATES_MAX as u64)),
        (1, 70_000, Reachability::Open),
        (6, 10, Reachability::Unknown),
    ] {
        let mut region = Region::default();
        let rest = RestState {
            print: 0,
            is_hot: true,
        };
        let mut at = vec![0_u128; wheels];
        let part = |at: &[u128], of: u32| OperationSnapshot {
            print: at[of as usize],
            is_enabled: true,
        };
        region.enter(wheels as u32, |of| part(&at, of), rest);
        region.learn_steps(Vec::new);
        for of in 0..wheels as u32 {
            for _ in 0..spokes.min(100) {
                at[of as usize] = (at[of as usize] + 1) % spokes;
                let step = RegionStep {
                    name: operation_name(of),
                    of,
                };
                region.take(step, &[of], |of| part(&at, of), rest);
            }
        }
        let (reach, visited) = region.closed(1, false, ALL);
        assert_eq!(reach, expected, "{wheels} wheels of {spokes}");
        if let Reachability::Closed(states) = reach {
            assert_eq!(visited, states * wheels as u64);
            assert_eq!(
                region.closed(1, false, visited / 2).0,
                Reachability::Unknown
            );
            assert_eq!(region.closed(2, false, ALL).0, Reachability::Open);
        }
    }
}

/// A random program, in which a step changes its operation, perhaps one other, and perhaps the rest.
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

    /// Returns the other operation that an operation touches in a state.
    fn other(&self, operation: usize, state: usize) -> Option<usize> {
        let other = self.draw(&[3, operation, state], self.operations * 2);
        (other < self.operations && other != operation).then_some(other)
    }

    /// Returns the states after a step, that of the rest last.
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

    /// Returns all reachable states; and true if no state ends and a hot one is reachable from each.
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

/// Compares regions of random programs with an exhaustive search: a region is closed only if the search says
/// so, and has as many states.
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
        let part = |at: &[usize], of: u32| OperationSnapshot {
            print: at[of as usize] as u128,
            is_enabled: machine.is_enabled(of as usize, at[of as usize]),
        };
        let rest = |at: &[usize]| RestState {
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
                    Reachability::Closed(found) => {
                        assert_eq!((found, true), (states.len() as u64, is_closed));
                        closed += u32::from(is_over);
                    }
                    Reachability::Unknown => {
                        assert!(!is_closed);
                        not_closed += u32::from(is_over);
                    }
                    // Some step is rare.
                    Reachability::Open => open += u32::from(is_over),
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
            let step = RegionStep {
                name: operation_name(of),
                of,
            };
            let news = region.take(step, &touched, |of| part(&at, of), rest(&at));
            assert!(matches!(news, StepNovelty::None | StepNovelty::New));
            region.learn_steps(Vec::new);
        }
    }
    assert!(
        closed > 40 && not_closed > 5 && open < 15,
        "{closed}, {not_closed}, {open}"
    );
}
