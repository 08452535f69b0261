//! Questions for mailbox capacity, as senders under test ask them.

use std::any::Any;
use std::task::{Poll, Waker};

use actor_core::seam::{Address, CapacityRequestId, Offered};

use crate::data::constructs::StepConstruct;
use crate::engine::seam::shared::{CodePhase, ControlledRuntime};
use crate::engine::world::capacity::{CapacityAnswer, CapacityParameters, RequestStatus};
use crate::engine::world::effect::Effect;
use crate::engine::world::letter::Envelope;
use crate::engine::world::network::LinkHint;

impl ControlledRuntime {
    /// Puts a question for capacity into the outbox of the current operation.
    pub(super) fn begin_question(&self, to: Address, event: u16, waits: bool) -> CapacityRequestId {
        let asked = self.may_act("send").then(|| self.local(to)).flatten();
        let index = asked.map_or(u32::MAX, |to| {
            let current = self.current.get();
            let is_faulted = !waits && self.refuses_message(to);
            let asking = CapacityParameters {
                event,
                waits,
                is_faulted,
            };
            self.state.borrow_mut().question(current, to, asking)
        });
        CapacityRequestId {
            index,
            execution: self.execution.get(),
        }
    }

    /// Returns the answer; if capacity was granted, sends the event.
    pub(super) fn poll_question(
        &self,
        room: CapacityRequestId,
        message: &mut dyn Any,
        waker: &Waker,
    ) -> Poll<Offered> {
        if !self.is_open(room) {
            return Poll::Ready(Offered::Closed);
        }
        let mut state = self.state.borrow_mut();
        let question = &state.requests.capacity[room.index];
        let RequestStatus::Answered(answer) = question.status else {
            state.footprint.add(StepConstruct::Room);
            drop(state);
            let before = self.arena().keep_asker(room.index, waker.clone());
            drop(before);
            return Poll::Pending;
        };
        let to = question.target;
        state.close_question(room.index);
        let offered = answer.offered();
        if offered == Offered::Taken {
            let current = self.current.get();
            let Some((slot, event)) = self.put(to, message) else {
                return Poll::Ready(Offered::Closed);
            };
            let placed = answer == CapacityAnswer::Place;
            let letter = state.operations.letter(current, to, slot, event);
            let letter = Envelope { placed, ..letter };
            let effect = match state.nodes.nodes_if_different(current, to) {
                None => Effect::Send { to, letter },
                Some((from, node)) => {
                    let link = LinkHint::of(state.link_between(from, node));
                    Effect::Cross { to, link, letter }
                }
            };
            state.operations.push(current, effect);
        }
        Poll::Ready(offered)
    }

    /// Abandons a question whose sender no longer waits.
    pub(super) fn give_up_question(&self, room: CapacityRequestId) {
        if self.is_open(room) {
            self.state.borrow_mut().drop_question(room.index);
            let waker = self.arena().take_asker(room.index);
            drop(waker);
            self.wake_due();
        }
    }

    fn is_open(&self, room: CapacityRequestId) -> bool {
        room.execution == self.execution.get()
            && room.index != u32::MAX
            && self.phase.get() != CodePhase::Over
    }

    /// Wakes the senders whose questions were answered.
    pub(crate) fn wake_due(&self) {
        let due = self.state.borrow_mut().requests.capacity.take_due();
        for question in due {
            let waker = self.arena().take_asker(question);
            waker.into_iter().for_each(Waker::wake);
        }
    }
}
