//! Lassos: a state that repeats while something was owed all the time.
//!
//! The search begins when something has been hot for more than
//! [`WARNING`](crate::engine::world::thermometer::WARNING) fair steps, and goes on in windows. A window remembers the
//! state with which it begins, its *anchor*, and looks for a return to it. Windows get longer and
//! rarer, as in Brent's algorithm for cycles, and open only when what was spent on looking is less
//! than one unit of about 10 ns for each step that the execution has taken; so they cost a bounded
//! share of it, and nothing before the first.
//!
//! # What is reported
//!
//! A state that repeats proves that an execution *could* go round for ever. It does not prove that
//! any would: where each round has its chance of leaving, a fair schedule leaves in the end, and a
//! program that is slow but live must not be called dead. So there are two degrees:
//!
//! 1. A **cycle** is a return to the anchor in which the specification was never cold, no choice was
//!    asked for, and every operation that was enabled throughout took a step (weak fairness). It is a
//!    suspicion at most: it is remembered until the specification turns cold, and named beside the
//!    heat where the threshold is passed.
//! 2. A cycle is followed by a **survey**, which goes along with the execution and enters in a
//!    [`Region`] each state that it meets, by fingerprint, and where each of its steps leads. When
//!    every step that is enabled in any of the states was taken four times, always with the same
//!    result, and none led out, then no schedule does, however lucky: a liveness bug for certain, and
//!    the cycle is its witness. The first time is the proof, and the others guard against types whose
//!    fingerprints leave out what matters.
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
use crate::engine::running::execution::{Engine, Program};
use crate::engine::sameness::fingerprint::Look;
use crate::engine::sameness::opaque::Opaque;
use crate::engine::sameness::prints::Prints;
use crate::engine::sameness::region::{Place, Region, Shape};
use crate::engine::seam::controlled::Shared;
use crate::engine::watching::suspicion::Suspicion;
use crate::engine::workshop::Parts;
use crate::engine::world::state::State;
use crate::engine::world::thermometer::Debt;
use crate::strategy::{OperationId, Pending};

/// What an operation costs in a window's plan, and what a step of it does besides.
const COST: u64 = 6;

/// The length of the first window in steps.
const WINDOW_MIN: u64 = 16;

/// The length of the longest window in steps.
const WINDOW_MAX: u64 = 1 << 13;

/// What a survey may cost in any case.
const SURVEY_MIN: u64 = 2_000;

/// How far the search has come.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
enum Phase {
    #[default]
    Resting,
    /// A window begins with the next step.
    Opening,
    /// A return to the anchor is looked for.
    Scouting,
    /// The states around are looked at.
    Surveying,
}

/// A point of an execution, with what tells whether the program asked for something since.
#[derive(Clone, Copy, Default)]
struct Moment {
    step: u64,
    choices: u64,
    clock_reads: u64,
    now: Duration,
    live: usize,
}

impl Moment {
    fn now(state: &State) -> Self {
        Self {
            step: state.step,
            choices: state.choices,
            clock_reads: state.clock_reads,
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
pub(crate) struct Lasso {
    /// The search is wanted.
    pub(crate) wanted: bool,
    phase: Phase,
    /// The specification that is hot, by its number in the thermometer, and since when.
    owed: (usize, u64),
    /// Where the cycle that is looked for begins.
    departure: Moment,
    /// What was enabled ever since and has not taken a step.
    unserved: Vec<OperationId>,
    prints: Prints,
    region: Region,
    /// When the region got its first state.
    region_from: Moment,
    /// The last cycle seen since the specification was cold.
    cycle: Option<Cycle>,
    /// The length of the next window.
    window: u64,
    /// The step with which the window ends.
    until: u64,
    /// The cost at which the window or survey ends.
    limit: u64,
    names: Opaque,
}

impl Lasso {
    /// Starts an execution.
    pub(crate) fn begin(&mut self, state: &mut State) {
        self.phase = Phase::Resting;
        self.owed = (usize::MAX, 0);
        self.cycle = None;
        self.window = WINDOW_MIN;
        self.prints.begin();
        self.names.begin();
        state.thermometer.warn(self.wanted.then_some(0));
    }

    /// A window is open: every step is to be taken by [`Engine::watched_step`].
    #[inline]
    pub(crate) fn is_watching(&self) -> bool {
        self.phase != Phase::Resting
    }

    /// Something is warm enough to be looked at: opens a window now, or asks to be called again when
    /// the execution can afford one.
    pub(crate) fn warned(&mut self, state: &mut State) {
        let affordable = self.affordable_from(state);
        if state.step < affordable {
            state.thermometer.warn(Some(affordable));
        } else {
            self.phase = Phase::Opening;
            state.watched = true;
            state.thermometer.warn(None);
        }
    }

    /// The step from which on the next window costs no more than its share: a unit for each step.
    fn affordable_from(&self, state: &State) -> u64 {
        self.prints.cost() + self.plan(state)
    }

    /// What the next window may cost.
    fn plan(&self, state: &State) -> u64 {
        (state.live as u64 + self.window) * COST
    }

    fn close(&mut self, state: &mut State) {
        self.phase = Phase::Resting;
        self.window = (self.window * 2).min(WINDOW_MAX);
        state.watched = false;
        state.thermometer.warn(Some(self.affordable_from(state)));
    }

    fn is_over(&self, state: &State) -> bool {
        state.step >= self.until || self.prints.cost() >= self.limit
    }

    /// The cycle seen while that specification was owed since then.
    pub(crate) fn cycle_of(&self, entry: usize, since: u64) -> Option<Cycle> {
        self.cycle.filter(|_| self.owed == (entry, since))
    }

    /// What took part and offers no fingerprint: `` `Server` (actor) `` and so on.
    pub(crate) fn opaque(&self) -> Vec<String> {
        self.names.all()
    }

    /// Keeps to the specification that is owed since then; forgets what was seen for another.
    fn look_after(&mut self, owed: (usize, u64)) {
        if std::mem::replace(&mut self.owed, owed) != owed {
            self.cycle = None;
            self.region.forget();
        }
    }

    /// Hands on what the step in which `live` operations became more has touched.
    fn note_touched(&mut self, state: &State, live: u32) {
        let newborn = live..state.live as u32;
        for operation in state.touched.iter().copied().chain(newborn) {
            self.prints.touch(operation);
        }
        self.prints.add_cost(COST);
    }

    /// Takes from the unserved whoever took the step, and whoever can't take one now.
    fn serve(&mut self, state: &State, taken: &Pending) {
        self.unserved.retain(|operation| {
            *operation != taken.operation && state.pending_of(*operation).is_some()
        });
    }

    /// The state with that fingerprint as a place in the region.
    fn place(&self, state: &State, print: u128) -> Place {
        let is_hot = state.thermometer.hot_since(self.owed.0).is_some();
        Place { print, is_hot }
    }

    /// Begins to count what happens from here on.
    fn depart(&mut self, state: &State, now: Moment) {
        self.departure = now;
        self.unserved.clear();
        let enabled = state.enabled.pending().iter();
        let enabled = enabled.map(|pending| pending.operation);
        self.unserved.extend(enabled);
    }
}

impl Engine {
    /// Takes a step while a window is open.
    #[cold]
    pub(crate) fn watched_step(&mut self, pending: Pending, test: &dyn Program) {
        let shared = self.shared.clone();
        let Pending {
            operation, kind, ..
        } = pending;
        if self.lasso.phase == Phase::Opening {
            let changed_actor = self.step(operation, kind, shared.state.borrow_mut(), test);
            self.after_step(changed_actor);
            return self.open_window();
        }
        let look = looking(&self.bodies, &self.shared);
        self.lasso.names.before(&look, &pending);
        let (name, live) = {
            let mut state = self.state();
            state.touched.clear();
            state.touch(&pending);
            (state.step_name(&pending), state.live as u32)
        };
        let changed_actor = self.step(operation, kind, shared.state.borrow_mut(), test);
        self.after_step(changed_actor);
        let look = looking(&self.bodies, &self.shared);
        self.lasso.names.after(&look, &pending);
        self.lasso.note_touched(&self.shared.state.borrow(), live);
        if self.is_still_owed() {
            match self.lasso.phase {
                Phase::Surveying => self.survey(name),
                _ => self.scout(&pending),
            }
        }
    }

    /// Makes the state that the execution is in the one that others are compared with.
    fn open_window(&mut self) {
        let look = looking(&self.bodies, &self.shared);
        let lasso = &mut self.lasso;
        let (live, hottest) = {
            let state = self.shared.state.borrow();
            (state.live as u32, state.thermometer.hottest(state.step))
        };
        let Some(hottest) = hottest else {
            return self.close_window();
        };
        lasso.look_after(hottest);
        let before = lasso.prints.cost();
        lasso.prints.anchor(&look, live);
        let opening = lasso.prints.cost() - before;
        lasso.names.open(&look);
        let state = self.shared.state.borrow();
        lasso.depart(&state, Moment::now(&state));
        lasso.until = state.step + lasso.window;
        lasso.limit = before + 2 * opening + lasso.plan(&state);
        lasso.phase = Phase::Scouting;
    }

    /// Ends the window; the next is longer, and opens when the execution can afford it.
    fn close_window(&mut self) {
        let look = looking(&self.bodies, &self.shared);
        self.lasso.names.close(&look);
        self.lasso.close(&mut self.shared.state.borrow_mut());
    }

    /// Whether the specification was never cold since the window opened; closes it otherwise.
    fn is_still_owed(&mut self) -> bool {
        let (entry, since) = self.lasso.owed;
        if self.session().found.is_some() {
            return false;
        }
        let owed = self.state().thermometer.owed_since(entry) == Some(since);
        if !owed {
            // There was a way out of whatever was seen.
            self.lasso.look_after((usize::MAX, 0));
            self.close_window();
        }
        owed
    }

    /// Looks whether the execution is back where the window began.
    fn scout(&mut self, taken: &Pending) {
        let look = looking(&self.bodies, &self.shared);
        let lasso = &mut self.lasso;
        let is_back = lasso.prints.is_at_anchor(&look);
        let state = self.shared.state.borrow();
        let (before, now) = (lasso.departure, Moment::now(&state));
        lasso.serve(&state, taken);
        if is_back && (now.has_chosen(before) || now.has_seen_time_pass(before)) {
            lasso.depart(&state, now);
        } else if is_back && lasso.unserved.is_empty() {
            let (from, to) = (before.step, now.step);
            lasso.cycle = Some(Cycle { from, to });
            drop(state);
            return self.begin_survey();
        }
        let is_over = lasso.is_over(&state);
        drop(state);
        if is_over {
            self.close_window();
        }
    }

    /// The execution went round a cycle that a fair schedule can repeat: looks at the states around.
    fn begin_survey(&mut self) {
        let look = looking(&self.bodies, &self.shared);
        let lasso = &mut self.lasso;
        let print = lasso.prints.whole(&look);
        let state = self.shared.state.borrow();
        let now = Moment::now(&state);
        lasso.departure = now;
        if lasso.region.is_empty() {
            lasso.region_from = now;
        }
        let place = lasso.place(&state, print);
        lasso.region.enter(place, names(&state));
        lasso.until = u64::MAX;
        lasso.limit = lasso.prints.cost() + state.step.max(SURVEY_MIN);
        lasso.phase = Phase::Surveying;
    }

    /// Enters the step that was taken, and the state to which it led, in the region.
    fn survey(&mut self, name: u64) {
        let look = looking(&self.bodies, &self.shared);
        let lasso = &mut self.lasso;
        let print = lasso.prints.whole(&look);
        let state = self.shared.state.borrow();
        let now = Moment::now(&state);
        let place = lasso.place(&state, print);
        let mut shape = lasso.region.take(name, place, names(&state));
        let is_over = lasso.is_over(&state);
        drop(state);
        let from = lasso.region_from;
        // A newborn has a number of its own, and nothing else leads there again.
        if now.has_chosen(lasso.departure) || now.has_seen_time_pass(from) || now.live > from.live {
            shape = Shape::TooLarge;
        }
        match shape {
            Shape::Open if !is_over => {}
            Shape::Open | Shape::Complete => self.judge_region(),
            Shape::Untrue => self.give_up(),
            Shape::TooLarge => {
                lasso.region.forget();
                self.close_window();
            }
        }
    }

    /// The survey is over: where the region is closed, what is owed stays owed, whatever the schedule.
    fn judge_region(&mut self) {
        let closed = self.lasso.region.closed();
        let cycle = self.lasso.cycle;
        self.close_window();
        let (Some(around), Some(cycle)) = (closed, cycle) else {
            return;
        };
        let (entry, since) = self.lasso.owed;
        let why = format!(
            "owed since step {since}, in {cycle}; no step leads out of the {around} states around it"
        );
        let suspicion = Suspicion {
            entry: Debt::Specification(entry),
            since,
            cycle: Some(cycle),
            certain: true,
        };
        let step = self.state().step;
        self.suspect(step, &mut self.session(), (entry, suspicion), &why);
    }

    /// The fingerprints lie: the execution is not looked at again.
    fn give_up(&mut self) {
        self.lasso.look_after((usize::MAX, 0));
        self.close_window();
        self.state().thermometer.warn(None);
    }
}

fn looking<'a>(bodies: &'a [Option<Parts>], shared: &'a Shared) -> Look<'a> {
    Look { bodies, shared }
}

/// The names of the enabled steps.
fn names(state: &State) -> impl Iterator<Item = u64> {
    let enabled = state.enabled.pending().iter();
    enabled.map(|pending| state.step_name(pending))
}
