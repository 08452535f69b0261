//! Waits of operations under test: asks, requests for capacity, disk calls, sleeps, and timers.

use std::any::Any;
use std::io;
use std::rc::Rc;
use std::task::{Poll, Waker};
use std::time::Duration;

use actor_core::AskError;
use actor_core::fs::DiskOpResult;
use actor_core::generated::Moment;
use actor_core::seam::{
    Address, AnyMail, Awaited, DiskId, Offered, Purpose, Request, RequestId, TimerEvent, TimerId,
};

use crate::data::constructs::StepConstruct;
use crate::data::step::MessageId;
use crate::engine::seam::current_operation::CurrentOperation;
use crate::engine::seam::shared::{CodePhase, ControlledRuntime};
use crate::engine::specs::observers::EventObservers;
use crate::engine::world::capacity::{CapacityAnswer, CapacityParameters};
use crate::engine::world::disks::DiskError;
use crate::engine::world::effect::Effect;
use crate::engine::world::letter::Envelope;
use crate::engine::world::state::ExecutionState;
use crate::records::{MessageSource, Record};

impl ControlledRuntime {
    /// Returns true if an ask or a request is of this execution, which is not over.
    pub(super) fn is_open(&self, execution: u32, index: u32) -> bool {
        execution == self.execution.get()
            && index != u32::MAX
            && self.phase.get() != CodePhase::Over
    }

    /// Drops the slot of a reply if its ask is closed.
    pub(crate) fn drop_reply(&self, ask: u32, is_closed: bool) {
        let slot = is_closed.then(|| self.arena().take_reply(ask));
        drop(slot);
    }

    /// Wakes the senders whose requests for capacity were answered.
    pub(crate) fn wake_due(&self) {
        let due = self.state().requests.capacity.take_due();
        for request in due {
            let waker = self.arena().take_asker(request);
            waker.into_iter().for_each(Waker::wake);
        }
    }

    /// Wakes the callers whose calls to a disk were answered.
    pub(crate) fn wake_callers(&self) {
        let due = self.state().disks.take_due();
        for call in due {
            let waker = self.arena().take_caller(call);
            waker.into_iter().for_each(Waker::wake);
        }
    }
}

/// Asks and requests.
impl CurrentOperation<'_> {
    /// Sends a reply, or reports its loss. Nothing is sent to an asker that is gone.
    pub(super) fn reply(self, index: u32, lost: Option<AskError>) {
        let mut state = self.state();
        if let Some(is_closed) = state.requests.asks.reply(index) {
            drop(state);
            self.drop_reply(index, is_closed);
            return;
        }
        state
            .operations
            .push(self.number, Effect::Reply { ask: index, lost });
        if lost.is_some() {
            // A reply may be lost while the operation is between two steps.
            state.refresh(self.number);
        }
    }

    /// Puts a request into the outbox; returns its number, unless the operation may not make it.
    pub(super) fn request(self, request: Request) -> Option<u32> {
        match request {
            Request::Capacity { to, event, waits } => self.request_capacity(to, event, waits),
            Request::Disk(disk, call) => {
                let disk = self.local_disk(disk)?;
                self.may_act("use the disk").then(|| {
                    let state = &mut *self.state();
                    state
                        .disks
                        .queue(&mut state.operations, self.number, disk, call)
                })
            }
        }
    }

    fn request_capacity(self, to: Address, event: u16, waits: bool) -> Option<u32> {
        if !self.may_act("send") {
            return None;
        }
        let to = self.local(to)?;
        let is_faulted = !waits && self.refuses_message(to);
        let parameters = CapacityParameters {
            event,
            waits,
            is_faulted,
        };
        let state = &mut *self.state();
        let requests = &mut state.requests.capacity;
        Some(requests.queue(&mut state.operations, self.number, to, parameters))
    }

    /// Returns the disk if it belongs to this execution.
    pub(super) fn local_disk(self, disk: DiskId) -> Option<u32> {
        (disk.execution == self.execution.get()).then_some(disk.index)
    }

    /// Returns ready if the wait is over; otherwise keeps the waker.
    pub(super) fn poll(self, wait: Awaited<'_>, waker: &Waker) -> Poll<()> {
        match wait {
            Awaited::Capacity {
                request,
                message,
                offered,
            } => self
                .poll_capacity(request, message, waker)
                .map(|answer| *offered = answer),
            Awaited::DiskCall(call, result) => self
                .poll_disk_call(call, waker)
                .map(|answer| *result = answer),
            Awaited::Sleep(timer) => self.poll_sleep(timer, waker),
            Awaited::Event(owner, event, found) => {
                *found = self.receive(owner, event);
                match found {
                    Some(_) => Poll::Ready(()),
                    None => Poll::Pending,
                }
            }
        }
    }

    /// Returns the answer; if capacity was granted, sends the event.
    fn poll_capacity(
        self,
        request: RequestId,
        message: &mut dyn Any,
        waker: &Waker,
    ) -> Poll<Offered> {
        if !self.is_open(request.execution, request.index) {
            return Poll::Ready(Offered::Closed);
        }
        let mut state = self.state();
        let ExecutionState {
            requests,
            footprint,
            operations,
            ..
        } = &mut *state;
        let Some((answer, to)) = requests.capacity.poll(footprint, request.index) else {
            drop(state);
            let before = self.arena().keep_asker(request.index, waker.clone());
            drop(before);
            return Poll::Pending;
        };
        requests.capacity.finish(operations, request.index);
        let offered = answer.offered();
        if offered == Offered::Taken {
            let Some((slot, event)) = self.put(to, message) else {
                return Poll::Ready(Offered::Closed);
            };
            let letter = Envelope {
                placed: matches!(answer, CapacityAnswer::Place | CapacityAnswer::Admitted),
                ..state.operations.letter(self.number, to, slot, event)
            };
            state.send_letter(self.number, to, letter);
        }
        Poll::Ready(offered)
    }

    fn poll_disk_call(self, call: RequestId, waker: &Waker) -> Poll<io::Result<DiskOpResult>> {
        if !self.is_open(call.execution, call.index) {
            let message = "the disk is not of this execution";
            return Poll::Ready(Err(io::Error::other(message)));
        }
        let mut state = self.state();
        let ExecutionState {
            disks, footprint, ..
        } = &mut *state;
        if let Some(answer) = disks.take_answer(footprint, call.index) {
            let failed = |error: DiskError| io::Error::new(error.kind, error.message);
            return Poll::Ready(answer.map_err(failed));
        }
        drop(state);
        let before = self.arena().keep_caller(call.index, waker.clone());
        drop(before);
        Poll::Pending
    }

    /// Takes the first event of that number from the inbox of `owner`, or waits for it.
    fn receive(self, owner: Address, event: u16) -> Option<(Rc<dyn AnyMail>, u32)> {
        let owner = self.local(owner)?;
        let mut state = self.state();
        match state.take_received(owner, event) {
            Some(letter) => {
                let audience = self.audience();
                let observers = audience.who(&state, owner, letter.event, Moment::Handled);
                if observers != EventObservers::Nobody {
                    state.footprint.add(StepConstruct::Monitor);
                }
                drop(state);
                let mail = self.arena().mail(owner).cloned()?;
                if self.is_recorded() {
                    let event = audience.print_letter(owner, letter.slot);
                    self.record(|| Record::Received {
                        who: owner,
                        message: MessageId::new(letter.key),
                        from: MessageSource::from(letter.sender),
                        event,
                    });
                }
                let (sender, slot) = (letter.sender, letter.slot);
                audience.show_letter(&*mail, owner, sender, slot, Moment::Handled, observers);
                self.wake_due();
                Some((mail, slot))
            }
            None => {
                let receiving = &mut state.operations[owner].receiving;
                if !receiving.contains(&event) {
                    receiving.push(event);
                }
                None
            }
        }
    }
}

/// Timers and sleeps.
impl CurrentOperation<'_> {
    /// Arms a timer for an event; without one, a timer that wakes the operation.
    pub(super) fn arm(
        self,
        delay: Duration,
        purpose: Purpose,
        event: Option<TimerEvent<'_>>,
    ) -> Option<TimerId> {
        let Some(event) = event else {
            return self.may_act("sleep").then(|| self.sleep(delay, purpose));
        };
        let TimerEvent {
            owner,
            message,
            again,
        } = event;
        let owner = self.acting("after")?.local(owner)?;
        let letter = self.put(owner, message)?;
        let state = &mut *self.state();
        let parts = (self.number, owner, owner);
        let planned = state.timers.plan(&mut state.operations, parts, delay);
        let timer = &mut state.timers[planned.0];
        timer.event = Some(letter);
        timer.periodic = again.is_some();
        timer.declared_purpose = purpose;
        self.arena().clockwork(planned.0).again = again;
        Some(self.timer_id(planned))
    }

    fn sleep(self, delay: Duration, purpose: Purpose) -> TimerId {
        let state = &mut *self.state();
        let parts = (self.number, self.number, self.number);
        let planned = state.timers.plan(&mut state.operations, parts, delay);
        let timer = &mut state.timers[planned.0];
        timer.declared_purpose = purpose;
        timer.periodic = purpose == Purpose::Tick;
        self.timer_id(planned)
    }

    pub(super) fn timer_id(self, (index, generation): (u32, u32)) -> TimerId {
        TimerId {
            index,
            generation,
            execution: self.execution.get(),
        }
    }

    /// Returns ready if a sleep is over, else keeps the waker. A sleep that another operation has begun, or
    /// has polled last, moves to the current one.
    fn poll_sleep(self, timer: &mut TimerId, waker: &Waker) -> Poll<()> {
        let mut state = self.state();
        let ExecutionState {
            timers,
            nodes,
            footprint,
            ..
        } = &mut *state;
        let Some(sleep) = timers.poll_sleep(footprint, self.number, timer.index, timer.generation)
        else {
            return Poll::Ready(());
        };
        if sleep.owner != self.number && self.phase.get() == CodePhase::Running {
            let left = nodes.time_left(sleep, timers.now());
            let purpose = sleep.declared_purpose;
            drop(state);
            self.end_sleep(timer.index);
            *timer = self.sleep(left, purpose);
        } else {
            drop(state);
        }
        let mut arena = self.arena();
        let kept = &mut arena.clockwork(timer.index).waker;
        let before = kept.replace(waker.clone());
        drop(arena);
        drop(before);
        Poll::Pending
    }
}
