//! Shared objects of tasks, threads and actors under test.
//!
//! An access has two parts. First the operation [comes to it][reach] and is suspended, on its own stack,
//! until the strategy picks it again. Then it makes the access and [reports][access] it.
//!
//! [reach]: actor_core::seam::Runtime::reach
//! [access]: actor_core::seam::Runtime::access

use std::cell::RefCell;
use std::fmt;
use std::ops::Deref;
use std::panic::resume_unwind;
use std::thread::panicking;

use actor_core::seam::{
    Access, AccessEffect, BlockUntil, MadeAccess, ObjectId, SchedulingPoint, SourceLocation,
    Unblock, Wait,
};
use actor_test_stacks as stacks;

use crate::data::problem::{Problem, RacingUse};
use crate::data::story::ChoicePurpose;
use crate::engine::panics::{self, NeedsOwnStack, StoppedHandler};
use crate::engine::seam::current_operation::CurrentOperation;
use crate::engine::seam::shared::{CodePhase, ControlledRuntime};
use crate::engine::seam::tasks::TaskStacks;
use crate::engine::world::operation::OperationStage;
use crate::engine::world::shared_objects::{NextAccess, REPEATS_MAX, awaited_object};
use crate::engine::world::state::BODY;
use crate::engine::world::vector_clocks::RacingAccess;
use crate::records::Record;
use crate::strategy::Choice;

impl<'a> CurrentOperation<'a> {
    /// Comes to a point where others may go first.
    pub(super) fn reach(self, point: SchedulingPoint, waits: bool) -> bool {
        match point {
            SchedulingPoint::Access(access) => match self.object_of(access.object) {
                Some(object) => {
                    let is_there = self.come_to(NextAccess::Object(object.index), waits, true);
                    if self.is_recorded() {
                        self.woken_before.set(self.wake_list.len());
                    }
                    is_there
                }
                None => true,
            },
            SchedulingPoint::Yield => self.reach_yield(waits),
        }
    }

    fn reach_yield(self, waits: bool) -> bool {
        if self.phase.get() != CodePhase::Running {
            return true;
        }
        let goes_on = self.state().objects.record_yield(self.number);
        self.instrumented.set(true);
        if !waits && stacks::is_running() && self.may_act("sync") && !panicking() {
            // The poll in progress goes on with its other branches, and ends like any that waits.
            let state = &mut *self.state();
            let objects = &mut state.objects;
            objects.come_to(&mut state.footprint, self.number, NextAccess::Way);
            return false;
        }
        self.come_to(NextAccess::Way, waits, goes_on)
    }

    /// Records an access that was made.
    pub(super) fn access(self, access: MadeAccess<'_>) {
        if self.phase.get() != CodePhase::Running {
            return;
        }
        match access {
            MadeAccess::Object(access, effect, values) => {
                if let Some(object) = self.object_of(access.object) {
                    object.touch(access, effect, values);
                }
            }
            MadeAccess::Unsynchronized {
                object,
                writes,
                place,
            } => {
                if let Some(object) = self.object_of(object) {
                    object.check_race(writes, place);
                }
            }
            MadeAccess::Fence { acquires, releases } => {
                self.state().objects.fenced(self.number, acquires, releases);
            }
        }
    }

    /// Blocks on the operation's stack; returns true if an object changed.
    pub(super) fn block(self, until: BlockUntil) -> bool {
        match until {
            BlockUntil::Changed(access, wait) => {
                let object = self.object_of(access.object);
                object.is_some_and(|object| object.wait_for_change(access, wait))
            }
            BlockUntil::Woken => {
                self.park();
                false
            }
        }
    }

    fn park(self) {
        if self.phase.get() == CodePhase::Over && panicking() {
            return;
        }
        let index = self.number;
        {
            let mut state = self.state();
            let operation = &mut state.operations[index];
            operation.woken = operation.is_wake_up_due;
        }
        self.leave_stack();
        self.state().operations[index].is_wake_up_due = false;
    }

    /// Returns the object if it belongs to this execution.
    pub(super) fn object_of(self, object: ObjectId) -> Option<AccessedObject<'a>> {
        (object.execution == self.execution.get()).then_some(AccessedObject {
            operation: self,
            index: object.index,
        })
    }

    /// Suspends the operation, on its own stack, until it is resumed.
    fn leave_stack(self) {
        stacks::suspend();
        self.current.set(self.number);
    }

    /// Suspends the operation at an access, which its next step makes. Returns in that step if the operation
    /// has a stack of its own.
    fn come_to(self, at: NextAccess, waits: bool, goes_on: bool) -> bool {
        if self.phase.get() != CodePhase::Running {
            return true;
        }
        if !self.may_act("sync") || panicking() {
            return true;
        }
        self.need_stack();
        let has_stack = stacks::is_running();
        if has_stack || !waits {
            let state = &mut *self.state();
            let objects = &mut state.objects;
            objects.come_to(&mut state.footprint, self.number, at);
            state.operations[self.number].woken = goes_on && has_stack;
        }
        if has_stack {
            self.leave_stack();
        }
        has_stack
    }

    /// Leaves a test body without a stack of its own, to run it again on one, unless another operation has
    /// taken a step.
    pub(super) fn need_stack(self) {
        let is_first =
            !stacks::is_running() && self.number == BODY && self.state().progress.step() == 1;
        if is_first && !self.wants_stack.get() {
            self.wants_stack.set(true);
            self.instrumented.set(true);
            // Destructors have no effect while the body is left.
            self.phase.set(CodePhase::Over);
            resume_unwind(Box::new(NeedsOwnStack));
        }
    }

    /// Handles a wait without a stack to wait on, or while a panic unwinds that stack.
    fn cannot_wait(self, access: Access) {
        if self.phase.get() == CodePhase::Observing {
            self.find(&Problem::MonitorWaits, None);
            resume_unwind(Box::new(StoppedHandler(Problem::MonitorWaits)));
        }
        if !panicking() && self.phase.get() == CodePhase::Running {
            let problem = {
                let state = self.state();
                Problem::BlocksWithoutStack {
                    who: state.name(self.number),
                    object: awaited_object(&state, access.object.index, self.number),
                    place: line(access.place),
                }
            };
            resume_unwind(Box::new(StoppedHandler(problem)));
        }
        // A destructor waits while its stack is unwound. The holder of the lock is unwound as well.
        if self.phase.replace(CodePhase::Over) == CodePhase::Running {
            self.instrumented.set(true);
        }
        if !unwind_another(&self.tasks) {
            eprintln!(
                "actor-test: a destructor that runs while a panic unwinds its thread waits at {} for a \
                 lock that nobody lets go of; the process ends",
                line(access.place)
            );
            std::process::abort();
        }
    }
}

/// Ends one of the suspended tasks; returns true if there was one.
fn unwind_another(tasks: &RefCell<TaskStacks>) -> bool {
    let unborn = tasks.borrow_mut().take_unborn();
    for (_, run) in unborn {
        // The code may borrow from the operation that is unwound now.
        let _ = panics::catch(|| drop(run));
    }
    let next = tasks.borrow_mut().take_suspended();
    let Some(coroutine) = next else {
        return false;
    };
    // The effects of its destructors are discarded.
    let _ = panics::catch(|| coroutine.end());
    true
}

/// An object of this execution, as the current operation accesses it.
#[derive(Clone, Copy)]
pub(super) struct AccessedObject<'a> {
    operation: CurrentOperation<'a>,
    /// The number of the object.
    index: u32,
}

impl Deref for AccessedObject<'_> {
    type Target = ControlledRuntime;

    fn deref(&self) -> &ControlledRuntime {
        &self.operation
    }
}

impl AccessedObject<'_> {
    fn touch(self, access: Access, effect: AccessEffect, values: Option<fmt::Arguments<'_>>) {
        let by = self.operation.number;
        let spins = {
            let mut state = self.state();
            if effect.is_weak {
                state.objects.weaken(access.place);
            }
            state.accessed(by, self.index, effect)
        };
        if self.is_recorded() {
            self.record_made(access, values);
        }
        if spins {
            let problem = Problem::Spins {
                who: self.state().name(by),
                place: line(access.place),
                reads: REPEATS_MAX,
            };
            self.find(&problem, Some(column(access.place)));
        }
    }

    fn check_race(self, writes: bool, place: SourceLocation) {
        let by = self.operation.number;
        let sends = self.state().operations[by].outbox.first().is_some();
        if sends && stacks::is_running() {
            // An event that was sent may arrive before the operation goes on.
            self.operation.come_to(NextAccess::Way, true, true);
        }
        let race = {
            let state = &mut *self.state();
            let (footprint, operations) = (&mut state.footprint, &mut state.operations);
            let objects = &mut state.objects;
            objects.race(footprint, operations, by, self.index, writes, place)
        };
        if let Some(race) = race {
            self.find_race(race, writes, place);
        }
    }

    fn find_race(self, race: RacingAccess, writes: bool, place: SourceLocation) {
        let problem = {
            let state = self.state();
            let racing = |operation: u32, writes, place| RacingUse {
                who: state.name(operation),
                writes,
                place: line(place),
            };
            Problem::DataRace {
                cell: state.objects.name(self.index),
                now: racing(self.operation.number, writes, place),
                before: racing(race.operation, race.writes, race.place),
            }
        };
        self.find(&problem, Some(column(place)));
    }

    /// Blocks until the object changes, or the operation is woken; returns true if the object changed.
    fn wait_for_change(self, access: Access, wait: Wait) -> bool {
        if self.phase.get() == CodePhase::Over && !panicking() && stacks::is_running() {
            // The operation was unwound, has caught that, and is unwound again.
            stacks::suspend();
            return false;
        }
        if self.phase.get() != CodePhase::Running || panicking() || !stacks::is_running() {
            if !panicking() {
                self.operation.need_stack();
            }
            self.operation.cannot_wait(access);
            return false;
        }
        let by = self.operation.number;
        {
            let mut state = self.state();
            state.objects.wait(by, self.index, wait, true);
            if wait == Wait::First {
                let state = &mut *state;
                state.objects.claimed(&mut state.operations, by, self.index);
            }
        }
        self.record_access(access.place, || "waits for".into());
        let at = NextAccess::Object(self.index);
        self.operation.come_to(at, true, false);
        self.state().objects.wait_ends(by, self.index)
    }

    /// Records that the operation, which has a waker, waits for the object.
    pub(super) fn await_change(self, wait: Wait, place: SourceLocation) {
        let by = self.operation.number;
        let is_new = {
            let state = &mut *self.state();
            let is_new = state.objects.wait(by, self.index, wait, false);
            let at = NextAccess::Object(self.index);
            state.objects.come_to(&mut state.footprint, by, at);
            is_new
        };
        if is_new {
            self.record_access(place, || "waits for".into());
        }
    }

    /// Ends the wait of an operation.
    pub(super) fn end_wait(self, operation: u32) {
        self.state().objects.wait_ends(operation, self.index);
    }

    pub(super) fn is_held(self) -> bool {
        self.state().objects.is_held(self.index)
    }

    /// Returns true if another operation waits to hold the object first.
    pub(super) fn is_claimed(self) -> bool {
        if self.phase.get() != CodePhase::Running || panicking() {
            return false;
        }
        let by = self.operation.number;
        self.state().objects.claimant(self.index, by).is_some()
    }

    /// Wakes blocked waiters.
    pub(super) fn unblock(self, whom: Unblock) {
        if self.phase.get() != CodePhase::Running {
            return;
        }
        if whom == Unblock::NotifyOne {
            return self.notify_one();
        }
        if whom == Unblock::NotifyAll && self.is_recorded() {
            let blocked = self.state().objects.unclaimed(self.index);
            self.record_notified(&blocked);
        }
        let mut state = self.state();
        for operation in state.objects.unclaimed(self.index) {
            state.unblock_this(operation);
        }
    }

    /// Wakes one of the blocked waiters, as the strategy chooses.
    fn notify_one(self) {
        let mut blocked = {
            let state = self.state();
            state.objects.blocked_still(&state.operations, self.index)
        };
        if !blocked.is_empty() {
            let chosen = self.decide(Choice::Below(blocked.len() as u32, ChoicePurpose::Woken));
            blocked = vec![blocked[chosen as usize]];
        }
        if self.is_recorded() {
            self.record_notified(&blocked);
        }
        for operation in blocked {
            self.state().unblock_this(operation);
        }
    }

    /// Records the operations that a notification wakes, unless the access has woken them by their wakers.
    fn record_notified(self, blocked: &[u32]) {
        let blocked = self.asleep(blocked);
        if !blocked.is_empty() || self.woken_by_wakers().is_empty() {
            self.record(|| Record::Woke { whom: blocked });
        }
    }

    /// Returns the operations whose wakers were called since the access began.
    fn woken_by_wakers(self) -> Vec<u32> {
        self.asleep(&self.wake_list.after(self.woken_before.get()))
    }

    /// Returns the other operations that wait, and were not woken before this step.
    fn asleep(self, of: &[u32]) -> Vec<u32> {
        let state = self.state.borrow();
        let sleeps = |operation: u32| {
            let found = state.operations.get(operation);
            let waits = found.is_some_and(|found| found.stage == OperationStage::Suspended);
            waits && operation != self.operation.number && !state.operations[operation].woken
        };
        let mut asleep = Vec::new();
        for operation in of {
            if sleeps(*operation) && !asleep.contains(operation) {
                asleep.push(*operation);
            }
        }
        asleep
    }

    /// Records an access that was made, and the operations whose wakers it has called.
    #[cold]
    fn record_made(self, access: Access, values: Option<fmt::Arguments<'_>>) {
        let what = access.what;
        self.record_access(access.place, || match values {
            Some(values) => format!("{what} {values}"),
            None => what.into(),
        });
        let whom = self.woken_by_wakers();
        if !whom.is_empty() {
            self.record(|| Record::Woke { whom });
        }
    }

    fn record_access(self, place: SourceLocation, what: impl FnOnce() -> String) {
        // The operation's own end is recorded when it is over.
        let who = self.operation.number;
        if self.is_recorded() && !self.state.borrow().objects.is_end_of(self.index, who) {
            self.record(|| Record::Accessed {
                who,
                what: what(),
                object: self.index,
                place: line(place),
            });
        }
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
