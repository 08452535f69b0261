//! Counted references to actors.

use actor_core::ActorId;
use actor_core::seam::Address;

use crate::data::constructs::StepConstruct;
use crate::engine::seam::shared::{CodePhase, ControlledRuntime};
use crate::hash::mix;

impl ControlledRuntime {
    /// Handles the drop of a reference, by a handler or by a destructor.
    pub(super) fn drop_reference(&self, to: Address, is_last: bool) {
        let drops = matches!(self.phase.get(), CodePhase::Running | CodePhase::Crashing);
        if drops && self.is_local(to) {
            let by = self.current.get();
            let mut state = self.state.borrow_mut();
            state.drop_reference(by, to.operation, is_last);
        }
    }

    /// Records a question for references to an actor, and its answer.
    pub(super) fn seek_reference(&self, to: ActorId, is_there: bool) {
        if self.phase.get() == CodePhase::Running {
            let mut state = self.state.borrow_mut();
            state.footprint.add(StepConstruct::References);
            let answer = mix(to.number(), u64::from(is_there));
            state.operations.extend_chain(self.current.get(), answer);
        }
    }
}
