//! Asks and replies of actors under test.

use std::sync::Arc;

use actor_core::AskError;
use actor_core::seam::{Address, AskId, AskSlot};

use crate::data::constructs::StepConstruct;
use crate::engine::seam::shared::{CodePhase, ControlledRuntime};
use crate::engine::world::effect::Effect;

impl ControlledRuntime {
    /// Sends a reply, or reports its loss. Nothing is sent to an asker that is gone.
    pub(super) fn reply(&self, index: u32, lost: Option<AskError>) {
        let current = self.current.get();
        let mut state = self.state.borrow_mut();
        let ask = &mut state.requests.asks[index];
        ask.is_handed_over = true;
        if ask.abandoned {
            ask.delivered = true;
            let is_closed = state.requests.asks.close(index);
            drop(state);
            self.drop_reply(index, is_closed);
            return;
        }
        state
            .operations
            .push(current, Effect::Reply { ask: index, lost });
        if lost.is_some() {
            // A reply may be lost while the operation is between two steps.
            state.refresh(current);
        }
    }

    /// Opens an ask, whose event is posted next.
    pub(super) fn begin_ask(&self, to: Address, slot: Arc<AskSlot>) -> AskId {
        let index = if self.phase.get() == CodePhase::Running {
            let current = self.current.get();
            let index = self.state.borrow_mut().open_ask(current, to.operation);
            let before = self.arena().keep_reply(index, slot);
            drop(before);
            index
        } else {
            u32::MAX
        };
        AskId {
            index,
            execution: self.execution.get(),
        }
    }

    /// Reports the loss of a reply that was dropped.
    pub(super) fn lose_reply(&self, ask: AskId) {
        let is_in_program = matches!(self.phase.get(), CodePhase::Running | CodePhase::Crashing);
        if self.is_current(ask) && is_in_program && !self.drops_silently.get() {
            let lost = match self.loss.get() {
                AskError::Dropped if std::thread::panicking() => AskError::Failed,
                lost => lost,
            };
            self.reply(ask.index, Some(lost));
        }
    }

    /// Abandons an ask whose asker no longer waits.
    pub(super) fn give_up_ask(&self, ask: AskId) {
        if self.is_current(ask) {
            let is_closed = {
                let mut state = self.state.borrow_mut();
                state.end_ask(ask.index);
                let record = &mut state.requests.asks[ask.index];
                record.abandoned = true;
                if !record.delivered {
                    // The order of steps decides if the reply is still sent.
                    let target = record.target;
                    state.footprint.interrupt(target, StepConstruct::Ask);
                }
                state.requests.asks.close(ask.index)
            };
            self.drop_reply(ask.index, is_closed);
        }
    }

    pub(super) fn is_current(&self, ask: AskId) -> bool {
        ask.execution == self.execution.get()
            && ask.index != u32::MAX
            && self.phase.get() != CodePhase::Over
    }

    /// Drops the slot of a reply if its ask is closed.
    pub(crate) fn drop_reply(&self, ask: u32, is_closed: bool) {
        let slot = is_closed.then(|| self.arena().take_reply(ask));
        drop(slot);
    }
}
