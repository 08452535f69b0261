//! Orders to an actor from outside: to stop, to fail, to end.

use crate::data::constructs::StepConstruct;
use crate::engine::world::footprint::StepFootprint;
use crate::engine::world::letter::{Envelope, PackedSender, STOP};
use crate::engine::world::operation::{OperationStage, PendingOrder};
use crate::engine::world::operations::Operations;
use crate::engine::world::progress::Progress;
use crate::engine::world::state::ExecutionState;
use crate::hash::mix;

/// The mail slot of a letter without an event.
const NO_SLOT: u32 = u32::MAX;

impl ExecutionState {
    /// Gives an actor an order that goes ahead of its inbox, unless a stronger one is pending.
    pub(crate) fn give_order(&mut self, index: u32, order: PendingOrder) {
        self.footprint.interrupt(index, StepConstruct::Stop);
        let operation = &mut self.operations[index];
        let outdone = match (operation.pending_order, order) {
            (PendingOrder::Kill, _) => true,
            (_, PendingOrder::Stop) => operation.stopping,
            _ => false,
        };
        if !outdone {
            operation.pending_order = order;
        }
        self.footprint.changes(index);
        self.refresh(index);
    }
}

impl Operations {
    /// Returns the actors that have not stopped to the program, which has closed the system.
    pub(crate) fn running_actors(&mut self, by: u32) -> Vec<u32> {
        let is_running = |index: &u32| {
            let stage = self[*index].stage;
            self.info(*index).is_some() && stage != OperationStage::Gone
        };
        let running: Vec<u32> = (0..self.count()).filter(is_running).collect();
        for actor in &running {
            self.extend_chain(by, u64::from(*actor));
        }
        running
    }

    /// Creates the letter that stops its receiver in order.
    pub(crate) fn stop_letter(&mut self, from: u32) -> Envelope {
        let sender = &mut self[from];
        sender.sent += 1;
        Envelope {
            slot: NO_SLOT,
            event: STOP,
            event_id: None,
            sender: PackedSender::operation(from),
            key: mix(sender.key, !u64::from(sender.sent)),
            placed: false,
            is_refused: false,
        }
    }
}

impl Progress {
    /// Keeps all actors created from now on from starting.
    pub(crate) fn close(&mut self, footprint: &mut StepFootprint, operations: &Operations) {
        self.close_from(operations.count());
        footprint.interrupt_all(operations.count(), StepConstruct::Stop);
    }

    /// Returns the number of dead letters to the program, and records that it was read.
    pub(crate) fn count_dead_letters(
        &mut self,
        footprint: &mut StepFootprint,
        operations: &mut Operations,
        by: u32,
    ) -> u64 {
        footprint.interrupt_all(operations.count(), StepConstruct::Stop);
        let letters = self.read_dead_letters();
        operations.extend_chain(by, letters);
        letters
    }
}
