//! Sends: a letter arrives in an inbox, or is lost; and requests for capacity in a bounded mailbox.

use std::cell::RefMut;

use actor_core::AskError;
use actor_core::generated::{Disposition, Moment};

use crate::data::bug::BugKind;
use crate::data::step::MessageId;
use crate::data::story::CapacityReply;
use crate::engine::panics::{self, Panic};
use crate::engine::running::execution::Engine;
use crate::engine::seam::shared::ControlledRuntime;
use crate::engine::specs::observers::EventObservers;
use crate::engine::world::capacity::{CapacityAnswer, DeliveryOutcome, RequestStatus};
use crate::engine::world::letter::{Envelope, LetterOrigin};
use crate::engine::world::state::ExecutionState;
use crate::engine::world::types::place_of;
use crate::records::{DeliveryRecord, MessageSource, Record};

impl Engine {
    /// Appends a letter to the inbox of its receiver.
    pub(in crate::engine::running) fn send(&mut self, by: u32, to: u32, letter: Envelope) {
        let delivery = {
            let mut state = self.state();
            state.operations.lands();
            state.deliver(to, letter)
        };
        self.sent(by, to, letter, delivery);
    }

    /// Records and shows the letter that has just arrived in an inbox.
    #[inline(never)]
    pub(in crate::engine::running) fn note_arrival(
        &mut self,
        shared: &ControlledRuntime,
        to: u32,
        state: RefMut<'_, ExecutionState>,
    ) {
        let receiver = &state.operations[to];
        let Some(letter) = receiver.inbox.last() else {
            return;
        };
        let event = place_of(receiver.first_event, letter.event);
        let observers = {
            let observers = &mut shared.session().observers;
            observers.who(&state.operations.types, event, Moment::Sent)
        };
        // The fields are read one by one: a load across parts that were just written as a whole is slow.
        let (sender, slot) = (letter.sender, letter.slot);
        let recorded = shared.is_recorded().then_some(*letter);
        drop(state);
        if let Some(letter) = recorded {
            self.record_sent(to, &letter, DeliveryOutcome::Arrived);
        }
        if observers != EventObservers::Nobody {
            self.show_letter(to, sender, slot, Moment::Sent, observers);
        }
    }

    pub(crate) fn sent(&mut self, from: u32, to: u32, letter: Envelope, delivery: DeliveryOutcome) {
        if let LetterOrigin::Operation(sender) = letter.sender.sender() {
            self.find_cycle_at(to, sender);
        }
        if self.shared.is_recorded() {
            self.record_sent(to, &letter, delivery);
        }
        self.show_sent(to, &letter);
        let (lost, why) = match delivery {
            DeliveryOutcome::Arrived => return,
            DeliveryOutcome::Dead if letter.lost.is_some() => {
                (letter, letter.lost.unwrap_or(AskError::Stopped))
            }
            DeliveryOutcome::Dead => match self.successor(to, &letter) {
                Some((to, letter)) => {
                    let delivery = self.state().deliver(to, letter);
                    return self.sent(from, to, letter, delivery);
                }
                None => (letter, self.why_dead(to)),
            },
            DeliveryOutcome::Full => (letter, AskError::Full),
            DeliveryOutcome::Replaced(oldest) => (oldest, AskError::Full),
        };
        self.shared.current.set(from);
        self.discard(to, lost.slot, why);
    }

    /// Shows a sent letter to the monitors that observe sends.
    pub(in crate::engine::running) fn show_sent(&mut self, to: u32, letter: &Envelope) {
        let observers = self.who(&self.state(), to, letter.event, Moment::Sent);
        if observers != EventObservers::Nobody {
            self.show_letter(to, letter.sender, letter.slot, Moment::Sent, observers);
        }
    }

    #[cold]
    fn record_sent(&self, to: u32, letter: &Envelope, delivery: DeliveryOutcome) {
        let event = self.print_letter(to, letter.slot);
        let arrival = self.arrival_of(to, letter, delivery);
        self.record_leaving(to, letter, event, arrival);
    }

    /// Records a sent letter and its immediate delivery.
    pub(in crate::engine::running) fn record_leaving(
        &self,
        to: u32,
        letter: &Envelope,
        event: String,
        arrival: DeliveryRecord,
    ) {
        let from = MessageSource::from(letter.sender);
        if let Some(recorder) = &mut self.session().recorder {
            let cause = recorder.cause(from);
            recorder.add(Record::Sent {
                message: MessageId::new(letter.key),
                from,
                to,
                event,
                arrival,
                cause,
            });
        }
    }

    pub(crate) fn arrival_of(
        &self,
        to: u32,
        letter: &Envelope,
        delivery: DeliveryOutcome,
    ) -> DeliveryRecord {
        match delivery {
            DeliveryOutcome::Arrived => match self.state().operations.disposition(to, letter.event)
            {
                Disposition::Defer => DeliveryRecord::Deferred,
                _ => DeliveryRecord::Arrived,
            },
            DeliveryOutcome::Dead if letter.lost.is_some() => DeliveryRecord::Unclaimed,
            DeliveryOutcome::Dead => DeliveryRecord::Dead,
            DeliveryOutcome::Full => DeliveryRecord::Refused,
            DeliveryOutcome::Replaced(oldest) => DeliveryRecord::Replaced {
                message: MessageId::new(oldest.key),
                event: self.print_letter(to, oldest.slot),
            },
        }
    }

    /// Carries out a request for capacity in a mailbox, which may be answered at once.
    pub(in crate::engine::running) fn request_capacity(&mut self, question: u32) {
        self.state().ask_for_room(question);
        self.record_question(question);
        self.shared.wake_due();
    }

    /// Records the answer to a question for mailbox capacity.
    fn record_question(&self, question: u32) {
        self.shared.record(|| {
            let question = &self.shared.state.borrow().requests.capacity[question];
            Record::CapacityRequested {
                who: question.sender,
                of: question.target,
                answer: match question.status {
                    RequestStatus::Answered(CapacityAnswer::Place | CapacityAnswer::Open) => {
                        CapacityReply::Granted
                    }
                    RequestStatus::Answered(CapacityAnswer::Full) => CapacityReply::Full,
                    RequestStatus::Answered(CapacityAnswer::Closed) => CapacityReply::Closed,
                    RequestStatus::InLine | RequestStatus::Unasked | RequestStatus::Free => {
                        CapacityReply::Waits
                    }
                },
            }
        });
    }

    pub(crate) fn discard(&mut self, operation: u32, slot: u32, loss: AskError) {
        let mail = self.arena().mail(operation).cloned();
        if let Some(mail) = mail {
            self.dropping(loss, || mail.discard(slot));
        }
    }

    /// Drops user's values, whose `Drop` may send or panic; replies among them are lost for the given reason.
    pub(in crate::engine::running) fn dropping(&self, loss: AskError, f: impl FnOnce()) {
        self.shared.loss.set(loss);
        let dropped = panics::catch(f);
        self.shared.loss.set(AskError::Dropped);
        if let Err(panic) = dropped {
            self.drop_has_panicked(*panic);
        }
    }

    #[cold]
    pub(in crate::engine::running) fn drop_has_panicked(&self, panic: Panic) {
        let message = format!("a `Drop` panicked: {}", panic.message);
        self.shared.find(BugKind::Panic, message, panic.location);
    }
}
