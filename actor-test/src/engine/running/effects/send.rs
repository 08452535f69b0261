//! Sends: a letter arrives in an inbox, or is lost; and requests for capacity in a bounded mailbox.

use std::cell::RefMut;

use actor_core::AskError;
use actor_core::generated::{Disposition, Moment};

use crate::data::problem::Problem;
use crate::data::step::MessageId;
use crate::data::story::CapacityReply;
use crate::engine::panics::{self, Panic};
use crate::engine::running::effects::Effects;
use crate::engine::seam::shared::ControlledRuntime;
use crate::engine::specs::observers::EventObservers;
use crate::engine::world::capacity::{CapacityAnswer, DeliveryOutcome, RequestStatus};
use crate::engine::world::letter::{Envelope, LetterOrigin};
use crate::engine::world::state::ExecutionState;
use crate::engine::world::types::place_of;
use crate::records::{DeliveryRecord, MessageSource, Record};

impl Effects<'_> {
    /// Appends a letter to the inbox of its receiver.
    pub(in crate::engine::running) fn send(&self, by: u32, to: u32, letter: Envelope) {
        let delivery = {
            let mut state = self.shared.state();
            state.operations.lands();
            state.deliver(to, letter)
        };
        self.sent(by, to, letter, delivery);
    }

    /// Records and shows the letter that has just arrived in an inbox.
    #[inline(never)]
    pub(in crate::engine::running) fn note_arrival(
        &self,
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
        let is_shown = observers != EventObservers::Nobody && !state.operations.is_relayed(sender);
        drop(state);
        if let Some(letter) = recorded {
            self.record_sent(to, &letter, DeliveryOutcome::Arrived);
        }
        if is_shown {
            self.shared
                .audience()
                .show_sent_to(observers, to, sender, slot);
        }
    }

    pub(crate) fn sent(&self, from: u32, to: u32, letter: Envelope, delivery: DeliveryOutcome) {
        if let LetterOrigin::Operation(sender) = letter.sender.sender() {
            self.find_cycle_at(to, sender);
        }
        if self.shared.is_recorded() {
            self.record_sent(to, &letter, delivery);
        }
        self.shared.audience().show_sent(to, &letter);
        let (lost, why) = match delivery {
            DeliveryOutcome::Arrived => return,
            DeliveryOutcome::Dead => (letter, self.why_dead(to)),
            DeliveryOutcome::Full => (letter, AskError::Full),
            DeliveryOutcome::Replaced(oldest) => (oldest, AskError::Full),
        };
        self.shared.current.set(from);
        self.discard(to, lost.slot, why);
    }

    /// Records and shows a sent letter that waits before its receiver is known.
    #[cold]
    pub(super) fn leaves(&self, to: u32, letter: &Envelope) {
        if self.shared.is_recorded() {
            let event = self.shared.audience().print_letter(to, letter.slot);
            self.record_leaving(to, letter, event, DeliveryRecord::Leaves);
        }
        self.shared.audience().show_sent(to, letter);
    }

    #[cold]
    fn record_sent(&self, to: u32, letter: &Envelope, delivery: DeliveryOutcome) {
        let event = self.shared.audience().print_letter(to, letter.slot);
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
        if let Some(recorder) = &mut self.shared.session().recorder {
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
            DeliveryOutcome::Arrived => {
                match self.shared.state().operations.disposition(to, letter.event) {
                    Disposition::Defer => DeliveryRecord::Deferred,
                    _ => DeliveryRecord::Arrived,
                }
            }
            DeliveryOutcome::Dead => match self.shared.state().names.reference(to) {
                Some(_) => DeliveryRecord::Unclaimed,
                None => DeliveryRecord::Dead,
            },
            DeliveryOutcome::Full => DeliveryRecord::Refused,
            DeliveryOutcome::Replaced(oldest) => DeliveryRecord::Replaced {
                message: MessageId::new(oldest.key),
                event: self.shared.audience().print_letter(to, oldest.slot),
            },
        }
    }

    /// Carries out a request for capacity in a mailbox, which may be answered at once.
    pub(in crate::engine::running) fn request_capacity(&self, question: u32) {
        {
            let state = &mut *self.shared.state();
            let requests = &mut state.requests.capacity;
            requests.carry_out(&state.nodes, &mut state.operations, question);
        }
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
                    RequestStatus::Answered(
                        CapacityAnswer::Place | CapacityAnswer::Open | CapacityAnswer::Admitted,
                    ) => CapacityReply::Granted,
                    RequestStatus::Answered(CapacityAnswer::LinkFull) => CapacityReply::LinkFull,
                    RequestStatus::InLine if question.is_of_link() => CapacityReply::WaitsForLink,
                    RequestStatus::Answered(CapacityAnswer::Full) => CapacityReply::Full,
                    RequestStatus::Answered(CapacityAnswer::Closed) => CapacityReply::Closed,
                    RequestStatus::InLine | RequestStatus::Unasked | RequestStatus::Free => {
                        CapacityReply::Waits
                    }
                },
            }
        });
    }

    pub(crate) fn discard(&self, operation: u32, slot: u32, loss: AskError) {
        let mail = self.shared.arena().mail(operation).cloned();
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
        self.find_dropped(panic, false);
    }

    pub(crate) fn drop_quietly(&self, f: impl FnOnce()) {
        if let Err(panic) = panics::catch(f) {
            self.drop_panicked(*panic);
        }
    }

    pub(crate) fn drop_panicked(&self, panic: Panic) {
        self.find_dropped(panic, true);
    }

    fn find_dropped(&self, panic: Panic, after_end: bool) {
        let message = panic.message;
        let problem = Problem::DropPanicked { message, after_end };
        self.shared.find(&problem, panic.location);
    }
}
