//! The end of an actor, a timer or a future, and the values that are left to drop.

use crate::engine::world::letter::Envelope;
use crate::engine::world::operation::{OperationStage, PendingOrder};
use crate::engine::world::state::ExecutionState;
use crate::engine::world::temperature::Obligation;

/// The values of something that has ended, which are still in the arena and are to be dropped.
pub(crate) struct OrphanedValues {
    /// The operation that owned the values.
    pub(crate) owner: u32,
    /// The slots of unread events in the owner's mail.
    pub(crate) letters: Vec<u32>,
    /// The timers of the owner, each with the mail slot of its unsent event.
    pub(crate) timers: Vec<(u32, Option<u32>)>,
}

/// Everything that is to be dropped after the end of an actor.
pub(crate) struct HaltRemnants {
    pub(crate) letters: Vec<Envelope>,
    pub(crate) remains: OrphanedValues,
    pub(crate) futures: Vec<u32>,
}

impl ExecutionState {
    /// Ends an operation for good. Returns the values that the run loop has to drop.
    pub(crate) fn halt(&mut self, index: u32) -> HaltRemnants {
        if self.operations[index].stage != OperationStage::Gone {
            self.operations.remove_stopped(index);
        }
        self.leave(index, OperationStage::Gone);
        let operation = &mut self.operations[index];
        let letters: Vec<Envelope> = operation.inbox.iter().copied().collect();
        operation.inbox.clear();
        let requests = &mut self.requests.capacity;
        requests.close_mailbox(&mut self.operations, index);
        self.end_what_it_owns(index, letters)
    }

    /// Drops the value of an operation that its supervisor may restart. The inbox stays, except for the
    /// events of the operation's timers. Returns the values that the run loop has to drop.
    pub(crate) fn fall(&mut self, index: u32) -> HaltRemnants {
        self.leave(index, OperationStage::Down);
        let operation = &mut self.operations[index];
        let letters = operation.inbox.take_all_timed();
        operation.state = 0;
        operation.stopping = false;
        operation.started = false;
        operation.trap = None;
        operation.incarnation += 1;
        self.operations.extend_chain(index, 0xd0_3e);
        self.relations.watches.end_all_of(index);
        self.end_what_it_owns(index, letters)
    }

    /// Ends the run or the wait of an operation, and moves it to the stage `to`.
    pub(crate) fn leave(&mut self, index: u32, to: OperationStage) {
        let operation = &mut self.operations[index];
        let before = std::mem::replace(&mut operation.stage, to);
        operation.woken = false;
        operation.pending_order = PendingOrder::Nothing;
        operation.receiving.clear();
        operation.endless_waits = 0;
        self.temperatures
            .discharge(Obligation::Wait(index), self.progress.step());
        self.operations.changes_stage(before, to);
    }

    fn end_what_it_owns(&mut self, index: u32, letters: Vec<Envelope>) -> HaltRemnants {
        self.operations.find_next_letter(index);
        self.footprint.touch_timers();
        let timers = self.timers.ending_with(index).into_iter();
        let timers = timers.map(|timer| (timer, self.end_timer(timer))).collect();
        let lives = |future: &u32| self.operations[*future].stage != OperationStage::Gone;
        let futures: Vec<u32> = self.operations.futures.of(index).filter(lives).collect();
        self.operations.futures.forget(index);
        self.footprint.changes(index);
        for future in &futures {
            self.footprint.changes(*future);
            let ended = &mut self.operations[*future];
            let before = std::mem::replace(&mut ended.stage, OperationStage::Gone);
            self.temperatures
                .discharge(Obligation::Wait(*future), self.progress.step());
            self.operations.changes_stage(before, OperationStage::Gone);
            self.refresh(*future);
        }
        let remains = OrphanedValues {
            owner: index,
            letters: letters.iter().map(|letter| letter.slot).collect(),
            timers,
        };
        HaltRemnants {
            letters,
            remains,
            futures,
        }
    }
}
