//! What the operations would do next: the enabled set, kept up to date.

use crate::engine::world::enabled::EnabledSet;
use crate::engine::world::network::InTransit;
use crate::engine::world::operation::{
    Effect, Envelope, Operation, OperationRole, OperationStage, PendingOrder,
};
use crate::engine::world::shared_objects::NextAccess;
use crate::engine::world::state::ExecutionState;
use crate::strategy::{MessageId, OperationId, Pending, StepKind};

impl ExecutionState {
    /// Brings the enabled set up to date with what the operation would do next.
    #[inline]
    pub(crate) fn refresh(&mut self, index: u32) {
        let operation = &mut self.operations[index as usize];
        match operation.show_next(index, &mut self.enabled) {
            NextStepKind::Event => {}
            NextStepKind::Nothing => self.disable(index),
            NextStepKind::Other => self.refresh_rarer(index),
        }
    }

    /// Does it for a plain actor that has handled an event; `false` where something rides along with
    /// that, or the actor is not what it was.
    #[inline(always)]
    pub(crate) fn settle_plain(&mut self, index: u32) -> bool {
        let operation = &mut self.operations[index as usize];
        if !operation.plain || operation.stage != OperationStage::Idle {
            return false;
        }
        match operation.show_next(index, &mut self.enabled) {
            NextStepKind::Event => {}
            NextStepKind::Nothing => self.disable(index),
            NextStepKind::Other if operation.outbox.first().is_some_and(Effect::is_silent) => {
                return false;
            }
            NextStepKind::Other => self.refresh_rarer(index),
        }
        true
    }

    /// Does it for an operation that neither sends nor waits between two events.
    #[inline(never)]
    pub(crate) fn refresh_rarer(&mut self, index: u32) {
        let operation = &self.operations[index as usize];
        if let OperationRole::Link(number) = operation.kind {
            return self.refresh_link(number);
        }
        let pending = match operation.outbox.first() {
            Some(effect) => Some(self.pending_flush(index, effect)),
            None => pending_run(index, operation),
        };
        match pending {
            Some(mut pending) => {
                if pending.kind == StepKind::Resume && !self.objects.is_unused() {
                    self.show_access(index, &mut pending);
                }
                let position = &mut self.operations[index as usize].position;
                self.enabled.set(position, pending);
            }
            None => self.disable(index),
        }
    }

    /// An operation that goes on with an access shows what it accesses.
    fn show_access(&self, index: u32, pending: &mut Pending) {
        if let Some(NextAccess::Object(object)) = self.objects.at(index) {
            pending.kind = StepKind::Access;
            pending.inbox = Some(OperationId::object(object));
        }
    }

    /// What that operation would do, where it is enabled.
    pub(crate) fn pending_of(&self, operation: OperationId) -> Option<Pending> {
        let position = if operation.is_timer() {
            self.timers.slots.get(operation.index())?.position
        } else {
            self.operations[operation.index()].position
        };
        let pending = self.enabled.pending().get(position as usize)?;
        // Patient timers that are held back have a position, too.
        (pending.operation == operation).then_some(*pending)
    }

    /// The operation has nothing to do.
    #[inline(never)]
    pub(crate) fn disable(&mut self, index: u32) {
        let position = &mut self.operations[index as usize].position;
        let moved = self.enabled.remove(position);
        self.follow_move(moved);
    }

    #[inline]
    pub(crate) fn follow_move(&mut self, moved: Option<(OperationId, u32)>) {
        if let Some((moved, position)) = moved {
            if moved.is_timer() {
                self.timers.slots[moved.index()].position = position;
            } else {
                self.operations[moved.index()].position = position;
            }
        }
    }

    fn pending_flush(&self, index: u32, effect: &Effect) -> Pending {
        let (inbox, event, message) = match effect {
            Effect::Send { to, letter } => return pending_send(index, *to, letter),
            // The flush goes into the link.
            Effect::Cross { to, link, letter } => {
                let link = self.nodes.hinted(*link, index, *to);
                return pending_send(index, self.nodes.link(link).operation, letter);
            }
            Effect::RequestCapacity(question) => {
                let question = &self.questions[*question as usize];
                (Some(question.target), question.event_id, Some(question.key))
            }
            Effect::Disk(call) => {
                let disk = self.disks.calls[*call as usize].disk;
                (self.disks.meets_at(disk), None, None)
            }
            Effect::FailPower { disk } => (self.disks.meets_at(*disk), None, None),
            Effect::Reply { ask, .. } => {
                let ask = &self.asks[*ask as usize];
                (Some(ask.asker), None, Some(ask.key))
            }
            Effect::Notice { watch } => {
                let watch = &self.watches[*watch as usize];
                (Some(watch.watcher), None, Some(watch.key))
            }
            Effect::Decide { child, .. } => (Some(*child), None, None),
            Effect::Stop { to, .. } | Effect::Share { to, .. } => (Some(*to), None, None),
            // Its inbox closes: what reaches it from here on is lost.
            Effect::Halt(_) => (Some(index), None, None),
            _ => (None, None, None),
        };
        Pending {
            operation: OperationId::actor(index),
            kind: StepKind::Flush,
            inbox: inbox.map(OperationId::actor),
            sender: Some(OperationId::actor(index)),
            event,
            message: message.map(MessageId::new),
        }
    }
}

/// What an operation does next.
pub(crate) enum NextStepKind {
    /// It sends or handles an event.
    Event,
    /// Nothing, before an event comes.
    Nothing,
    /// Something else, or nothing.
    Other,
}

impl Operation {
    /// Shows in the enabled set what it, which has the number `own`, would do next, where it sends or
    /// handles an event.
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

/// What a link would do next.
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
        ..state.pending_flush(next.by, &next.effect)
    }
}

/// What an operation whose outbox is empty would do.
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
