//! What a step has reached beyond its own operation, for strategies that want to know.

use actor_core::generated::Disposition;

use crate::data::bug::BugKind;
use crate::engine::world::operation::{Effect, OperationRole, OperationStage, STOP};
use crate::engine::world::state::ExecutionState;
use crate::strategy::{
    ConstructSet, DeferredEvents, MonitorTransition, ObserverSet, OperationId, Pending,
    PredicateRead, PredicateScope, SilentEffect, Step, StepConstruct, StepEffect, StepKind,
};

/// What the step in progress has reached. What may count is taken down as it happens, in the rare
/// places where it does; the rest is looked up when the step is over.
#[derive(Clone, Debug, Default)]
pub(crate) struct StepFootprint {
    /// Somebody wants to know.
    pub(crate) is_wanted: bool,
    /// What it has read or changed that others may change or read.
    nonlocal: ConstructSet,
    /// What else it has met that is not up to its operation alone; where it is a local step, nobody can
    /// tell all the same when it is taken.
    noted: ConstructSet,
    /// What the effect was that it has carried out.
    carried: StepEffect,
    /// Who has looked at it: monitors by their numbers, and predicates.
    pub(crate) observers: ObserverSet,
    /// What became of the monitors among them.
    pub(crate) looked: Vec<MonitorTransition>,
    /// At what predicates have looked.
    looks: Vec<PredicateRead>,
    /// Whose next step it has replaced, or would have.
    interrupted: Vec<OperationId>,
    /// Its operation had asks under way when it began.
    awaits: bool,
    /// What rode along with it.
    along: Vec<SilentEffect>,
    /// It has looked whether a sleep is over, and it was not.
    sleeps: bool,
    /// It would have cancelled a timer, had that been there.
    cancels: bool,
}

impl StepFootprint {
    /// The step has read or changed what others may change or read.
    #[inline]
    pub(crate) fn add(&mut self, what: StepConstruct) {
        self.nonlocal.add(what);
    }

    /// The step has met what is not up to its operation alone.
    #[inline]
    pub(crate) fn record_local(&mut self, what: StepConstruct) {
        self.noted.add(what);
    }

    /// Something rides along with the step.
    pub(crate) fn record_silent_effect(&mut self, what: SilentEffect) {
        if self.is_wanted {
            self.along.push(what);
        }
    }

    /// A predicate looks at something.
    pub(crate) fn look(&mut self, predicate: u32, at: PredicateScope) {
        if self.is_wanted {
            self.looks.push(PredicateRead { predicate, at });
        }
    }

    /// The step would have cancelled a timer, had that been there.
    pub(crate) fn cancels(&mut self) {
        self.cancels = true;
    }

    /// Somebody has looked whether a sleep is over, and it is not.
    pub(crate) fn sleeps(&mut self) {
        self.sleeps = true;
        self.add(StepConstruct::Timer);
    }
}

impl ExecutionState {
    /// A step begins, of which a strategy wants to hear.
    pub(crate) fn begin_reach(&mut self, pending: &Pending) {
        self.reach.nonlocal = ConstructSet::NOTHING;
        self.reach.noted = ConstructSet::NOTHING;
        self.reach.carried = StepEffect::Nothing;
        self.reach.observers = ObserverSet::default();
        self.reach.looked.clear();
        self.reach.looks.clear();
        self.reach.interrupted.clear();
        self.reach.along.clear();
        self.reach.sleeps = false;
        self.reach.cancels = false;
        if pending.operation.is_timer() {
            self.reach.awaits = false;
            let timer = &self.timers.slots[pending.operation.index()];
            if let Some((_, event)) = timer.event {
                self.reach.carried = StepEffect::Sent(event);
                let owner = timer.owner;
                if self.defers_many(owner) {
                    self.reach.record_local(StepConstruct::Defer);
                }
                if self.operations[owner as usize].bound.is_some() {
                    self.reach.record_local(StepConstruct::Room);
                }
            }
            return self.reach.record_local(StepConstruct::Timer);
        }
        let operation = &self.operations[pending.operation.index()];
        self.reach.awaits = operation.open_asks > 0;
        match pending.kind {
            StepKind::Flush => self.begin_flush(pending.operation.index() as u32),
            _ if operation.bound.is_some() => self.reach.record_local(StepConstruct::Room),
            StepKind::Handle if self.defers_many(pending.operation.index() as u32) => {
                self.reach.record_local(StepConstruct::Defer);
            }
            _ => {}
        }
    }

    /// A step begins that carries out an effect, and what rides along.
    fn begin_flush(&mut self, index: u32) {
        let Some(effect) = self.operations[index as usize].outbox.first().copied() else {
            return;
        };
        let (carried, met) = match effect {
            Effect::Send { to, letter } => {
                let receiver = &self.operations[to as usize];
                let met = match () {
                    () if letter.event == STOP => Some(StepConstruct::Stop),
                    () if receiver.bound.is_some() => Some(StepConstruct::Room),
                    () if self.defers_many(to) => Some(StepConstruct::Defer),
                    () if self.nodes.nodes_if_different(index, to).is_some() => {
                        Some(StepConstruct::Node)
                    }
                    () => None,
                };
                (StepEffect::Sent(letter.event), met)
            }
            Effect::Start(started) => {
                let path = self.operations[started as usize].key;
                (
                    StepEffect::Started(path, self.deferred_events(started)),
                    None,
                )
            }
            Effect::Reply { ask, lost } => {
                let asker = self.asks[ask as usize].asker;
                let path = self.operations[asker as usize].key;
                (StepEffect::Replied(path), lost.map(|_| StepConstruct::Ask))
            }
            Effect::Halt(_) => (StepEffect::Halted, None),
            Effect::Notice { .. } => (StepEffect::Nothing, Some(StepConstruct::Watch)),
            Effect::Stop { .. } => (StepEffect::Nothing, Some(StepConstruct::Stop)),
            Effect::Decide { .. } => (StepEffect::Nothing, Some(StepConstruct::Supervision)),
            Effect::Share { .. } => (StepEffect::Nothing, Some(StepConstruct::Link)),
            Effect::RequestCapacity(_) => (StepEffect::Nothing, Some(StepConstruct::Room)),
            Effect::Disk(_) | Effect::FailPower { .. } => {
                (StepEffect::Nothing, Some(StepConstruct::Disk))
            }
            Effect::Cross { .. } | Effect::Fault(_) => {
                (StepEffect::Nothing, Some(StepConstruct::Node))
            }
            // Silent ones say so themselves.
            _ => (StepEffect::Nothing, None),
        };
        self.reach.carried = carried;
        if let Some(met) = met {
            self.reach.record_local(met);
        }
    }

    /// The operation defers events, of more than can be told apart.
    fn defers_many(&self, operation: u32) -> bool {
        self.operations[operation as usize].defers
            && self
                .info(operation)
                .is_some_and(|info| info.events.len() > DeferredEvents::EVENTS_MAX)
    }

    /// Which events the operation's state puts off.
    fn deferred_events(&self, operation: u32) -> DeferredEvents {
        match self.info(operation) {
            Some(info) if info.defers => {
                let is_deferred = |event| self.disposition(operation, event) == Disposition::Defer;
                DeferredEvents::of(is_deferred, info.events.len())
            }
            _ => DeferredEvents::default(),
        }
    }

    /// What becomes of an operation next is not up to itself.
    pub(crate) fn interrupt(&mut self, operation: u32, what: StepConstruct) {
        self.reach.add(what);
        if self.reach.is_wanted {
            self.reach.interrupted.push(OperationId::actor(operation));
        }
    }

    /// The execution may end here, whatever anyone would do next.
    pub(crate) fn interrupt_all(&mut self, what: StepConstruct) {
        for operation in 0..self.live as u32 {
            self.interrupt(operation, what);
        }
    }

    /// Somebody is set to look on. What was not seen since it came before might have come after.
    pub(crate) fn reach_onlooker(&mut self) {
        if self.step > 1 {
            self.interrupt_all(StepConstruct::Onlooker);
        }
    }

    /// What is carried out at once by an operation of that kind, and what ends with others.
    fn kind_reaches(&self, index: usize, runs: bool) -> (bool, Option<StepConstruct>) {
        match self.operations[index].kind {
            OperationRole::Actor(_) => (!runs && self.atomic_handlers, None),
            OperationRole::Body => (runs, None),
            OperationRole::Future { .. } => (runs, Some(StepConstruct::Future)),
            OperationRole::Task => (runs, Some(StepConstruct::Task)),
            OperationRole::Boot { .. } | OperationRole::Link(_) => {
                (runs, Some(StepConstruct::Node))
            }
        }
    }

    /// What a step was, once it is over.
    pub(crate) fn end_reach(
        &self,
        pending: Pending,
        bug: Option<BugKind>,
        has_predicates: bool,
    ) -> Step<'_> {
        let StepFootprint {
            nonlocal: beyond,
            noted,
            carried,
            observers: onlookers,
            looked,
            looks,
            interrupted,
            awaits,
            along,
            sleeps,
            cancels,
            ..
        } = &self.reach;
        let index = pending.operation.index();
        let runs = pending.kind != StepKind::Flush;
        // What is carried out at once, and what ends with others.
        let (is_bound, kind) = match () {
            () if pending.operation.is_timer() => (true, Some(StepConstruct::Timer)),
            () => self.kind_reaches(index, runs),
        };
        // What predicates see is changed by who runs, begins and ends.
        let mut onlookers = *onlookers;
        let is_seen = runs || matches!(carried, StepEffect::Started(..) | StepEffect::Halted);
        if has_predicates && is_seen {
            onlookers.add_predicates();
        }
        let mut reached = beyond.without_onlookers().and(*noted);
        if *awaits && runs {
            reached.add(StepConstruct::Ask);
        }
        if let Some(kind) = kind {
            reached.add(kind);
        }
        Step {
            pending,
            is_local: pending.may_be_local()
                && !(!beyond.is_nothing() || *awaits && runs || is_bound || bug.is_some()),
            interrupted,
            constructs: reached,
            effect: *carried,
            onlookers,
            monitor_transitions: looked,
            predicate_reads: looks,
            defers: match pending.operation.is_timer() {
                true => DeferredEvents::default(),
                false => self.deferred_events(index as u32),
            },
            silent_effects: along,
            is_suspended: !pending.operation.is_timer()
                && self.operations[index].stage == OperationStage::Suspended,
            sleeps: *sleeps,
            cancels: *cancels,
            bug,
            next_state: None,
        }
    }
}
