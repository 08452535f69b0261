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
pub(crate) struct Region {
    numbers: BTreeMap<u128, usize>,
    states: Vec<State>,
    steps: Vec<Step>,
    /// How many steps were not taken often enough.
    open: usize,
    /// The state that was entered last.
    entered: usize,
    /// The state that the execution is in.
    at: usize,
}

/// A state as the region meets it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Place {
    pub(crate) print: u128,
    /// What is owed is hot here, not warm.
    pub(crate) is_hot: bool,
}

#[derive(Debug)]
struct State {
    /// Where its steps are among all.
    from: usize,
    to: usize,
    is_hot: bool,
}

#[derive(Debug)]
struct Step {
    name: u64,
    to: Option<usize>,
    taken: u8,
}

impl Step {
    /// Where it leads, if that is to be believed.
    fn leads(&self) -> Option<usize> {
        self.to.filter(|_| self.taken >= TAKEN_MIN)
    }
}

/// What a region looks like after a step.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Shape {
    /// Some step of some state has not been taken often enough.
    Open,
    /// None; [`Region::is_closed`] may say more.
    Complete,
    /// It has more states or steps than can be kept.
    TooLarge,
    /// A step led elsewhere than before: the fingerprints leave something out that matters.
    Untrue,
}

impl Region {
    /// Forgets every state.
    pub(crate) fn forget(&mut self) {
        self.numbers.clear();
        self.states.clear();
        self.steps.clear();
        self.open = 0;
    }

    /// The execution is in that state, which has these steps; how it came there does not matter.
    pub(crate) fn enter(&mut self, place: Place, steps: impl Iterator<Item = u64>) {
        self.at = self.meet(place, steps);
        self.entered = self.at;
    }

    /// It has no state yet.
    pub(crate) fn is_empty(&self) -> bool {
        self.states.is_empty()
    }

    /// The execution takes a step to another state.
    pub(crate) fn take(
        &mut self,
        step: u64,
        place: Place,
        steps: impl Iterator<Item = u64>,
    ) -> Shape {
        let State { from, to, .. } = self.states[self.at];
        self.at = self.meet(place, steps);
        let mut known = self.steps[from..to].iter_mut();
        let Some(taken) = known.find(|known| known.name == step) else {
            return Shape::Untrue;
        };
        if *taken.to.get_or_insert(self.at) != self.at {
            return Shape::Untrue;
        }
        taken.taken = taken.taken.saturating_add(1);
        self.open -= usize::from(taken.taken == TAKEN_MIN);
        if self.states.len() > STATES_MAX || self.steps.len() > STEPS_MAX {
            Shape::TooLarge
        } else if self.open == 0 {
            Shape::Complete
        } else {
            Shape::Open
        }
    }

    /// How many states can be reached from where the execution is, where it is closed in: every step
    /// of every one of them was taken again and again, none led elsewhere, the state that was entered
    /// last is among them, and from each of them one can be reached in which what is owed is hot.
    pub(crate) fn closed(&self) -> Option<usize> {
        let mut inside = vec![false; self.states.len()];
        let mut reached = vec![self.at];
        inside[self.at] = true;
        let mut next = 0;
        while let Some(state) = reached.get(next).copied() {
            next += 1;
            for step in self.steps_of(state) {
                let to = step.leads()?;
                if !std::mem::replace(&mut inside[to], true) {
                    reached.push(to);
                }
            }
        }
        let is_closed = inside[self.entered] && self.all_lead_to_heat(&reached);
        is_closed.then_some(reached.len())
    }

    /// From each of these states, which lead to no others, a hot one can be reached.
    fn all_lead_to_heat(&self, states: &[usize]) -> bool {
        let mut heats: Vec<bool> = self.states.iter().map(|state| state.is_hot).collect();
        loop {
            let leads = |state: &usize| {
                let mut steps = self.steps_of(*state).iter().filter_map(Step::leads);
                !heats[*state] && steps.any(|to| heats[to])
            };
            let more: Vec<usize> = states.iter().copied().filter(leads).collect();
            if more.is_empty() {
                return states.iter().all(|state| heats[*state]);
            }
            more.into_iter().for_each(|state| heats[state] = true);
        }
    }

    fn steps_of(&self, state: usize) -> &[Step] {
        let State { from, to, .. } = self.states[state];
        &self.steps[from..to]
    }

    /// The number of a state, known or new.
    fn meet(&mut self, place: Place, steps: impl Iterator<Item = u64>) -> usize {
        let next = self.states.len();
        let number = *self.numbers.entry(place.print).or_insert(next);
        if number == next {
            let from = self.steps.len();
            for name in steps {
                // Two timers that are the same in everything are one.
                if !self.steps[from..].iter().any(|known| known.name == name) {
                    let (to, taken) = (None, 0);
                    self.steps.push(Step { name, to, taken });
                }
            }
            let to = self.steps.len();
            let is_hot = place.is_hot;
            self.states.push(State { from, to, is_hot });
            self.open += to - from;
        }
        number
    }
}

#[cfg(test)]
mod tests {
    use super::{Place, Region, STATES_MAX, Shape};

    fn hot(print: u128) -> Place {
        Place {
            print,
            is_hot: true,
        }
    }

    fn warm(print: u128) -> Place {
        Place {
            print,
            is_hot: false,
        }
    }

    #[test]
    fn a_cycle_is_closed_after_four_rounds() {
        let mut region = Region::default();
        region.enter(hot(0), [7].into_iter());
        for round in 1..=4 {
            assert_eq!(region.take(7, warm(1), [8].into_iter()), Shape::Open);
            let shape = region.take(8, hot(0), [7].into_iter());
            assert_eq!(shape == Shape::Complete, round == 4, "round {round}");
            assert_eq!(region.closed(), (round == 4).then_some(2));
        }
    }

    #[test]
    fn a_step_that_was_never_taken_leaves_it_open() {
        let mut region = Region::default();
        region.enter(hot(0), [7, 9].into_iter());
        for _ in 0..1000 {
            assert_eq!(region.take(7, hot(0), [7, 9].into_iter()), Shape::Open);
        }
        assert_eq!(region.closed(), None);
        for round in 1..=4 {
            let shape = region.take(9, hot(0), [7, 9].into_iter());
            assert_eq!(shape == Shape::Complete, round == 4);
        }
        assert_eq!(region.closed(), Some(1));
    }

    #[test]
    fn what_was_left_behind_does_not_count() {
        let mut region = Region::default();
        region.enter(hot(0), [7, 9].into_iter());
        for _ in 0..5 {
            assert_eq!(region.take(7, hot(1), [7].into_iter()), Shape::Open);
        }
        assert_eq!(region.closed(), None, "where it began is out of reach");
        region.enter(hot(1), [7].into_iter());
        assert_eq!(
            region.closed(),
            Some(1),
            "though the first has an open step"
        );
    }

    #[test]
    fn a_region_that_is_warm_in_the_end_is_not_closed() {
        let mut region = Region::default();
        for _ in 0..4 {
            region.enter(hot(0), [7].into_iter());
            region.take(7, warm(1), [8].into_iter());
            region.take(8, warm(1), [8].into_iter());
        }
        assert_eq!(region.closed(), None);
    }

    #[test]
    fn a_step_that_leads_elsewhere_is_noticed() {
        let mut region = Region::default();
        region.enter(hot(0), [7].into_iter());
        assert_eq!(region.take(7, hot(0), [7].into_iter()), Shape::Open);
        assert_eq!(region.take(7, hot(1), [7].into_iter()), Shape::Untrue);
        region.forget();
        region.enter(hot(0), [7].into_iter());
        assert_eq!(region.take(8, hot(0), [7].into_iter()), Shape::Untrue);
    }

    #[test]
    fn it_has_a_limit() {
        let mut region = Region::default();
        region.enter(hot(0), [7].into_iter());
        let states = 1..=STATES_MAX as u128;
        let shapes: Vec<Shape> = states
            .map(|state| region.take(7, hot(state), [7].into_iter()))
            .collect();
        let last = shapes.len() - 1;
        assert!(shapes[..last].iter().all(|shape| *shape == Shape::Open));
        assert_eq!(shapes[last], Shape::TooLarge);
    }
}
