//! The rest of a recorded schedule: [`ScheduleProgress`] and [`StepAnswers`].

use super::Choice;
use crate::data::faults::KINDS;
use crate::data::schedule::{ChoicesLeft, NamedChoice, NamedStep, NamedStrike};

/// The steps of a schedule that an execution has taken.
#[derive(Debug, Default)]
pub(super) struct ScheduleProgress {
    pub(super) taken: Vec<bool>,
    /// All steps before this one are taken.
    pub(super) first_left: usize,
}

impl ScheduleProgress {
    /// Begins a schedule of so many steps.
    pub(super) fn begin(&mut self, steps: usize) {
        self.taken.clear();
        self.taken.resize(steps, false);
        self.first_left = 0;
    }

    pub(super) fn is_over(&self) -> bool {
        self.first_left == self.taken.len()
    }

    /// The places of the steps that are left, in order.
    pub(super) fn left(&self) -> impl Iterator<Item = usize> {
        (self.first_left..self.taken.len()).filter(|place| !self.taken[*place])
    }

    pub(super) fn take(&mut self, place: usize) {
        self.taken[place] = true;
        while self.taken.get(self.first_left) == Some(&true) {
            self.first_left += 1;
        }
    }
}

/// The recorded answers to the choices of the step in progress. None by default.
#[derive(Debug, Default)]
pub(crate) struct StepAnswers {
    choices: ChoicesLeft,
    strikes: Vec<NamedStrike>,
    /// The number of places of each kind of fault so far.
    places: [u32; KINDS],
}

impl StepAnswers {
    pub(super) fn of(choices: &[NamedChoice], strikes: &[NamedStrike]) -> Self {
        Self {
            choices: ChoicesLeft::of(choices),
            strikes: strikes.to_vec(),
            places: [0; KINDS],
        }
    }

    /// The answers of a step; none without a step.
    pub(crate) fn of_step(step: Option<&NamedStep>) -> Self {
        step.map_or_else(Self::default, |step| Self::of(&step.choices, &step.strikes))
    }

    /// The recorded answer to a choice within the step, if there is one.
    pub(crate) fn answer(&mut self, choice: Choice<'_>) -> Option<u32> {
        let Choice::FaultWithin(site) = choice else {
            return self.choices.answer(choice.purpose(), choice.bound());
        };
        let place = self.places[site.kind as usize];
        self.places[site.kind as usize] += 1;
        let is_it = |strike: &&NamedStrike| strike.kind == site.kind && strike.place == place;
        let strike = self.strikes.iter().find(is_it)?;
        Some(strike.way.min(site.ways))
    }
}
