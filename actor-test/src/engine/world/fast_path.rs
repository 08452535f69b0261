//! Fast paths: the frequent cases of a step, each equal to the general path that its documentation names.
//!
//! A *plain* actor has one state at most, handles every event and has a mailbox without a bound. The fast path
//! that takes its next letter is [`dequeue_plain`](super::operations::Operations::dequeue_plain).

use actor_core::generated::Disposition;

use crate::engine::world::effect::Effect;
use crate::engine::world::enabled::ABSENT;
use crate::engine::world::letter::Envelope;
use crate::engine::world::network::LinkHint;
use crate::engine::world::operation::OperationStage;
use crate::engine::world::pending::{NextStepKind, pending_handle};
use crate::engine::world::state::ExecutionState;

impl ExecutionState {
    /// Carries out the first effect of the outbox if it is a send to another operation that is idle, and no
    /// silent effect follows. This is the fast path of [`take_effect`](Self::take_effect) for the common case.
    /// Returns the receiver.
    #[inline(always)]
    pub(crate) fn flush_send(&mut self, index: u32) -> Option<u32> {
        let outbox = &self.operations[index].outbox;
        let Some(&Effect::Send { to, .. }) = outbox.first() else {
            return None;
        };
        let rides = |next: &Effect| self.progress.has_atomic_handlers() || next.is_silent();
        if outbox.get(1).is_some_and(rides) {
            return None;
        }
        let (sender, receiver, types) = self.operations.pair_mut(index, to)?;
        if receiver.stage != OperationStage::Idle || !(receiver.plain || receiver.bound.is_none()) {
            return None;
        }
        let Some(Effect::Send { letter, .. }) = sender.outbox.first() else {
            return None;
        };
        let disposition = types.disposition(receiver, letter.event);
        receiver.inbox.append(letter, disposition);
        if receiver.position == ABSENT && disposition != Disposition::Defer {
            let pending = pending_handle(to, letter);
            self.enabled.set(&mut receiver.position, pending);
        }
        sender.outbox.pop_first();
        let next = sender.show_next(index, &mut self.enabled);
        self.operations.lands();
        match next {
            NextStepKind::Event => {}
            NextStepKind::Nothing => self.disable(index),
            NextStepKind::Other => self.refresh_rarer(index),
        }
        Some(to)
    }

    /// Takes the first effect of the outbox if it leaves for another node and touched operations are not
    /// recorded. Returns the receiver, the link and the letter.
    #[inline]
    pub(crate) fn flush_crossing(&mut self, index: u32) -> Option<(u32, LinkHint, Envelope)> {
        let outbox = &mut self.operations[index].outbox;
        let Some(&Effect::Cross { to, link, letter }) = outbox.first() else {
            return None;
        };
        if self.footprint.records_touched() {
            return None;
        }
        outbox.pop_first();
        Some((to, link, letter))
    }

    /// Updates the enabled set after a plain actor has handled an event. Returns `false` if a silent effect
    /// follows, or the actor is no longer plain and idle.
    #[inline(always)]
    pub(crate) fn settle_plain(&mut self, index: u32) -> bool {
        let operation = &mut self.operations[index];
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
}
