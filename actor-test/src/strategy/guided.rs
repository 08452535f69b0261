//! Following a schedule by name, as far as it goes.

use std::sync::{Arc, Mutex, PoisonError};

use super::naming::Namer;
use super::{Choice, Enabled, Ended, Execution, Fairness, Step, Strategy};
use crate::data::schedule::{NamedChoice, Parting, Schedule, StepName};

/// Follows a schedule whose steps are named: of the listed steps that are enabled it takes the one
/// that is listed first. A listed step that is not enabled when its turn comes is not given up: it is
/// taken when it is enabled, before those listed after it. A step that is not listed is not taken, so
/// whoever would take it waits.
///
/// Where no listed step is enabled, the execution is gone on with by another strategy, step by step,
/// so that whoever was left out takes part; or it ends there. A choice gets the listed answer where
/// the step is listed and asks for the same; else the other strategy's, or zero.
///
/// A whole schedule, as it was written down, leads to the very same execution.
#[derive(Debug)]
pub(crate) struct Guided {
    schedule: Arc<Schedule>,
    /// The keys of the listed steps, sorted, with their places in the list.
    places: Vec<(u64, u32)>,
    taken: Vec<bool>,
    /// All before this one are taken.
    first_left: usize,
    completion: Option<Box<dyn Strategy>>,
    fairness: Fairness,
    namer: Namer,
    /// The listed answers to what the step in progress may still ask.
    answers: Option<(usize, usize)>,
    parting: Option<Parting>,
    listed: u64,
    steps: u64,
    followed: Arc<Mutex<Followed>>,
}

/// What became of a schedule that was to be followed.
#[derive(Clone, Debug, Default)]
pub(crate) struct Followed {
    /// What was done in fact.
    pub(crate) schedule: Schedule,
    /// How many of its steps were listed.
    pub(crate) listed: u64,
    /// Where it was another step than the next one listed for the first time.
    pub(crate) parting: Option<Parting>,
}

impl Guided {
    /// Follows a schedule under the given fairness, and goes on by another strategy, or does not. What
    /// becomes of it is to be found in the second part after the execution.
    pub(crate) fn new(
        schedule: Schedule,
        fairness: Fairness,
        completion: Option<Box<dyn Strategy>>,
    ) -> (Self, Arc<Mutex<Followed>>) {
        let keys = schedule.iter().map(|step| step.name.key());
        let mut places: Vec<(u64, u32)> = keys.zip(0..).collect();
        places.sort_unstable();
        let followed = Arc::default();
        let guided = Self {
            schedule: Arc::new(schedule),
            places,
            taken: Vec::new(),
            first_left: 0,
            completion,
            fairness,
            namer: Namer::default(),
            answers: None,
            parting: None,
            listed: 0,
            steps: 0,
            followed: Arc::clone(&followed),
        };
        (guided, followed)
    }

    /// The place of a step in the list, where it is there and was not taken yet.
    fn place(&self, name: &StepName) -> Option<usize> {
        let key = name.key();
        let from = self.places.partition_point(|(other, _)| *other < key);
        let same = self.places[from..]
            .iter()
            .take_while(|(other, _)| *other == key);
        let mut places = same.map(|(_, place)| *place as usize);
        places.find(|place| !self.taken[*place])
    }

    /// The enabled step that is listed first, and where.
    fn listed(&self, enabled: &Enabled<'_>) -> Option<(usize, usize)> {
        let mut first: Option<(usize, usize)> = None;
        for (position, pending) in enabled.iter().enumerate() {
            let name = self.namer.name(pending, enabled);
            // None is listed before.
            if self.next().is_some_and(|next| *next == name) {
                return Some((self.first_left, position));
            }
            if let Some(place) = self.place(&name)
                && first.is_none_or(|(best, _)| place < best)
            {
                first = Some((place, position));
            }
        }
        first
    }

    fn next(&self) -> Option<&StepName> {
        self.schedule.get(self.first_left).map(|step| &step.name)
    }

    fn take(&mut self, place: usize) {
        self.taken[place] = true;
        self.listed += 1;
        while self.taken.get(self.first_left) == Some(&true) {
            self.first_left += 1;
        }
    }

    fn part(&mut self, expected: usize, taken: Option<StepName>) {
        if self.parting.is_none() {
            self.parting = Some(Parting {
                step: self.steps + 1,
                expected: (expected < self.schedule.len()).then_some(expected),
                taken,
            });
        }
    }

    /// The listed answer to the next question of the step in progress.
    fn listed_answer(&mut self, choice: Choice) -> Option<u32> {
        let (place, asked) = self.answers?;
        self.answers = Some((place, asked + 1));
        let NamedChoice { of, answer } = *self.schedule[place].choices.get(asked)?;
        (of == choice.bound()).then_some(answer)
    }
}

impl Strategy for Guided {
    fn name(&self) -> String {
        "guided".into()
    }

    fn fairness(&self) -> Fairness {
        self.fairness
    }

    fn begin(&mut self, execution: &Execution) -> bool {
        self.taken.clear();
        self.taken.resize(self.schedule.len(), false);
        (self.first_left, self.listed, self.steps) = (0, 0, 0);
        (self.answers, self.parting) = (None, None);
        self.namer.begin();
        match &mut self.completion {
            Some(completion) => completion.begin(execution),
            None => true,
        }
    }

    fn pick(&mut self, enabled: &Enabled<'_>) -> Option<usize> {
        let expected = self.first_left;
        let (place, position) = match self.listed(enabled) {
            Some((place, position)) => (Some(place), position),
            None => match &mut self.completion {
                Some(completion) => (None, completion.pick(enabled)?),
                None => {
                    self.part(expected, None);
                    return None;
                }
            },
        };
        let name = self.namer.takes(enabled.get(position)?, enabled);
        if place != Some(expected) {
            self.part(expected, Some(name));
        }
        if let Some(place) = place {
            self.take(place);
        }
        self.answers = place.map(|place| (place, 0));
        self.steps += 1;
        Some(position)
    }

    fn choose(&mut self, choice: Choice) -> u32 {
        let listed = self.listed_answer(choice);
        let answer = match (listed, &mut self.completion) {
            (Some(answer), _) => answer,
            (None, Some(completion)) => completion.choose(choice),
            (None, None) => 0,
        };
        self.namer.chose(choice, answer);
        answer
    }

    fn hears_steps(&self) -> bool {
        let completion = self.completion.as_ref();
        completion.is_some_and(|completion| completion.hears_steps())
    }

    fn stepped(&mut self, step: &Step<'_>) {
        if let Some(completion) = &mut self.completion {
            completion.stepped(step);
        }
    }

    fn ended(&mut self, ended: &Ended) {
        if self.first_left < self.schedule.len() {
            self.part(self.first_left, None);
        }
        if let Some(completion) = &mut self.completion {
            completion.ended(ended);
        }
        let followed = Followed {
            schedule: self.namer.end(),
            listed: self.listed,
            parting: self.parting,
        };
        *self.followed.lock().unwrap_or_else(PoisonError::into_inner) = followed;
    }
}
