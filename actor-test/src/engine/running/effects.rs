//! Steps that carry out effects: a flush, or a timer that fires.

use std::cell::RefMut;

use actor_core::generated::{Disposition, Moment};
use actor_core::seam::{Purpose as Pretext, drop_each};
use actor_core::{AskError, StopReason};

use crate::data::bug::BugKind;
use crate::data::constructs::StepConstruct;
use crate::data::step::MessageId;
use crate::data::story::{CapacityReply, Purpose};
use crate::engine::arena::{Piped, WatchNotice};
use crate::engine::panics::{self, Panic};
use crate::engine::running::execution::Engine;
use crate::engine::seam::shared::ControlledRuntime;
use crate::engine::specs::observers::EventObservers;
use crate::engine::world::arming::Fired;
use crate::engine::world::capacity::{CapacityAnswer, DeliveryOutcome, RequestStatus};
use crate::engine::world::endings::{HaltRemnants, OrphanedValues};
use crate::engine::world::flushing::FollowUp;
use crate::engine::world::operation::{
    Effect, Envelope, LetterOrigin, NO_FAMILY, PackedSender, STOP,
};
use crate::engine::world::state::{BODY, ExecutionState};
use crate::engine::world::timers::{self, VirtualTimer};
use crate::engine::world::types::place_of;
use crate::engine::world::watches::{EndWatch, WatchedChange};
use crate::records::{DeliveryRecord, MessageSource, Record, nanoseconds};

impl Engine {
    /// Carries out the next effect of an outbox and the silent ones behind; returns true if an actor may
    /// change.
    #[inline(always)]
    pub(crate) fn flush(
        &mut self,
        shared: &ControlledRuntime,
        operation: u32,
        mut state: RefMut<'_, ExecutionState>,
    ) -> bool {
        let Some(to) = state.flush_send(operation) else {
            return self.flush_any(operation, state);
        };
        if shared.shows(Moment::Sent) {
            self.note_arrival(shared, to, state);
        }
        false
    }

    /// Carries out an effect of any kind.
    #[inline(never)]
    fn flush_any(&mut self, operation: u32, mut state: RefMut<'_, ExecutionState>) -> bool {
        if let Some((to, link, letter)) = state.flush_crossing(operation) {
            drop(state);
            self.cross(operation, to, link, letter);
            self.flush_rest(operation);
            return false;
        }
        let follow_up = state.flush(operation);
        let halted = matches!(follow_up, FollowUp::Halted(..));
        drop(state);
        self.follow(operation, follow_up);
        self.flush_rest(operation);
        halted
    }

    /// Records and shows the letter that has just arrived in an inbox.
    #[inline(never)]
    fn note_arrival(
        &mut self,
        shared: &ControlledRuntime,
        to: u32,
        state: RefMut<'_, ExecutionState>,
    ) {
        let receiver = &state.operations[to as usize];
        let Some(letter) = receiver.inbox.last() else {
            return;
        };
        let event = place_of(receiver.first_event, letter.event);
        let observers = {
            let observers = &mut shared.session().observers;
            observers.who(&state.types, event, Moment::Sent)
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

    /// Carries out the silent effects behind the effect before; or all of them, if handlers are atomic.
    fn flush_rest(&mut self, operation: u32) {
        self.flush_while(operation, |state, effect| {
            state.atomic_handlers || effect.is_silent()
        });
    }

    pub(crate) fn flush_silent(&mut self, operation: u32) {
        self.flush_while(operation, |_, effect| effect.is_silent());
    }

    fn flush_while(&mut self, operation: u32, rides: impl Fn(&ExecutionState, &Effect) -> bool) {
        loop {
            let follow_up = {
                let mut state = self.state();
                let next = state.operations[operation as usize].outbox.first();
                let Some(next) = next.filter(|next| rides(&state, next)) else {
                    state.refresh(operation);
                    return;
                };
                if !next.is_silent() {
                    state.reach.record_local(StepConstruct::Together);
                }
                state.flush(operation)
            };
            self.follow(operation, follow_up);
        }
    }

    /// Carries out what an effect asks for, with nothing borrowed.
    pub(crate) fn follow(&mut self, operation: u32, follow_up: FollowUp) {
        match follow_up {
            FollowUp::Nothing => {}
            FollowUp::Sent {
                to,
                letter,
                delivery,
            } => self.sent(operation, to, letter, delivery),
            FollowUp::Crossing { to, link, letter } => self.cross(operation, to, link, letter),
            FollowUp::CrossingReply { ask, lost } => self.cross_reply(operation, ask, lost),
            FollowUp::NodeFault(number) => {
                let node_fault = self.state().nodes.node_faults[number as usize].clone();
                self.inject(&node_fault);
            }
            FollowUp::CapacityRequested(question) => {
                self.record_question(question);
                self.shared.wake_due();
            }
            FollowUp::Called(call) => {
                self.state().unqueue_call(call);
                self.carry_out_call(call);
            }
            FollowUp::PowerFails(disk) => self.fail_power(disk),
            FollowUp::Started(who) => {
                self.shared.record(|| Record::Spawned { who });
                let state = self.state();
                let is_late = state.closed_from.is_some_and(|from| who >= from);
                let never_starts = is_late && state.info(who).is_some();
                drop(state);
                if never_starts {
                    self.stopped(operation, who, true);
                }
            }
            FollowUp::Replied { ask, lost } => self.replied(operation, ask, lost),
            FollowUp::Halted(operation, reason) => self.halt(operation, reason),
            FollowUp::Stopped { to, at_once } => self.stopped(operation, to, at_once),
            FollowUp::Decided { child, decision } => self.decided(child, decision),
            FollowUp::Shared { to, reason } => self.share(operation, to, reason),
            FollowUp::Notify(watch) => self.notify(operation, watch),
            FollowUp::Announced { slab, slot } => self.announced(operation, slab, slot),
            FollowUp::Armed(timer) => {
                self.shared.instrumented.set(true);
                self.record_armed(timer);
            }
            FollowUp::Finishing => self.shared.instrumented.set(true),
            FollowUp::Cancelled(remains) => {
                self.shared.record_cancelled(&remains);
                self.drop_remains(remains);
            }
        }
    }

    pub(crate) fn drop_remains(&mut self, remains: OrphanedValues) {
        let garbage = self.arena().garbage(remains);
        self.dropping(AskError::Dropped, || garbage.discard());
    }

    fn replied(&mut self, operation: u32, ask: u32, lost: Option<AskError>) {
        let Some(slot) = self.arena().reply(ask).cloned() else {
            return;
        };
        self.show_reply(operation, ask, &*slot, lost);
        drop(slot);
        self.hand_over(ask, lost);
    }

    /// Completes an ask with its reply, or with the reason of its loss.
    pub(super) fn hand_over(&mut self, ask: u32, lost: Option<AskError>) {
        let Some(slot) = self.arena().reply(ask).cloned() else {
            return;
        };
        slot.deliver(lost);
        let is_closed = self.state().close_ask(ask);
        drop(slot);
        self.shared.drop_reply(ask, is_closed);
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
    pub(super) fn show_sent(&mut self, to: u32, letter: &Envelope) {
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
    pub(super) fn record_leaving(
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
            DeliveryOutcome::Arrived => match self.state().disposition(to, letter.event) {
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

    fn record_armed(&self, timer: u32) {
        if self.shared.is_recorded() {
            let timer = self.state().timers.slots[timer as usize].clone();
            let event = timer
                .event
                .map(|(slot, _)| self.print_letter(timer.owner, slot));
            self.shared.record(|| Record::Armed {
                owner: timer.owner,
                timer: timer.key,
                delay_ns: nanoseconds(timer.delay),
                periodic: timer.periodic,
                purpose: purpose_of(&timer),
                event,
            });
        }
    }

    /// Records the answer to a question for mailbox capacity.
    fn record_question(&self, question: u32) {
        self.shared.record(|| {
            let question = &self.shared.state.borrow().questions[question as usize];
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
    pub(super) fn dropping(&self, loss: AskError, f: impl FnOnce()) {
        self.shared.loss.set(loss);
        let dropped = panics::catch(f);
        self.shared.loss.set(AskError::Dropped);
        if let Err(panic) = dropped {
            self.drop_has_panicked(*panic);
        }
    }

    #[cold]
    pub(super) fn drop_has_panicked(&self, panic: Panic) {
        let message = format!("a `Drop` panicked: {}", panic.message);
        self.shared.find(BugKind::Panic, message, panic.location);
    }

    /// Ends an actor: its children first, then its value; for good, unless it is supervised.
    pub(crate) fn halt(&mut self, operation: u32, reason: StopReason) {
        if self.stop_children(operation, reason) {
            return;
        }
        if self.state().operations[operation as usize].family == NO_FAMILY {
            self.end(operation, reason);
        } else {
            self.fall(operation, reason);
        }
    }

    /// Ends an actor for good: the rest of its inbox becomes dead letters, and watchers are to be notified.
    pub(crate) fn end(&mut self, operation: u32, reason: StopReason) {
        let halted = {
            let mut state = self.state();
            state.operations[operation as usize].ending = reason;
            state.halt(operation)
        };
        let dead = {
            let state = self.state();
            let is_dead = |event| event != STOP && !state.is_own(operation, event);
            let letters = halted.letters.iter();
            letters.filter(|letter| is_dead(letter.event)).count() as u64
        };
        let lost = match reason {
            StopReason::Disconnected => AskError::Disconnected,
            _ => AskError::Stopped,
        };
        self.drop_what_it_owned(operation, halted, lost);
        let mut state = self.state();
        state.dead_letters += dead;
        self.shared.record(|| Record::Halted {
            who: operation,
            reason,
            unread: dead,
        });
        state.break_links(operation, reason);
        state.notify_watchers(operation);
    }

    /// Drops the value of an actor and all that ends with it; replies in it are lost for the given reason.
    pub(crate) fn drop_what_it_owned(
        &mut self,
        operation: u32,
        halted: HaltRemnants,
        lost: AskError,
    ) {
        let mut parts = self.bodies[operation as usize].take();
        let futures: Vec<Option<Piped>> = halted
            .futures
            .iter()
            .map(|future| self.futures[*future as usize].take())
            .collect();
        let garbage = self.arena().garbage(halted.remains);
        self.shared.current.set(operation);
        if let Some(parts) = &mut parts {
            self.dropping(lost, || parts.body.clear());
        }
        self.dropping(lost, || drop_each(futures));
        self.dropping(lost, || garbage.discard());
        self.bodies[operation as usize] = parts;
        self.install_spawned();
        self.shared.wake_due();
    }

    fn notify(&mut self, operation: u32, watch: u32) {
        let (found, reason) = {
            let state = self.state();
            let watch = state.watches[watch as usize];
            let reason = match watch.is_broken {
                true => StopReason::Disconnected,
                false => state.operations[watch.target as usize].ending,
            };
            (watch, reason)
        };
        let EndWatch {
            watcher,
            target,
            key,
            ..
        } = found;
        let (notice, mail) = {
            let mut arena = self.arena();
            (arena.take_notice(watch), arena.mail(watcher).cloned())
        };
        let (notice, mail) = match (notice, mail, found.ask) {
            (Some(WatchNotice::Event(notice)), Some(mail), _) => (notice, mail),
            (Some(WatchNotice::Reason(put)), _, Some(ask)) => {
                put(reason);
                let follow_up = self.state().deliver_reply(ask, None);
                return self.follow(operation, follow_up);
            }
            (Some(WatchNotice::Start(put)), _, Some(ask)) => {
                let has_started = found.until == WatchedChange::Started && !found.is_broken;
                put(if has_started { Ok(()) } else { Err(reason) });
                let follow_up = self.state().deliver_reply(ask, None);
                return self.follow(operation, follow_up);
            }
            _ => return,
        };
        let (slot, event) = notice(&*mail, reason);
        let letter = Envelope {
            sender: PackedSender::end(target),
            key,
            ..self.state().letter(target, watcher, slot, event)
        };
        let delivery = self.state().deliver(watcher, letter);
        self.sent(target, watcher, letter, delivery);
    }

    fn announced(&mut self, operation: u32, slab: u32, slot: u32) {
        let slab = self.arena().slab(slab);
        let sender = (operation != BODY).then(|| self.actor_id(operation));
        self.show(Moment::Sent, sender, None, |show| {
            slab.inspect(slot, show);
        });
        if self.shared.is_recorded() {
            let event = self.print(|f| slab.inspect(slot, f));
            self.shared.record(|| Record::Announced {
                who: operation,
                event,
            });
        }
        self.dropping(AskError::Dropped, || slab.discard(slot));
    }

    pub(crate) fn fire(&mut self, timer: u32) {
        let (fired, now) = {
            let mut state = self.state();
            (state.fire(timer), state.now)
        };
        actor_test_os::set_clock(now);
        match fired {
            Fired::Slept(owner) => {
                self.shared.current.set(owner);
                self.state().last_operation = owner;
                let waker = self.arena().clockwork(timer).waker.take();
                if let Some(waker) = waker {
                    waker.wake();
                }
            }
            Fired::Due(owner, purpose) => self.due(owner, purpose),
            Fired::Event {
                owner,
                letter,
                periodic,
            } => {
                self.shared.current.set(owner);
                self.state().last_operation = owner;
                let delivery = self.state().deliver_timed(owner, letter);
                self.sent(owner, owner, letter, delivery);
                if periodic {
                    self.refill(timer, owner);
                }
            }
        }
    }

    fn refill(&mut self, timer: u32, owner: u32) {
        let (again, mail) = {
            let mut arena = self.arena();
            let again = arena.clockwork(timer).again.take();
            (again, arena.mail(owner).cloned())
        };
        let (Some(again), Some(mail)) = (again, mail) else {
            return;
        };
        match panics::catch(|| again(&*mail)) {
            Ok(slot) => {
                if self.state().refill(timer, slot) {
                    self.arena().clockwork(timer).again = Some(again);
                }
            }
            Err(panic) => self.panicked(owner, *panic),
        }
    }
}

/// Returns the purpose of a timer, as stories show it.
pub(crate) fn purpose_of(timer: &VirtualTimer) -> Purpose {
    match (timer.purpose, timer.declared_purpose) {
        (timers::TimerPurpose::Restart, _) => Purpose::Restart,
        (timers::TimerPurpose::Kill, _) => Purpose::Kill,
        (timers::TimerPurpose::Own, Pretext::Event) => Purpose::Event,
        (timers::TimerPurpose::Own, Pretext::State) => Purpose::State,
        (timers::TimerPurpose::Own, Pretext::NextEvent) => Purpose::NextEvent,
        (timers::TimerPurpose::Own, Pretext::Sleep) => Purpose::Sleep,
        (timers::TimerPurpose::Own, Pretext::Limit) => Purpose::Limit,
        (timers::TimerPurpose::Own, Pretext::Tick) => Purpose::Tick,
        (timers::TimerPurpose::Own, Pretext::Reply) => Purpose::Reply,
        (timers::TimerPurpose::Own, Pretext::Shutdown) => Purpose::Shutdown,
    }
}
