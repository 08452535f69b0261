//! Guided execution: follows a recorded schedule by the names of its steps as far as possible, [`Guided`].

use std::sync::{Arc, Mutex, PoisonError};

use super::naming::{ExecutionRecorder, ScheduleRecorder, sort};
use super::progress::{ScheduleProgress, StepAnswers};
use super::{
    Choice, Enabled, Execution, Fairness, Needs, Pending, Pruned, StepKind, Strategy, StrategyEvent,
};
use crate::data::faults::Fault;
use crate::data::schedule::{NamedChoice, NamedStep, Schedule, ScheduleDeviation, StepName};
use crate::hash::mix;

/// Follows a schedule of named steps: of the listed steps that are enabled, it takes the one listed first.
/// A listed step that is not enabled in its turn is taken once it is enabled, before those listed after it.
/// A step that is not listed is not taken, so its operation waits.
///
/// If no listed step is enabled, another strategy picks the step, so that unlisted operations take part;
/// without one the execution ends. A choice gets the first unused answer of the listed step to the same
/// question; else that of the other strategy, or zero.
///
/// The complete schedule of an execution leads to the same execution again.
#[derive(Debug)]
pub(crate) struct Guided {
    schedule: Schedule,
    /// The places of each step in the list, by the key of its name.
    names: StepIndex,
    /// The places of each sort of step, if another step of the same sort may replace a listed one.
    sorts: Option<StepIndex>,
    progress: ScheduleProgress,
    /// The number of faults that were skipped since they were not possible; they count as taken.
    passed_over: usize,
    completion: Option<Box<dyn Strategy>>,
    fairness: Fairness,
    /// Set if an operation continues while its steps are listed.
    stays: bool,
    /// Set if the operation of the next listed step also takes unlisted steps.
    inserts: bool,
    /// The most steps to take.
    limit: u64,
    namer: ScheduleRecorder,
    /// The unused answers of the listed step in progress.
    answers: StepAnswers,
    parting: Option<ScheduleDeviation>,
    steps: u64,
    followed: Arc<Mutex<GuidedResult>>,
}

/// The result of following a schedule.
#[derive(Clone, Debug, Default)]
pub(crate) struct GuidedResult {
    /// The schedule of the execution.
    pub(crate) schedule: Schedule,
    /// The first point at which the execution took another step than the next one listed.
    pub(crate) parting: Option<ScheduleDeviation>,
    /// The number of listed steps that were taken.
    pub(crate) taken: usize,
}

impl Guided {
    /// Follows a schedule under the given fairness, and completes it by another strategy, if there is one.
    pub(crate) fn new(
        schedule: Schedule,
        fairness: Fairness,
        completion: Option<Box<dyn Strategy>>,
    ) -> Self {
        Self {
            names: StepIndex::new(schedule.iter().map(|step| step.name.key())),
            sorts: None,
            progress: ScheduleProgress::default(),
            passed_over: 0,
            completion,
            fairness,
            stays: false,
            inserts: false,
            limit: u64::MAX,
            namer: ScheduleRecorder::default(),
            answers: StepAnswers::default(),
            parting: None,
            steps: 0,
            followed: Arc::default(),
            schedule,
        }
    }

    /// Lets an unlisted step replace the first listed one of its sort: another message of the same type,
    /// for instance, when earlier ones were dropped. A step with a listed name but another sort doesn't
    /// match.
    pub(crate) fn by_sort(mut self) -> Self {
        let whole = |step: &NamedStep| mix(step.name.key(), step.sort);
        self.names = StepIndex::new(self.schedule.iter().map(whole));
        self.sorts = Some(StepIndex::new(self.schedule.iter().map(|step| step.sort)));
        self
    }

    /// Lets the operation of the last step continue as long as its steps are enabled and listed.
    pub(crate) fn staying(mut self) -> Self {
        self.stays = true;
        self
    }

    /// Lets the operation of the next listed step take unlisted steps first, as additions to the program.
    pub(crate) fn inserting(mut self) -> Self {
        self.inserts = true;
        self
    }

    /// Ends the execution after so many steps.
    pub(crate) fn up_to(mut self, steps: u64) -> Self {
        self.limit = steps;
        self
    }

    /// The place where the result is written after each execution.
    pub(crate) fn followed(&self) -> Arc<Mutex<GuidedResult>> {
        Arc::clone(&self.followed)
    }

    /// The first place of a step in the list where it was not taken yet, if any.
    fn place(&mut self, pending: &Pending, enabled: &Enabled<'_>) -> Option<usize> {
        let name = self.namer.name(pending, enabled);
        let Some(sorts) = &mut self.sorts else {
            return self.names.first(name.key(), &self.progress.taken);
        };
        let sort = sort(&name, pending, enabled);
        let by_name = self
            .names
            .first(mix(name.key(), sort), &self.progress.taken);
        by_name.or_else(|| sorts.first(sort, &self.progress.taken))
    }

    /// The place and the position of the enabled step that is listed first.
    fn listed(&mut self, enabled: &Enabled<'_>) -> Option<(usize, usize)> {
        let mut first: Option<(usize, usize)> = None;
        for (position, pending) in enabled.iter().enumerate() {
            let Some(place) = self.place(pending, enabled) else {
                continue;
            };
            if self.stays && pending.operation == enabled.last() {
                return Some((place, position));
            }
            if first.is_none_or(|(best, _)| place < best) {
                first = Some((place, position));
            }
        }
        first
    }

    /// The position of an unlisted step of the next listed operation, if such steps are inserted.
    fn inserted(&mut self, enabled: &Enabled<'_>) -> Option<usize> {
        let next = self.schedule.get(self.progress.first_left)?.name;
        if !self.inserts || next.kind == StepKind::Timer {
            return None;
        }
        let is_next = |pending: &Pending| {
            let operation = pending.operation;
            !operation.is_timer() && enabled.path(operation) == next.who
        };
        let position = enabled.iter().position(is_next)?;
        let is_listed = self.place(&enabled[position], enabled).is_some();
        (!is_listed).then_some(position)
    }

    /// The place and key of the listed fault that comes before all enabled listed steps.
    fn due_fault(&mut self, enabled: &Enabled<'_>) -> Option<(usize, u64)> {
        let is_fault = |place: &usize| self.schedule[*place].name.kind == StepKind::Fault;
        let place = self.progress.left().find(is_fault)?;
        let key = self.schedule[place].name.who;
        let listed = self.listed(enabled);
        let is_due = listed.is_none_or(|(before, _)| place < before);
        is_due.then_some((place, key))
    }

    fn part(&mut self, expected: usize, taken: Option<StepName>) {
        if self.parting.is_none() {
            self.parting = Some(ScheduleDeviation {
                step: self.steps + 1,
                expected: (expected < self.schedule.len()).then_some(expected),
                taken,
            });
        }
    }

    /// Strikes a listed fault in its turn; one that is not possible then is skipped.
    fn fault_between(&mut self, enabled: &Enabled<'_>, faults: &[Fault]) -> Option<usize> {
        while let Some((place, next)) = self.due_fault(enabled) {
            let found = faults.iter().position(|fault| fault.key == next);
            if found.is_some() || next == Fault::LAST {
                return found;
            }
            self.progress.take(place);
            self.passed_over += 1;
            self.part(place, None);
        }
        None
    }

    /// True if the end of all faults is due in the list, or where the fair part begins.
    fn ends_faults(&mut self, enabled: &Enabled<'_>) -> bool {
        let due = self.due_fault(enabled);
        if due.is_some_and(|(_, key)| key == Fault::LAST) {
            return true;
        }
        match self.fairness {
            Fairness::Unfair => false,
            Fairness::Fair => self.progress.is_over(),
            Fairness::FairFrom(step) => step <= enabled.step(),
        }
    }

    /// Records that a fault was the step.
    fn struck(&mut self, key: u64) {
        let is_it = |place: &usize| {
            let name = self.schedule[*place].name;
            name.kind == StepKind::Fault && name.who == key
        };
        let place = self.progress.left().find(is_it);
        if place != Some(self.progress.first_left) {
            let name = self.namer.name_fault(key);
            self.part(self.progress.first_left, Some(name));
        }
        if let Some(place) = place {
            self.progress.take(place);
        }
        self.namer.struck_between(key);
        self.steps += 1;
        self.answers = StepAnswers::default();
    }

    /// Writes the result.
    fn finish(&mut self) {
        if !self.progress.is_over() {
            self.part(self.progress.first_left, None);
        }
        let taken = self.progress.taken.iter().filter(|taken| **taken).count();
        let followed = GuidedResult {
            schedule: self.namer.end(),
            parting: self.parting,
            taken: taken - self.passed_over,
        };
        *self.followed.lock().unwrap_or_else(PoisonError::into_inner) = followed;
    }
}

impl Strategy for Guided {
    fn name(&self) -> String {
        "guided".into()
    }

    fn needs(&self) -> Needs {
        let completion = self.completion.as_ref();
        Needs {
            steps: completion.is_some_and(|completion| completion.needs().steps),
            ..Needs::all_choices()
        }
    }

    fn begin(&mut self, execution: &Execution) -> Option<Fairness> {
        self.progress.begin(self.schedule.len());
        (self.passed_over, self.steps) = (0, 0);
        (self.answers, self.parting) = (StepAnswers::default(), None);
        self.namer.begin();
        self.names.begin();
        if let Some(sorts) = &mut self.sorts {
            sorts.begin();
        }
        if let Some(completion) = &mut self.completion {
            completion.begin(execution)?;
        }
        Some(self.fairness)
    }

    fn pick(&mut self, enabled: &Enabled<'_>) -> Result<usize, Pruned> {
        if self.steps >= self.limit {
            return Err(Pruned::new());
        }
        let expected = self.progress.first_left;
        let listed = self.listed(enabled);
        let (place, position) = match (listed, self.inserted(enabled)) {
            (_, Some(position)) => (None, position),
            (Some((place, position)), None) => (Some(place), position),
            (None, None) => match &mut self.completion {
                Some(completion) => (None, completion.pick(enabled)?),
                None => return Err(Pruned::new()),
            },
        };
        let name = self.namer.takes(&enabled[position], enabled);
        let as_listed = self.schedule.get(expected).map(|step| step.name) == Some(name);
        if place != Some(expected) || !as_listed {
            self.part(expected, Some(name));
        }
        if let Some(place) = place {
            self.progress.take(place);
        }
        self.answers = StepAnswers::of_step(place.map(|place| &self.schedule[place]));
        self.steps += 1;
        Ok(position)
    }

    fn choose(&mut self, choice: Choice<'_>) -> Option<u32> {
        match choice {
            Choice::FaultWithin(site) => {
                let way = self.answers.answer(choice);
                self.namer.struck(site, way.unwrap_or(0));
                way
            }
            Choice::FaultBetween(enabled, faults) => match self.fault_between(enabled, faults) {
                Some(position) => Some(1 + position as u32),
                None => self.ends_faults(enabled).then_some(Choice::END_FAULTS),
            },
            _ => {
                let listed = self.answers.answer(choice);
                let completed = || choice.put_to(&mut **self.completion.as_mut()?);
                let answer = listed.or_else(completed).unwrap_or(0);
                let (asked, of) = (choice.purpose(), choice.bound());
                self.namer.chose(NamedChoice { asked, of, answer });
                Some(answer)
            }
        }
    }

    fn observe(&mut self, event: StrategyEvent<'_>) {
        match event {
            StrategyEvent::Struck(key) => return self.struck(key),
            StrategyEvent::Ended(_) => self.finish(),
            StrategyEvent::Stepped(_) => {}
        }
        if let Some(completion) = &mut self.completion {
            completion.observe(event);
        }
    }
}

/// The places of steps in a list, by a number for each step.
#[derive(Debug)]
struct StepIndex {
    /// The numbers with their places, sorted.
    sorted: Vec<(u64, u32)>,
    /// At the first entry of each number, how many places of that number are taken.
    passed: Vec<u32>,
}

impl StepIndex {
    fn new(listed: impl Iterator<Item = u64>) -> Self {
        let mut sorted: Vec<(u64, u32)> = listed.zip(0..).collect();
        sorted.sort_unstable();
        let passed = vec![0; sorted.len()];
        Self { sorted, passed }
    }

    fn begin(&mut self) {
        self.passed.fill(0);
    }

    /// The first place of a number that is not taken yet.
    fn first(&mut self, number: u64, taken: &[bool]) -> Option<usize> {
        let from = self.sorted.partition_point(|(other, _)| *other < number);
        let passed = self.passed.get_mut(from)?;
        loop {
            let at = from + *passed as usize;
            let (_, place) = self.sorted.get(at).filter(|(other, _)| *other == number)?;
            if !taken[*place as usize] {
                return Some(*place as usize);
            }
            *passed += 1;
        }
    }
}
