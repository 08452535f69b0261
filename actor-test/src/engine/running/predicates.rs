//! Predicates over the states of all actors, evaluated between two steps.

use crate::data::constructs::StepConstruct;
use crate::data::problem::Problem;
use crate::data::story::Temperature;
use crate::engine::arena::ActorParts;
use crate::engine::panics::{self};
use crate::engine::running::execution::Engine;
use crate::engine::seam::shared::{CodePhase, ControlledRuntime};
use crate::engine::specs::specifications::PredicateEvaluation;
use crate::engine::world::faults::record_obligation;
use crate::engine::world::operation::OperationStage;
use crate::engine::world::state::ExecutionState;
use crate::hash;
use crate::records::Record;
use crate::strategy::PredicateScope;
use actor_core::seam::{Address, Body, Expectation, Snapshot};
use actor_core::specification::World;
use std::any::{Any, TypeId};
use std::cell::{Cell, RefCell};
use std::collections::BTreeSet;

impl Engine {
    /// Evaluates the predicates over the states of all actors.
    pub(crate) fn evaluate(&mut self) {
        if self.shared.keeps_view.get() {
            self.shared
                .audience()
                .extend_view(|state| state.operations.behaviour_hash());
        }
        // The predicates that are true, for which a script may wait.
        let mut due = Vec::new();
        let found = {
            let snapshot = PredicateView {
                meant: self.shared.compares_states.get().then(RefCell::default),
                ..PredicateView::new(&self.executor.bodies, &self.shared)
            };
            let is_wanted = self.shared.state().footprint.is_wanted();
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
                            record_obligation(&mut state, hash::text(judged.name));
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
        if let Some((problem, location)) = found {
            self.shared.find(&problem, location);
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
                let message = panic.message;
                let problem = Problem::ScriptPanicked { message };
                return self.shared.find(&problem, panic.location);
            }
        };
        for fault in &faults {
            if let Some(node_fault) = self.shared.node_fault(fault) {
                self.executor.inject(&node_fault);
            }
        }
    }

    /// Records the actors that unmet predicates read, once the execution is over.
    #[cold]
    pub(crate) fn record_unmet_reads(&mut self) {
        let found = self.shared.session().found.clone();
        let Some(found) = found else {
            return;
        };
        let snapshot = PredicateView::new(&self.executor.bodies, &self.shared);
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
            let value = self.executor.view().printed_value(who);
            self.shared
                .record(|| Record::Inspected { who, state, value });
        }
        // A predicate or a `Debug` that misbehaves now does not change the finding.
        self.shared.session().found = Some(found);
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

impl<'a> PredicateView<'a> {
    fn new(bodies: &'a [Option<ActorParts>], shared: &'a ControlledRuntime) -> Self {
        Self {
            bodies,
            shared,
            early: Cell::new(false),
            inspected: RefCell::default(),
            seeks: Cell::new(false),
            meant: None,
        }
    }

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
