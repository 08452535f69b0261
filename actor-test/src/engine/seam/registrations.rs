//! Set-up of a test: monitors, predicates, scripts, nodes and failing calls.

use actor_core::seam::{AnyMonitor, CallErrors, Expectation, Predicate, Registration};

use crate::data::faults::FaultKind;
use crate::data::problem::{BadNode, Problem};
use crate::engine::arena::{Boot, SuppliedError};
use crate::engine::seam::current_operation::CurrentOperation;
use crate::engine::world::effect::Effect;
use crate::engine::world::faults::may_strike;

impl CurrentOperation<'_> {
    pub(super) fn register(self, registration: Registration<'_>) {
        match registration {
            Registration::Monitor(monitor) => self.register_monitor(monitor),
            Registration::Predicate {
                name,
                expectation,
                predicate,
            } => self.register_predicate(name, expectation, predicate),
            Registration::Script {
                name,
                predicate,
                script,
            } => {
                self.register_predicate(name, Expectation::Sometimes, predicate);
                let number = self.specifications.borrow().last_predicate_number();
                self.scripts.borrow_mut().push((number, script));
            }
            Registration::CallErrors(call, errors) => self.register_errors(call, errors),
            Registration::Node(name, boot) => self.register_node(name, boot),
            Registration::AskLimit(limit) => self.state().requests.asks.set_limit(limit),
        }
    }

    fn register_monitor(self, monitor: Box<dyn AnyMonitor>) {
        let mut specifications = self.specifications.borrow_mut();
        let is_new = {
            let mut session = self.session();
            let is_new =
                specifications.register(monitor, &mut self.state(), &mut session.observers);
            if is_new {
                let state = &mut *self.state();
                let footprint = &mut state.footprint;
                footprint.register_observer(&state.progress, &state.operations);
            }
            self.show_at(session.observers.moments());
            is_new
        };
        if is_new && self.is_recorded() {
            self.record(|| specifications.last_monitor());
        }
    }

    fn register_predicate(self, name: &str, expectation: Expectation, predicate: Predicate) {
        let mut state = self.state();
        let mut specifications = self.specifications.borrow_mut();
        specifications.expect(name, expectation, predicate, &mut state);
        let state = &mut *state;
        let footprint = &mut state.footprint;
        footprint.register_observer(&state.progress, &state.operations);
        self.has_predicates.set(true);
        self.shows_actors.set(true);
        self.record(|| specifications.last_predicate());
    }

    fn register_errors(self, call: &str, errors: CallErrors) {
        let CallErrors {
            error,
            error_name,
            is_made,
            make,
        } = errors;
        self.session().calls.supplied(call);
        may_strike(&mut self.state(), FaultKind::Call);
        self.arena().supplies.push(SuppliedError {
            call: call.into(),
            error,
            error_name,
            is_made,
            make,
        });
    }

    /// Declares a node, and boots it.
    fn register_node(self, name: &str, boot: Boot) {
        if self.state().nodes.find(name).is_some() {
            let exists = BadNode::Exists { name: name.into() };
            return self.find(&Problem::BadNode(exists), None);
        }
        if name.is_empty() || name.contains('/') {
            let malformed = BadNode::Malformed { name: name.into() };
            return self.find(&Problem::BadNode(malformed), None);
        }
        let node = self.state().nodes.declare(name);
        self.arena().add_node(boot);
        self.draw_clock(node);
        let boot = self.launch(node);
        self.push(Effect::Start(boot));
    }
}
