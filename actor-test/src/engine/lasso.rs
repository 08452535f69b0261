//! Lassos: a state that repeats while something was owed all the time.
//!
//! The search begins when something has been hot for more than [`WARNING`](super::thermometer::WARNING) fair steps, and goes on
//! in windows: a window compares the state after each step with the one that the window began with,
//! its *anchor*. Windows get longer and rarer, as in Brent's algorithm for cycles, so that they cost
//! a bounded share of the execution, and nothing before the first. An unequal state is told by one
//! operation that differs, and only when that one moves the next is looked for; so a step costs no
//! hash at all as long as the witness rests.
//!
//! # What is reported
//!
//! A state that repeats proves that an execution *could* go round for ever. It does not prove that
//! any would: where each round has its chance of leaving, a fair schedule leaves in the end, and a
//! program that is slow but live must not be called dead. So there are two degrees:
//!
//! 1. A **cycle** is a return to the anchor in which the specification was never cold, no choice was
//!    asked for, and every operation that was enabled throughout took a step (weak fairness). It is a
//!    suspicion at most, kept as a [`Cycle`], forgotten when the specification turns cold, and named
//!    beside the heat when the threshold is passed.
//! 2. A cycle is followed by a **survey** of the states around: each state by its fingerprint, and
//!    for each of its enabled steps where it leads. When every step of every state was taken four
//!    times, always with the same result, and all of them led to states that were met before, the
//!    region is closed. No schedule leaves it, however lucky, and nothing in it is cold: a liveness
//!    bug for certain, and the cycle is its witness.
//!
//! A step that asks for a choice, of `choose`, `rng` or a full mailbox, is never believed to have
//! been taken in every way: a cycle with one is *choice-unfair*, which is no lasso, and its region
//! is not closed. Likewise where time passes and the program looks at the clock, since then the same
//! state may act differently later. What remains is left to the heat.
//!
//! The search only looks: it changes no decision, so a recording replays with it as without.

use std::hash::Hasher;
use std::time::Duration;

use actor_core::Fingerprinter;

use super::enabled::ABSENT;
use super::execution::{Engine, Program};
use super::fingerprint::{Item, Look};
use super::operation::{Kind, Stage};
use super::region::{Region, Shape};
use super::state::State;
use crate::bug::Cycle;
use crate::strategy::{OperationId, Pending, StepKind};

/// How many steps an execution takes for each fingerprint of an operation.
const STEPS_PER_LOOK: u64 = 8;

/// The length of the first window in steps.
const WINDOW_MIN: u64 = 16;

/// The length of the longest window in steps.
const WINDOW_MAX: u64 = 1 << 13;

/// How many steps a survey may take in any case.
const SURVEY_MIN: u64 = 64;

/// Why an execution is believed to go on for ever without what is owed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Suspicion {
    /// The specification, by its number in the thermometer.
    pub(crate) entry: usize,
    /// The step at which it became hot after it was last cold.
    pub(crate) since: u64,
    /// A cycle along which it stays hot, where one was seen.
    pub(crate) cycle: Option<Cycle>,
    /// No schedule leaves the states that it is in; else it is hot beyond the threshold, no more.
    pub(crate) certain: bool,
}

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

/// The state that a window began with, and what has happened since.
#[derive(Default)]
struct Anchor {
    step: u64,
    /// The specification that is hot.
    entry: usize,
    since: u64,
    choices: u64,
    clock_reads: u64,
    now: Duration,
    operations: Vec<u128>,
    rest: u128,
    /// What was enabled ever since and has not taken a step.
    unserved: Vec<OperationId>,
    /// How many events each monitor had seen.
    looks: Vec<u64>,
}

#[derive(Default)]
pub(super) struct Lasso {
    /// The search is wanted.
    pub(super) wanted: bool,
    phase: Phase,
    anchor: Anchor,
    /// The fingerprints of operations as they were when they were looked at last.
    prints: Vec<u128>,
    /// The sum of `prints`.
    sum: u128,
    /// The operations that may have changed since.
    stale: Vec<u32>,
    is_stale: Vec<bool>,
    /// An operation whose fingerprint is not that of the anchor.
    differs: Option<u32>,
    region: Region,
    /// The length of the next window.
    window: u64,
    /// The step with which the window ends.
    until: u64,
    /// How much looking the execution has cost, in fingerprints.
    spent: u64,
    /// The last cycle seen since the specification was cold, with its entry and since when.
    cycle: Option<(usize, u64, Cycle)>,
    /// Whether values of a type, and its events, offer a fingerprint, where that is known.
    offers: Vec<Vec<Option<bool>>>,
    /// What took part in the execution and offers none.
    opaque: Vec<String>,
    items: Vec<Item>,
}

impl Lasso {
    /// Starts an execution.
    pub(super) fn begin(&mut self, state: &mut State) {
        self.phase = Phase::Resting;
        self.window = WINDOW_MIN;
        self.spent = 0;
        self.cycle = None;
        self.opaque.clear();
        state.thermometer.warn(self.wanted.then_some(0));
    }

    /// A window is open: every step is to be taken by [`Engine::watched_step`].
    #[inline]
    pub(super) fn is_watching(&self) -> bool {
        self.phase != Phase::Resting
    }

    /// Something is warm enough to be looked at: opens a window now, or asks to be called again when
    /// the execution can afford one.
    pub(super) fn warned(&mut self, state: &mut State) {
        let affordable = self.affordable_from(state);
        if state.step < affordable {
            state.thermometer.warn(Some(affordable));
        } else {
            self.phase = Phase::Opening;
            state.watched = true;
            state.thermometer.warn(None);
        }
    }

    /// The step from which on the next window costs no more than its share.
    fn affordable_from(&self, state: &State) -> u64 {
        (self.spent + state.live as u64 + self.window) * STEPS_PER_LOOK
    }

    fn close(&mut self, state: &mut State) {
        self.phase = Phase::Resting;
        self.window = (self.window * 2).min(WINDOW_MAX);
        state.watched = false;
        state.thermometer.warn(Some(self.affordable_from(state)));
    }

    /// The cycle seen while that specification was owed since then.
    pub(super) fn cycle_of(&self, entry: usize, since: u64) -> Option<Cycle> {
        let (of, from, cycle) = self.cycle?;
        ((of, from) == (entry, since)).then_some(cycle)
    }

    /// What took part and offers no fingerprint: `` `Server` (actor) `` and so on.
    pub(super) fn opaque(&self) -> Vec<String> {
        let mut opaque = self.opaque.clone();
        opaque.sort();
        opaque
    }

    fn mark_stale(&mut self, operation: u32) {
        let index = operation as usize;
        if self.is_stale.len() <= index {
            self.is_stale.resize(index + 1, false);
            self.prints.resize(index + 1, 0);
        }
        if !std::mem::replace(&mut self.is_stale[index], true) {
            self.stale.push(operation);
        }
    }

    /// Takes the fingerprint of an operation anew, which is no longer stale then.
    fn renew(&mut self, look: &Look<'_>, operation: u32) -> u128 {
        let print = look.operation(operation, &mut self.items);
        let before = std::mem::replace(&mut self.prints[operation as usize], print);
        self.sum = self.sum.wrapping_sub(before).wrapping_add(print);
        self.is_stale[operation as usize] = false;
        self.spent += 1;
        print
    }

    fn renew_all(&mut self, look: &Look<'_>) {
        while let Some(operation) = self.stale.pop() {
            if self.is_stale[operation as usize] {
                self.renew(look, operation);
            }
        }
    }

    /// Whether the state is that of the anchor. Looks no further than to the first difference.
    fn is_at_anchor(&mut self, look: &Look<'_>) -> bool {
        if let Some(differs) = self.differs
            && (!self.is_stale[differs as usize] || self.renewed_differs(look, differs))
        {
            return false;
        }
        while let Some(operation) = self.stale.pop() {
            if self.is_stale[operation as usize] && self.renewed_differs(look, operation) {
                self.differs = Some(operation);
                return false;
            }
        }
        self.differs = None;
        self.spent += 1;
        look.rest(&mut self.items) == self.anchor.rest
    }

    fn renewed_differs(&mut self, look: &Look<'_>, operation: u32) -> bool {
        let now = self.renew(look, operation);
        let before = self.anchor.operations.get(operation as usize);
        now != before.copied().unwrap_or(0)
    }

    /// Begins to count anew what happens after the anchor, at which the execution is.
    fn depart(&mut self, state: &State, clock_reads: u64) {
        let anchor = &mut self.anchor;
        anchor.step = state.step;
        anchor.choices = state.choices;
        anchor.clock_reads = clock_reads;
        anchor.now = state.now;
        anchor.unserved.clear();
        let enabled = state.enabled.pending().iter();
        anchor
            .unserved
            .extend(enabled.map(|pending| pending.operation));
    }

    /// The execution is back at the anchor, along a cycle that a fair schedule can repeat: looks at
    /// the states around from now on.
    fn turn_to_survey(&mut self, state: &State, clock_reads: u64) {
        let Anchor {
            entry, since, step, ..
        } = self.anchor;
        let (from, to) = (step, state.step);
        self.cycle = Some((entry, since, Cycle { from, to }));
        self.depart(state, clock_reads);
        let print = self.whole(self.anchor.rest);
        let enabled = state.enabled.pending().iter();
        let steps = enabled.map(|pending| state.step_name(pending));
        self.region.begin(print, steps);
        self.until = state.step + (state.step / STEPS_PER_LOOK).max(SURVEY_MIN);
        self.phase = Phase::Surveying;
    }

    /// The fingerprint of the whole state, of which nothing is stale.
    fn whole(&self, rest: u128) -> u128 {
        let mut to = Fingerprinter::new();
        to.write_u128(self.sum);
        to.write_u128(rest);
        to.value()
    }

    fn forget_prints(&mut self) {
        self.prints.clear();
        self.stale.clear();
        self.is_stale.clear();
        self.sum = 0;
        self.differs = None;
    }

    /// Keeps the name of what takes part and offers no fingerprint.
    fn note(&mut self, name: &str, what: &str) {
        let opaque = format!("`{name}` ({what})");
        if !self.opaque.contains(&opaque) {
            self.opaque.push(opaque);
        }
    }

    /// Whether a value or event of an actor type offers a fingerprint, where that is known.
    fn known(&mut self, of_type: u32, of_what: usize) -> &mut Option<bool> {
        let of_type = of_type as usize;
        if self.offers.len() <= of_type {
            self.offers.resize_with(of_type + 1, Vec::new);
        }
        let offers = &mut self.offers[of_type];
        if offers.len() <= of_what {
            offers.resize(of_what + 1, None);
        }
        &mut offers[of_what]
    }

    /// Since the anchor the program asked for something that may be answered in another way.
    fn has_asked(&self, state: &State, clock_reads: u64) -> bool {
        let anchor = &self.anchor;
        let saw_time_pass = clock_reads != anchor.clock_reads && state.now != anchor.now;
        state.choices != anchor.choices || saw_time_pass
    }
}

impl Engine {
    /// Takes a step while a window is open.
    #[cold]
    pub(super) fn watched_step(&mut self, pending: Pending, test: &dyn Program) {
        let shared = self.shared.clone();
        let Pending {
            operation, kind, ..
        } = pending;
        if self.lasso.phase == Phase::Opening {
            let changed_actor = self.step(operation, kind, shared.state.borrow_mut(), test);
            self.after_step(changed_actor);
            return self.open_window();
        }
        self.note_event(&pending);
        let (name, live) = {
            let mut state = self.state();
            state.touched.clear();
            state.touch(&pending);
            (state.step_name(&pending), state.live as u32)
        };
        let changed_actor = self.step(operation, kind, shared.state.borrow_mut(), test);
        self.after_step(changed_actor);
        self.note_value(&pending);
        {
            let state = self.shared.state.borrow();
            let newborn = live..state.live as u32;
            for operation in state.touched.iter().copied().chain(newborn) {
                self.lasso.mark_stale(operation);
            }
        }
        self.look_for_lasso(&pending, name);
    }

    /// Makes the state that the execution is in the anchor.
    fn open_window(&mut self) {
        let lasso = &mut self.lasso;
        let look = Look {
            bodies: &self.bodies,
            shared: &self.shared,
        };
        let (live, hottest) = {
            let mut state = self.shared.state.borrow_mut();
            state.settle_enabled();
            (state.live as u32, state.thermometer.hottest(state.step))
        };
        let Some((entry, since)) = hottest else {
            return self.close_window();
        };
        lasso.forget_prints();
        (0..live).for_each(|operation| lasso.mark_stale(operation));
        lasso.renew_all(&look);
        lasso.anchor.rest = look.rest(&mut lasso.items);
        lasso.anchor.operations.clone_from(&lasso.prints);
        lasso.anchor.entry = entry;
        lasso.anchor.since = since;
        lasso.anchor.looks = self.shared.specifications.borrow().looks();
        let state = self.shared.state.borrow();
        lasso.depart(&state, self.shared.clock_reads.get());
        lasso.until = state.step + lasso.window;
        lasso.phase = Phase::Scouting;
    }

    /// Notes where the event to be handled, or the future to be polled, offers no fingerprint.
    fn note_event(&mut self, pending: &Pending) {
        let index = pending.operation.bits();
        if pending.operation.is_timer() || pending.kind == StepKind::Flush {
            return;
        }
        let state = self.shared.state.borrow();
        let operation = &state.operations[index as usize];
        let (of_type, event) = match (operation.kind, pending.kind) {
            (Kind::Actor(of_type), StepKind::Handle) => match operation.next() {
                Some(letter) => (of_type, letter.event),
                None => return,
            },
            (Kind::Actor(_), _) => return,
            (Kind::Body | Kind::Future { .. }, _) => {
                return self.lasso.note(&state.name(index), "async");
            }
        };
        let name = state.types[of_type as usize].info.events[usize::from(event)].name;
        drop(state);
        let look = Look {
            bodies: &self.bodies,
            shared: &self.shared,
        };
        let known = self.lasso.known(of_type, usize::from(event) + 1);
        if known.is_none() {
            *known = look.offers_next(index);
        }
        if *known == Some(false) {
            self.lasso.note(name, "event");
        }
    }

    /// Notes where the actor that took a step offers no fingerprint.
    fn note_value(&mut self, pending: &Pending) {
        let index = pending.operation.bits();
        if pending.operation.is_timer() || pending.kind == StepKind::Flush {
            return;
        }
        let state = self.shared.state.borrow();
        let operation = &state.operations[index as usize];
        let (Kind::Actor(of_type), Stage::Idle) = (operation.kind, operation.stage) else {
            return;
        };
        let name = state.types[of_type as usize].info.name;
        drop(state);
        let look = Look {
            bodies: &self.bodies,
            shared: &self.shared,
        };
        let known = self.lasso.known(of_type, 0);
        if known.is_none() {
            *known = look.offers(index);
        }
        if *known == Some(false) {
            self.lasso.note(name, "actor");
        }
    }

    /// Ends the window; the next is longer, and opens when the execution can afford it.
    fn close_window(&mut self) {
        let specifications = self.shared.specifications.borrow();
        let looks = std::mem::take(&mut self.lasso.anchor.looks);
        for monitor in specifications.opaque_since(&looks) {
            self.lasso.note(monitor, "monitor");
        }
        self.lasso.close(&mut self.shared.state.borrow_mut());
    }

    fn look_for_lasso(&mut self, taken: &Pending, name: u64) {
        let anchor = &self.lasso.anchor;
        let owed = {
            let mut state = self.shared.state.borrow_mut();
            if state.found.is_some() {
                return;
            }
            state.settle_enabled();
            state.thermometer.owed_since(anchor.entry)
        };
        if owed != Some(anchor.since) {
            // Cold meanwhile: there was a way out of whatever was seen.
            self.lasso.cycle = None;
            return self.close_window();
        }
        match self.lasso.phase {
            Phase::Scouting => self.scout(taken),
            Phase::Surveying => self.survey(name),
            Phase::Resting | Phase::Opening => {}
        }
    }

    /// Looks whether the execution is back at the anchor.
    fn scout(&mut self, taken: &Pending) {
        let lasso = &mut self.lasso;
        let look = Look {
            bodies: &self.bodies,
            shared: &self.shared,
        };
        let is_back = lasso.is_at_anchor(&look);
        let clock_reads = self.shared.clock_reads.get();
        let state = self.shared.state.borrow();
        let waits = |operation: &OperationId| {
            *operation != taken.operation && is_enabled(&state, *operation)
        };
        lasso.anchor.unserved.retain(waits);
        let is_over = state.step >= lasso.until;
        if is_back && lasso.has_asked(&state, clock_reads) {
            lasso.depart(&state, clock_reads);
        } else if is_back && lasso.anchor.unserved.is_empty() {
            lasso.turn_to_survey(&state, clock_reads);
            return;
        }
        drop(state);
        if is_over {
            self.close_window();
        }
    }

    /// Enters the step that was taken, and the state to which it led, in the region.
    fn survey(&mut self, name: u64) {
        let lasso = &mut self.lasso;
        let look = Look {
            bodies: &self.bodies,
            shared: &self.shared,
        };
        lasso.renew_all(&look);
        let rest = look.rest(&mut lasso.items);
        lasso.spent += 1;
        let state = self.shared.state.borrow();
        let print = lasso.whole(rest);
        let enabled = state.enabled.pending().iter();
        let steps = enabled.map(|pending| state.step_name(pending));
        let shape = lasso.region.take(name, print, steps);
        let asked = lasso.has_asked(&state, self.shared.clock_reads.get());
        let is_over = asked || state.step >= lasso.until;
        drop(state);
        match shape {
            Shape::Untrue => self.give_up(),
            Shape::Closed if !asked => self.find_lasso(),
            Shape::Open if !is_over => {}
            _ => self.close_window(),
        }
    }

    /// The fingerprints lie: the execution is not looked at again.
    fn give_up(&mut self) {
        self.lasso.cycle = None;
        self.close_window();
        self.state().thermometer.warn(None);
    }

    /// The region is closed: what is owed stays owed, whatever the schedule.
    fn find_lasso(&mut self) {
        let Anchor { entry, since, .. } = self.lasso.anchor;
        let Some(cycle) = self.lasso.cycle_of(entry, since) else {
            return;
        };
        let why = format!(
            "owed since step {since}, in {cycle}; no step leads out of the {} states around it",
            self.lasso.region.states(),
        );
        self.close_window();
        let suspicion = Suspicion {
            entry,
            since,
            cycle: Some(cycle),
            certain: true,
        };
        self.suspect(&mut self.state(), suspicion, &why);
    }
}

fn is_enabled(state: &State, operation: OperationId) -> bool {
    let index = operation.index();
    let position = if operation.is_timer() {
        state.timers.slots[index].position
    } else {
        state.operations[index].position
    };
    position != ABSENT
}
