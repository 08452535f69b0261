//! Delivery: a letter is appended to its receiver's inbox, if that is open and has capacity.

use actor_core::generated::Disposition;

use crate::engine::world::capacity::DeliveryOutcome;
use crate::engine::world::enabled::ABSENT;
use crate::engine::world::letter::Envelope;
use crate::engine::world::operation::{OperationRole, OperationStage};
use crate::engine::world::pending::pending_handle;
use crate::engine::world::state::ExecutionState;

impl ExecutionState {
    /// Appends a letter to its receiver's inbox, if that is open and has capacity.
    pub(crate) fn deliver(&mut self, to: u32, letter: Envelope) -> DeliveryOutcome {
        let disposition = self.operations.disposition(to, letter.event);
        let receiver = &mut self.operations[to];
        if receiver.stage == OperationStage::Gone {
            self.progress
                .add_dead_letters(u64::from(!self.operations.is_own(to, letter.event)));
            return DeliveryOutcome::Dead;
        }
        if receiver.bound.is_some() {
            return self.deliver_bounded(to, letter, disposition);
        }
        self.append(to, &letter, disposition);
        DeliveryOutcome::Arrived
    }

    #[cold]
    fn deliver_bounded(
        &mut self,
        to: u32,
        letter: Envelope,
        disposition: Disposition,
    ) -> DeliveryOutcome {
        let delivery = self.operations.find_place(&mut self.progress, to, &letter);
        if delivery != DeliveryOutcome::Full {
            self.append(to, &letter, disposition);
        }
        if let DeliveryOutcome::Replaced(_) = delivery {
            self.refresh(to);
        }
        delivery
    }

    fn append(&mut self, to: u32, letter: &Envelope, disposition: Disposition) {
        let receiver = &mut self.operations[to];
        receiver.inbox.append(letter, disposition);
        match receiver.stage {
            // The receiver had no other step, so it handles this letter next.
            OperationStage::Idle
                if receiver.position == ABSENT && disposition != Disposition::Defer =>
            {
                let pending = pending_handle(to, letter);
                self.enabled.set(&mut receiver.position, pending);
            }
            OperationStage::Suspended => self.wake_receiver(to, letter.event),
            _ => {}
        }
    }

    /// Wakes a suspended operation that awaits this event.
    fn wake_receiver(&mut self, to: u32, event: u16) {
        let receiver = &mut self.operations[to];
        if receiver.receiving.contains(&event) {
            receiver.woken = true;
            self.refresh(to);
        }
    }

    /// Makes a spawned operation runnable.
    pub(crate) fn start(&mut self, started: u32) {
        let starts = match self.operations[started].kind {
            OperationRole::Actor(_) => self
                .operations
                .info(started)
                .is_some_and(|info| info.starts),
            OperationRole::Body
            | OperationRole::Future { .. }
            | OperationRole::Boot { .. }
            | OperationRole::Task => true,
            OperationRole::Link(_) | OperationRole::Name { .. } => false,
        };
        let operation = &mut self.operations[started];
        if operation.stage != OperationStage::NotStarted {
            return;
        }
        operation.stage = if starts {
            OperationStage::Starting
        } else {
            OperationStage::Idle
        };
        operation.started = !starts;
        self.refresh(started);
    }
}
