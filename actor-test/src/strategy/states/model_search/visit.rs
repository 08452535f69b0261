//! One execution of the model-based state search: goes to a state, and learns steps there.

use super::super::obligations::FairCycle;
use super::super::operations::{TIMER, name_of, own};
use super::WIDTH_MAX;
use super::model::{
    AT_COUNT, AT_REST, AT_TIMERS, FIRST, ModelledOperation, NOTHING, NotModelled, ObservedStep,
    RemainingState, StepInputs, StepKnowledge, StepSort, TransitionModel,
};
use crate::data::bug::{Cycle, SearchedCycle};
use crate::data::constructs::{ConstructSet, StepConstruct};
use crate::strategy::{
    Choice, Enabled, Ended, Ending, Execution, Fairness, Needs, Pending, Pruned, StateComponents,
    Step, StepEffect, Strategy, StrategyEvent,
};

/// The constructs outside an operation whose effect can be derived from the parts that a step reads.
const MODELLED: ConstructSet = ConstructSet::of(&[
    StepConstruct::Announcement,
    StepConstruct::Defer,
    StepConstruct::Ticks,
    StepConstruct::Timer,
]);

/// The most steps behind the state; an infinite execution would learn only of distant states.
const GOES_ON_MAX: usize = 1 << 10;

/// The purpose of an execution, once it has come to its state.
#[derive(Debug)]
pub(super) enum ExecutionPurpose {
    /// Shows the step of an operation or a timer; if `goes_on` is set, also unknown steps behind it.
    Learn { who: u64, goes_on: bool },
    /// Finds the enabled steps of a state; if there are none, the execution ends there and is judged.
    Visit(u32),
    /// Checks that the execution has come to the expected state.
    Check,
    /// Runs once around a cycle.
    Round(FairCycle),
}

/// One execution.
#[derive(Debug)]
pub(in crate::strategy) struct ModelExecution {
    /// The transition model, which learns during the execution.
    pub(super) model: TransitionModel,
    /// The numbers of the actions on the path.
    path: Vec<u32>,
    /// The expected state at the end of the path.
    to: Vec<u32>,
    pub(super) aim: ExecutionPurpose,
    /// The number of steps begun.
    begun: usize,
    /// The answers for the choices of the step in progress.
    answers: Vec<u32>,
    /// The current state, and the one before the last step.
    row: Vec<u32>,
    before: Vec<u32>,
    /// The step in progress.
    shown: ObservedStep,
    is_stepping: bool,
    /// The operations in the footprint after the step: fingerprint, and true if all events are deferred.
    prints: Vec<(u32, u128, bool)>,
    rest: u32,
    timers: u128,
    /// The numbers of the running timers with their names.
    timer_names: Vec<(u32, u64)>,
    /// Set once the purpose is fulfilled or out of reach.
    is_over: bool,
    /// The cycle, once the execution came back to its beginning.
    is_round: Option<Cycle>,
    pub(super) is_not_modelled: bool,
    pub(super) is_seeded: bool,
    pub(super) max_steps: u64,
}

impl ModelExecution {
    pub(super) fn new(
        model: TransitionModel,
        path: Vec<u32>,
        to: Vec<u32>,
        aim: ExecutionPurpose,
    ) -> Self {
        Self {
            model,
            path,
            to,
            aim,
            begun: 0,
            answers: Vec::new(),
            row: Vec::new(),
            before: Vec::new(),
            shown: ObservedStep::default(),
            is_stepping: false,
            prints: Vec::new(),
            rest: NOTHING,
            timers: 0,
            timer_names: Vec::new(),
            is_over: false,
            is_round: None,
            is_not_modelled: false,
            is_seeded: false,
            max_steps: 0,
        }
    }

    /// The state before the first step.
    pub(super) fn root(model: &mut TransitionModel) -> Vec<u32> {
        let rest = model.rest(RemainingState {
            print: 0,
            obligations: (0, 0),
        });
        let body = model.part(ModelledOperation {
            operation: 0,
            print: 0,
            is_enabled: true,
            is_own: false,
            is_deferring: false,
        });
        vec![rest, NOTHING, 1, body]
    }

    fn give_up(&mut self) {
        self.is_not_modelled = true;
        self.is_over = true;
    }

    /// Processes the arrival in a state with these enabled operations.
    fn arrive(&mut self, enabled: &[Pending]) {
        if self.is_over {
            return;
        }
        let arrived = match self.is_stepping {
            true => self.end_step(enabled),
            false => self.begin(enabled),
        };
        self.is_stepping = false;
        if arrived.is_err() {
            return self.give_up();
        }
        let (from, to) = (self.path.len() as u64, self.begun as u64);
        let length = match &self.aim {
            ExecutionPurpose::Round(accusation) => accusation.cycle_path.len() as u64,
            _ => 0,
        };
        if (to == from || to == from + length) && !self.is_there() {
            // The path has led to another state.
            return self.give_up();
        }
        if let ExecutionPurpose::Round(accusation) = &self.aim
            && to == from + length
        {
            self.is_round = Some(Cycle {
                from,
                to,
                searched: Some(SearchedCycle {
                    entry: accusation.entry,
                    demand: accusation.demand,
                }),
            });
            self.is_over = true;
        }
    }

    /// True if the execution is in the expected state.
    fn is_there(&self) -> bool {
        let shorter = self.row.len().min(self.to.len());
        let (row, more) = self.row.split_at(shorter);
        let (to, others) = self.to.split_at(shorter);
        let is_same = |(at, (one, other)): (usize, (&u32, &u32))| one == other || at == AT_COUNT;
        row.iter().zip(to).enumerate().all(is_same)
            && more.iter().chain(others).all(|part| *part == NOTHING)
    }

    /// Processes the state before the first step.
    fn begin(&mut self, enabled: &[Pending]) -> Result<(), NotModelled> {
        self.row = Self::root(&mut self.model);
        match enabled {
            [body] if body.operation.bits() == 0 => Ok(()),
            _ => Err(NotModelled),
        }
    }

    /// Learns the effect of the step that is over.
    fn end_step(&mut self, enabled: &[Pending]) -> Result<(), NotModelled> {
        self.before.clone_from(&self.row);
        self.row[AT_REST] = self.rest;
        let timers = enabled.iter().filter(|one| one.operation.is_timer());
        let mut fire: Vec<u64> = timers.map(|timer| self.name(timer)).collect();
        fire.sort_unstable();
        if fire.windows(2).any(|two| two[0] == two[1]) {
            // Two timers with the same name are indistinguishable.
            return Err(NotModelled);
        }
        self.row[AT_TIMERS] = self.model.timers(self.timers);
        for (operation, print, is_deferring) in self.prints.drain(..) {
            let at = operation as usize + FIRST;
            if self.row.len() <= at {
                self.row.resize(at + 1, NOTHING);
            }
            let pending = pending_of(enabled, operation);
            self.row[at] = self.model.part(ModelledOperation {
                operation,
                print,
                is_enabled: pending.is_some(),
                is_own: pending.is_some_and(own),
                is_deferring,
            });
        }
        // Operations outside the footprint must be enabled exactly if they were before.
        self.row[AT_COUNT] = (self.row.len() - FIRST) as u32;
        self.model.fire(&self.row, &fire)?;
        let mut can = fire.len();
        for (part, operation) in self.row[FIRST..].iter().zip(0..) {
            let part = self.model.part_of(*part);
            let pending = pending_of(enabled, operation);
            if part.is_enabled != pending.is_some() || part.is_own != pending.is_some_and(own) {
                return Err(NotModelled);
            }
            can += usize::from(part.is_enabled);
        }
        if can != enabled.len() {
            return Err(NotModelled);
        }
        let shown = &mut self.shown;
        shown.changes.clear();
        for (at, part) in self.row.iter().enumerate() {
            if self.before.get(at).copied().unwrap_or(NOTHING) != *part {
                shown.changes.push((at as u32, *part));
            }
        }
        let spawned = self.row.len() > self.before.len();
        shown.uses.rest |= self.row[AT_REST] != self.before[AT_REST];
        shown.uses.count = spawned;
        shown.uses.timers |= self.row[AT_TIMERS] != self.before[AT_TIMERS];
        let is_touched = |(at, _): &(u32, u32)| {
            (*at as usize) < FIRST
                || *at as usize >= self.before.len()
                || self.before[*at as usize] == shown.taker
                || shown.others.contains(at)
        };
        if !shown.changes.iter().all(is_touched) {
            return Err(NotModelled);
        }
        self.model.learn(&self.shown, &self.before)
    }

    /// The name of an operation in this state; a timer's name is unique among the running ones.
    fn name(&self, pending: &Pending) -> u64 {
        let operation = pending.operation;
        let mut timers = self.timer_names.iter();
        let is_this = |(number, _): &&(u32, u64)| *number as usize == operation.index();
        match operation.is_timer() {
            true => timers.find(is_this).map_or(TIMER, |(_, name)| *name),
            false => name_of(pending),
        }
    }

    /// The name of the next operation or timer; prepares the answers to its choices.
    fn next(&mut self) -> Option<u64> {
        self.answers.clear();
        let action = match self.path.get(self.begun) {
            Some(action) => Some(*action),
            None => match &self.aim {
                ExecutionPurpose::Round(accusation) => {
                    let (action, _) = accusation.cycle_path.get(self.begun - self.path.len())?;
                    Some(*action)
                }
                _ => None,
            },
        };
        if let Some(action) = action {
            let (name, answers) = match self.model.action(action) {
                [who, timer, answers @ ..] if who & TIMER != 0 => (timer, answers),
                [who, answers @ ..] => (who, answers),
                [] => return None,
            };
            self.answers
                .extend(answers.iter().map(|answer| *answer as u32));
            let name = *name;
            return Some(name);
        }
        let who = match self.aim {
            ExecutionPurpose::Learn { who, .. } if self.begun == self.path.len() => who,
            // The search can't compose wider states.
            ExecutionPurpose::Learn { goes_on: true, .. }
                if self.row.len() <= WIDTH_MAX && self.begun < self.path.len() + GOES_ON_MAX =>
            {
                let is_new =
                    |part| matches!(self.model.known(part, &self.row), StepKnowledge::Unknown);
                self.model.first_taker(&self.row, is_new)?
            }
            _ => return None,
        };
        let taker = self.model.taker_of(&self.row, who)?;
        self.answers
            .extend_from_slice(self.model.due(taker, &self.row));
        Some(who)
    }
}

fn pending_of(enabled: &[Pending], operation: u32) -> Option<&Pending> {
    let mut all = enabled.iter();
    all.find(|pending| pending.operation.bits() == operation)
}

impl ModelExecution {
    /// Picks the next step that the search asks for.
    fn next_step(&mut self, enabled: &Enabled<'_>) -> Option<usize> {
        let pending = enabled.iter().as_slice();
        self.arrive(pending);
        if self.is_over {
            return None;
        }
        let who = self.next()?;
        let position = pending.iter().position(|one| who == self.name(one));
        let taker = self.model.taker_of(&self.row, who);
        let (Some(position), Some(taker)) = (position, taker) else {
            self.give_up();
            return None;
        };
        self.begun += 1;
        self.shown.taker = taker;
        self.shown.name.clear();
        self.shown.name.push(name_of(&pending[position]));
        if pending[position].operation.is_timer() {
            self.shown.name.push(who);
        }
        self.shown.answers.clear();
        Some(position)
    }

    /// Records the step that is over, as far as it is modelled.
    fn record(&mut self, step: &Step<'_>) {
        if self.is_over {
            return;
        }
        self.is_stepping = true;
        // A bug ends the execution for all operations, so the end is not part of the footprint.
        let unmodelled = match step.bug {
            None => step.constructs.without(MODELLED),
            Some(_) => step
                .constructs
                .without(MODELLED.and(ConstructSet::of(&[StepConstruct::Finish]))),
        };
        let model = &mut self.model;
        let depends_on_more = |parts: StateComponents<'_>| {
            parts.state.by_history
                || parts.state.canonical.is_some()
                || parts.state.reads_clock
                || model.depends_on_numbers(parts.state)
                || parts.lends_timers
                || parts.has_periodic
        };
        if !unmodelled.is_nothing()
            || step.observers.have_predicates()
            || step.next_state.is_some_and(depends_on_more)
        {
            return self.give_up();
        }
        let shown = &mut self.shown;
        shown.uses = StepInputs {
            rest: !step.observers.is_empty(),
            timers: step.pending.operation.is_timer(),
            count: false,
        };
        shown.has_failed = step.bug.is_some();
        shown.sort = match (step.effect, step.pending.inbox) {
            (StepEffect::Sent(_), Some(to)) if to != step.pending.operation => StepSort::Send,
            (StepEffect::Sent(_) | StepEffect::Halted, _) => StepSort::Own,
            _ => StepSort::Other,
        };
        shown.others.clear();
        shown.changes.clear();
        let Some(StateComponents {
            state,
            prints,
            timers,
            armed,
            rest,
            footprint: touched,
            touches_timers,
            lends_timers: _,
            has_periodic: _,
            defers,
        }) = step.next_state
        else {
            // The footprint of a failed step is unknown, so it is taken as the inbox that the step reads.
            let taker = step.pending.operation;
            let inbox = step.pending.inbox.filter(|inbox| *inbox != taker);
            let places = inbox.map(|inbox| inbox.bits() + FIRST as u32);
            shown.others.extend(places);
            return;
        };
        let (taker, live) = (
            step.pending.operation.bits(),
            (self.row.len() - FIRST) as u32,
        );
        let others = touched
            .iter()
            .filter(|other| **other != taker && **other < live);
        shown
            .others
            .extend(others.map(|other| other + FIRST as u32));
        shown.uses.timers |= touches_timers;
        self.timers = timers;
        self.timer_names.clear();
        let names = armed
            .iter()
            .map(|(number, print)| (*number, *print as u64 | TIMER));
        self.timer_names.extend(names);
        self.prints.clear();
        self.prints.extend(touched.iter().map(|operation| {
            let defers = defers.get(*operation as usize).copied().unwrap_or(false);
            (*operation, prints[*operation as usize], defers)
        }));
        self.rest = self.model.rest(RemainingState {
            print: rest,
            obligations: (state.obligations, state.hot),
        });
    }

    /// Learns a failed step, or comes to a final state.
    fn finish(&mut self, ended: &Ended) {
        match ended.ending {
            Ending::Bug if self.is_stepping && self.shown.has_failed => {
                if self.model.learn(&self.shown, &self.row).is_err() {
                    self.give_up();
                }
            }
            // A final state, which may be judged as a bug.
            Ending::Bug | Ending::Complete => self.arrive(&[]),
            Ending::Bound | Ending::Pruned => {}
        }
    }
}

impl Strategy for ModelExecution {
    fn name(&self) -> String {
        "states".into()
    }

    fn needs(&self) -> Needs {
        Needs {
            steps: true,
            states: true,
            faults: true,
            ..Needs::default()
        }
    }

    fn begin(&mut self, execution: &Execution) -> Option<Fairness> {
        self.max_steps = execution.max_steps;
        Some(Fairness::Unfair)
    }

    fn pick(&mut self, enabled: &Enabled<'_>) -> Result<usize, Pruned> {
        let next = self.next_step(enabled);
        next.ok_or_else(|| Pruned::by(self.is_round))
    }

    fn choose(&mut self, choice: Choice<'_>) -> Option<u32> {
        let of = match choice {
            Choice::Below(of, _) => of,
            Choice::Seed => {
                self.is_seeded = true;
                return None;
            }
            Choice::FaultWithin(_) | Choice::FaultBetween(..) => {
                self.give_up();
                return None;
            }
            Choice::Passing(_) => return None,
        };
        let nth = self.shown.answers.len();
        let answer = self.answers.get(nth).copied().unwrap_or(0).min(of - 1);
        self.shown.answers.push((answer, of));
        Some(answer)
    }

    fn observe(&mut self, event: StrategyEvent<'_>) {
        match event {
            StrategyEvent::Stepped(step) => self.record(step),
            StrategyEvent::Ended(ended) => self.finish(ended),
            StrategyEvent::Struck(_) => {}
        }
    }
}
