//! Lasso detection: a state that repeats while an obligation is pending all the time.
//!
//! The search begins when something has been hot for more than
//! [`WARNING`](crate::engine::world::temperature::WARNING) fair steps. The search goes on in *surveys*, in
//! which the state is fingerprinted after each step. A survey opens only while the search has cost less
//! than a small part of the execution's time: half a unit of about 10 ns for each step. So all surveys but
//! the first cost a bounded share, and an execution without heat costs nothing.
//!
//! # Verdicts
//!
//! A repeated state proves that an execution *could* repeat for ever. But if each repetition has a chance
//! to leave the cycle, a fair schedule leaves it in the end, and a program that is slow but live must not
//! be reported. So there are two degrees:
//!
//! 1. A **cycle** is a return to an earlier state, during which the specification was never cold, no choice
//!    was asked for, and every operation that stayed enabled took a step (weak fairness). The anchor state
//!    moves ahead at growing distances, as in Brent's algorithm. A cycle is a mere suspicion: it is kept
//!    until the specification turns cold, and is named beside the heat if the threshold is passed.
//! 2. A survey enters the result of each step in a [`Region`], which computes whether any schedule leaves
//!    the reachable states. If none does, that is a *hypothesis*, which is tested: for seven to ten times
//!    as many steps as there are states, all steps must have the predicted results, each of them several
//!    times. Then the liveness bug is certain, and the cycle is its witness. The test is needed for types
//!    whose fingerprints leave out what matters, and for actors that share memory.
//!
//! A step that asks for a choice, of `choose` or `rng`, has other results that were not seen. A cycle with
//! such a step is *choice-unfair*, which is no lasso, and a survey ends with it. A survey also ends if time
//! passes in a program that reads the clock, since the same state may act differently later; or if an actor
//! is spawned, whose number no earlier state had. These executions are left to the threshold.
//!
//! The search changes no decision, so the schedule is the same with it and without it.

use std::time::Duration;

use crate::data::bug::Cycle;
use crate::data::problem::Evidence;
use crate::engine::running::execution::{Engine, Program};
use crate::engine::running::verdict::suspect;
use crate::engine::specs::suspicion::Suspicion;
use crate::engine::states::fingerprint::EngineView;
use crate::engine::states::opaque::OpaqueTypes;
use crate::engine::states::prints::IncrementalFingerprints;
use crate::engine::states::region::{
    OperationSnapshot, Reachability, Region, RegionStep, RestState, StepNovelty,
};
use crate::engine::world::enabled::PAUSED;
use crate::engine::world::state::ExecutionState;
use crate::engine::world::temperature::Obligation;
use crate::strategy::{OperationId, Pending};

/// The cost of a survey's step besides fingerprints, and of an operation when a survey is planned.
const COST: u64 = 6;

/// The cost of a step that a region inspects in its search.
const VISIT_COST: u64 = 6;

/// The cost that a survey may have in any case.
const SURVEY_MIN: u64 = 2_000;

/// The number of steps that a region may inspect in any case.
const VISITS_MIN: u64 = 2_000;

/// The distance in steps between the first two anchors.
const ANCHOR_DISTANCE_MIN: u64 = 16;

/// The number of survey steps before a region is first checked.
const ASKED_FIRST: u64 = 16;

/// The maximum number of test steps of a hypothesis, per state.
const TESTED_MAX: u64 = 32;

/// The number of test steps that a hypothesis may have in any case.
const TESTED_AT_LEAST: u64 = 1_000;

/// The number of equal results of each step that make a closed region certain: the first and three more.
const TAKEN_MIN: u8 = 4;

/// The progress of the search.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
enum SurveyPhase {
    #[default]
    Resting,
    /// A survey begins with the next step.
    Opening,
    /// The states are fingerprinted.
    Surveying,
}

/// The hypothesis that a region is closed.
#[derive(Clone, Copy, Debug)]
struct ClosedHypothesis {
    /// The steps between which the hypothesis is confirmed.
    from: u64,
    until: u64,
}

/// A point of an execution, with counters that show what the program has asked for since.
#[derive(Clone, Copy, Default)]
struct ExecutionPoint {
    step: u64,
    choices: u64,
    clock_reads: u64,
    now: Duration,
    live: u32,
}

impl ExecutionPoint {
    fn now(state: &ExecutionState) -> Self {
        let asked = actor_test_os::request_counts();
        Self {
            step: state.progress.step(),
            choices: state.progress.choices() + state.timers.passing.asked + asked.random,
            clock_reads: state.timers.clock_reads() + asked.clock,
            now: state.timers.now(),
            live: state.operations.count(),
        }
    }

    /// Returns true if the program asked for a choice.
    fn has_chosen(self, since: Self) -> bool {
        self.choices != since.choices
    }

    /// Returns true if time has passed and the program read the clock.
    fn has_seen_time_pass(self, since: Self) -> bool {
        self.clock_reads != since.clock_reads && self.now != since.now
    }
}

#[derive(Default)]
pub(crate) struct LassoDetector {
    /// True if the search is enabled.
    pub(crate) wanted: bool,
    phase: SurveyPhase,
    /// The hot specification, by its index among the temperatures, and the step since which it is pending.
    obligation: (usize, u64),
    /// The anchor, the state to which a return is searched for, and the moment at which it was current.
    anchor: u128,
    departure: ExecutionPoint,
    /// The number of steps after which the anchor moves ahead.
    anchor_distance: u64,
    /// The operations that have stayed enabled since the anchor and have not taken a step.
    unserved: Vec<OperationId>,
    prints: IncrementalFingerprints,
    region: Region,
    /// True if the region compares whole states instead of parts.
    is_whole: bool,
    /// The moment at which the region got its first state.
    region_from: ExecutionPoint,
    /// The moment at which the survey began.
    survey_from: ExecutionPoint,
    /// The number of steps that the region has seen, and the number at which it is checked next.
    observed: u64,
    asked_at: u64,
    /// The step before which the region is not checked again, since the last check had no result.
    asked_from: u64,
    claim: Option<ClosedHypothesis>,
    /// The last cycle since the specification was cold.
    cycle: Option<Cycle>,
    /// The cost at which the survey ends.
    limit: u64,
    /// The operations in the footprint of the step in progress.
    touched: Vec<u32>,
    names: OpaqueTypes,
}

impl LassoDetector {
    pub(crate) fn begin(&mut self, state: &mut ExecutionState) {
        self.phase = SurveyPhase::Resting;
        self.obligation = (usize::MAX, 0);
        self.forget();
        self.prints.begin();
        self.names.begin();
        state.temperatures.warn(self.wanted.then_some(0));
    }

    fn forget(&mut self) {
        self.cycle = None;
        self.anchor_distance = ANCHOR_DISTANCE_MIN;
        self.is_whole = false;
        self.forget_region();
    }

    fn forget_region(&mut self) {
        self.region.forget();
        self.claim = None;
        self.observed = 0;
        self.asked_at = ASKED_FIRST;
        self.asked_from = 0;
    }

    /// Returns true if every step is to be taken by [`Engine::watched_step`].
    #[inline]
    pub(crate) fn is_watching(&self) -> bool {
        self.phase != SurveyPhase::Resting
    }

    /// Opens a survey of something hot, or asks to be called again when the execution can afford one.
    pub(crate) fn warned(&mut self, state: &mut ExecutionState) {
        let affordable = self.affordable_from(state);
        if state.progress.step() < affordable {
            state.temperatures.warn(Some(affordable));
        } else {
            self.phase = SurveyPhase::Opening;
            state.footprint.record_touched(true);
            state.temperatures.warn(None);
        }
    }

    /// Returns the step from which on the next survey costs no more than its share.
    fn affordable_from(&self, state: &ExecutionState) -> u64 {
        let opening = u64::from(state.operations.count()) * COST;
        let affordable = (self.prints.cost() + opening) * self.steps_for_a_unit();
        affordable.max(self.asked_from)
    }

    /// Returns the number of steps for which a unit of cost is spent, which is less for the many whole
    /// states.
    fn steps_for_a_unit(&self) -> u64 {
        if self.is_whole { 1 } else { 2 }
    }

    fn close(&mut self, state: &mut ExecutionState) {
        self.phase = SurveyPhase::Resting;
        self.claim = None;
        state.footprint.record_touched(false);
        state.temperatures.warn(Some(self.affordable_from(state)));
    }

    fn is_over(&self) -> bool {
        self.claim.is_none() && self.prints.cost() >= self.limit
    }

    /// Returns the cycle seen while that specification has been pending since that step.
    pub(crate) fn cycle_of(&self, entry: usize, since: u64) -> Option<Cycle> {
        self.cycle.filter(|_| self.obligation == (entry, since))
    }

    /// Returns the types that took part and offer no fingerprint: `` `Server` (actor) `` and so on.
    pub(crate) fn opaque(&self) -> Vec<String> {
        self.names.all()
    }

    /// Sets the pending specification that is observed; forgets the observations of another one.
    fn watch(&mut self, pending: (usize, u64)) {
        if std::mem::replace(&mut self.obligation, pending) != pending {
            self.forget();
        }
    }

    /// Marks the operations that a step has touched; `live` is the number of operations before the step.
    fn note_touched(&mut self, state: &ExecutionState, live: u32) {
        let spawned = live..state.operations.count();
        for operation in state.footprint.touched().iter().copied().chain(spawned) {
            self.prints.touch(operation);
        }
        self.prints.add_cost(COST + self.unserved.len() as u64);
    }

    /// Moves the anchor to the current state.
    fn depart(&mut self, state: &ExecutionState, anchor: u128) {
        self.anchor = anchor;
        self.departure = ExecutionPoint::now(state);
        self.unserved.clear();
        let enabled = state.enabled.pending().iter();
        let enabled = enabled.map(|pending| pending.operation);
        self.unserved.extend(enabled);
    }

    /// Checks whether a step has led back to the anchor; `print` is the fingerprint of the state after it.
    fn find_cycle(&mut self, state: &ExecutionState, taken: OperationId, print: u128) {
        // An operation is served if it took the step, or if it can't take one now.
        self.unserved
            .retain(|operation| *operation != taken && state.pending_of(*operation).is_some());
        let (before, now) = (self.departure, ExecutionPoint::now(state));
        if print != self.anchor {
            if now.step - before.step >= self.anchor_distance {
                self.anchor_distance *= 2;
                self.depart(state, print);
            }
        } else if now.has_chosen(before) || now.has_seen_time_pass(before) {
            self.depart(state, print);
        } else if self.unserved.is_empty() {
            let (from, to) = (before.step, now.step);
            self.cycle = Some(Cycle::met(from, to));
            self.depart(state, print);
        }
    }

    /// Enters the current state in the region.
    fn enter(&mut self, state: &ExecutionState, print: u128) {
        if self.region.is_empty() {
            self.region_from = ExecutionPoint::now(state);
        }
        let (parts, rest) = self.place(state, print);
        let part = |operation| part(&self.prints, state, operation);
        self.region.enter(parts, part, rest);
        self.learn_steps(state);
    }

    /// Returns the number of operations that the region compares one by one, and the rest of the state.
    fn place(&self, state: &ExecutionState, print: u128) -> (u32, RestState) {
        let is_hot = state.temperatures.hot_since(self.obligation.0).is_some();
        let (parts, print) = if self.is_whole {
            (0, print)
        } else {
            (state.operations.count(), self.prints.rest())
        };
        (parts, RestState { print, is_hot })
    }

    fn learn_steps(&mut self, state: &ExecutionState) {
        let is_whole = self.is_whole;
        if !is_whole && state.enabled.holds_back() {
            return;
        }
        self.region.learn_steps(|| {
            let enabled = state.enabled.pending().iter();
            let wanted = enabled.filter(|pending| is_whole || pending.operation.is_timer());
            wanted
                .map(|pending| named(state, pending, is_whole))
                .collect()
        });
    }

    /// Enters a step and its result in the region.
    fn learn(&mut self, state: &ExecutionState, step: RegionStep, print: u128) -> StepNovelty {
        let (parts, rest) = self.place(state, print);
        let touched = if parts == 0 {
            &[][..]
        } else {
            &self.touched[..]
        };
        let part = |operation| part(&self.prints, state, operation);
        let news = self.region.take(step, touched, part, rest);
        self.observed += 1;
        self.learn_steps(state);
        news
    }

    /// Checks whether the region is closed, if a check is due.
    fn ask(&mut self, state: &ExecutionState, is_over: bool) {
        if state.progress.step() < self.asked_from || self.observed < self.asked_at && !is_over {
            return;
        }
        self.asked_at = self.observed + self.observed / 2;
        let taken = if self.is_whole { TAKEN_MIN } else { 1 };
        let visits_max = state.progress.step().max(VISITS_MIN);
        let (reach, visited) = self.reach(state, taken, visits_max);
        match reach {
            Reachability::Open => self.prints.add_cost(visited * VISIT_COST),
            // The next check may inspect twice as many steps.
            Reachability::Unknown => {
                self.asked_from = state.progress.step() * 2;
                self.asked_at = self.observed;
            }
            Reachability::Closed(states) => {
                let tested = match states {
                    _ if self.is_whole => 0,
                    states => (states * 10).min(states * 7 + TESTED_AT_LEAST),
                };
                self.claim = Some(ClosedHypothesis {
                    from: state.progress.step() + tested,
                    until: state.progress.step() + states * TESTED_MAX + TESTED_AT_LEAST,
                });
            }
        }
    }

    fn reach(&self, state: &ExecutionState, taken: u8, visits_max: u64) -> (Reachability, u64) {
        let patient = state.timers.are_patient && !self.is_whole;
        self.region.closed(taken, patient, visits_max)
    }

    /// Returns the number of states if the hypothesis is confirmed; drops it if that takes too long.
    fn has_come_true(&mut self, state: &ExecutionState) -> Option<u64> {
        let claim = self.claim?;
        if state.progress.step() > claim.until {
            self.claim = None;
            return None;
        }
        if state.progress.step() < claim.from || self.cycle.is_none() {
            return None;
        }
        match self.reach(state, TAKEN_MIN, u64::MAX) {
            (Reachability::Closed(states), _) => Some(states),
            _ => {
                let from = state.progress.step() + state.progress.step() / 8;
                self.claim = Some(ClosedHypothesis { from, ..claim });
                None
            }
        }
    }

    /// Opens a survey at the current state.
    fn open(&mut self, view: &EngineView<'_>) {
        let (live, step, hottest) = {
            let state = view.shared.state.borrow();
            let hottest = state.temperatures.hottest(state.progress.step());
            (state.operations.count(), state.progress.step(), hottest)
        };
        let Some(hottest) = hottest else {
            return self.close_survey(view);
        };
        self.watch(hottest);
        let depends = view.shared.specifications.borrow();
        self.is_whole |= depends.reads_all_actors(hottest.0);
        let budget = (step / self.steps_for_a_unit()).max(SURVEY_MIN);
        self.prints.mark_all_changed(live);
        let print = self.prints.whole(view);
        self.limit = self.prints.cost() + budget;
        self.names.open(view);
        let state = view.shared.state.borrow();
        self.depart(&state, print);
        self.survey_from = self.departure;
        self.enter(&state, print);
        self.phase = SurveyPhase::Surveying;
    }

    fn close_survey(&mut self, view: &EngineView<'_>) {
        self.names.close(view);
        self.close(&mut view.shared.state.borrow_mut());
    }

    /// Returns true if the specification was never cold since the survey opened; closes the survey otherwise.
    fn is_still_pending(&mut self, view: &EngineView<'_>) -> bool {
        let (entry, since) = self.obligation;
        if view.shared.session().found.is_some() {
            return false;
        }
        let pending = view.shared.state().temperatures.pending_since(entry) == Some(since);
        if !pending {
            // The states seen had a way out.
            self.watch((usize::MAX, 0));
            self.close_survey(view);
        }
        pending
    }

    /// Enters the step in the region, and evaluates what is known now.
    fn survey(&mut self, view: &EngineView<'_>, taken: OperationId, step: RegionStep) {
        self.prints.touched(&mut self.touched);
        let print = self.prints.whole(view);
        let state = view.shared.state.borrow();
        let now = ExecutionPoint::now(&state);
        self.find_cycle(&state, taken, print);
        let has_chosen = now.has_chosen(self.survey_from);
        // A spawned actor has a number of its own, and no other step leads to that state again.
        let is_outside = has_chosen
            || now.has_seen_time_pass(self.region_from)
            || now.live > self.region_from.live;
        let news = if is_outside {
            StepNovelty::TooMuch
        } else {
            self.learn(&state, step, print)
        };
        match news {
            StepNovelty::Contradicted if self.is_whole => {
                drop(state);
                return self.give_up(view);
            }
            StepNovelty::Contradicted => {
                self.is_whole = true;
                self.forget_region();
                self.enter(&state, print);
            }
            StepNovelty::TooMuch => self.forget_region(),
            StepNovelty::New => self.claim = None,
            StepNovelty::None => {}
        }
        let is_over = self.is_over() || news == StepNovelty::TooMuch;
        if self.claim.is_none() && news != StepNovelty::TooMuch {
            self.ask(&state, is_over);
        }
        let come_true = self.has_come_true(&state);
        let goes_on = self.claim.is_some() || !is_over;
        drop(state);
        match come_true {
            Some(states) => self.report(view, states),
            None if goes_on => {}
            None => self.close_survey(view),
        }
    }

    /// Reports the bug: the region is closed, so the obligation stays pending under every schedule.
    fn report(&mut self, view: &EngineView<'_>, states: u64) {
        let cycle = self.cycle;
        self.close_survey(view);
        let Some(seen) = cycle else {
            return;
        };
        let (entry, since) = self.obligation;
        let evidence = Evidence::Closed {
            cycle: seen,
            states,
        };
        let suspicion = Suspicion {
            entry: Obligation::Specification(entry),
            since,
            cycle,
            certain: true,
        };
        let step = view.shared.state().progress.step();
        suspect(
            view.shared,
            step,
            &mut view.shared.session(),
            (entry, suspicion),
            evidence,
        );
    }

    /// Ends all surveys of the execution, since the fingerprints are wrong.
    fn give_up(&mut self, view: &EngineView<'_>) {
        self.watch((usize::MAX, 0));
        self.close_survey(view);
        view.shared.state().temperatures.warn(None);
    }
}

impl Engine {
    /// Takes a step during a survey.
    #[cold]
    pub(crate) fn watched_step(&mut self, pending: Pending, test: &dyn Program) {
        let shared = self.shared.clone();
        let Pending {
            operation, kind, ..
        } = pending;
        if self.lasso.phase == SurveyPhase::Opening {
            let changed_actor = self
                .executor
                .step(&shared, operation, kind, shared.state(), test);
            self.after_instrumented(&shared, operation, changed_actor);
            return self.lasso.open(&self.executor.view());
        }
        self.lasso.names.before(&self.executor.view(), &pending);
        let (step, live) = {
            let mut state = self.shared.state();
            state.footprint.begin_touched(&pending);
            let step = named(&state, &pending, self.lasso.is_whole);
            (step, state.operations.count())
        };
        let changed_actor = self
            .executor
            .step(&shared, operation, kind, shared.state(), test);
        self.after_instrumented(&shared, operation, changed_actor);
        let view = self.executor.view();
        self.lasso.names.after(&view, &pending);
        self.lasso.note_touched(&self.shared.state.borrow(), live);
        if self.lasso.is_still_pending(&view) {
            self.lasso.survey(&view, operation, step);
        }
    }
}

/// Returns the name of a step in a region; with `is_whole`, the step belongs to no operation.
fn named(state: &ExecutionState, pending: &Pending, is_whole: bool) -> RegionStep {
    let of = match pending.inbox {
        _ if is_whole => u32::MAX,
        Some(owner) if pending.operation.is_timer() => owner.bits(),
        _ => pending.operation.bits(),
    };
    let name = state.timers.step_name(pending);
    RegionStep { name, of }
}

/// Returns an operation as a region compares it.
fn part(
    prints: &IncrementalFingerprints,
    state: &ExecutionState,
    operation: u32,
) -> OperationSnapshot {
    OperationSnapshot {
        print: prints.of(operation),
        is_enabled: state.operations[operation].position < PAUSED,
    }
}
