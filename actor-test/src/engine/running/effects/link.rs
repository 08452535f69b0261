//! Links between actors: they begin, end and share failures.

use actor_core::StopReason;

use crate::data::constructs::StepConstruct;
use crate::engine::running::effects::Effects;
use crate::engine::world::letter::{Envelope, PackedSender};
use crate::engine::world::operation::{OperationStage, PendingOrder};
use crate::records::Record;

impl Effects<'_> {
    /// Links two actors. If the other one has already failed, the first one shares the failure.
    pub(super) fn link(&self, one: u32, other: u32) {
        let failure = {
            let state = &mut *self.shared.state();
            let relations = &mut state.relations;
            relations.link(&mut state.footprint, &state.operations, one, other)
        };
        if let Some(reason) = failure {
            self.propagate(one, one, reason);
        }
    }

    /// Makes an actor share a failure, if it is still in that incarnation.
    pub(super) fn share(&self, of: u32, to: u32, life: u32, reason: StopReason) {
        let is_same = self.shared.state().operations[to].incarnation == life;
        if is_same {
            self.propagate(of, to, reason);
        }
    }

    /// Propagates a failure over a link: the linked actor fails too, or is notified if it traps failures.
    fn propagate(&self, of: u32, to: u32, reason: StopReason) {
        let (stage, trap, mail) = {
            let mut state = self.shared.state();
            self.shared.record(|| Record::Linked { who: to });
            state.footprint.interrupt(to, StepConstruct::Stop);
            let found = &state.operations[to];
            let mail = self.shared.arena().mail(to).cloned();
            (found.stage, found.trap, mail)
        };
        match (stage, trap, mail) {
            (OperationStage::Gone | OperationStage::Down, ..) => {}
            (_, Some(trap), Some(mail)) => {
                let (slot, event) = trap(&*mail, self.shared.audience().actor_id(of), reason);
                let letter = Envelope {
                    sender: PackedSender::end(of),
                    ..self.shared.state().operations.letter(of, to, slot, event)
                };
                let delivery = self.shared.state().deliver(to, letter);
                self.sent(of, to, letter, delivery);
            }
            _ => {
                let mut state = self.shared.state();
                state.operations[to].failure_source = Some(of);
                state.give_order(to, PendingOrder::Fail(StopReason::Linked));
            }
        }
    }
}
