//! The footprint of the step in progress: the resources that it read and wrote.

use actor_core::generated::Disposition;

use crate::data::bug::BugKind;
use crate::data::constructs::{ConstructSet, StepConstruct};
use crate::data::step::StepKind;
use crate::engine::world::effect::{Effect, Reach, Touches};
use crate::engine::world::letter::STOP;
use crate::engine::world::operation::{OperationRole, OperationStage};
use crate::engine::world::operations::Operations;
use crate::engine::world::progress::Progress;
use crate::engine::world::state::ExecutionState;
use crate::settings::Delivery;
use crate::strategy::{
    DeferredEvents, MonitorTransition, NameUses, ObserverSet, OperationId, Pending, PredicateRead,
    PredicateScope, SilentEffect, Step, StepEffect,
};

/// The footprint of the step in progress. Rare accesses are recorded when they happen, and the rest is
/// computed when the step is over.
#[derive(Clone, Debug, Default)]
pub(crate) struct StepFootprint {
    /// True if a strategy wants footprints.
    is_wanted: bool,
    /// True if the operations that a step touches are recorded in `touched`.
    records_touched: bool,
    /// The operations that the step may change; some occur more than once.
    touched: Vec<u32>,
    /// True if the step may have read or changed timers.
    touches_timers: bool,
    /// The shared resources that the step has read or changed, which make the step non-local.
    nonlocal: ConstructSet,
    /// The other constructs that the step has met and that depend on others. They do not make the step
    /// non-local.
    noted: ConstructSet,
    /// The effect that the step has carried out.
    carried: StepEffect,
    /// The monitors, by number, and the predicates that have observed the step.
    observers: ObserverSet,
    /// The states of the observing monitors before and after the step.
    pub(crate) monitor_transitions: Vec<MonitorTransition>,
    /// The operations that predicates have read.
    predicate_reads: Vec<PredicateRead>,
    /// The operations whose next step this step has replaced, or would have replaced.
    interrupted: Vec<OperationId>,
    /// True if the operation had open asks when the step began.
    awaits: bool,
    /// The timers that were armed or cancelled in the same step.
    along: Vec<SilentEffect>,
    /// True if the step has polled a sleep that is not over.
    sleeps: bool,
    /// The names by which the step has sent, and the actors that have them, by key.
    named: Vec<(u64, u64)>,
    /// True if the use of a name depends on other steps.
    has_open_names: bool,
}

impl StepFootprint {
    /// Starts an execution, in which footprints are not wanted yet.
    pub(super) fn clear(&mut self) {
        self.records_touched = false;
        self.touched.clear();
    }

    /// Starts the footprint of a step.
    fn begin(&mut self) {
        self.nonlocal = ConstructSet::NOTHING;
        self.noted = ConstructSet::NOTHING;
        self.carried = StepEffect::Nothing;
        self.observers = ObserverSet::default();
        self.monitor_transitions.clear();
        self.predicate_reads.clear();
        self.interrupted.clear();
        self.along.clear();
        self.sleeps = false;
        self.named.clear();
        self.has_open_names = false;
    }

    /// Switches footprints for strategies on or off.
    pub(crate) fn set_wanted(&mut self, is_wanted: bool) {
        self.is_wanted = is_wanted;
    }

    pub(crate) fn is_wanted(&self) -> bool {
        self.is_wanted
    }

    /// Switches the recording of touched operations on or off.
    pub(crate) fn record_touched(&mut self, is_recorded: bool) {
        self.records_touched = is_recorded;
    }

    pub(super) fn records_touched(&self) -> bool {
        self.records_touched
    }

    /// Returns the operations that the step may have changed, besides those that it has created; some occur
    /// more than once.
    pub(crate) fn touched(&self) -> &[u32] {
        &self.touched
    }

    /// Returns whether the step may have read or changed timers.
    pub(crate) fn touches_timers(&self) -> bool {
        self.touches_timers
    }

    /// Records that the step may read or change timers.
    pub(super) fn touch_timers(&mut self) {
        self.touches_timers = true;
    }

    /// Starts the record of what a step touches, with the operations that it is known to change in advance.
    /// The effects and the wake-ups of the step record more.
    pub(crate) fn begin_touched(&mut self, pending: &Pending) {
        self.touched.clear();
        // A shared object has a number of its own, and is no operation.
        let inbox = pending.inbox.filter(|inbox| !inbox.is_timer());
        self.touched.extend(inbox.map(OperationId::bits));
        self.touches_timers = pending.operation.is_timer();
        if !self.touches_timers {
            self.touched.push(pending.operation.bits());
        }
    }

    /// Records that the step in progress changes an operation.
    pub(crate) fn changes(&mut self, operation: u32) {
        if self.records_touched {
            self.touched.push(operation);
        }
    }

    /// Records that the step may replace the next step of an operation.
    pub(crate) fn interrupt(&mut self, operation: u32, what: StepConstruct) {
        self.add(what);
        if self.is_wanted {
            self.interrupted.push(OperationId::actor(operation));
        }
    }

    /// Records that a monitor observes the step.
    pub(crate) fn add_monitor(&mut self, monitor: u16) {
        self.observers.add_monitor(monitor);
    }

    /// Returns the monitors that have observed the step.
    pub(crate) fn monitors(&self) -> ObserverSet {
        self.observers.monitors()
    }

    /// Records that the step has read or changed a shared resource.
    #[inline]
    pub(crate) fn add(&mut self, what: StepConstruct) {
        self.nonlocal.add(what);
    }

    /// Records that the step has used a name, such that other steps may make a difference.
    pub(crate) fn use_name(&mut self) {
        self.add(StepConstruct::Names);
        self.has_open_names = true;
    }

    /// Records that the step has sent by a name that the boot code of a node has registered.
    pub(crate) fn send_by_name(&mut self, name: u64, holder: u64) {
        self.add(StepConstruct::Names);
        if self.is_wanted {
            self.named.push((name, holder));
        }
    }

    /// Records that the step has met a construct that depends on others, without making the step non-local.
    #[inline]
    pub(crate) fn record_local(&mut self, what: StepConstruct) {
        self.noted.add(what);
    }

    /// Records an effect that is carried out in the same step, without a step of its own.
    pub(crate) fn record_silent_effect(&mut self, what: SilentEffect) {
        if self.is_wanted {
            self.along.push(what);
        }
    }

    /// Records that a predicate reads something.
    pub(crate) fn record_predicate_read(&mut self, predicate: u32, at: PredicateScope) {
        if self.is_wanted {
            self.predicate_reads.push(PredicateRead { predicate, at });
        }
    }

    /// Records that the step has polled a sleep that is not over.
    pub(crate) fn sleeps(&mut self) {
        self.sleeps = true;
        self.add(StepConstruct::Timer);
    }

    /// Records that the step may replace every operation's next step, of which there are `count`, for example
    /// by ending the execution.
    pub(crate) fn interrupt_all(&mut self, count: u32, what: StepConstruct) {
        for operation in 0..count {
            self.interrupt(operation, what);
        }
    }

    /// Records that a monitor or predicate was registered. The earlier steps, which it has not observed,
    /// could come later.
    pub(crate) fn register_observer(&mut self, progress: &Progress, operations: &Operations) {
        if progress.step() > 1 {
            self.interrupt_all(operations.count(), StepConstruct::Observer);
        }
    }
}

impl Operations {
    /// Returns whether the operation defers events, and its type has too many events for [`DeferredEvents`].
    fn defers_many(&self, operation: u32) -> bool {
        self[operation].defers
            && self
                .info(operation)
                .is_some_and(|info| info.events.len() > DeferredEvents::EVENTS_MAX)
    }

    /// Returns the events that the operation's state defers.
    fn deferred_events(&self, operation: u32) -> DeferredEvents {
        match self.info(operation) {
            Some(info) if info.defers => {
                let is_deferred = |event| self.disposition(operation, event) == Disposition::Defer;
                DeferredEvents::of(is_deferred, info.events.len())
            }
            _ => DeferredEvents::default(),
        }
    }
}

/// Starts the footprint of a step.
pub(crate) fn begin_footprint(state: &mut ExecutionState, pending: &Pending) {
    state.footprint.begin();
    if pending.operation.is_timer() {
        state.footprint.awaits = false;
        let timer = &state.timers[pending.operation.index() as u32];
        if let Some((_, event)) = timer.event {
            state.footprint.carried = StepEffect::Sent(event);
            let owner = timer.owner;
            if state.operations.defers_many(owner) {
                state.footprint.record_local(StepConstruct::Defer);
            }
            if state.operations[owner].bound.is_some() {
                state.footprint.record_local(StepConstruct::Room);
            }
        }
        return state.footprint.record_local(StepConstruct::Timer);
    }
    let operation = &state.operations[pending.operation.bits()];
    state.footprint.awaits = operation.open_asks > 0;
    match pending.kind {
        StepKind::Flush => begin_flush(state, pending.operation.bits()),
        StepKind::Deliver => begin_delivery(state, pending.operation.bits()),
        _ if operation.bound.is_some() => state.footprint.record_local(StepConstruct::Room),
        StepKind::Handle if state.operations.defers_many(pending.operation.bits()) => {
            state.footprint.record_local(StepConstruct::Defer);
        }
        _ => {}
    }
}

fn begin_flush(state: &mut ExecutionState, index: u32) {
    let Some(effect) = state.operations[index].outbox.first().copied() else {
        return;
    };
    record_carried(state, index, &effect);
}

/// Records an effect that is carried out, and the construct that it meets.
fn record_carried(state: &mut ExecutionState, index: u32, effect: &Effect) {
    let (carried, met) = match effect.facts(index, state).reach {
        Reach::Nothing => (StepEffect::Nothing, None),
        Reach::Construct(construct) => (StepEffect::Nothing, Some(construct)),
        Reach::Sent { to, event } => (
            StepEffect::Sent(event),
            met_by_letter(state, index, to, event),
        ),
        Reach::Started(started) => {
            let path = state.operations[started].key;
            let deferred = state.operations.deferred_events(started);
            (StepEffect::Started(path, deferred), None)
        }
        Reach::Replied { asker, is_lost } => {
            let path = state.operations[asker].key;
            (
                StepEffect::Replied(path),
                is_lost.then_some(StepConstruct::Ask),
            )
        }
        Reach::Halted => (StepEffect::Halted, None),
        // Such a link may have its message arrive at once.
        Reach::Leaves if state.nodes.delivery == Delivery::Mailbox => {
            (StepEffect::Nothing, Some(StepConstruct::Node))
        }
        Reach::Leaves => (StepEffect::Leaves, Some(StepConstruct::Node)),
    };
    state.footprint.carried = carried;
    if let Some(met) = met {
        state.footprint.record_local(met);
    }
}

/// Records the effect of the step in which a link delivers its first message, if the order is that of the link.
fn begin_delivery(state: &mut ExecutionState, index: u32) {
    let OperationRole::Link(number) = state.operations[index].kind else {
        return;
    };
    let Some(first) = state.nodes.first_in_order(number) else {
        return;
    };
    let reach = first.facts(index, state).reach;
    if matches!(reach, Reach::Sent { .. } | Reach::Replied { .. }) {
        record_carried(state, index, &first);
    }
}

/// Returns the construct that a letter meets at its receiver, if any.
fn met_by_letter(state: &ExecutionState, from: u32, to: u32, event: u16) -> Option<StepConstruct> {
    match () {
        () if event == STOP => Some(StepConstruct::Stop),
        () if state.names.reference(to).is_some() => Some(StepConstruct::Names),
        () if state.operations[to].bound.is_some() => Some(StepConstruct::Room),
        () if state.operations.defers_many(to) => Some(StepConstruct::Defer),
        () if state.nodes.nodes_if_different(from, to).is_some() => Some(StepConstruct::Node),
        () => None,
    }
}

/// Records the operations that an effect of `index` changes.
pub(super) fn touch_by(state: &mut ExecutionState, index: u32, effect: &Effect) {
    match effect.facts(index, state).touches {
        Touches::Nothing => {}
        Touches::One(operation) => state.footprint.touched.push(operation),
        Touches::Futures => state
            .footprint
            .touched
            .extend(state.operations.futures.of(index)),
        Touches::All => state.footprint.touched.extend(0..state.operations.count()),
    }
}

/// Returns whether the kind of operation makes its step non-local, and the construct that it stands for.
fn kind_reaches(state: &ExecutionState, index: u32, runs: bool) -> (bool, Option<StepConstruct>) {
    match state.operations[index].kind {
        OperationRole::Actor(_) => (!runs && state.progress.has_atomic_handlers(), None),
        OperationRole::Body => (runs, None),
        OperationRole::Future { .. } => (runs, Some(StepConstruct::Future)),
        OperationRole::Task => (runs, Some(StepConstruct::Task)),
        OperationRole::Boot { .. } | OperationRole::Link(_) => {
            (runs, runs.then_some(StepConstruct::Node))
        }
        OperationRole::Name { .. } => (false, None),
    }
}

/// Returns the step in progress with its footprint, once it is over.
pub(crate) fn end_footprint(
    state: &ExecutionState,
    pending: Pending,
    bug: Option<BugKind>,
    has_predicates: bool,
) -> Step<'_> {
    let StepFootprint {
        nonlocal,
        noted,
        carried,
        observers,
        monitor_transitions,
        predicate_reads,
        interrupted,
        awaits,
        along,
        sleeps,
        named,
        has_open_names,
        ..
    } = &state.footprint;
    let index = pending.operation.bits();
    let runs = pending.kind != StepKind::Flush;
    // The kind of the operation may make the step non-local.
    let (is_bound, kind) = match () {
        () if pending.operation.is_timer() => (true, Some(StepConstruct::Timer)),
        () => kind_reaches(state, index, runs),
    };
    // Predicates observe the actors that run, start and end.
    let mut observers = *observers;
    let is_seen = runs || matches!(carried, StepEffect::Started(..) | StepEffect::Halted);
    if has_predicates && is_seen {
        observers.add_predicates();
    }
    let mut reached = nonlocal.without_observers().and(*noted);
    if *awaits && runs {
        reached.add(StepConstruct::Ask);
    }
    if let Some(kind) = kind {
        reached.add(kind);
    }
    Step {
        pending,
        is_local: pending.may_be_local()
            && !(!nonlocal.is_nothing() || *awaits && runs || is_bound || bug.is_some()),
        interrupted,
        constructs: reached,
        effect: *carried,
        observers,
        monitor_transitions,
        predicate_reads,
        defers: match pending.operation.is_timer() {
            true => DeferredEvents::default(),
            false => state.operations.deferred_events(index),
        },
        silent_effects: along,
        is_suspended: !pending.operation.is_timer()
            && state.operations[index].stage == OperationStage::Suspended,
        sleeps: *sleeps,
        names: match has_open_names {
            true => NameUses::Open,
            false => NameUses::Fixed(named),
        },
        bug,
        next_state: None,
    }
}
