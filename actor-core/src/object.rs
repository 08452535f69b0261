//! Shared objects (locks, channels, atomics) as the tester identifies them: [`Object`].

use std::fmt;
use std::future::{Future, poll_fn};
use std::panic::Location;
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::task::Poll;
use std::thread::panicking;

use crate::runtime::{
    self, Access, AccessEffect, Address, ObjectId, Runtime, SourceLocation, Wait,
};

/// The identity of a lock, a channel or an atomic. Under test, the first access of each execution gives it a
/// number; in production it is unused.
pub(crate) struct Object {
    /// The execution plus one, and the object's number in that execution; zero before the first access.
    /// Relaxed ordering suffices, since an execution runs on one thread.
    id: AtomicU64,
    created_at: SourceLocation,
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
    pub(crate) fn new(kind: &'static str, what: &'static str) -> Self {
        Self::at(kind, what, Location::caller())
    }

    #[inline]
    pub(crate) fn at(kind: &'static str, verb: &'static str, place: SourceLocation) -> Self {
        Self { kind, verb, place }
    }
}

impl Object {
    #[track_caller]
    pub(crate) const fn new() -> Self {
        Self::made_at(Location::caller())
    }

    pub(crate) const fn made_at(created_at: SourceLocation) -> Self {
        Self {
            id: AtomicU64::new(0),
            created_at,
        }
    }

    pub(crate) fn id(&self, runtime: &dyn Runtime, kind: &'static str) -> ObjectId {
        let execution = runtime.execution();
        let known = self.id.load(Ordering::Relaxed);
        if known >> 32 == u64::from(execution) + 1 {
            let index = known as u32;
            return ObjectId { index, execution };
        }
        let new = runtime.object(kind, self.created_at);
        let id = (u64::from(execution) + 1) << 32 | u64::from(new.index);
        self.id.store(id, Ordering::Relaxed);
        new
    }

    /// Returns true if the object was not yet accessed in this execution.
    pub(crate) fn is_new(&self, runtime: &dyn Runtime) -> bool {
        self.id.load(Ordering::Relaxed) >> 32 != u64::from(runtime.execution()) + 1
    }

    pub(crate) fn access(&self, runtime: &dyn Runtime, deed: ObjectOperation) -> Access {
        Access {
            object: self.id(runtime, deed.kind),
            what: deed.verb,
            place: deed.place,
        }
    }

    /// Performs an operation that does not wait; under test it is a step.
    #[inline]
    pub(crate) fn step<T>(
        &self,
        deed: ObjectOperation,
        f: impl FnOnce() -> T,
        touch: impl FnOnce(&T) -> AccessEffect,
    ) -> T {
        if !runtime::is_controlled() {
            return f();
        }
        let access = self.begin_access(deed);
        let done = f();
        self.record_access(access, touch(&done));
        done
    }

    /// Reads the object; under test this is a step that changes nothing.
    #[inline]
    #[track_caller]
    pub(crate) fn read_step<T>(&self, kind: &'static str, f: impl FnOnce() -> T) -> T {
        self.step(ObjectOperation::new(kind, "looks into"), f, |_| {
            AccessEffect::LOOKS
        })
    }

    /// Stops before an access, and returns in the step that makes the access.
    #[cold]
    pub(crate) fn begin_access(&self, deed: ObjectOperation) -> Option<Access> {
        let runtime = runtime::current()?;
        let access = self.access(&*runtime, deed);
        runtime.announce_access(access, true);
        Some(access)
    }

    #[cold]
    pub(crate) fn record_access(&self, access: Option<Access>, touch: AccessEffect) {
        if let (Some(runtime), Some(access)) = (runtime::current(), access) {
            runtime.touch(access, touch);
        }
    }

    /// Retries until `attempt` succeeds; under test that is one step, once it is possible. An operation that
    /// makes it possible calls [`unblock`](Self::unblock).
    #[cold]
    pub(crate) fn block<T>(
        &self,
        deed: ObjectOperation,
        wait: Wait,
        touch: AccessEffect,
        mut attempt: impl FnMut() -> Option<T>,
    ) -> T {
        let access = self.begin_access(deed);
        self.block_on(access, wait, touch, &mut attempt)
    }

    /// As [`block`](Self::block), but in the step in progress if that is possible.
    pub(crate) fn block_on<T>(
        &self,
        access: Option<Access>,
        wait: Wait,
        touch: AccessEffect,
        attempt: &mut impl FnMut() -> Option<T>,
    ) -> T {
        loop {
            if let Some(done) = attempt() {
                self.record_access(access, touch);
                return done;
            }
            if let (Some(runtime), Some(access)) = (runtime::current(), access) {
                runtime.block(access, wait);
            }
        }
    }

    /// Lets the operations that are blocked on the object try again.
    pub(crate) fn unblock(&self, kind: &'static str) {
        if let Some(runtime) = runtime::current() {
            let id = self.id(&*runtime, kind);
            runtime.unblock(id);
        }
    }

    /// Awaits a future; under test, a step begins when the future is ready.
    pub(crate) async fn wait<F: Future>(
        &self,
        deed: ObjectOperation,
        wait: Wait,
        future: F,
        touch: impl FnOnce(&F::Output) -> AccessEffect,
    ) -> F::Output {
        if !runtime::is_controlled() {
            return future.await;
        }
        // The box keeps the controlled future out of the size of production futures.
        Box::pin(self.wait_controlled(deed, wait, future, touch)).await
    }

    async fn wait_controlled<F: Future>(
        &self,
        deed: ObjectOperation,
        wait: Wait,
        future: F,
        touch: impl FnOnce(&F::Output) -> AccessEffect,
    ) -> F::Output {
        let mut future = pin!(future);
        self.begin_access_async(deed).await;
        let mut waiting = WaitMark::default();
        let done = poll_fn(|task| {
            let polled = future.as_mut().poll(task);
            if polled.is_pending() {
                waiting.begin(self, deed, wait);
            }
            polled
        });
        let done = done.await;
        drop(waiting);
        if let Some(runtime) = runtime::current() {
            runtime.touch(self.access(&*runtime, deed), touch(&done));
        }
        done
    }

    /// Stops before an access, with or without a stack of its own.
    async fn begin_access_async(&self, deed: ObjectOperation) {
        let mut is_there = false;
        poll_fn(|task| {
            if std::mem::replace(&mut is_there, true) {
                return Poll::Ready(());
            }
            let has_come = match runtime::current() {
                Some(runtime) => runtime.announce_access(self.access(&*runtime, deed), false),
                None => true,
            };
            if has_come {
                return Poll::Ready(());
            }
            task.waker().wake_by_ref();
            Poll::Pending
        })
        .await;
    }
}

/// Waits for a future in code that blocks; under test, on the stack of a thread or a task. Returns `None` if
/// the waiting operation was ordered to end.
pub(crate) fn blocking<F: Future>(future: F) -> Option<F::Output> {
    let waker = runtime::current()?.waker();
    runtime::block_on(future, &waker)
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

/// Marks the operation as waiting for an object until this is dropped.
#[derive(Default)]
pub(crate) struct WaitMark(Option<(ObjectId, Address)>);

impl WaitMark {
    pub(crate) fn begin(&mut self, object: &Object, deed: ObjectOperation, wait: Wait) {
        if let Some(runtime) = runtime::current() {
            let access = object.access(&*runtime, deed);
            runtime.awaits(access, wait);
            self.0 = Some((access.object, runtime.current()));
        }
    }
}

impl Drop for WaitMark {
    fn drop(&mut self) {
        if let (Some((object, operation)), Some(runtime)) = (self.0, runtime::current()) {
            runtime.awaited(object, operation);
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

    #[inline]
    pub(crate) fn changes(&mut self) {
        self.changes = true;
    }

    /// Releases the object for the current operation.
    #[inline]
    pub(crate) fn release(&self, object: &Object) {
        if runtime::is_controlled() {
            object.let_go(self.kind, self.place, self.changes);
        }
    }
}

/// A hold on an object, shared or exclusive, that ends when this is dropped.
pub(crate) struct HoldGuard<'a> {
    object: &'a Object,
    share: ObjectHold,
}

impl<'a> HoldGuard<'a> {
    pub(crate) fn of(object: &'a Object, taken: ObjectOperation) -> Self {
        Self {
            object,
            share: ObjectHold::of(taken),
        }
    }

    /// Records that the object may be changed from now on.
    #[inline]
    pub(crate) fn changes(&mut self) {
        self.share.changes();
    }
}

impl Drop for HoldGuard<'_> {
    #[inline]
    fn drop(&mut self) {
        self.share.release(self.object);
    }
}

impl Object {
    /// Releases the current operation's hold.
    #[cold]
    pub(crate) fn let_go(&self, kind: &'static str, place: SourceLocation, changes: bool) {
        let what = "lets go of";
        let access = self.begin_access(ObjectOperation {
            kind,
            verb: what,
            place,
        });
        // A panic may poison the object, which is a change.
        let touch = match changes || panicking() {
            true => AccessEffect::LETS_GO,
            false => AccessEffect::LEAVES,
        };
        self.record_access(access, touch);
        self.unblock(kind);
    }
}

/// An object with several owners. `None` in production, and if it was created outside of an execution.
#[derive(Clone, Debug)]
pub(crate) struct OwnedObject(Option<Arc<Object>>);

impl OwnedObject {
    #[track_caller]
    pub(crate) fn new() -> Self {
        let made = Location::caller();
        Self(runtime::is_controlled().then(|| Arc::new(Object::made_at(made))))
    }

    #[inline]
    pub(crate) fn step<T>(
        &self,
        deed: ObjectOperation,
        f: impl FnOnce() -> T,
        touch: impl FnOnce(&T) -> AccessEffect,
    ) -> T {
        match &self.0 {
            None => f(),
            Some(object) => object.step(deed, f, touch),
        }
    }

    #[inline]
    #[track_caller]
    pub(crate) fn look<T>(&self, kind: &'static str, f: impl FnOnce() -> T) -> T {
        match &self.0 {
            None => f(),
            Some(object) => object.read_step(kind, f),
        }
    }

    pub(crate) async fn wait<F: Future>(
        &self,
        deed: ObjectOperation,
        wait: Wait,
        future: F,
        touch: impl FnOnce(&F::Output) -> AccessEffect,
    ) -> F::Output {
        match &self.0 {
            None => future.await,
            Some(object) => object.wait(deed, wait, future, touch).await,
        }
    }

    /// Returns the object if an execution is controlled.
    pub(crate) fn get(&self) -> Option<&Arc<Object>> {
        self.0.as_ref().filter(|_| runtime::is_controlled())
    }

    #[inline]
    pub(crate) fn unblock(&self, kind: &'static str) {
        if let Some(object) = self.get() {
            object.unblock(kind);
        }
    }

    /// Records the drop of one of the owners, which under test is a step.
    pub(crate) fn dropped(&self, deed: ObjectOperation) {
        if let Some(object) = self.get() {
            let access = object.begin_access(deed);
            object.record_access(access, AccessEffect::CHANGES);
            object.unblock(deed.kind);
        }
    }
}
