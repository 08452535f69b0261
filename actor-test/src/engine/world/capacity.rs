//! The capacity of bounded mailboxes: its permits, and the senders that wait for one.
//!
//! A sender that awaits capacity puts a *question* into its outbox, since the letters of others are unknown
//! before it is carried out. The answer wakes the sender, which sends when it resumes. The permit is reserved
//! until then, so a dropped future has sent nothing.

use std::ops::Index;

use actor_core::generated::ActorInfo;
use actor_core::mailbox::Overflow;
use actor_core::seam::Offered;

use crate::data::constructs::StepConstruct;
use crate::engine::world::effect::Effect;
use crate::engine::world::footprint::StepFootprint;
use crate::engine::world::letter::{Envelope, LetterOrigin, STOP};
use crate::engine::world::nodes::Nodes;
use crate::engine::world::operation::OperationStage;
use crate::engine::world::operations::Operations;
use crate::engine::world::owner_lists::{ListNode, OwnerLists};
use crate::engine::world::progress::Progress;
use crate::engine::world::state::{ExecutionState, keep};
use crate::hash::mix;
use crate::strategy::EventId;

/// The capacity of a bounded mailbox, and its use.
#[derive(Clone, Debug)]
pub(crate) struct CapacityState {
    capacity: u32,
    overflow: Overflow,
    /// The number of queued letters that count against the capacity.
    unread: u32,
    /// The permits reserved for senders that were answered and have not sent yet. While questions wait in
    /// line, there is no free capacity.
    pub(crate) granted: u32,
}

impl CapacityState {
    pub(crate) fn new(capacity: u32, overflow: Overflow) -> Box<Self> {
        Box::new(Self {
            capacity,
            overflow,
            unread: 0,
            granted: 0,
        })
    }

    fn has_room(&self) -> bool {
        u64::from(self.unread) + u64::from(self.granted) < u64::from(self.capacity)
    }

    /// Answers a question, or makes it wait.
    fn ask(&mut self, waits: bool, is_faulted: bool) -> RequestStatus {
        if self.has_room() && !is_faulted {
            self.granted += 1;
            return RequestStatus::Answered(CapacityAnswer::Place);
        }
        match self.overflow {
            Overflow::Wait if waits => RequestStatus::InLine,
            Overflow::DropOldest => RequestStatus::Answered(CapacityAnswer::Open),
            Overflow::DropNewest if waits => RequestStatus::Answered(CapacityAnswer::Open),
            _ => RequestStatus::Answered(CapacityAnswer::Full),
        }
    }
}

/// The outcome of the delivery of a letter to an inbox.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum DeliveryOutcome {
    Arrived,
    /// The letter has arrived, and has replaced the oldest letter that counts.
    Replaced(Envelope),
    /// The receiver has stopped, or a relay has lost the letter.
    Dead,
    /// The receiver's mailbox is full.
    Full,
}

/// The parameters of a question.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CapacityParameters {
    /// The number of the event to send, among those of the receiver's type.
    pub(crate) event: u16,
    /// True if the sender is willing to wait.
    pub(crate) waits: bool,
    /// True if a fault makes the question find no capacity.
    pub(crate) is_faulted: bool,
}

/// A sender's request for capacity in a mailbox.
#[derive(Clone, Debug)]
pub(crate) struct CapacityRequest {
    pub(crate) sender: u32,
    pub(crate) target: u32,
    /// The event to send, as strategies see it.
    pub(crate) event_id: Option<EventId>,
    /// True if the sender is willing to wait.
    pub(crate) waits: bool,
    /// True if a fault makes the question find no capacity.
    is_faulted: bool,
    /// The stable key of the question, for hashes of the behaviour.
    pub(crate) key: u64,
    pub(crate) status: RequestStatus,
    /// The owner of the line in which the request waits: the target, or the link to its node.
    pub(crate) line: u32,
    /// The neighbours in the line.
    beside: ListNode,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum RequestStatus {
    /// The question waits in its sender's outbox.
    Unasked,
    /// The question waits for capacity.
    InLine,
    Answered(CapacityAnswer),
    /// The question is over, and its record is free.
    Free,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum CapacityAnswer {
    /// A permit is reserved.
    Place,
    /// No permit is needed: the mailbox has no bound, or drops a letter if it is full.
    Open,
    /// The link to the target's node takes the letter.
    Admitted,
    Full,
    /// The link to the target's node is full.
    LinkFull,
    Closed,
}

/// All requests for capacity of an execution, by number.
#[derive(Clone, Debug, Default)]
pub(crate) struct CapacityRequests {
    records: Vec<CapacityRequest>,
    free: Vec<u32>,
    /// The requests that wait for capacity, by mailbox or link.
    lines: OwnerLists,
    /// The answered requests whose senders are to be woken once nothing is borrowed.
    due: Vec<u32>,
}

impl CapacityRequests {
    pub(super) fn clear(&mut self) {
        self.records.clear();
        self.free.clear();
        self.lines.clear();
        self.due.clear();
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &CapacityRequest> {
        self.records.iter()
    }

    /// Returns whether no record is in use.
    pub(crate) fn are_free(&self) -> bool {
        self.records.len() == self.free.len()
    }

    pub(crate) fn has_due(&self) -> bool {
        !self.due.is_empty()
    }

    /// Takes the answered requests whose senders are to be woken.
    pub(crate) fn take_due(&mut self) -> Vec<u32> {
        std::mem::take(&mut self.due)
    }

    /// Returns the requests that wait for capacity in a mailbox or on a link, first come, first served.
    pub(crate) fn line(&self, target: u32) -> impl Iterator<Item = &CapacityRequest> {
        let records = &self.records;
        let line = self.lines.of(target, records, |request| &request.beside);
        line.map(|request| &records[request as usize])
    }

    /// Returns the answer to a request and its target to the sender, if there is an answer.
    pub(crate) fn poll(
        &self,
        footprint: &mut StepFootprint,
        index: u32,
    ) -> Option<(CapacityAnswer, u32)> {
        let request = &self.records[index as usize];
        match request.status {
            RequestStatus::Answered(answer) => Some((answer, request.target)),
            RequestStatus::InLine | RequestStatus::Unasked | RequestStatus::Free => {
                footprint.add(StepConstruct::Room);
                None
            }
        }
    }

    fn join_line(&mut self, owner: u32, index: u32) {
        let request = &mut self.records[index as usize];
        request.status = RequestStatus::InLine;
        request.line = owner;
        self.lines.add(owner, &mut self.records, index, |request| {
            &mut request.beside
        });
    }

    fn leave_line(&mut self, index: u32) {
        let owner = self.records[index as usize].line;
        self.lines
            .remove(owner, &mut self.records, index, |request| {
                &mut request.beside
            });
    }

    /// Stores the answer to a request, and lists it among those whose senders are to be woken. Returns the
    /// sender and the key of the request.
    fn store_answer(&mut self, index: u32, answer: CapacityAnswer) -> (u32, u64) {
        let request = &mut self.records[index as usize];
        request.status = RequestStatus::Answered(answer);
        self.due.push(index);
        (request.sender, request.key)
    }

    /// Frees the record of a request, and returns its sender.
    fn close(&mut self, index: u32) -> u32 {
        let request = &mut self.records[index as usize];
        request.status = RequestStatus::Free;
        self.free.push(index);
        self.due.retain(|due| *due != index);
        request.sender
    }

    /// Puts a question into the outbox of its sender; returns its number.
    pub(crate) fn queue(
        &mut self,
        operations: &mut Operations,
        sender: u32,
        target: u32,
        asking: CapacityParameters,
    ) -> u32 {
        let CapacityParameters {
            event,
            waits,
            is_faulted,
        } = asking;
        let question = CapacityRequest {
            sender,
            target,
            event_id: operations.event_id(target, event),
            waits,
            is_faulted,
            key: operations.child_key_of(sender),
            status: RequestStatus::Unasked,
            line: target,
            beside: ListNode::default(),
        };
        let Self { records, free, .. } = self;
        let index = keep(records, free, question);
        operations[sender].questions += 1;
        operations.push(sender, Effect::RequestCapacity(index));
        index
    }

    /// Makes a request for capacity at a name one at the actor that has the name.
    pub(crate) fn retarget(&mut self, index: u32, to: u32) {
        self.records[index as usize].target = to;
    }

    /// Carries out a question.
    pub(crate) fn carry_out(&mut self, nodes: &Nodes, operations: &mut Operations, index: u32) {
        let CapacityRequest {
            target,
            waits,
            is_faulted,
            sender,
            ..
        } = self[index];
        let full_link = nodes.full_link(sender, target);
        let receiver = &mut operations[target];
        let status = match &mut receiver.bound {
            // A letter to another node needs room on the link alone.
            _ if nodes.nodes_if_different(sender, target).is_some() => match full_link {
                None => RequestStatus::Answered(CapacityAnswer::Admitted),
                Some(_) if waits => RequestStatus::InLine,
                Some(_) => RequestStatus::Answered(CapacityAnswer::LinkFull),
            },
            _ if receiver.stage == OperationStage::Gone => {
                RequestStatus::Answered(CapacityAnswer::Closed)
            }
            Some(bound) => bound.ask(waits, is_faulted),
            None => RequestStatus::Answered(CapacityAnswer::Open),
        };
        match status {
            RequestStatus::Answered(answer) => self.answer(operations, index, answer),
            RequestStatus::InLine | RequestStatus::Unasked | RequestStatus::Free => {
                self.join_line(full_link.unwrap_or(target), index);
            }
        }
    }

    /// Answers a request, and lists it among those whose senders are to be woken.
    fn answer(&mut self, operations: &mut Operations, index: u32, answer: CapacityAnswer) {
        let (sender, key) = self.store_answer(index, answer);
        let sender = &mut operations[sender];
        sender.delivered = mix(sender.delivered, mix(key, answer as u64));
    }

    pub(crate) fn finish(&mut self, operations: &mut Operations, index: u32) {
        let sender = self.close(index);
        operations[sender].questions -= 1;
    }

    /// Frees the place of a letter that was taken out of a bounded mailbox.
    #[cold]
    pub(crate) fn free_place(
        &mut self,
        footprint: &mut StepFootprint,
        operations: &mut Operations,
        of: u32,
        letter: &Envelope,
    ) {
        footprint.add(StepConstruct::Room);
        let counts = letter.counts(operations.info(of));
        if let Some(bound) = &mut operations[of].bound
            && counts
        {
            bound.unread -= 1;
            self.grant_room(operations, of);
        }
    }

    /// Grants a free permit to the first question in the line.
    fn grant_room(&mut self, operations: &mut Operations, of: u32) {
        if let Some(bound) = &mut operations[of].bound
            && bound.has_room()
            && let Some(first) = self.lines.first(of)
        {
            bound.granted += 1;
            self.leave_line(first);
            self.answer(operations, first, CapacityAnswer::Place);
        }
    }

    /// Grants the requests that wait for room on a link.
    pub(super) fn admit_line(
        &mut self,
        footprint: &mut StepFootprint,
        operations: &mut Operations,
        link: u32,
    ) {
        while let Some(first) = self.lines.first(link) {
            footprint.add(StepConstruct::Room);
            footprint.changes(self.records[first as usize].sender);
            self.leave_line(first);
            self.answer(operations, first, CapacityAnswer::Admitted);
        }
    }

    /// Answers the whole line that the mailbox is closed, since the actor has stopped.
    pub(crate) fn close_mailbox(&mut self, operations: &mut Operations, of: u32) {
        while let Some(first) = self.lines.first(of) {
            self.leave_line(first);
            self.answer(operations, first, CapacityAnswer::Closed);
        }
    }
}

impl Index<u32> for CapacityRequests {
    type Output = CapacityRequest;

    fn index(&self, index: u32) -> &CapacityRequest {
        &self.records[index as usize]
    }
}

impl CapacityRequest {
    /// Returns whether the request waits for room on a link.
    pub(crate) fn is_of_link(&self) -> bool {
        self.line != self.target
    }
}

impl CapacityAnswer {
    pub(crate) fn offered(self) -> Offered {
        match self {
            Self::Place | Self::Open | Self::Admitted => Offered::Taken,
            Self::Full | Self::LinkFull => Offered::Full,
            Self::Closed => Offered::Closed,
        }
    }
}

impl Envelope {
    /// Returns whether the letter counts against the capacity of an actor of this type.
    fn counts(&self, info: Option<&ActorInfo>) -> bool {
        let is_sent =
            matches!(self.sender.sender(), LetterOrigin::Operation(_)) && self.event != STOP;
        is_sent && !info.is_some_and(|info| info.is_own(self.event))
    }
}

impl Operations {
    /// Takes a place for a letter in a bounded mailbox, if there is one.
    #[cold]
    pub(crate) fn find_place(
        &mut self,
        progress: &mut Progress,
        to: u32,
        letter: &Envelope,
    ) -> DeliveryOutcome {
        let counts = letter.counts(self.info(to));
        let Some(bound) = &mut self[to].bound else {
            return DeliveryOutcome::Arrived;
        };
        if !counts {
            return DeliveryOutcome::Arrived;
        }
        if letter.placed {
            bound.granted -= 1;
        } else if letter.is_refused || !bound.has_room() {
            progress.add_dead_letters(1);
            return match bound.overflow {
                Overflow::DropOldest => self.replace_oldest(to),
                _ => DeliveryOutcome::Full,
            };
        }
        bound.unread += 1;
        DeliveryOutcome::Arrived
    }

    /// Removes the oldest letter that counts, in favour of another.
    fn replace_oldest(&mut self, of: u32) -> DeliveryOutcome {
        let info = self.info(of);
        let inbox = &mut self[of].inbox;
        let Some(oldest) = inbox.take_counting(|letter| letter.counts(info)) else {
            return DeliveryOutcome::Full;
        };
        self.find_next_letter(of);
        DeliveryOutcome::Replaced(oldest)
    }
}

impl ExecutionState {
    /// Drops a question whose sender does not wait any more, and passes its permit on.
    pub(crate) fn drop_question(&mut self, index: u32) {
        let question = &self.requests.capacity[index];
        let (sender, target, status) = (question.sender, question.target, question.status);
        self.footprint.add(StepConstruct::Room);
        match status {
            RequestStatus::Unasked => {
                self.operations[sender]
                    .outbox
                    .take_back(&Effect::RequestCapacity(index));
                self.refresh(sender);
            }
            RequestStatus::InLine => self.requests.capacity.leave_line(index),
            RequestStatus::Answered(CapacityAnswer::Place) => {
                if let Some(bound) = &mut self.operations[target].bound {
                    bound.granted -= 1;
                }
                self.requests
                    .capacity
                    .grant_room(&mut self.operations, target);
            }
            RequestStatus::Answered(_) | RequestStatus::Free => {}
        }
        self.footprint.changes(sender);
        self.footprint.changes(target);
        self.requests.capacity.finish(&mut self.operations, index);
    }
}

#[cfg(test)]
mod tests {
    use actor_core::mailbox::Overflow;

    use super::{CapacityAnswer, CapacityParameters, CapacityState, RequestStatus};
    use crate::engine::world::operation::OperationRole;
    use crate::engine::world::state::ExecutionState;

    /// Returns a state in which two senders have asked for capacity in a mailbox with one place, and the
    /// numbers of their questions.
    fn asked() -> (ExecutionState, [u32; 2]) {
        let mut state = ExecutionState::default();
        state.begin();
        let [one, other, mailbox] = [1, 2, 3].map(|key| {
            state
                .operations
                .create(OperationRole::Boot { node: 0 }, key)
        });
        state.operations[mailbox].bound = Some(CapacityState::new(1, Overflow::Wait));
        let asking = CapacityParameters {
            event: 0,
            waits: true,
            is_faulted: false,
        };
        let questions = [one, other].map(|sender| {
            state
                .requests
                .capacity
                .queue(&mut state.operations, sender, mailbox, asking)
        });
        for question in questions {
            let requests = &mut state.requests.capacity;
            requests.carry_out(&state.nodes, &mut state.operations, question);
        }
        (state, questions)
    }

    #[test]
    fn the_first_is_granted_room_and_the_second_waits() {
        let (state, [one, other]) = asked();
        assert_eq!(
            state.requests.capacity[one].status,
            RequestStatus::Answered(CapacityAnswer::Place)
        );
        assert_eq!(state.requests.capacity[other].status, RequestStatus::InLine);
        assert_eq!(state.requests.capacity.due, [one]);
    }

    /// A sender that has given up is not woken: its number may be reused, and its permit is passed to the
    /// next one.
    #[test]
    fn who_gives_up_after_the_answer_is_not_woken() {
        let (mut state, [one, other]) = asked();
        state.drop_question(one);
        assert_eq!(
            state.requests.capacity[other].status,
            RequestStatus::Answered(CapacityAnswer::Place)
        );
        assert_eq!(state.requests.capacity.due, [other]);
        assert_eq!(state.requests.capacity.free, [one]);
    }

    #[test]
    fn who_gives_up_in_line_is_not_answered() {
        let (mut state, [one, other]) = asked();
        state.drop_question(other);
        state.drop_question(one);
        assert!(!state.requests.capacity.has_due());
        assert_eq!(state.requests.capacity.free, [other, one]);
    }

    #[test]
    fn a_mailbox_that_closes_answers_the_whole_line() {
        let (mut state, [one, other]) = asked();
        let requests = &mut state.requests.capacity;
        requests.close_mailbox(&mut state.operations, 3);
        let closed = RequestStatus::Answered(CapacityAnswer::Closed);
        assert_eq!(state.requests.capacity[other].status, closed);
        assert_eq!(state.requests.capacity.due, [one, other]);
        assert!(state.requests.capacity.line(3).next().is_none());
    }
}
