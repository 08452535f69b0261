//! The runtime of actors under test: the engine's implementation of [`Runtime`].

use std::any::Any;
use std::sync::Arc;
use std::task::{Poll, Waker};
use std::time::Duration;

use actor_core::generated::Moment;
use actor_core::seam::{
    Action, Address, Announce, AskId, AskSite, AskSlot, Awaited, BlockUntil, Dropped, MadeAccess,
    NewOperation, Note, ObjectId, Purpose, Query, RandomChoice, Registration, Request, RequestId,
    Runtime, SchedulingPoint, TimerEvent, TimerId, Unblock,
};

use crate::data::story::ChoicePurpose;
use crate::engine::seam::shared::{CodePhase, ControlledRuntime};
use crate::engine::world::effect::Effect;
use crate::records::Record;
use crate::strategy::Choice;

impl Runtime for ControlledRuntime {
    #[inline]
    fn post(&self, to: Address, message: &mut dyn Any) {
        if !self.may_act("tell") {
            return;
        }
        if to.execution != self.execution.get() {
            return self.operation().post_to_node(to, message);
        }
        let to = to.operation;
        let current = self.current.get();
        let Some((slot, event)) = self.put(to, message) else {
            return;
        };
        self.state
            .borrow_mut()
            .operations
            .send(current, to, slot, event);
        if self.may_refuse.get() && self.operation().refuses_message(to) {
            self.state.borrow_mut().operations.refuse_last_send(current);
        }
    }

    fn ask(&self, to: Address, slot: Arc<AskSlot>, site: Option<AskSite>) -> AskId {
        let index = if self.phase.get() == CodePhase::Running {
            let current = self.current.get();
            let index = {
                let state = &mut *self.state();
                let (footprint, operations) = (&mut state.footprint, &mut state.operations);
                state
                    .requests
                    .asks
                    .open(footprint, operations, (current, to.operation), site)
            };
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

    fn reply(&self, ask: AskId) {
        if self.is_open(ask.execution, ask.index)
            && let Some(operation) = self.acting("reply")
        {
            operation.reply(ask.index, None);
        }
    }

    fn announce(&self, event: &mut dyn Announce) {
        let Some(operation) = self.acting("announce") else {
            return;
        };
        let observer = {
            let observers = &self.session.borrow().observers;
            observers.next(0, event.event_type(), Moment::Sent)
        };
        if observer.is_none() {
            // Without an observer the time of the event does not show: it is recorded here, and is no effect.
            if self.is_recorded() {
                let text = self.print(|show| event.inspect(show));
                self.record(|| Record::Announced {
                    who: operation.number,
                    event: text,
                });
            }
            return;
        }
        let (slab, slot) = self.arena().store(event);
        operation.push(Effect::Announce { slab, slot });
    }

    fn spawn(&self, new: NewOperation<'_>) -> Address {
        // Without a spawn, the owner drops the actor; nothing is ever sent to the address.
        let spawned = self.operation().spawn(new);
        spawned.unwrap_or_else(|| self.address(u32::MAX))
    }

    fn act(&self, action: Action) {
        let ask = action.ask();
        if ask.is_none_or(|ask| self.is_open(ask.execution, ask.index))
            && let Some(operation) = self.acting(action.name())
            && action.addresses().all(|of| self.local(of).is_some())
        {
            operation.act(action);
        }
    }

    fn register(&self, registration: Registration<'_>) {
        if let Some(operation) = self.acting(registration.name()) {
            operation.register(registration);
        }
    }

    fn note(&self, note: Note<'_>) {
        self.operation().note(note);
    }

    fn dropped(&self, value: Dropped) {
        self.operation().dropped(value);
    }

    fn query(&self, query: Query<'_>) {
        self.operation().answer(query);
    }

    fn choose(&self, choice: RandomChoice) -> u32 {
        if !self.may_act(choice.name()) {
            return 0;
        }
        self.decide(match choice {
            RandomChoice::Below(bound) => Choice::Below(bound, ChoicePurpose::Choose),
            RandomChoice::Bool => Choice::Below(2, ChoicePurpose::Bool),
            RandomChoice::Branch(count) => Choice::Below(count, ChoicePurpose::Branch),
            RandomChoice::Seed => Choice::Seed,
        })
    }

    fn now(&self, reads: bool) -> Duration {
        if reads {
            self.pass_time();
        }
        let state = &mut *self.state();
        let now = match self.phase.get() {
            CodePhase::Printing => state.timers.now(),
            _ => state.timers.read_clock(&mut state.footprint),
        };
        match self.phase.get() {
            // Observers are on no node.
            CodePhase::Observing => now,
            _ => state.nodes.now_at(self.current.get(), now),
        }
    }

    fn arm(&self, delay: Duration, purpose: Purpose, event: Option<TimerEvent<'_>>) -> TimerId {
        let operation = self.operation();
        let armed = operation.arm(delay, purpose, event);
        armed.unwrap_or_else(|| operation.timer_id((u32::MAX, 0)))
    }

    fn request(&self, request: Request) -> RequestId {
        RequestId {
            index: self.operation().request(request).unwrap_or(u32::MAX),
            execution: self.execution.get(),
        }
    }

    fn poll(&self, wait: Awaited<'_>, waker: &Waker) -> Poll<()> {
        self.operation().poll(wait, waker)
    }

    fn current(&self) -> Address {
        self.address(self.current.get())
    }

    fn reach(&self, point: SchedulingPoint, waits: bool) -> bool {
        self.operation().reach(point, waits)
    }

    fn access(&self, access: MadeAccess<'_>) {
        self.operation().access(access);
    }

    fn block(&self, until: BlockUntil) -> bool {
        self.operation().block(until)
    }

    fn unblock(&self, object: ObjectId, whom: Unblock) {
        if let Some(object) = self.operation().object_of(object) {
            object.unblock(whom);
        }
    }
}
