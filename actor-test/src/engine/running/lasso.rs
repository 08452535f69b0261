//! Lassos: a state that repeats while something was owed all the time.
//!
//! The search begins when something has been hot for more than
//! [`WARNING`](crate::engine::world::thermometer::WARNING) fair steps, and goes on in *surveys*, in which the state
//! is looked at after each step. A survey opens only when what was spent on looking is less than a
//! small part of the time that the execution has taken, half a unit of about 10 ns for each step; so
//! they cost a bounded share of it, apart from the first, and nothing before that.
//!
//! # What is reported
//!
//! A state that repeats proves that an execution *could* go round for ever. It does not prove that
//! any would: where each round has its chance of leaving, a fair schedule leaves in the end, and a
//! program that is slow but live must not be called dead. So there are two degrees:
//!
//! 1. A **cycle** is a return to an earlier state in which the specification was never cold, no
//!    choice was asked for, and every operation that was enabled throughout took a step (weak
//!    fairness). It is looked for with an anchor that moves ahead at growing distances, as in Brent's
//!    algorithm. It is a suspicion at most: it is remembered until the specification turns cold, and
//!    named beside the heat where the threshold is passed.
//! 2. A survey enters what each step does in a [`Region`], which tells whether any schedule leads out
//!    of the states that can be reached, however lucky. Where none does, that is a *claim*, and it is
//!    put to the test: for seven to ten times as many steps as there are states the execution goes on
//!    and is looked at, and all of them must do what was foretold, each of them several times. Then it
//!    is a liveness bug for certain, and the cycle is its witness. The test is there for types whose
//!    fingerprints leave out what matters, and for actors that share memory.
//!
//! A step that asks for a choice, of `choose` or `rng`, has more results than can be
//! seen: a cycle with one is *choice-unfair*, which is no lasso, and a survey ends with it. Where time
//! passes and the program looks at the clock the same state may act differently later, and a newborn
//! actor has a number that no state had before; these end a survey, too. What remains is left to the
//! heat.
//!
//! The search only looks and changes no decision, so that the same schedule is run with it and
//! without it.

use std::time::Duration;

use crate::data::bug::Cycle;
use crate::engine::arena::ActorParts;
use crate::engine::running::execution::{Engine, Program};
use crate::engine::sameness::fingerprint::EngineView;
use crate::engine::sameness::opaque::OpaqueTypes;
use crate::engine::sameness::prints::IncrementalFingerprints;
use crate::engine::sameness::region::{
    OperationSnapshot, Reachability, Region, RegionStep, RestState, StepNovelty,
};
use crate::engine::seam::shared::ControlledRuntime;
use crate::engine::watching::suspicion::Suspicion;
use crate::engine::world::enabled::ABSENT;
use crate::engine::world::state::ExecutionState;
use crate::engine::world::temperature::Obligation;
use crate::strategy::{OperationId, Pending};

/// What a step of a survey costs beside fingerprints, and what an operation costs in its plan.
const COST: u64 = 6;

/// What a step costs that a region looks at in its search.
const LOOK_COST: u64 = 6;

/// What a survey may cost in any case.
const SURVEY_MIN: u64 = 2_000;

/// How many steps a region may look at in any case.
const LOOKS_MIN: u64 = 2_000;

/// The distance of the first anchor from the second in steps.
const ANCHOR_DISTANCE_MIN: u64 = 16;

/// After how many steps of a survey a region is asked first.
const ASKED_FIRST: u64 = 16;

/// For how many times as many steps as there are states a claim is put to the test at most.
const TESTED_MAX: u64 = 32;

/// For how many steps a claim may be put to the test in any case.
const TESTED_AT_LEAST: u64 = 1_000;

/// How often each step has to be taken, with the same result each time, before it is believed for
/// good: the first time and three more.
const TAKEN_MIN: u8 = 4;

/// How far the search has come.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
enum SurveyPhase {
    #[default]
    Resting,
    /// A survey begins with the next step.
    Opening,
    /// The states are looked at.
    Surveying,
}

/// A region was found to be closed.
#[derive(Clone, Copy, Debug)]
struct ClosedHypothesis {
    /// The steps between which it comes true.
    from: u64,
    until: u64,
}

/// A point of an execution, with what tells whether the program asked for something since.
#[derive(Clone, Copy, Default)]
struct ExecutionPoint {
    step: u64,
    choices: u64,
    clock_reads: u64,
    now: Duration,
    live: usize,
}

impl ExecutionPoint {
    fn now(state: &ExecutionState) -> Self {
        let asked = actor_test_os::asked();
        Self {
            step: state.step,
            choices: state.choices + state.passing.asked + asked.random,
            clock_reads: state.clock_reads + asked.clock,
            now: state.now,
            live: state.live,
        }
    }

    /// The program asked for a choice.
    fn has_chosen(self, since: Self) -> bool {
        self.choices != since.choices
    }

    /// Time has passed, and the program looked at the clock.
    fn has_seen_time_pass(self, since: Self) -> bool {
        self.clock_reads != since.clock_reads && self.now != since.now
    }
}

#[derive(Default)]
pub(crate) struct LassoDetector {
    /// The search is wanted.
    pub(crate) wanted: bool,
    phase: SurveyPhase,
    /// The specification that is hot, by its number in the thermometer, and since when.
    obligation: (usize, u64),
    /// The state to which a return is looked for, and when it was.
    anchor: u128,
    departure: ExecutionPoint,
    /// How far the execution goes before the anchor moves ahead.
    lap: u64,
    /// What was enabled ever since and has not taken a step.
    unserved: Vec<OperationId>,
    prints: IncrementalFingerprints,
    region: Region,
    /// The region's parts are no more than the whole state.
    is_whole: bool,
    /// When the region got its first state.
    region_from: ExecutionPoint,
    /// When the survey began.
    survey_from: ExecutionPoint,
    /// How many steps the region has seen, and at how many it is asked.
    observed: u64,
    asked_at: u64,
    /// Not asked before that step, since it could not say.
    asked_from: u64,
    claim: Option<ClosedHypothesis>,
    /// The last cycle seen since the specification was cold.
    cycle: Option<Cycle>,
    /// The cost at which the survey ends.
    limit: u64,
    /// The operations that the step in progress has touched.
    touched: Vec<u32>,
    names: OpaqueTypes,
}

impl LassoDetector {
    /// Starts an execution.
    pub(crate) fn begin(&mut self, state: &mut ExecutionState) {
        self.phase = SurveyPhase::Resting;
        self.obligation = (usize::MAX, 0);
        self.forget();
        self.prints.begin();
        self.names.begin();
        state.thermometer.warn(self.wanted.then_some(0));
    }

    /// Forgets what was seen.
    fn forget(&mut self) {
        self.cycle = None;
        self.lap = ANCHOR_DISTANCE_MIN;
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

    /// A survey goes on: every step is to be taken by [`Engine::watched_step`].
    #[inline]
    pub(crate) fn is_watching(&self) -> bool {
        self.phase != SurveyPhase::Resting
    }

    /// Something is warm enough to be looked at: opens a survey now, or asks to be called again when
    /// the execution can afford one.
    pub(crate) fn warned(&mut self, state: &mut ExecutionState) {
        let affordable = self.affordable_from(state);
        if state.step < affordable {
            state.thermometer.warn(Some(affordable));
        } else {
            self.phase = SurveyPhase::Opening;
            state.watch_steps(true);
            state.thermometer.warn(None);
        }
    }

    /// The step from which on the next survey costs no more than its share.
    fn affordable_from(&self, state: &ExecutionState) -> u64 {
        let opening = state.live as u64 * COST;
        let affordable = (self.prints.cost() + opening) * self.steps_for_a_unit();
        affordable.max(self.asked_from)
    }

    /// For how many steps one unit is spent. Whole states are many, and are met one by one.
    fn steps_for_a_unit(&self) -> u64 {
        if self.is_whole { 1 } else { 2 }
    }

    fn close(&mut self, state: &mut ExecutionState) {
        self.phase = SurveyPhase::Resting;
        self.claim = None;
        state.watch_steps(false);
        state.thermometer.warn(Some(self.affordable_from(state)));
    }

    fn is_over(&self) -> bool {
        self.claim.is_none() && self.prints.cost() >= self.limit
    }

    /// The cycle seen while that specification was owed since then.
    pub(crate) fn cycle_of(&self, entry: usize, since: u64) -> Option<Cycle> {
        self.cycle.filter(|_| self.obligation == (entry, since))
    }

    /// What took part and offers no fingerprint: `` `Server` (actor) `` and so on.
    pub(crate) fn opaque(&self) -> Vec<String> {
        self.names.all()
    }

    /// Keeps to the specification that is owed since then; forgets what was seen for another.
    fn look_after(&mut self, owed: (usize, u64)) {
        if std::mem::replace(&mut self.obligation, owed) != owed {
            self.forget();
        }
    }

    /// Hands on what the step in which `live` operations became more has touched.
    fn note_touched(&mut self, state: &ExecutionState, live: u32) {
        let newborn = live..state.live as u32;
        for operation in state.touched.iter().copied().chain(newborn) {
            self.prints.touch(operation);
        }
        self.prints.add_cost(COST + self.unserved.len() as u64);
    }

    /// Begins to count what happens from here on.
    fn depart(&mut self, state: &ExecutionState, anchor: u128) {
        self.anchor = anchor;
        self.departure = ExecutionPoint::now(state);
        self.unserved.clear();
        let enabled = state.enabled.pending().iter();
        let enabled = enabled.map(|pending| pending.operation);
        self.unserved.extend(enabled);
    }

    /// Looks whether the execution is back at the anchor, after a step by which it came to the state
    /// with that fingerprint.
    fn look_for_cycle(&mut self, state: &ExecutionState, taken: OperationId, print: u128) {
        // Whoever took the step was served, and so is whoever can't take one now.
        self.unserved
            .retain(|operation| *operation != taken && state.pending_of(*operation).is_some());
        let (before, now) = (self.departure, ExecutionPoint::now(state));
        if print != self.anchor {
            if now.step - before.step >= self.lap {
                self.lap *= 2;
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

    /// The region is where the execution is.
    fn enter(&mut self, state: &ExecutionState, print: u128) {
        if self.region.is_empty() {
            self.region_from = ExecutionPoint::now(state);
        }
        let (parts, rest) = self.place(state, print);
        let part = |operation| part(&self.prints, state, operation);
        self.region.enter(parts, part, rest);
        self.learn_steps(state);
    }

    /// How many operations the region tells apart, and the rest.
    fn place(&self, state: &ExecutionState, print: u128) -> (u32, RestState) {
        let is_hot = state.thermometer.hot_since(self.obligation.0).is_some();
        let (parts, print) = if self.is_whole {
            (0, print)
        } else {
            (state.live as u32, self.prints.rest())
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

    /// Enters a step in the region; `touched` has the operations that it may have changed.
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

    /// Asks the region whether it is closed, where it is time to.
    fn ask(&mut self, state: &ExecutionState, is_over: bool) {
        if state.step < self.asked_from || self.observed < self.asked_at && !is_over {
            return;
        }
        self.asked_at = self.observed + self.observed / 2;
        let taken = if self.is_whole { TAKEN_MIN } else { 1 };
        let looks = state.step.max(LOOKS_MIN);
        let (reach, looked_at) = self.reach(state, taken, looks);
        match reach {
            Reachability::Open => self.prints.add_cost(looked_at * LOOK_COST),
            // Twice as many looks have a better chance.
            Reachability::Unknown => {
                self.asked_from = state.step * 2;
                self.asked_at = self.observed;
            }
            Reachability::Closed(states) => {
                let tested = match states {
                    _ if self.is_whole => 0,
                    states => (states * 10).min(states * 7 + TESTED_AT_LEAST),
                };
                self.claim = Some(ClosedHypothesis {
                    from: state.step + tested,
                    until: state.step + states * TESTED_MAX + TESTED_AT_LEAST,
                });
            }
        }
    }

    fn reach(&self, state: &ExecutionState, taken: u8, looks: u64) -> (Reachability, u64) {
        let patient = state.patient_timers && !self.is_whole;
        self.region.closed(taken, patient, looks)
    }

    /// Whether what was claimed has come true: how many states there are. A claim that takes too long
    /// is dropped.
    fn has_come_true(&mut self, state: &ExecutionState) -> Option<u64> {
        let claim = self.claim?;
        if state.step > claim.until {
            self.claim = None;
            return None;
        }
        if state.step < claim.from || self.cycle.is_none() {
            return None;
        }
        match self.reach(state, TAKEN_MIN, u64::MAX) {
            (Reachability::Closed(states), _) => Some(states),
            _ => {
                let from = state.step + state.step / 8;
                self.claim = Some(ClosedHypothesis { from, ..claim });
                None
            }
        }
    }
}

impl Engine {
    /// Takes a step while a survey goes on.
    #[cold]
    pub(crate) fn watched_step(&mut self, pending: Pending, test: &dyn Program) {
        let shared = self.shared.clone();
        let Pending {
            operation, kind, ..
        } = pending;
        if self.lasso.phase == SurveyPhase::Opening {
            let changed_actor = self.step(&shared, operation, kind, shared.state(), test);
            self.after_instrumented(&shared, operation, changed_actor);
            return self.open_survey();
        }
        let look = looking(&self.bodies, &self.shared);
        self.lasso.names.before(&look, &pending);
        let (step, live) = {
            let mut state = self.state();
            state.touched.clear();
            state.touch(&pending);
            let step = named(&state, &pending, self.lasso.is_whole);
            (step, state.live as u32)
        };
        let changed_actor = self.step(&shared, operation, kind, shared.state(), test);
        self.after_instrumented(&shared, operation, changed_actor);
        let look = looking(&self.bodies, &self.shared);
        self.lasso.names.after(&look, &pending);
        self.lasso.note_touched(&self.shared.state.borrow(), live);
        if self.is_still_owed() {
            self.survey(operation, step);
        }
    }

    /// Begins to look at the states around.
    fn open_survey(&mut self) {
        let look = looking(&self.bodies, &self.shared);
        let lasso = &mut self.lasso;
        let (live, step, hottest) = {
            let state = self.shared.state.borrow();
            let hottest = state.thermometer.hottest(state.step);
            (state.live as u32, state.step, hottest)
        };
        let Some(hottest) = hottest else {
            return self.close_survey();
        };
        lasso.look_after(hottest);
        let depends = self.shared.specifications.borrow();
        lasso.is_whole |= depends.looks_at_all_actors(hottest.0);
        let budget = (step / lasso.steps_for_a_unit()).max(SURVEY_MIN);
        lasso.prints.mark_all_changed(live);
        let print = lasso.prints.whole(&look);
        lasso.limit = lasso.prints.cost() + budget;
        lasso.names.open(&look);
        let state = self.shared.state.borrow();
        lasso.depart(&state, print);
        lasso.survey_from = lasso.departure;
        lasso.enter(&state, print);
        lasso.phase = SurveyPhase::Surveying;
    }

    /// Ends the survey; the next opens when the execution can afford it.
    fn close_survey(&mut self) {
        let look = looking(&self.bodies, &self.shared);
        self.lasso.names.close(&look);
        self.lasso.close(&mut self.shared.state.borrow_mut());
    }

    /// Whether the specification was never cold since the survey opened; closes it otherwise.
    fn is_still_owed(&mut self) -> bool {
        let (entry, since) = self.lasso.obligation;
        if self.session().found.is_some() {
            return false;
        }
        let owed = self.state().thermometer.owed_since(entry) == Some(since);
        if !owed {
            // There was a way out of whatever was seen.
            self.lasso.look_after((usize::MAX, 0));
            self.close_survey();
        }
        owed
    }

    /// Enters the step that was taken in the region, and looks what that has come to.
    fn survey(&mut self, taken: OperationId, step: RegionStep) {
        let look = looking(&self.bodies, &self.shared);
        let lasso = &mut self.lasso;
        lasso.prints.touched(&mut lasso.touched);
        let print = lasso.prints.whole(&look);
        let state = self.shared.state.borrow();
        let now = ExecutionPoint::now(&state);
        lasso.look_for_cycle(&state, taken, print);
        let has_chosen = now.has_chosen(lasso.survey_from);
        // A newborn has a number of its own, and nothing else leads there again.
        let is_elsewhere = has_chosen
            || now.has_seen_time_pass(lasso.region_from)
            || now.live > lasso.region_from.live;
        let news = if is_elsewhere {
            StepNovelty::TooMuch
        } else {
            lasso.learn(&state, step, print)
        };
        match news {
            StepNovelty::Contradicted if lasso.is_whole => {
                drop(state);
                return self.give_up();
            }
            StepNovelty::Contradicted => {
                lasso.is_whole = true;
                lasso.forget_region();
                lasso.enter(&state, print);
            }
            StepNovelty::TooMuch => lasso.forget_region(),
            StepNovelty::New => lasso.claim = None,
            StepNovelty::None => {}
        }
        let is_over = lasso.is_over() || news == StepNovelty::TooMuch;
        if lasso.claim.is_none() && news != StepNovelty::TooMuch {
            lasso.ask(&state, is_over);
        }
        let come_true = lasso.has_come_true(&state);
        let goes_on = lasso.claim.is_some() || !is_over;
        drop(state);
        match come_true {
            Some(states) => self.report(states),
            None if goes_on => {}
            None => self.close_survey(),
        }
    }

    /// The region is closed: what is owed stays owed, whatever the schedule.
    fn report(&mut self, states: u64) {
        let cycle = self.lasso.cycle;
        self.close_survey();
        let Some(seen) = cycle else {
            return;
        };
        let (entry, since) = self.lasso.obligation;
        let why = format!(
            "owed since step {since}, in {seen}; no step leads out of the {states} states around it"
        );
        let suspicion = Suspicion {
            entry: Obligation::Specification(entry),
            since,
            cycle,
            certain: true,
        };
        let step = self.state().step;
        self.suspect(step, &mut self.session(), (entry, suspicion), &why);
    }

    /// The fingerprints lie: the execution is not looked at again.
    fn give_up(&mut self) {
        self.lasso.look_after((usize::MAX, 0));
        self.close_survey();
        self.state().thermometer.warn(None);
    }
}

fn looking<'a>(bodies: &'a [Option<ActorParts>], shared: &'a ControlledRuntime) -> EngineView<'a> {
    EngineView { bodies, shared }
}

/// A step as a region knows it, which has nothing but whole states where `is_whole`.
fn named(state: &ExecutionState, pending: &Pending, is_whole: bool) -> RegionStep {
    let of = match pending.inbox {
        _ if is_whole => u32::MAX,
        Some(owner) if pending.operation.is_timer() => owner.bits(),
        _ => pending.operation.bits(),
    };
    let name = state.step_name(pending);
    RegionStep { name, of }
}

/// An operation as a region knows it.
fn part(
    prints: &IncrementalFingerprints,
    state: &ExecutionState,
    operation: u32,
) -> OperationSnapshot {
    OperationSnapshot {
        print: prints.of(operation),
        is_enabled: state.operations[operation as usize].position != ABSENT,
    }
}
