//! The next step of each operation, as kept in the enabled set.

use crate::data::step::{MessageId, StepKind};
use crate::engine::world::effect::Effect;
use crate::engine::world::enabled::EnabledSet;
use crate::engine::world::letter::Envelope;
use crate::engine::world::network::InTransit;
use crate::engine::world::operation::{Operation, OperationRole, OperationStage, PendingOrder};
use crate::engine::world::state::ExecutionState;
use crate::strategy::{OperationId, Pending};

impl ExecutionState {
    /// Updates the enabled set with the operation's next step.
    #[inline]
    pub(crate) fn refresh(&mut self, index: u32) {
        let operation = &mut self.operations[index];
        match operation.show_next(index, &mut self.enabled) {
            NextStepKind::Event => {}
            NextStepKind::Nothing => self.disable(index),
            NextStepKind::Other => self.refresh_rarer(index),
        }
    }

    /// Updates the enabled set for an operation whose next step is no send and no event.
    #[inline(never)]
    pub(crate) fn refresh_rarer(&mut self, index: u32) {
        let operation = &self.operations[index];
        if let OperationRole::Link(number) = operation.kind {
            return self.refresh_link(number);
        }
        let pending = match operation.outbox.first() {
            Some(effect) => Some(pending_flush(self, index, effect)),
            None => pending_run(index, operation),
        };
        match pending {
            Some(mut pending) => {
                if pending.kind == StepKind::Resume && !self.objects.is_unused() {
                    self.objects.show_access(index, &mut pending);
                }
                let position = &mut self.operations[index].position;
                self.enabled.set(position, pending);
            }
            None => self.disable(index),
        }
    }

    /// Returns the operation's next step, if it is enabled.
    pub(crate) fn pending_of(&self, operation: OperationId) -> Option<Pending> {
        let position = if operation.is_timer() {
            self.timers.slot(operation.index() as u32)?.position
        } else {
            self.operations[operation.bits()].position
        };
        let pending = self.enabled.pending().get(position as usize)?;
        // Patient timers that are held back have a position as well.
        (pending.operation == operation).then_some(*pending)
    }

    /// Removes the operation from the enabled set.
    #[inline(never)]
    pub(crate) fn disable(&mut self, index: u32) {
        let position = &mut self.operations[index].position;
        let moved = self.enabled.remove(position);
        self.follow_move(moved);
    }

    #[inline]
    pub(crate) fn follow_move(&mut self, moved: Option<(OperationId, u32)>) {
        if let Some((moved, position)) = moved {
            if moved.is_timer() {
                self.timers[moved.index() as u32].position = position;
            } else {
                self.operations[moved.bits()].position = position;
            }
        }
    }
}

fn pending_flush(state: &ExecutionState, index: u32, effect: &Effect) -> Pending {
    if let Effect::Send { to, letter } = effect {
        return pending_send(index, *to, letter);
    }
    let facts = effect.facts(index, state);
    Pending {
        operation: OperationId::actor(index),
        kind: StepKind::Flush,
        inbox: facts.inbox.map(OperationId::actor),
        sender: Some(OperationId::actor(index)),
        event: facts.event,
        message: facts.message.map(MessageId::new),
    }
}

/// The kind of an operation's next step.
pub(crate) enum NextStepKind {
    /// The operation sends or handles an event.
    Event,
    /// The operation has no step before an event comes.
    Nothing,
    /// The operation has another kind of step, or none.
    Other,
}

impl Operation {
    /// Updates the enabled set if the operation, which has the number `own`, sends or handles an event next.
    #[inline(always)]
    pub(crate) fn show_next(&mut self, own: u32, enabled: &mut EnabledSet) -> NextStepKind {
        match self.outbox.first() {
            Some(Effect::Send { to, letter }) => {
                enabled.set(&mut self.position, pending_send(own, *to, letter));
                NextStepKind::Event
            }
            None if self.stage == OperationStage::Idle
                && self.pending_order == PendingOrder::Nothing =>
            {
                match self.inbox.next() {
                    Some(letter) => {
                        enabled.set(&mut self.position, pending_handle(own, letter));
                        NextStepKind::Event
                    }
                    None => NextStepKind::Nothing,
                }
            }
            _ => NextStepKind::Other,
        }
    }
}

#[inline]
fn pending_send(index: u32, to: u32, letter: &Envelope) -> Pending {
    Pending {
        operation: OperationId::actor(index),
        kind: StepKind::Flush,
        inbox: Some(OperationId::actor(to)),
        sender: Some(OperationId::actor(index)),
        event: letter.event_id,
        message: Some(MessageId::new(letter.key)),
    }
}

/// Returns the next step of a link.
#[inline]
pub(crate) fn pending_arrival(state: &ExecutionState, link: u32, next: &InTransit) -> Pending {
    if let Effect::Send { to, letter } = &next.effect {
        return Pending {
            kind: StepKind::Deliver,
            sender: Some(OperationId::actor(next.by)),
            ..pending_send(link, *to, letter)
        };
    }
    Pending {
        operation: OperationId::actor(link),
        kind: StepKind::Deliver,
        sender: Some(OperationId::actor(next.by)),
        ..pending_flush(state, link, &next.effect)
    }
}

/// Returns the next step of an operation whose outbox is empty.
fn pending_run(index: u32, operation: &Operation) -> Option<Pending> {
    let (kind, inbox) = match operation.stage {
        OperationStage::Starting | OperationStage::Idle | OperationStage::Suspended
            if operation.pending_order != PendingOrder::Nothing =>
        {
            (StepKind::Stop, Some(OperationId::actor(index)))
        }
        OperationStage::Closing if operation.pending_order == PendingOrder::Kill => {
            (StepKind::Stop, Some(OperationId::actor(index)))
        }
        OperationStage::Idle => {
            return operation
                .inbox
                .next()
                .map(|letter| pending_handle(index, letter));
        }
        OperationStage::Starting => (StepKind::Start, None),
        OperationStage::Suspended if operation.woken => {
            (StepKind::Resume, Some(OperationId::actor(index)))
        }
        OperationStage::Suspended
        | OperationStage::NotStarted
        | OperationStage::Closing
        | OperationStage::Down
        | OperationStage::Gone => {
            return None;
        }
    };
    Some(Pending {
        operation: OperationId::actor(index),
        kind,
        inbox,
        sender: None,
        event: None,
        message: None,
    })
}

#[inline]
pub(crate) fn pending_handle(index: u32, letter: &Envelope) -> Pending {
    Pending {
        operation: OperationId::actor(index),
        kind: StepKind::Handle,
        inbox: Some(OperationId::actor(index)),
        sender: Some(letter.sender.id()),
        event: letter.event_id,
        message: Some(MessageId::new(letter.key)),
    }
}
