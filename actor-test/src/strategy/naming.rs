//! Writing a schedule down by name.

use std::sync::{Arc, Mutex, PoisonError};

use super::per_operation::PerOperation;
use super::{Choice, Covered, Enabled, Ended, Execution, Fairness, Pending, Step, Strategy};
use crate::data::schedule::{NamedChoice, NamedStep, Schedule, StepName};
use crate::hash::mix;

/// Names the steps of one execution, and writes down those that are taken.
#[derive(Debug, Default)]
pub(crate) struct Namer {
    /// How many steps without a message each operation has taken, by kind.
    turns: PerOperation<[u32; KINDS]>,
    taken: Schedule,
}

/// How many kinds of steps there are.
const KINDS: usize = 7;

impl Namer {
    pub(crate) fn begin(&mut self) {
        self.turns.clear();
        self.taken.clear();
    }

    /// What the step would be called.
    pub(crate) fn name(&self, pending: &Pending, enabled: &Enabled<'_>) -> StepName {
        let owner = match pending.operation.is_timer() {
            true => pending.inbox,
            false => Some(pending.operation),
        };
        let turn = match pending.message {
            Some(_) => 0,
            None => self.turns.get(pending.operation)[pending.kind as usize],
        };
        StepName {
            who: owner.map_or(0, |owner| enabled.path(owner)),
            kind: pending.kind,
            message: pending.message,
            turn,
        }
    }

    /// The step is taken.
    pub(crate) fn takes(&mut self, pending: &Pending, enabled: &Enabled<'_>) -> StepName {
        let name = self.name(pending, enabled);
        if pending.message.is_none() {
            self.turns.of(pending.operation)[pending.kind as usize] += 1;
        }
        self.taken.push(NamedStep {
            name,
            sort: sort(&name, pending, enabled),
            choices: Vec::new(),
        });
        name
    }

    /// The step that was taken last has asked for a choice.
    pub(crate) fn chose(&mut self, choice: Choice, answer: u32) {
        if let Some(step) = self.taken.last_mut() {
            let of = choice.bound();
            step.choices.push(NamedChoice { of, answer });
        }
    }

    /// What was taken.
    pub(crate) fn end(&mut self) -> Schedule {
        std::mem::take(&mut self.taken)
    }
}

/// What sort of step it is, whichever its message.
pub(super) fn sort(name: &StepName, pending: &Pending, enabled: &Enabled<'_>) -> u64 {
    let inbox = pending.inbox.map_or(0, |inbox| enabled.path(inbox));
    let event = pending.event.map_or(0, |event| event.0.get());
    let what = u64::from(event) << 8 | name.kind as u64;
    mix(mix(name.who, inbox), what)
}

/// Has the schedule of another strategy written down.
#[derive(Debug)]
pub(crate) struct Named {
    strategy: Box<dyn Strategy>,
    namer: Namer,
    written: Arc<Mutex<Schedule>>,
}

impl Named {
    /// The strategy, and where the schedule is to be found after the execution.
    pub(crate) fn new(strategy: Box<dyn Strategy>) -> (Self, Arc<Mutex<Schedule>>) {
        let written = Arc::default();
        let named = Self {
            strategy,
            namer: Namer::default(),
            written: Arc::clone(&written),
        };
        (named, written)
    }
}

impl Strategy for Named {
    fn name(&self) -> String {
        self.strategy.name()
    }

    fn fairness(&self) -> Fairness {
        self.strategy.fairness()
    }

    fn begin(&mut self, execution: &Execution) -> bool {
        self.namer.begin();
        self.strategy.begin(execution)
    }

    fn pick(&mut self, enabled: &Enabled<'_>) -> Option<usize> {
        let picked = self.strategy.pick(enabled)?;
        if let Some(pending) = enabled.get(picked) {
            self.namer.takes(pending, enabled);
        }
        Some(picked)
    }

    fn choose(&mut self, choice: Choice) -> u32 {
        let answer = self.strategy.choose(choice);
        self.namer.chose(choice, answer);
        answer
    }

    fn hears_steps(&self) -> bool {
        self.strategy.hears_steps()
    }

    fn stepped(&mut self, step: &Step<'_>) {
        self.strategy.stepped(step);
    }

    fn ended(&mut self, ended: &Ended) {
        self.strategy.ended(ended);
        *self.written.lock().unwrap_or_else(PoisonError::into_inner) = self.namer.end();
    }

    fn covered(&self) -> Covered {
        self.strategy.covered()
    }
}
