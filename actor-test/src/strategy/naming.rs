//! Records the schedule of an execution as named steps, and other notes of each step.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use super::StepKind;
use super::per_operation::PerOperation;
use super::{
    Choice, CoverageClaim, Enabled, Execution, Fairness, FaultSite, Needs, Pending, Pruned,
    Strategy, StrategyEvent,
};
use crate::data::faults::{Fault, KINDS as FAULT_KINDS};
use crate::data::schedule::{NamedChoice, NamedStep, NamedStrike, Schedule, StepName};
use crate::hash::mix;

/// Names the steps of one execution, and records those that are taken.
#[derive(Debug, Default)]
pub(crate) struct ScheduleRecorder {
    /// The number of steps without a message that each operation has taken, by kind.
    turns: PerOperation<[u32; KINDS]>,
    taken: Schedule,
    /// The number of times that each fault was the step.
    fault_turns: BTreeMap<u64, u32>,
    /// The number of places of each kind of fault in the step in progress.
    places: [u32; FAULT_KINDS],
}

/// The number of kinds of steps.
const KINDS: usize = 9;

impl ScheduleRecorder {
    /// The name that the step would have.
    pub(crate) fn name(&self, pending: &Pending, enabled: &Enabled<'_>) -> StepName {
        let turn = match pending.message {
            Some(_) => 0,
            None => self.turns.get(pending.operation)[pending.kind as usize],
        };
        StepName {
            who: pending.owner().map_or(0, |owner| enabled.path(owner)),
            kind: pending.kind,
            message: pending.message,
            turn,
        }
    }

    /// Records that the step is taken.
    pub(crate) fn takes(&mut self, pending: &Pending, enabled: &Enabled<'_>) -> StepName {
        let name = self.name(pending, enabled);
        if pending.message.is_none() {
            self.turns.of(pending.operation)[pending.kind as usize] += 1;
        }
        self.taken.push(NamedStep {
            name,
            sort: sort(&name, pending, enabled),
            choices: Vec::new(),
            strikes: Vec::new(),
        });
        self.places = [0; FAULT_KINDS];
        name
    }
}

impl ScheduleRecorder {
    /// The name that the step of a fault would have.
    pub(super) fn name_fault(&self, key: u64) -> StepName {
        StepName {
            who: key,
            kind: StepKind::Fault,
            message: None,
            turn: self.fault_turns.get(&key).copied().unwrap_or(0),
        }
    }

    /// The number of an offer among those of its kind in the step in progress.
    pub(crate) fn place(&self, offer: &FaultSite) -> u32 {
        self.places[offer.kind as usize]
    }
}

/// The sort of a step: its name without the message or turn. A spawn is named by the spawned operation.
pub(super) fn sort(name: &StepName, pending: &Pending, enabled: &Enabled<'_>) -> u64 {
    let details = enabled.details().filter(|_| may_spawn(pending));
    let spawned = details.and_then(|details| details.spawned(pending.operation));
    let reached = pending.inbox.or(spawned).map_or(0, |who| enabled.path(who));
    let event = pending.event.map_or(0, |event| event.0.get());
    let what = u64::from(event) << 8 | name.kind as u64;
    mix(mix(name.who, reached), what)
}

/// A spawn is a flush without an inbox or a message.
fn may_spawn(pending: &Pending) -> bool {
    pending.kind == StepKind::Flush && pending.inbox.is_none() && pending.message.is_none()
}

/// A recorder of an execution, step by step.
pub(crate) trait ExecutionRecorder: fmt::Debug + Default + Send {
    /// The record of one execution.
    type Written: fmt::Debug + Default + Send;

    /// Begins an execution.
    fn begin(&mut self);

    /// Records that a step is taken.
    fn takes(&mut self, pending: &Pending, enabled: &Enabled<'_>);

    /// Records an answer to a choice of the last step.
    fn chose(&mut self, choice: NamedChoice);

    /// Records the way in which a fault strikes at an offer of the last step; zero for none.
    fn struck(&mut self, offer: &FaultSite, way: u32);

    /// Records that a fault was picked as the next step.
    fn meets(&mut self, _fault: &Fault, _enabled: &Enabled<'_>) {}

    /// Records that a fault was the step.
    fn struck_between(&mut self, key: u64);

    /// Ends the execution, and returns the record.
    fn end(&mut self) -> Self::Written;
}

impl ExecutionRecorder for ScheduleRecorder {
    type Written = Schedule;

    fn begin(&mut self) {
        self.turns.clear();
        self.taken.clear();
        self.fault_turns.clear();
    }

    fn takes(&mut self, pending: &Pending, enabled: &Enabled<'_>) {
        Self::takes(self, pending, enabled);
    }

    fn chose(&mut self, choice: NamedChoice) {
        if let Some(step) = self.taken.last_mut() {
            step.choices.push(choice);
        }
    }

    fn struck(&mut self, offer: &FaultSite, way: u32) {
        let place = self.place(offer);
        self.places[offer.kind as usize] += 1;
        if let Some(step) = self.taken.last_mut().filter(|_| way > 0) {
            let kind = offer.kind;
            step.strikes.push(NamedStrike { kind, place, way });
        }
    }

    fn struck_between(&mut self, key: u64) {
        let name = self.name_fault(key);
        *self.fault_turns.entry(key).or_default() += 1;
        self.taken.push(NamedStep {
            name,
            sort: key,
            choices: Vec::new(),
            strikes: Vec::new(),
        });
        self.places = [0; FAULT_KINDS];
    }

    fn end(&mut self) -> Schedule {
        std::mem::take(&mut self.taken)
    }
}

/// Records the execution of another strategy.
#[derive(Debug)]
pub(crate) struct RecordedStrategy<N: ExecutionRecorder> {
    strategy: Box<dyn Strategy>,
    notes: N,
    written: Arc<Mutex<N::Written>>,
}

/// Records the schedule of another strategy.
pub(crate) type Named = RecordedStrategy<ScheduleRecorder>;

impl<N: ExecutionRecorder> RecordedStrategy<N> {
    /// Wraps a strategy; the second value receives the record after each execution.
    pub(crate) fn new(strategy: Box<dyn Strategy>) -> (Self, Arc<Mutex<N::Written>>) {
        let written = Arc::default();
        let noted = Self {
            strategy,
            notes: N::default(),
            written: Arc::clone(&written),
        };
        (noted, written)
    }
}

impl<N: ExecutionRecorder> Strategy for RecordedStrategy<N> {
    fn name(&self) -> String {
        self.strategy.name()
    }

    fn needs(&self) -> Needs {
        Needs {
            estimates: false,
            length: false,
            time: true,
            memory: false,
            ..self.strategy.needs()
        }
    }

    fn begin(&mut self, execution: &Execution) -> Option<Fairness> {
        self.notes.begin();
        self.strategy.begin(execution)
    }

    fn pick(&mut self, enabled: &Enabled<'_>) -> Result<usize, Pruned> {
        let picked = self.strategy.pick(enabled)?;
        if let Some(pending) = enabled.get(picked) {
            self.notes.takes(pending, enabled);
        }
        Ok(picked)
    }

    fn choose(&mut self, choice: Choice<'_>) -> Option<u32> {
        let answer = choice.put_to(&mut *self.strategy);
        match choice {
            Choice::FaultWithin(site) => self.notes.struck(site, answer.unwrap_or(0)),
            Choice::FaultBetween(enabled, faults) => {
                let number = answer.unwrap_or(0) as usize;
                if let Some(fault) = number.checked_sub(1).and_then(|place| faults.get(place)) {
                    self.notes.meets(fault, enabled);
                }
            }
            _ => {
                let (asked, of) = (choice.purpose(), choice.bound());
                let answer = answer.unwrap_or(0);
                self.notes.chose(NamedChoice { asked, of, answer });
                return Some(answer);
            }
        }
        answer
    }

    fn observe(&mut self, event: StrategyEvent<'_>) {
        if let StrategyEvent::Struck(key) = event {
            self.notes.struck_between(key);
        }
        self.strategy.observe(event);
        if let StrategyEvent::Ended(_) = event {
            *self.written.lock().unwrap_or_else(PoisonError::into_inner) = self.notes.end();
        }
    }

    fn covered(&self) -> CoverageClaim {
        self.strategy.covered()
    }
}
