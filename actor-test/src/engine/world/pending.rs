//! What the operations would do next: the enabled set, kept up to date.

use crate::engine::world::operation::{Effect, Letter, Operation, Sender, Stage, Told};
use crate::engine::world::state::State;
use crate::strategy::{MessageId, OperationId, Pending, StepKind};

impl State {
    /// Brings the enabled set up to date with what the operation would do next.
    #[inline(always)]
    pub(crate) fn refresh(&mut self, index: u32) {
        let operation = &mut self.operations[index as usize];
        let pending = match operation.outbox.first() {
            Some(Effect::Send { to, letter }) => pending_send(index, *to, letter),
            None if operation.stage == Stage::Idle && operation.told == Told::Nothing => {
                match operation.inbox.next() {
                    Some(letter) => pending_handle(index, letter),
                    None => return self.disable(index),
                }
            }
            _ => return self.refresh_rarer(index),
        };
        self.enabled.set(&mut operation.position, pending);
    }

    /// Does it for an operation that neither sends nor waits between two events.
    #[inline(never)]
    fn refresh_rarer(&mut self, index: u32) {
        let operation = &self.operations[index as usize];
        let pending = match operation.outbox.first() {
            Some(effect) => Some(self.pending_flush(index, effect)),
            None => pending_run(index, operation),
        };
        match pending {
            Some(pending) => {
                let position = &mut self.operations[index as usize].position;
                self.enabled.set(position, pending);
            }
            None => self.disable(index),
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
    fn disable(&mut self, index: u32) {
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
            Effect::Ask(question) => {
                let question = &self.questions[*question as usize];
                (Some(question.target), question.event_id, Some(question.key))
            }
            Effect::Reply { ask, .. } => {
                let ask = &self.asks[*ask as usize];
                (Some(ask.asker), None, Some(ask.key))
            }
            Effect::Notice { watch } => {
                let watch = &self.watches[*watch as usize];
                (Some(watch.watcher), None, Some(watch.key))
            }
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

#[inline]
fn pending_send(index: u32, to: u32, letter: &Letter) -> Pending {
    Pending {
        operation: OperationId::actor(index),
        kind: StepKind::Flush,
        inbox: Some(OperationId::actor(to)),
        sender: Some(OperationId::actor(index)),
        event: letter.event_id,
        message: Some(MessageId::new(letter.key)),
    }
}

/// What an operation whose outbox is empty would do.
fn pending_run(index: u32, operation: &Operation) -> Option<Pending> {
    let (kind, inbox) = match operation.stage {
        Stage::Starting | Stage::Idle | Stage::Suspended if operation.told != Told::Nothing => {
            (StepKind::Stop, Some(OperationId::actor(index)))
        }
        Stage::Closing if operation.told == Told::Kill => {
            (StepKind::Stop, Some(OperationId::actor(index)))
        }
        Stage::Idle => {
            return operation
                .inbox
                .next()
                .map(|letter| pending_handle(index, letter));
        }
        Stage::Starting => (StepKind::Start, None),
        Stage::Suspended if operation.woken => (StepKind::Resume, Some(OperationId::actor(index))),
        Stage::Suspended | Stage::Unborn | Stage::Closing | Stage::Down | Stage::Gone => {
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
pub(crate) fn pending_handle(index: u32, letter: &Letter) -> Pending {
    Pending {
        operation: OperationId::actor(index),
        kind: StepKind::Handle,
        inbox: Some(OperationId::actor(index)),
        sender: Some(sender_id(letter.sender)),
        event: letter.event_id,
        message: Some(MessageId::new(letter.key)),
    }
}

#[inline]
fn sender_id(sender: Sender) -> OperationId {
    match sender {
        Sender::Operation(index) | Sender::End(index) => OperationId::actor(index),
        Sender::Timer(index, _) => OperationId::timer(index),
    }
}
