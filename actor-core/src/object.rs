//! Shared objects (locks, channels, atomics) as the tester identifies them: [`Object`].

use std::fmt;
use std::future::{Future, poll_fn};
use std::panic::Location;
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::task::{Context as TaskContext, Poll};
use std::thread::panicking;

use crate::seam::{
    self, Access, AccessEffect, Address, BlockUntil, Dropped, MadeAccess, Note, ObjectId, Query,
    Runtime, SchedulingPoint, SourceLocation, Unblock, Wait,
};

/// The identity of a lock, a channel or an atomic. Under test, the first access of each execution gives it a
/// number; in production it is unused.
pub(crate) struct Object {
    /// The execution plus one, and the object's number in that execution; zero before the first access.
    /// Relaxed ordering suffices, since an execution runs on one thread.
    id: AtomicU64,
    pub(crate) created_at: SourceLocation,
}

/// An operation on an object that is about to begin.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ObjectOperation {
    /// The kind of object, for instance a lock.
    pub(crate) kind: &'static str,
    /// The verb that a report shows for the operation.
    pub(crate) verb: &'static str,
    pub(crate) place: SourceLocation,
}

impl ObjectOperation {
    /// Describes an operation at the caller's location.
    #[track_caller]
    #[inline]
    pub(crate) fn new(kind: &'static str, verb: &'static str) -> Self {
        Self::at(kind, verb, Location::caller())
    }

    #[inline]
    pub(crate) fn at(kind: &'static str, verb: &'static str, place: SourceLocation) -> Self {
        Self { kind, verb, place }
    }

    /// Describes another operation on the same object, at the same location.
    pub(crate) fn with_verb(self, verb: &'static str) -> Self {
        Self { verb, ..self }
    }
}

/// Operations that do not wait, on the object behind a value.
pub(crate) trait Accessed {
    /// Returns the object if an execution is controlled.
    fn controlled(&self) -> Option<&Object>;

    /// Performs an operation; under test it is a step.
    #[inline]
    fn step<T>(
        &self,
        operation: ObjectOperation,
        f: impl FnOnce() -> T,
        effect: impl FnOnce(&T) -> AccessEffect,
    ) -> T {
        let Some(object) = self.controlled() else {
            return f();
        };
        let access = object.begin_access(operation);
        let done = f();
        object.record_access(access, effect(&done));
        done
    }

    /// Performs an operation that changes nothing.
    #[inline]
    #[track_caller]
    fn read<T>(&self, kind: &'static str, verb: &'static str, f: impl FnOnce() -> T) -> T {
        self.step(ObjectOperation::new(kind, verb), f, |_| AccessEffect::READS)
    }

    /// Performs an operation that changes the object.
    #[inline]
    #[track_caller]
    fn change<T>(&self, kind: &'static str, verb: &'static str, f: impl FnOnce() -> T) -> T {
        self.step(ObjectOperation::new(kind, verb), f, |_| {
            AccessEffect::CHANGES
        })
    }

    /// Performs an operation that changes the object if it succeeds.
    #[inline]
    #[track_caller]
    fn try_change<T, E>(
        &self,
        kind: &'static str,
        verb: &'static str,
        f: impl FnOnce() -> Result<T, E>,
    ) -> Result<T, E> {
        self.step(ObjectOperation::new(kind, verb), f, |done| {
            AccessEffect::CHANGES.if_ok(done)
        })
    }
}

impl Accessed for Object {
    #[inline]
    fn controlled(&self) -> Option<&Object> {
        seam::is_controlled().then_some(self)
    }
}

impl Object {
    #[track_caller]
    pub(crate) const fn new() -> Self {
        Self {
            id: AtomicU64::new(0),
            created_at: Location::caller(),
        }
    }

    pub(crate) fn id(&self, runtime: &dyn Runtime, kind: &'static str) -> ObjectId {
        let execution = runtime.current().execution & !1;
        let known = self.id.load(Ordering::Relaxed);
        if known >> 32 == u64::from(execution) + 1 {
            let index = known as u32;
            return ObjectId { index, execution };
        }
        let mut new = ObjectId {
            index: 0,
            execution,
        };
        runtime.query(Query::Object(kind, self.created_at, &mut new));
        let id = (u64::from(execution) + 1) << 32 | u64::from(new.index);
        self.id.store(id, Ordering::Relaxed);
        new
    }

    /// Returns true if the object was not yet accessed in this execution.
    pub(crate) fn is_new(&self, runtime: &dyn Runtime) -> bool {
        let execution = runtime.current().execution & !1;
        self.id.load(Ordering::Relaxed) >> 32 != u64::from(execution) + 1
    }

    pub(crate) fn access(&self, runtime: &dyn Runtime, operation: ObjectOperation) -> Access {
        Access {
            object: self.id(runtime, operation.kind),
            what: operation.verb,
            place: operation.place,
        }
    }

    /// Describes an access in the step in progress.
    pub(crate) fn current_access(&self, operation: ObjectOperation) -> Option<Access> {
        seam::current().map(|runtime| self.access(&*runtime, operation))
    }

    /// Records an access that was made in the step in progress.
    pub(crate) fn record(&self, operation: ObjectOperation, effect: AccessEffect) {
        self.record_access(self.current_access(operation), effect);
    }

    /// Stops before an access, and returns in the step that makes the access.
    #[cold]
    pub(crate) fn begin_access(&self, operation: ObjectOperation) -> Option<Access> {
        let runtime = seam::current()?;
        let access = self.access(&*runtime, operation);
        runtime.reach(SchedulingPoint::Access(access), true);
        Some(access)
    }

    #[cold]
    pub(crate) fn record_access(&self, access: Option<Access>, effect: AccessEffect) {
        if let (Some(runtime), Some(access)) = (seam::current(), access) {
            runtime.access(MadeAccess::Object(access, effect, None));
        }
    }

    /// Records an access that was made, with a text that completes the verb in reports.
    #[cold]
    pub(crate) fn record_values(
        &self,
        access: Option<Access>,
        effect: AccessEffect,
        values: fmt::Arguments<'_>,
    ) {
        if let (Some(runtime), Some(access)) = (seam::current(), access) {
            runtime.access(MadeAccess::Object(access, effect, Some(values)));
        }
    }

    /// Retries until `attempt` succeeds; under test that is one step, once it is possible. An operation that
    /// makes it possible calls [`unblock`](Self::unblock).
    #[cold]
    pub(crate) fn block<T>(
        &self,
        operation: ObjectOperation,
        wait: Wait,
        effect: AccessEffect,
        attempt: impl FnMut() -> Option<T>,
    ) -> T {
        let access = self.begin_access(operation);
        self.block_on(access, wait, effect, attempt)
    }

    /// As [`block`](Self::block), but in the step in progress if that is possible.
    pub(crate) fn block_on<T>(
        &self,
        access: Option<Access>,
        wait: Wait,
        effect: AccessEffect,
        mut attempt: impl FnMut() -> Option<T>,
    ) -> T {
        loop {
            if let Some(done) = attempt() {
                self.record_access(access, effect);
                return done;
            }
            if let (Some(runtime), Some(access)) = (seam::current(), access) {
                runtime.block(BlockUntil::Changed(access, wait));
            }
        }
    }

    /// Lets the operations that are blocked on the object try again.
    pub(crate) fn unblock(&self, kind: &'static str) {
        self.wake(kind, Unblock::Retry);
    }

    /// Wakes operations that are blocked on the object.
    #[cold]
    pub(crate) fn wake(&self, kind: &'static str, whom: Unblock) {
        if let Some(runtime) = seam::current() {
            let id = self.id(&*runtime, kind);
            runtime.unblock(id, whom);
        }
    }

    /// Awaits a future; under test, a step begins when the future is ready.
    pub(crate) async fn wait<F: Future>(
        &self,
        operation: ObjectOperation,
        wait: Wait,
        future: F,
        effect: impl FnOnce(&F::Output) -> AccessEffect,
    ) -> F::Output {
        if !seam::is_controlled() {
            return future.await;
        }
        // The box keeps the controlled future out of the size of production futures.
        Box::pin(self.wait_controlled(operation, wait, future, effect)).await
    }

    async fn wait_controlled<F: Future>(
        &self,
        operation: ObjectOperation,
        wait: Wait,
        future: F,
        effect: impl FnOnce(&F::Output) -> AccessEffect,
    ) -> F::Output {
        let mut future = pin!(future);
        let mut access = PolledAccess::default();
        let done = poll_fn(|task| {
            access.poll(self, operation, wait, task, |task| {
                future.as_mut().poll(task)
            })
        })
        .await;
        self.record(operation, effect(&done));
        done
    }

    /// Releases the current operation's hold.
    #[cold]
    pub(crate) fn release(&self, kind: &'static str, place: SourceLocation, changes: bool) {
        let access = self.begin_access(ObjectOperation::at(kind, "lets go of", place));
        // A panic may poison the object, which is a change.
        let effect = match changes || panicking() {
            true => AccessEffect::LETS_GO,
            false => AccessEffect::LEAVES,
        };
        self.record_access(access, effect);
        self.unblock(kind);
    }
}

/// Waits for a future in code that blocks; under test, on the stack of a thread or a task. Returns `None` if
/// the waiting operation was ordered to end.
pub(crate) fn blocking<F: Future>(future: F) -> Option<F::Output> {
    seam::block_on(future, &seam::current_waker())
}

impl Default for Object {
    #[track_caller]
    fn default() -> Self {
        Self::new()
    }
}

impl fmt::Debug for Object {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Object").finish_non_exhaustive()
    }
}

/// The access of a future under test: announced at its first poll, and made at the poll that completes it.
#[derive(Default)]
pub(crate) struct PolledAccess {
    is_announced: bool,
    waiting: WaitMark,
}

impl PolledAccess {
    /// Polls by `poll`. When that is ready, the caller [records](Object::record) the access.
    pub(crate) fn poll<T>(
        &mut self,
        object: &Object,
        operation: ObjectOperation,
        wait: Wait,
        task: &mut TaskContext<'_>,
        poll: impl FnOnce(&mut TaskContext<'_>) -> Poll<T>,
    ) -> Poll<T> {
        // A caller without a stack of its own makes the access at its next poll.
        if !std::mem::replace(&mut self.is_announced, true)
            && let Some(runtime) = seam::current()
            && !runtime.reach(
                SchedulingPoint::Access(object.access(&*runtime, operation)),
                false,
            )
        {
            task.waker().wake_by_ref();
            return Poll::Pending;
        }
        let polled = poll(task);
        match polled.is_pending() {
            true => self.waiting.begin(object, operation, wait),
            false => self.stop_waiting(),
        }
        polled
    }

    /// Records that the operation no longer waits.
    pub(crate) fn stop_waiting(&mut self) {
        self.waiting = WaitMark::default();
    }
}

/// Marks the operation as waiting for an object until this is dropped.
#[derive(Default)]
struct WaitMark(Option<(ObjectId, Address)>);

impl WaitMark {
    fn begin(&mut self, object: &Object, operation: ObjectOperation, wait: Wait) {
        if let Some(runtime) = seam::current() {
            let access = object.access(&*runtime, operation);
            runtime.note(Note::WaitsFor(access, wait));
            self.0 = Some((access.object, runtime.current()));
        }
    }
}

impl Drop for WaitMark {
    fn drop(&mut self) {
        if let Some((object, operation)) = self.0 {
            seam::dropped(Dropped::ObjectWait(object, operation));
        }
    }
}

/// A hold on an object, shared or exclusive, by an operation, without a reference to the object.
pub(crate) struct ObjectHold {
    kind: &'static str,
    place: SourceLocation,
    /// True if the object may have been changed.
    changes: bool,
}

impl ObjectHold {
    pub(crate) fn of(taken: ObjectOperation) -> Self {
        Self {
            kind: taken.kind,
            place: taken.place,
            changes: false,
        }
    }

    /// Records that the object may be changed from now on.
    #[inline]
    pub(crate) fn mark_changed(&mut self) {
        self.changes = true;
    }

    /// Releases the object for the current operation.
    #[inline]
    pub(crate) fn release(&self, object: &Object) {
        if seam::is_controlled() {
            object.release(self.kind, self.place, self.changes);
        }
    }
}

/// A hold on an object, shared or exclusive, that ends when this is dropped.
pub(crate) struct HoldGuard<'a> {
    object: &'a Object,
    hold: ObjectHold,
}

impl<'a> HoldGuard<'a> {
    pub(crate) fn of(object: &'a Object, taken: ObjectOperation) -> Self {
        let hold = ObjectHold::of(taken);
        Self { object, hold }
    }

    /// Records that the object may be changed from now on.
    #[inline]
    pub(crate) fn mark_changed(&mut self) {
        self.hold.mark_changed();
    }
}

impl Drop for HoldGuard<'_> {
    #[inline]
    fn drop(&mut self) {
        self.hold.release(self.object);
    }
}

/// An object with several owners. `None` in production, and if it was created outside of an execution.
#[derive(Clone, Debug)]
pub(crate) struct OwnedObject(Option<Arc<Object>>);

impl Accessed for OwnedObject {
    #[inline]
    fn controlled(&self) -> Option<&Object> {
        self.0.as_deref().filter(|_| seam::is_controlled())
    }
}

impl OwnedObject {
    #[track_caller]
    pub(crate) fn new() -> Self {
        let object = Object::new();
        Self(seam::is_controlled().then(|| Arc::new(object)))
    }

    /// Awaits a future; under test, a step begins when the future is ready.
    pub(crate) async fn wait<F: Future>(
        &self,
        operation: ObjectOperation,
        wait: Wait,
        future: F,
        effect: impl FnOnce(&F::Output) -> AccessEffect,
    ) -> F::Output {
        match &self.0 {
            None => future.await,
            Some(object) => object.wait(operation, wait, future, effect).await,
        }
    }

    /// Awaits the end of the other side of a channel.
    #[track_caller]
    pub(crate) fn wait_for_end(
        &self,
        kind: &'static str,
        closed: impl Future<Output = ()>,
    ) -> impl Future<Output = ()> {
        let operation = ObjectOperation::new(kind, "sees the end of");
        self.wait(operation, Wait::News, closed, |()| AccessEffect::READS)
    }

    /// Lets the operations that are blocked on the object try again.
    #[inline]
    pub(crate) fn unblock(&self, kind: &'static str) {
        if let Some(object) = self.controlled() {
            object.unblock(kind);
        }
    }

    /// Records the drop of one of the owners, which under test is a step.
    pub(crate) fn record_drop(&self, kind: &'static str, verb: &'static str) {
        if let Some(object) = self.controlled() {
            let operation = ObjectOperation::at(kind, verb, object.created_at);
            self.step(operation, || (), |()| AccessEffect::CHANGES);
            object.unblock(kind);
        }
    }
}
