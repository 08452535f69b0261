//! A region of states that an execution was seen in, and whether any step leads out of it.

use std::collections::BTreeMap;

/// How often each step has to be taken, with the same result each time, before it is believed: the
/// first time and three more.
const TAKEN_MIN: u8 = 4;

/// How many states a region may have.
const STATES_MAX: usize = 1 << 12;

/// How many steps its states may have together.
const STEPS_MAX: usize = 1 << 14;

/// The states met so far, by fingerprint, and the steps that each of them has.
#[derive(Debug, Default)]
pub(super) struct Region {
    numbers: BTreeMap<u128, usize>,
    /// Where the steps of each state are among `steps`.
    spans: Vec<(usize, usize)>,
    steps: Vec<Step>,
    /// How many steps were not taken often enough.
    open: usize,
    at: usize,
}

#[derive(Debug)]
struct Step {
    name: u64,
    to: Option<usize>,
    taken: u8,
}

/// What a region looks like after a step.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Shape {
    /// Some step has not been taken often enough.
    Open,
    /// Every step of every state was taken, again and again, and led to a state of the region.
    Closed,
    /// It has more states or steps than can be kept.
    TooLarge,
    /// A step led elsewhere than before: the fingerprints leave something out that matters.
    Untrue,
}

impl Region {
    /// Starts anew in a state that has these steps.
    pub(super) fn begin(&mut self, state: u128, steps: impl Iterator<Item = u64>) -> Shape {
        self.numbers.clear();
        self.spans.clear();
        self.steps.clear();
        self.open = 0;
        self.at = self.meet(state, steps);
        self.shape()
    }

    /// Takes a step from where it is. `steps` are those that the state has now.
    pub(super) fn take(
        &mut self,
        step: u64,
        state: u128,
        steps: impl Iterator<Item = u64>,
    ) -> Shape {
        let (from, to) = self.spans[self.at];
        self.at = self.meet(state, steps);
        let taken = self.steps[from..to].iter_mut();
        let Some(taken) = taken.into_iter().find(|known| known.name == step) else {
            return Shape::Untrue;
        };
        if *taken.to.get_or_insert(self.at) != self.at {
            return Shape::Untrue;
        }
        taken.taken = taken.taken.saturating_add(1);
        self.open -= usize::from(taken.taken == TAKEN_MIN);
        self.shape()
    }

    /// How many states it has.
    pub(super) fn states(&self) -> usize {
        self.spans.len()
    }

    fn shape(&self) -> Shape {
        if self.spans.len() > STATES_MAX || self.steps.len() > STEPS_MAX {
            Shape::TooLarge
        } else if self.open == 0 {
            Shape::Closed
        } else {
            Shape::Open
        }
    }

    /// The number of a state, known or new.
    fn meet(&mut self, state: u128, steps: impl Iterator<Item = u64>) -> usize {
        let next = self.spans.len();
        let number = *self.numbers.entry(state).or_insert(next);
        if number == next {
            let from = self.steps.len();
            for name in steps {
                // Two timers that are the same in everything are one.
                if !self.steps[from..].iter().any(|known| known.name == name) {
                    self.steps.push(Step {
                        name,
                        to: None,
                        taken: 0,
                    });
                }
            }
            self.spans.push((from, self.steps.len()));
            self.open += self.steps.len() - from;
        }
        number
    }
}

#[cfg(test)]
mod tests {
    use super::{Region, STATES_MAX, Shape};

    #[test]
    fn a_cycle_is_closed_after_four_rounds() {
        let mut region = Region::default();
        assert_eq!(region.begin(0, [7].into_iter()), Shape::Open);
        for round in 1..=4 {
            assert_eq!(region.take(7, 1, [8].into_iter()), Shape::Open);
            let closed = region.take(8, 0, [7].into_iter()) == Shape::Closed;
            assert_eq!(closed, round == 4, "round {round}");
        }
        assert_eq!(region.states(), 2);
    }

    #[test]
    fn a_step_that_was_never_taken_leaves_it_open() {
        let mut region = Region::default();
        region.begin(0, [7, 9].into_iter());
        for _ in 0..1000 {
            assert_eq!(region.take(7, 0, [7, 9].into_iter()), Shape::Open);
        }
        for round in 1..=4 {
            let closed = region.take(9, 0, [7, 9].into_iter()) == Shape::Closed;
            assert_eq!(closed, round == 4);
        }
    }

    #[test]
    fn a_step_that_leads_elsewhere_is_noticed() {
        let mut region = Region::default();
        region.begin(0, [7].into_iter());
        assert_eq!(region.take(7, 0, [7].into_iter()), Shape::Open);
        assert_eq!(region.take(7, 1, [7].into_iter()), Shape::Untrue);
        region.begin(0, [7].into_iter());
        assert_eq!(region.take(8, 0, [7].into_iter()), Shape::Untrue);
    }

    #[test]
    fn it_has_a_limit() {
        let mut region = Region::default();
        region.begin(0, [7].into_iter());
        let states = 1..=STATES_MAX as u128;
        let shapes: Vec<Shape> = states
            .map(|state| region.take(7, state, [7].into_iter()))
            .collect();
        let last = shapes.len() - 1;
        assert!(shapes[..last].iter().all(|shape| *shape == Shape::Open));
        assert_eq!(shapes[last], Shape::TooLarge);
    }
}
