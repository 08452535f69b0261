//! Observers that must not act: monitors, predicates and `Debug`.

use std::any::{Any, TypeId};
use std::cell::{Cell, RefCell};
use std::collections::BTreeSet;

use actor_core::generated::Moment;
use actor_core::seam::{Address, AnyMonitor, Body, Expectation, Snapshot};
use actor_core::specification::World;
use actor_core::{ActorId, AskError, Event};

use crate::data::bug::BugKind;
use crate::data::constructs::StepConstruct;
use crate::data::step::MessageId;
use crate::data::story::Temperature;
use crate::engine::arena::ActorParts;
use crate::engine::panics::{self, Panic};
use crate::engine::running::execution::Engine;
use crate::engine::seam::shared::{CodePhase, ControlledRuntime};
use crate::engine::specs::cycle::WaitForGraph;
use crate::engine::specs::observers::{EventObservers, ObservingMonitor};
use crate::engine::specs::specifications::PredicateEvaluation;
use crate::engine::world::letter::PackedSender;
use crate::engine::world::operation::OperationStage;
use crate::engine::world::state::{BODY, ExecutionState};
use crate::engine::world::types::place_of;
use crate::hash;
use crate::hash::mix;
use crate::records::Record;
use crate::strategy::{MonitorTransition, PredicateScope};

impl Engine {
    /// Returns the monitors that observe an event of the operation at that moment.
    pub(crate) fn who(
        &self,
        state: &ExecutionState,
        operation: u32,
        event: u16,
        moment: Moment,
    ) -> EventObservers {
        if !self.shared.shows(moment) {
            return EventObservers::Nobody;
        }
        let first_event = state.operations[operation].first_event;
        let observers = &mut self.session().observers;
        observers.who(
            &state.operations.types,
            place_of(first_event, event),
            moment,
        )
    }

    /// Reports the cycle of asks that an operation has closed by waiting, if there is one.
    pub(crate) fn find_cycle(&self, operation: u32) {
        let message = {
            let state = self.state();
            let waits = WaitForGraph { state: &state };
            let Some(cycle) = waits.cycle(operation) else {
                return;
            };
            let names = cycle.iter().chain(cycle.first());
            let names: Vec<String> = names.map(|operation| state.name(*operation)).collect();
            format!(
                "a cycle of asks, in which each handler awaits the reply of the next: `{}`",
                names.join(" -> ")
            )
        };
        self.shared.find(BugKind::Deadlock, message, None);
    }

    /// Looks for a cycle of asks after a letter has arrived, which may have closed one.
    pub(crate) fn find_cycle_at(&self, receiver: u32, sender: u32) {
        let may_close = self.state().operations.may_close_cycle(receiver, sender);
        if may_close {
            self.find_cycle(sender);
        }
    }

    pub(crate) fn actor_id(&self, operation: u32) -> ActorId {
        ActorId::controlled(Address {
            operation,
            execution: self.shared.execution.get(),
        })
    }

    /// Shows an event in an actor's mail to the monitors that observe it.
    #[inline(always)]
    pub(crate) fn show_letter(
        &self,
        receiver: u32,
        from: PackedSender,
        slot: u32,
        moment: Moment,
        to: EventObservers,
    ) {
        let Some(Some(ActorParts { mail, .. })) = self.bodies.get(receiver as usize) else {
            return;
        };
        if moment == Moment::Sent && self.relays(from) {
            return;
        }
        let sender = from.sent_by().filter(|operation| *operation != BODY);
        let sender = sender.map(|operation| self.actor_id(operation));
        let target = Some(self.actor_id(receiver));
        match to {
            EventObservers::Nobody => {}
            EventObservers::One(observer) => self.show_monitor(observer, |monitor, observation| {
                mail.observe(slot, monitor, observation, sender, target)
            }),
            EventObservers::Several => {
                self.show(moment, sender, target, |show| mail.inspect(slot, show))
            }
        }
    }

    /// Returns true if the sender relays events, which were shown when they were sent first.
    fn relays(&self, sender: PackedSender) -> bool {
        let sender = sender.sent_by();
        sender.is_some_and(|sender| self.is_relay(sender))
    }

    /// Returns true if the operation is a relay: it forwards the events that it receives.
    fn is_relay(&self, operation: u32) -> bool {
        let info = self.state().operations.info(operation);
        info.is_some_and(|info| info.relays)
    }

    pub(crate) fn show_reply(
        &mut self,
        from: u32,
        ask: u32,
        slot: &actor_core::seam::AskSlot,
        lost: Option<AskError>,
    ) {
        let (asker, letter, is_for_end) = {
            let state = self.state();
            let ask = &state.requests.asks[ask];
            (ask.asker, ask.letter, ask.is_for_end())
        };
        if self.shared.is_recorded() {
            let reply = match lost {
                None => Ok(self.print(|f| slot.inspect(f))),
                Some(error) => Err(error),
            };
            self.shared.record(|| Record::Replied {
                from,
                to: asker,
                asked: MessageId::new(letter),
                reply,
            });
        }
        let is_shown = lost.is_none() && !is_for_end && self.shared.shows(Moment::Replied);
        // A relay forwards the reply, which is shown then.
        if is_shown && !self.is_relay(asker) {
            let sender = Some(self.actor_id(from));
            let target = (asker != BODY).then(|| self.actor_id(asker));
            self.show(Moment::Replied, sender, target, |show| slot.inspect(show));
        }
    }

    /// Shows an event to every monitor that observes its type; only the event's own slot is borrowed
    /// meanwhile.
    pub(crate) fn show(
        &self,
        moment: Moment,
        sender: Option<ActorId>,
        target: Option<ActorId>,
        inspect: impl Fn(&mut dyn FnMut(&dyn Event)),
    ) {
        inspect(&mut |event| {
            let type_id = <dyn Any>::type_id(event);
            let mut from = 0;
            loop {
                let next = self.session().observers.next(from, type_id, moment);
                let Some((after, observer)) = next else {
                    break;
                };
                from = after;
                self.show_monitor(observer, |monitor, observation| {
                    Some(monitor.observe(observation, event, sender, target))
                });
            }
        });
    }

    /// Shows an event to one monitor.
    #[inline(always)]
    fn show_monitor(
        &self,
        observer: ObservingMonitor,
        observe: impl FnOnce(&mut dyn AnyMonitor, u16) -> Option<usize>,
    ) {
        if self.hears_steps {
            self.note_observation(observer.monitor);
        }
        if self.shared.keeps_view.get() {
            self.extend_view(|state| {
                let ObservingMonitor {
                    monitor,
                    observation,
                } = observer;
                let who = u64::from(monitor) << 48 | u64::from(observation) << 32;
                mix(
                    state.operations.behaviour_hash(),
                    who | u64::from(state.progress.last_operation()),
                )
            });
        }
        self.shared.phase.set(CodePhase::Observing);
        let shown = {
            let mut specifications = self.shared.specifications.borrow_mut();
            specifications.show(observer, observe)
        };
        self.shared.phase.set(CodePhase::Running);
        match shown {
            Ok(None) => {}
            Ok(Some(now)) => self.monitor_moved(observer.monitor, now),
            Err(panic) => self.monitor_panicked(observer.monitor, *panic),
        }
    }

    /// Records that a monitor is about to observe a step, for a strategy that is notified of steps.
    #[cold]
    fn note_observation(&self, monitor: u16) {
        self.state().footprint.add_monitor(monitor);
        if self.fingerprinter.is_wanted {
            return;
        }
        let heat = {
            let specifications = self.shared.specifications.borrow();
            specifications.is_new_to_strategy(monitor)
        };
        if heat.is_some() {
            self.monitor_hashes(monitor);
        }
    }

    /// Returns the fingerprints of a monitor's state at the last call and now.
    fn monitor_hashes(&self, monitor: u16) -> Option<(u64, u64)> {
        let heat = self.shared.specifications.borrow().heat_of(monitor);
        let is_pending = self.state().temperatures.is_pending(heat);
        self.shared.phase.set(CodePhase::Observing);
        let states = {
            let mut specifications = self.shared.specifications.borrow_mut();
            specifications.monitor_hashes(monitor, is_pending)
        };
        self.shared.phase.set(CodePhase::Running);
        states
    }

    /// Records the states of the step's observers, for a strategy that does not compare whole states.
    pub(crate) fn note_monitor_transitions(&self) {
        let observers = self.state().footprint.monitors();
        if self.fingerprinter.is_wanted {
            return;
        }
        for monitor in observers.iter() {
            let states = self.monitor_hashes(monitor as u16);
            self.state()
                .footprint
                .monitor_transitions
                .push(MonitorTransition { monitor, states });
        }
    }

    /// Records the state to which a monitor has moved.
    #[inline(never)]
    fn monitor_moved(&self, monitor: u16, now: usize) {
        let shared = &self.shared;
        let mut specifications = shared.specifications.borrow_mut();
        let was = {
            let landmarks = &mut self.session().landmarks;
            specifications.moved(monitor, now, &mut self.state(), landmarks)
        };
        shared.record(|| specifications.move_of(monitor, was));
    }

    #[cold]
    fn monitor_panicked(&self, monitor: u16, panic: Panic) {
        let name = {
            let specifications = self.shared.specifications.borrow();
            specifications.monitor_name(monitor)
        };
        let message = format!("monitor `{name}`: {}", panic.message);
        self.shared.find(BugKind::Monitor, message, panic.location);
    }

    /// Adds an observation to the hash of all that monitors and predicates have seen.
    #[cold]
    fn extend_view(&self, at: impl FnOnce(&ExecutionState) -> u64) {
        let at = at(&self.shared.state.borrow());
        self.session().landmarks.observed(at);
    }

    /// Evaluates the predicates over the states of all actors.
    pub(crate) fn evaluate(&mut self) {
        if self.shared.keeps_view.get() {
            self.extend_view(|state| state.operations.behaviour_hash());
        }
        // The predicates that are true, for which a script may wait.
        let mut due = Vec::new();
        let found = {
            let snapshot = PredicateView {
                bodies: &self.bodies,
                shared: &self.shared,
                early: Cell::new(false),
                inspected: RefCell::default(),
                seeks: Cell::new(false),
                meant: self.fingerprinter.is_wanted.then(RefCell::default),
            };
            let is_wanted = self.state().footprint.is_wanted();
            let world = match is_wanted {
                true => World::watched(&snapshot),
                false => World::new(&snapshot),
            };
            self.shared.phase.set(CodePhase::Observing);
            let shared = &self.shared;
            let due = &mut due;
            let settle = |judged: PredicateEvaluation<'_>| {
                let mut state = shared.state.borrow_mut();
                if is_wanted {
                    snapshot.record_reads(judged.number, &mut state);
                }
                let step = state.progress.step();
                if judged.has_changed {
                    shared.record(|| judgement(&judged, &state));
                }
                match (judged.heat, judged.holds, judged.expectation) {
                    (Some(heat), true, _) => state.temperatures.cold(heat, step),
                    (Some(heat), false, Expectation::AlwaysEventually) => {
                        let begins = state.temperatures.hot(heat, step);
                        if begins {
                            state.record_obligation(hash::text(judged.name));
                        }
                    }
                    (None, true, Expectation::Sometimes) => {
                        shared.session().landmarks.goal(judged.name);
                        due.push(judged.number);
                    }
                    _ => {}
                }
            };
            let mut specifications = shared.specifications.borrow_mut();
            let found = specifications.evaluate(&world, &snapshot.early, settle);
            self.shared.phase.set(CodePhase::Running);
            if let Some(meant) = snapshot.meant {
                self.fingerprinter.single_out(meant.take().into_iter());
            }
            found
        };
        if let Some((kind, message, location)) = found {
            self.shared.find(kind, message, location);
        }
        for predicate in due {
            self.run_script(predicate);
        }
    }

    /// Runs the script that has waited for that predicate, if there is one, and injects its faults.
    fn run_script(&mut self, predicate: u32) {
        let script = {
            let mut scripts = self.shared.scripts.borrow_mut();
            let found = scripts.iter().position(|(waits, _)| *waits == predicate);
            let Some(at) = found else {
                return;
            };
            scripts.remove(at).1
        };
        self.shared.phase.set(CodePhase::Observing);
        let said = panics::catch(script);
        self.shared.phase.set(CodePhase::Running);
        let faults = match said {
            Ok(faults) => faults,
            Err(panic) => {
                let message = format!("a script panicked: {}", panic.message);
                return self.shared.find(BugKind::Panic, message, panic.location);
            }
        };
        for fault in &faults {
            if let Some(node_fault) = self.shared.node_fault(fault) {
                self.inject(&node_fault);
            }
        }
    }

    /// Records the actors that unmet predicates read, once the execution is over.
    #[cold]
    pub(crate) fn record_unmet_reads(&mut self) {
        let found = self.session().found.clone();
        let Some(found) = found else {
            return;
        };
        let snapshot = PredicateView {
            bodies: &self.bodies,
            shared: &self.shared,
            early: Cell::new(false),
            inspected: RefCell::default(),
            seeks: Cell::new(false),
            meant: None,
        };
        self.shared.phase.set(CodePhase::Observing);
        {
            let world = World::watched(&snapshot);
            let is_pending = |heat| self.shared.state.borrow().temperatures.is_pending(heat);
            let mut specifications = self.shared.specifications.borrow_mut();
            specifications.evaluate_unmet(&world, found.kind.is_liveness(), &is_pending);
        }
        self.shared.phase.set(CodePhase::Running);
        for who in snapshot.inspected.take() {
            let state = self.shared.state.borrow().operations.state_name(who);
            let value = self.printed_value(who);
            self.shared
                .record(|| Record::Inspected { who, state, value });
        }
        // A predicate or a `Debug` that misbehaves now does not change the finding.
        self.session().found = Some(found);
    }

    /// Returns the `Debug` text of an actor's value; `None` if it has no `Debug` or is suspended.
    pub(crate) fn printed_value(&self, who: u32) -> Option<String> {
        let parts = self.bodies.get(who as usize)?.as_ref()?;
        Some(self.shared.printed(parts.body.debug()?))
    }

    /// Records the value of an actor if it is new or has changed.
    #[cold]
    pub(crate) fn record_value(&self, who: u32) {
        if let Some(value) = self.printed_value(who)
            && let Some(recorder) = &mut self.session().recorder
        {
            recorder.record_value(who, &value);
        }
    }

    pub(crate) fn print_letter(&self, receiver: u32, slot: u32) -> String {
        let mail = self.shared.arena().mail(receiver).cloned();
        mail.map_or_else(String::new, |mail| self.print(|f| mail.inspect(slot, f)))
    }

    pub(crate) fn print(&self, inspect: impl FnOnce(&mut dyn FnMut(&dyn Event))) -> String {
        self.shared.print(inspect)
    }
}

/// Returns the record of a predicate that has become true or false.
fn judgement(judged: &PredicateEvaluation<'_>, state: &ExecutionState) -> Record {
    let is_pending = match judged.expectation {
        Expectation::Eventually | Expectation::AlwaysEventually => !judged.holds,
        Expectation::Always | Expectation::Sometimes => false,
    };
    let heat = |number| {
        state
            .temperatures
            .temperature(number, state.progress.step())
    };
    Record::Judged {
        predicate: judged.number,
        holds: judged.holds,
        temperature: if is_pending {
            Temperature::Hot
        } else {
            Temperature::Cold
        },
        heat: judged.heat.map_or(0, heat),
    }
}

/// The actors between two steps, as predicates see them.
struct PredicateView<'a> {
    bodies: &'a [Option<ActorParts>],
    shared: &'a ControlledRuntime,
    /// True if an actor was asked for that has not started yet.
    early: Cell<bool>,
    /// The actors that predicates have read.
    inspected: RefCell<BTreeSet<u32>>,
    /// True if predicates have searched for all actors of a type.
    seeks: Cell<bool>,
    /// The actors that predicates single out, if that is wanted.
    meant: Option<RefCell<BTreeSet<u32>>>,
}

impl PredicateView<'_> {
    fn shown(&self, of: Address) -> Option<&Body> {
        if !self.shared.is_local(of) {
            return None;
        }
        let stage = self
            .shared
            .state
            .borrow()
            .operations
            .get(of.operation)?
            .stage;
        match stage {
            OperationStage::Idle => {
                let parts = self.bodies.get(of.operation as usize)?.as_ref();
                parts.map(|parts| &parts.body)
            }
            OperationStage::NotStarted | OperationStage::Starting => {
                self.early.set(true);
                None
            }
            _ => None,
        }
    }
}

impl PredicateView<'_> {
    /// Records the actors that a predicate has read in the step's footprint.
    fn record_reads(&self, predicate: u32, state: &mut ExecutionState) {
        let seeks = self.seeks.take();
        for who in self.inspected.take() {
            let one = state
                .operations
                .paths()
                .get(who as usize)
                .copied()
                .map(PredicateScope::One);
            // An actor that was found among all counts as all.
            let at = one.filter(|_| !seeks).unwrap_or(PredicateScope::All);
            state.footprint.record_predicate_read(predicate, at);
        }
        if seeks {
            state
                .footprint
                .record_predicate_read(predicate, PredicateScope::All);
        }
    }

    /// Records that a predicate reads a number which also changes in steps that are not observed.
    fn counts(&self) {
        self.shared
            .state
            .borrow_mut()
            .footprint
            .record_local(StepConstruct::Predicate);
    }
}

impl Snapshot for PredicateView<'_> {
    fn actor(&self, of: Address) -> Option<&dyn Any> {
        self.shown(of)?.actor()
    }

    fn state(&self, of: Address) -> Option<usize> {
        self.shown(of).map(Body::state)
    }

    fn first(&self, actor_type: TypeId) -> Option<Address> {
        self.seeks.set(true);
        let first = self
            .shared
            .state
            .borrow()
            .operations
            .first_living(actor_type)?;
        Some(self.shared.address(first))
    }

    fn after(&self, actor: Address) -> Option<Address> {
        let next = self
            .shared
            .state
            .borrow()
            .operations
            .next_living(actor.operation)?;
        Some(self.shared.address(next))
    }

    fn record_inspected(&self, at: Address) {
        if self.shared.is_local(at) {
            self.inspected.borrow_mut().insert(at.operation);
        }
    }

    fn record_identity_use(&self, at: Address) {
        if let Some(meant) = &self.meant
            && self.shared.is_local(at)
        {
            meant.borrow_mut().insert(at.operation);
        }
    }

    fn inbox_len(&self, of: Address) -> usize {
        self.counts();
        let state = self.shared.state.borrow();
        let found = state.operations.get(of.operation);
        found.map_or(0, |operation| operation.inbox.len())
    }

    fn in_flight(&self) -> usize {
        self.counts();
        self.shared.state.borrow().operations.in_flight()
    }

    fn timers(&self) -> usize {
        self.counts();
        self.shared.state.borrow().timers.armed()
    }
}
