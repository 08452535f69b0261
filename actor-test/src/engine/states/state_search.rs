//! Fingerprints of states for a search over many executions: [`StateFingerprinter`].
//!
//! Lasso detection compares states of one execution, in which a part that was left alone is the same. Between
//! two executions that does not hold, since the same part may have arisen in another way. So if everything in
//! a state can be inspected, its fingerprint is that of the content, however that arose. Otherwise the state
//! is represented by its history: the events that each operation has handled, in order; and the order in
//! which those took their steps that can't be inspected, since they may share memory.

use std::hash::Hasher;

use actor_core::Fingerprinter;
use actor_test_os::RequestCounts;

use crate::data::step::{MessageId, StepKind};
use crate::engine::states::fingerprint::EngineView;
use crate::engine::states::opaque::OpaqueTypes;
use crate::engine::states::prints::IncrementalFingerprints;
use crate::engine::states::symmetry::Symmetry;
use crate::engine::world::numbering::NumbersSeen;
use crate::engine::world::operation::OperationStage;
use crate::engine::world::state::ExecutionState;
use crate::engine::world::timers::TimerStage;
use crate::hash::mix;
use crate::strategy::{Pending, StateComponents, StateView};

/// Fingerprints every state of an execution.
#[derive(Default)]
pub(crate) struct StateFingerprinter {
    /// True if actors and events are represented by their histories.
    pub(crate) by_history: bool,
    prints: IncrementalFingerprints,
    /// A hash of the order of steps of operations that can't be inspected.
    order: u64,
    /// The operations that have nothing to handle but events that they defer, and their number.
    defers: Vec<bool>,
    deferring: usize,
    /// The number of the program's reads of the clock, and its requests to the operating system.
    asked: (u64, RequestCounts),
    /// For each monitor, the number of events that it had seen after the step before.
    observations: Vec<u64>,
    names: OpaqueTypes,
    /// The last state, while no step is in progress.
    seen: Option<StateView>,
    /// The fingerprint of that state without operations and timers, and the footprint of the step before it.
    rest: u128,
    touched: Vec<u32>,
    touches_timers: bool,
    lends_timers: bool,
    has_periodic: bool,
    symmetry: Symmetry,
    /// The fingerprint of the state up to symmetry.
    symmetric_print: Option<u128>,
    /// The actors that predicates have singled out, and true if one of them is interchangeable with others.
    singled_out: Vec<u32>,
    singles_out: bool,
    /// The number of operations after the first step, if that step made no choice.
    founders: Option<u32>,
}

impl StateFingerprinter {
    pub(crate) fn begin(&mut self, state: &mut ExecutionState, is_wanted: bool) {
        self.seen = None;
        self.names.begin();
        if !is_wanted {
            return;
        }
        self.prints.compare_executions(self.by_history);
        self.order = 0;
        self.observations.clear();
        self.defers.clear();
        self.deferring = 0;
        self.singled_out.clear();
        self.asked = (0, RequestCounts::default());
        self.prints.mark_all_changed(state.operations.count());
        state.footprint.record_touched(true);
        // Before the first step all executions are the same.
        self.seen = Some(StateView::root());
    }

    /// Returns the state before the next step, if that is wanted.
    #[inline]
    pub(crate) fn seen(&self) -> Option<&StateView> {
        self.seen.as_ref()
    }

    /// Returns the parts of the state to which a step has led.
    pub(crate) fn parts(&self) -> Option<StateComponents<'_>> {
        Some(StateComponents {
            state: self.seen.as_ref()?,
            prints: self.prints.all(),
            timers: self.prints.timers(),
            armed: self.prints.armed(),
            rest: self.rest,
            footprint: &self.touched,
            touches_timers: self.touches_timers,
            lends_timers: self.lends_timers,
            has_periodic: self.has_periodic,
            defers: &self.defers,
        })
    }

    /// Returns the types in the execution that offer no fingerprint: `` `Server` (actor) `` and so on.
    pub(crate) fn opaque(&self) -> Vec<String> {
        self.names.all()
    }

    /// Forgets the last state, since the next one may be a bug.
    pub(crate) fn forget(&mut self) {
        self.seen = None;
    }

    /// Records the actors that predicates single out among those of their type.
    pub(crate) fn single_out(&mut self, operations: impl Iterator<Item = u32>) {
        for operation in operations {
            if !self.singled_out.contains(&operation) {
                self.singled_out.push(operation);
            }
        }
    }

    /// Prepares for a step.
    pub(crate) fn before(&mut self, view: &EngineView<'_>, pending: &Pending) {
        self.forget();
        self.names.before(view, pending);
        let mut state = view.shared.state.borrow_mut();
        state.progress.forget_answers();
        state.footprint.begin_touched(pending);
    }

    /// Fingerprints the state after a step, before which there were `live` operations; nothing but periodic
    /// timers had run for `idle` rounds.
    pub(crate) fn after(
        &mut self,
        view: &EngineView<'_>,
        pending: &Pending,
        (live, idle): (u32, usize),
    ) {
        self.names.after(view, pending);
        self.touch(view, live);
        self.prints.touched(&mut self.touched);
        let taker = pending.operation;
        let runs_code =
            !taker.is_timer() && !matches!(pending.kind, StepKind::Flush | StepKind::Deliver);
        let was_blind = runs_code && self.prints.is_blind(taker.bits());
        if runs_code {
            self.note_origin(view, taker.bits(), live);
        }
        let (print, is_blind) = self.fingerprint(view);
        let state = view.shared.state.borrow();
        if runs_code && (was_blind || self.prints.is_blind(taker.bits())) {
            self.passes(state.operations[taker.bits()].chain);
        }
        // An answer of the clock or the system may be in what the step sends, and in nothing else.
        let asked = (state.timers.clock_reads(), actor_test_os::request_counts());
        if std::mem::replace(&mut self.asked, asked) != asked {
            self.passes(mix(
                state.operations.behaviour_hash(),
                state.timers.now().as_nanos() as u64,
            ));
        }
        let message = pending.message.map_or(0, MessageId::number);
        let step = mix(u64::from(taker.bits()), message);
        self.note_observations(view, mix(state.operations.behaviour_hash(), step));
        self.see(view, &state, (print, idle), is_blind);
    }

    /// Fingerprints the state after a fault, which may change every operation.
    pub(crate) fn after_fault(&mut self, view: &EngineView<'_>, key: u64, idle: usize) {
        self.prints
            .mark_all_changed(view.shared.state.borrow().operations.count());
        let (print, is_blind) = self.fingerprint(view);
        let state = view.shared.state.borrow();
        self.passes(key);
        self.note_observations(view, mix(state.operations.behaviour_hash(), key));
        self.see(view, &state, (print, idle), is_blind);
    }

    /// Records the origin of a run of an operation's code, before which there were `live` operations: the
    /// input of the run is the fingerprint before it.
    fn note_origin(&mut self, view: &EngineView<'_>, taker: u32, live: u32) {
        let state = view.shared.state.borrow();
        let is_asked = self.asked != (state.timers.clock_reads(), actor_test_os::request_counts());
        let is_faulty = !state.faults.budgets().is_none();
        let origin = (!is_asked && !is_faulty && !self.by_history && !self.prints.is_blind(taker))
            .then(|| {
                let before = self.prints.of(taker);
                // The operations that the run has spawned have the next numbers.
                let spawned = if state.operations.count() == live {
                    0
                } else {
                    live
                };
                let parts = [before as u64, u64::from(spawned), state.progress.answers()];
                parts.into_iter().fold((before >> 64) as u64, mix)
            });
        self.prints.set_origin(taker, origin);
    }

    fn passes(&mut self, what: u64) {
        self.order = mix(self.order, what);
    }

    /// Marks the operations in the footprint of the step.
    fn touch(&mut self, view: &EngineView<'_>, live: u32) {
        let state = view.shared.state.borrow();
        self.touches_timers = state.footprint.touches_timers();
        let spawned = live..state.operations.count();
        for operation in state.footprint.touched().iter().copied().chain(spawned) {
            self.prints.touch(operation);
            let index = operation as usize;
            if self.defers.len() <= index {
                self.defers.resize(index + 1, false);
            }
            let found = &state.operations[operation];
            let defers = found.stage == OperationStage::Idle
                && found.inbox.next().is_none()
                && found.inbox.first().is_some();
            let did = std::mem::replace(&mut self.defers[index], defers);
            self.deferring = self.deferring + usize::from(defers) - usize::from(did);
        }
    }

    /// Adds a step to the order if monitors have seen events in it.
    fn note_observations(&mut self, view: &EngineView<'_>, step: u64) {
        if self.have_observed(view) {
            self.passes(step);
        }
    }

    /// Returns true if monitors have seen events since the last call.
    fn have_observed(&mut self, view: &EngineView<'_>) -> bool {
        let specifications = view.shared.specifications.borrow();
        let observations = specifications.observations();
        let (is_new, have) = match observations.clone().count() == self.observations.len() {
            true => (
                false,
                observations.clone().ne(self.observations.iter().copied()),
            ),
            // A new monitor's number counts earlier executions, too, so that it says nothing.
            false => (true, false),
        };
        if is_new || have {
            self.observations.clear();
            self.observations.extend(observations);
        }
        have
    }

    fn fingerprint(&mut self, view: &EngineView<'_>) -> (u128, bool) {
        let print = self.prints.whole(view);
        let is_blind = self.prints.is_any_blind();
        self.symmetric_print = match is_blind || self.by_history {
            true => None,
            false => self.symmetry.print(view),
        };
        let mut meant = self.singled_out.iter();
        self.singles_out |= meant.any(|operation| self.symmetry.has(*operation));
        (print, is_blind)
    }

    fn see(
        &mut self,
        view: &EngineView<'_>,
        state: &ExecutionState,
        (print, idle): (u128, usize),
        is_blind: bool,
    ) {
        let asked = actor_test_os::request_counts();
        let mut to = Fingerprinter::new();
        to.write_usize(idle);
        let mut is_blind = is_blind || !state.objects.is_unused();
        is_blind |= state.nodes.feed(|number| to.write_u64(number));
        state.objects.feed_yields(|number| to.write_u64(number));
        state.objects.feed_clocks(|number| to.write_u64(number));
        state.faults.feed(|number| to.write_u64(number));
        to.write_u8(state.progress.is_finishing().into());
        to.write_u32(state.progress.closed_from().unwrap_or(u32::MAX));
        if let Some(letters) = state.progress.known_dead_letters() {
            to.write_u64(letters);
        }
        for (predicate, _) in view.shared.scripts.borrow().iter() {
            to.write_u32(*predicate);
        }
        to.write_u64(asked.random);
        let beside = to.value();
        let mut rest = Fingerprinter::new();
        rest.write_u128(beside);
        rest.write_u128(self.prints.others());
        self.rest = rest.value();
        self.has_periodic = state.timers.armed_periodic() > 0;
        self.lends_timers = state.timers.are_lent();
        let mut to = Fingerprinter::new();
        to.write_u128(beside);
        to.write_u128(print);
        if is_blind || self.by_history {
            // The history of monitors is the order of what they have seen. The history of operations that are
            // gone is in what they have sent.
            to.write_u64(self.order);
            to.write_u64(state.operations.behaviour_hash());
        }
        if is_blind {
            feed_timers(state, &mut to);
        }
        let canonical = self.symmetric_print.filter(|_| !is_blind).map(|print| {
            let mut to = Fingerprinter::new();
            to.write_u128(beside);
            to.write_u128(print);
            to.value()
        });
        let (pending, hot) = state.temperatures.pending_bits();
        let (count, progress) = (state.operations.count(), &state.progress);
        if progress.step() <= 1 {
            self.founders = (progress.choices() == 0).then_some(count);
        }
        self.seen = Some(StateView {
            print: to.value(),
            now: state.timers.now(),
            reads_clock: state.timers.clock_reads() + asked.clock > 0,
            by_history: is_blind,
            obligations: pending,
            hot,
            is_deferring: self.deferring > 0,
            canonical,
            reads_one: self.singles_out,
            reads_numbers: view.shared.numbers_seen.get() != NumbersSeen::default(),
            numbers_vary: self.founders != Some(count),
        });
    }
}

/// Feeds the armed timers and the unread events of timers, since a program may hold handles to them.
fn feed_timers(state: &ExecutionState, to: &mut Fingerprinter) {
    let slots = state.timers.iter();
    let armed = slots.filter(|timer| timer.stage == TimerStage::Armed);
    let sum = armed.fold(0, |sum: u64, timer| sum.wrapping_add(mix(3, timer.key)));
    to.write_u64(sum);
    if state.timers.count() == 0 {
        return;
    }
    for operation in state.operations.iter() {
        let letters = operation.inbox.iter();
        let timed = letters.filter(|letter| letter.sender.is_timer());
        timed.for_each(|letter| to.write_u64(letter.key));
    }
}
