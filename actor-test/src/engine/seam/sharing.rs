//! Shared objects of tasks, threads and actors under test: the engine's implementation of
//! [`Sharing`](actor_core::seam::Sharing).
//!
//! An access has two parts. First the operation [comes to it](Sharing::announce_access) and is suspended, on its own
//! stack, until the strategy picks it again. Then it makes the access and [reports](Sharing::touch) it.

use std::any::Any;
use std::panic::resume_unwind;
use std::task::Waker;
use std::thread::panicking;

use actor_core::seam::{
    Access, AccessEffect, Address, Locals, NewTask, ObjectId, Sharing, SourceLocation, Wait,
};
use actor_test_stacks as stacks;

use crate::data::bug::BugKind;
use crate::data::constructs::StepConstruct;
use crate::data::faults::FaultKind;
use crate::data::story::ChoicePurpose;
use crate::engine::panics::{self, CallLimitExceeded, NeedsOwnStack};
use crate::engine::seam::shared::{CodePhase, ControlledRuntime};
use crate::engine::world::effect::Effect;
use crate::engine::world::shared_objects::{NextAccess, REPEATS_MAX};
use crate::engine::world::state::BODY;
use crate::engine::world::vector_clocks::RacingAccess;
use crate::records::{Created, Record};
use crate::strategy::Choice;

impl ControlledRuntime {
    /// Suspends the current operation, on its own stack, until it is resumed.
    fn leave_stack(&self) {
        let current = self.current.get();
        stacks::suspend();
        self.current.set(current);
    }

    /// Suspends the operation at an access, which its next step makes. Returns in that step if the operation
    /// has a stack of its own.
    fn come_to(&self, at: NextAccess, waits: bool, goes_on: bool) -> bool {
        if self.phase.get() != CodePhase::Running {
            return true;
        }
        if !self.may_act("sync") || panicking() {
            return true;
        }
        let current = self.current.get();
        let has_stack = stacks::is_running();
        if !has_stack {
            self.restart_on_stack();
        }
        if has_stack || !waits {
            let mut state = self.state();
            state.objects.come_to(current, at);
            state.footprint.add(StepConstruct::Sharing);
            state.operations[current].woken = goes_on && has_stack;
        }
        if has_stack {
            self.leave_stack();
        }
        has_stack
    }

    /// Leaves a test body that needs a stack, to run it again on one. No other operation has taken a step.
    fn restart_on_stack(&self) {
        let is_first = self.current.get() == BODY && self.state().progress.step() == 1;
        if is_first && !self.wants_stack.get() {
            self.wants_stack.set(true);
            self.instrumented.set(true);
            // Destructors have no effect while the body is left.
            self.phase.set(CodePhase::Over);
            resume_unwind(Box::new(NeedsOwnStack));
        }
    }

    fn local_object(&self, object: ObjectId) -> Option<u32> {
        (object.execution == self.execution.get()).then_some(object.index)
    }

    /// Handles a wait without a stack to wait on, or while a panic unwinds that stack.
    fn cannot_wait(&self, access: Access) {
        if self.phase.get() == CodePhase::Observing {
            self.find(
                BugKind::MonitorActs,
                "a monitor or predicate waits for a lock: it may only read".into(),
                None,
            );
            resume_unwind(Box::new(CallLimitExceeded(
                "a monitor or predicate waits".into(),
            )));
        }
        if !panicking() && self.phase.get() == CodePhase::Running {
            let (name, what) = {
                let state = self.state();
                let current = self.current.get();
                let index = access.object.index;
                (state.name(current), state.object_in_words(index, current))
            };
            let message = format!(
                "`{name}` blocks on {what}, at {}: code that blocks needs a stack of its own, that of a \
                 thread, a task or the test body; in a handler use the async types of `actor_core::sync`",
                line(access.place)
            );
            resume_unwind(Box::new(CallLimitExceeded(message)));
        }
        // A destructor waits while its stack is unwound. The holder of the lock is unwound as well.
        if self.phase.replace(CodePhase::Over) == CodePhase::Running {
            self.instrumented.set(true);
        }
        if !self.unwind_another() {
            eprintln!(
                "actor-test: a destructor that runs while a panic unwinds its thread waits at {} for a \
                 lock that nobody lets go of; the process ends",
                line(access.place)
            );
            std::process::abort();
        }
    }

    /// Ends one of the suspended tasks; returns true if there was one.
    fn unwind_another(&self) -> bool {
        let unborn = self.tasks.borrow_mut().take_unborn();
        for (_, run) in unborn {
            // The code may borrow from the operation that is unwound now.
            let _ = panics::catch(|| drop(run));
        }
        let next = self.tasks.borrow_mut().take_suspended();
        let Some(coroutine) = next else {
            return false;
        };
        // The effects of its destructors are discarded.
        let _ = panics::catch(|| coroutine.end());
        true
    }

    fn record_access(&self, object: u32, what: &'static str, place: SourceLocation) {
        let state = self.state.borrow();
        // The operation's own end is recorded when it is over.
        if self.is_recorded() && !state.objects.is_end_of(object, self.current.get()) {
            let record = Record::Accessed {
                who: self.current.get(),
                what,
                object: state.object_in_story(object),
                place: line(place),
            };
            drop(state);
            self.record(|| record);
        }
    }

    fn find_race(&self, race: RacingAccess, object: u32, writes: bool, place: SourceLocation) {
        let (now, before, made) = {
            let state = self.state();
            (
                state.name(self.current.get()),
                state.name(race.operation),
                state.objects.made(object),
            )
        };
        let verb = |writes| if writes { "writes" } else { "reads" };
        let message = format!(
            "`{now}` {} the RaceCell of {} at {}, and `{before}` {} it at {}: nothing puts the two in an order",
            verb(writes),
            column(made),
            line(place),
            verb(race.writes),
            line(race.place),
        );
        self.find(BugKind::DataRace, message, Some(column(place)));
    }
}

/// Formats a place for a sentence.
fn line(place: SourceLocation) -> String {
    format!("{}:{}", place.file(), place.line())
}

/// Formats a place for a finding.
pub(crate) fn column(place: SourceLocation) -> String {
    format!("{}:{}:{}", place.file(), place.line(), place.column())
}

impl Sharing for ControlledRuntime {
    fn execution(&self) -> u32 {
        self.execution.get()
    }

    fn object(&self, kind: &'static str, made: SourceLocation) -> ObjectId {
        ObjectId {
            index: self.state().objects.add(kind, made),
            execution: self.execution.get(),
        }
    }

    fn announce_access(&self, access: Access, waits: bool) -> bool {
        match self.local_object(access.object) {
            Some(object) => self.come_to(NextAccess::Object(object), waits, true),
            None => true,
        }
    }

    fn touch(&self, access: Access, touch: AccessEffect) {
        let Some(object) = self.local_object(access.object) else {
            return;
        };
        if self.phase.get() != CodePhase::Running {
            return;
        }
        let current = self.current.get();
        let spins = {
            let mut state = self.state();
            if touch.is_weak {
                state.objects.weaken(access.place);
            }
            state.accessed(current, object, touch)
        };
        self.record_access(object, access.what, access.place);
        if spins {
            let name = self.state().name(current);
            let message = format!(
                "`{name}` spins at {}: it has read {REPEATS_MAX} times what nobody has changed, without \
                 a `yield_now` that lets others go first",
                line(access.place)
            );
            self.find(BugKind::Spin, message, Some(column(access.place)));
        }
    }

    fn block(&self, access: Access, wait: Wait) -> bool {
        let Some(object) = self.local_object(access.object) else {
            return false;
        };
        if self.phase.get() == CodePhase::Over && !panicking() && stacks::is_running() {
            // The operation was unwound, has caught that, and is unwound again.
            stacks::suspend();
            return false;
        }
        if self.phase.get() != CodePhase::Running || panicking() || !stacks::is_running() {
            if !panicking() && !stacks::is_running() {
                self.restart_on_stack();
            }
            self.cannot_wait(access);
            return false;
        }
        let current = self.current.get();
        let mut state = self.state();
        state.objects.wait(current, object, wait, true);
        if wait == Wait::First {
            state.claimed(current, object);
        }
        drop(state);
        self.record_access(object, "waits for", access.place);
        self.come_to(NextAccess::Object(object), true, false);
        self.state().objects.wait_ends(current, object)
    }

    fn unblock(&self, object: ObjectId) {
        if let Some(object) = self.local_object(object)
            && self.phase.get() == CodePhase::Running
        {
            self.state().unblock(object);
        }
    }

    fn unblock_one(&self, object: ObjectId) -> bool {
        let Some(object) = self.local_object(object) else {
            return false;
        };
        if self.phase.get() != CodePhase::Running {
            return false;
        }
        let blocked = self.state().blocked_still(object);
        if blocked.is_empty() {
            return false;
        }
        let chosen = self.decide(Choice::Below(blocked.len() as u32, ChoicePurpose::Woken));
        self.state().unblock_this(blocked[chosen as usize]);
        true
    }

    fn awaits(&self, access: Access, wait: Wait) {
        if let Some(object) = self.local_object(access.object)
            && self.phase.get() == CodePhase::Running
        {
            let current = self.current.get();
            let mut state = self.state();
            state.footprint.add(StepConstruct::Sharing);
            let is_new = state.objects.wait(current, object, wait, false);
            state.objects.come_to(current, NextAccess::Object(object));
            drop(state);
            if is_new {
                self.record_access(object, "waits for", access.place);
            }
        }
    }

    fn awaited(&self, object: ObjectId, operation: Address) {
        if let Some(object) = self.local_object(object) {
            let mut state = self.state();
            state.objects.wait_ends(operation.operation, object);
        }
    }

    fn is_held(&self, object: ObjectId) -> bool {
        let object = self.local_object(object);
        object.is_some_and(|object| self.state().objects.is_held(object))
    }

    fn is_woken_spuriously(&self) -> bool {
        if self.phase.get() != CodePhase::Running || panicking() {
            return false;
        }
        let strikes = self.strike(FaultKind::Wake, 0, 1) > 0;
        if strikes {
            let who = self.current.get();
            self.record(|| Record::WokenSpuriously { who });
        }
        strikes
    }

    fn is_claimed(&self, object: ObjectId) -> bool {
        if self.phase.get() != CodePhase::Running || panicking() {
            return false;
        }
        let object = self.local_object(object);
        object.is_some_and(|object| {
            let state = self.state();
            state.objects.claimant(object, self.current.get()).is_some()
        })
    }

    fn waker(&self) -> Waker {
        self.wake_list.waker(self.current.get())
    }

    fn current(&self) -> Address {
        self.address(self.current.get())
    }

    fn spawn_task(&self, task: NewTask) -> Address {
        if !self.may_act("spawn") {
            return self.address(u32::MAX);
        }
        if !stacks::is_running() {
            self.restart_on_stack();
        }
        let NewTask {
            run,
            name,
            is_thread,
            end,
        } = task;
        let mut state = self.state();
        let current = self.current.get();
        let index = state.spawn_task(current, name.as_deref(), is_thread, end.index);
        self.record(|| Record::Created {
            who: index,
            path: state.operations[index].key,
            what: Created::Task {
                name: state.name(index),
                is_thread,
            },
        });
        drop(state);
        self.tasks.borrow_mut().bear(index, run);
        self.instrumented.set(true);
        self.address(index)
    }

    fn detach(&self, task: Address) {
        if task.execution == self.execution.get() {
            self.state().objects.detach(task.operation);
        }
    }

    fn abort(&self, task: Address) {
        if let Some(to) = self.local(task)
            && self.may_act("abort")
        {
            let current = self.current.get();
            let at_once = true;
            self.state()
                .operations
                .push(current, Effect::Stop { to, at_once });
        }
    }

    fn is_aborted(&self) -> bool {
        self.state().objects.is_aborted(self.current.get())
    }

    fn panicked(&self, payload: &(dyn Any + Send)) -> bool {
        let is_users = self.phase.get() == CodePhase::Running && !payload.is::<CallLimitExceeded>();
        let is_reported = is_users && self.state().progress.permits_failures();
        if is_reported {
            panics::forget();
        }
        is_reported
    }

    fn park(&self) {
        if self.phase.get() == CodePhase::Over && panicking() {
            return;
        }
        let current = self.current.get();
        {
            let mut state = self.state();
            let operation = &mut state.operations[current];
            operation.woken = operation.is_wake_up_due;
        }
        self.leave_stack();
        self.state().operations[current].is_wake_up_due = false;
    }

    fn replace_wake_up(&self, is_due: bool) -> bool {
        let current = self.current.get();
        let mut state = self.state();
        std::mem::replace(&mut state.operations[current].is_wake_up_due, is_due)
    }

    fn yield_now(&self, _: SourceLocation, waits: bool) -> bool {
        if self.phase.get() != CodePhase::Running {
            return true;
        }
        let current = self.current.get();
        let goes_on = self.state().objects.record_yield(current);
        self.instrumented.set(true);
        if !waits && stacks::is_running() && self.may_act("sync") && !panicking() {
            // The poll in progress goes on with its other branches, and ends like any that waits.
            let mut state = self.state();
            state.objects.come_to(current, NextAccess::Way);
            state.footprint.add(StepConstruct::Sharing);
            return false;
        }
        self.come_to(NextAccess::Way, waits, goes_on)
    }

    fn locals(&self) -> Locals {
        self.tasks.borrow_mut().locals(self.current.get())
    }

    fn fence(&self, acquires: bool, releases: bool) {
        if self.phase.get() == CodePhase::Running {
            let current = self.current.get();
            self.state().fenced(current, acquires, releases);
        }
    }

    fn race(&self, object: ObjectId, writes: bool, place: SourceLocation) {
        let Some(object) = self.local_object(object) else {
            return;
        };
        if self.phase.get() != CodePhase::Running {
            return;
        }
        let current = self.current.get();
        let sends = self.state().operations[current].outbox.first().is_some();
        if sends && stacks::is_running() {
            // An event that was sent may arrive before the operation goes on.
            self.come_to(NextAccess::Way, true, true);
        }
        let race = self.state().race(current, object, writes, place);
        if let Some(race) = race {
            self.find_race(race, object, writes, place);
        }
    }
}
