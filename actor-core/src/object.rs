//! What is shared, as the tester knows it: [`Object`].

use std::fmt;
use std::future::{Future, poll_fn};
use std::panic::Location;
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::task::Poll;
use std::thread::panicking;

use crate::runtime::{self, Access, Address, ObjectId, Place, Runtime, Touch, Wait};

/// The identity of a lock, a channel or an atomic: a number under test, where it is known by the first
/// access of each execution, and nothing in production.
pub(crate) struct Object {
    /// The execution, plus one, and the number in it; zero before the first access. Nobody is ordered by it:
    /// an execution runs on one thread.
    id: AtomicU64,
    made: Place,
}

/// What is about to be done with an object.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Deed {
    /// What kind of thing the object is.
    pub(crate) kind: &'static str,
    /// What is done, as a story has it.
    pub(crate) what: &'static str,
    pub(crate) place: Place,
}

impl Deed {
    /// What the caller is about to do.
    #[track_caller]
    #[inline]
    pub(crate) fn new(kind: &'static str, what: &'static str) -> Self {
        Self::at(kind, what, Location::caller())
    }

    #[inline]
    pub(crate) fn at(kind: &'static str, what: &'static str, place: Place) -> Self {
        Self { kind, what, place }
    }
}

impl Object {
    #[track_caller]
    pub(crate) const fn new() -> Self {
        Self::made_at(Location::caller())
    }

    pub(crate) const fn made_at(made: Place) -> Self {
        Self {
            id: AtomicU64::new(0),
            made,
        }
    }

    pub(crate) fn id(&self, runtime: &dyn Runtime, kind: &'static str) -> ObjectId {
        let execution = runtime.execution();
        let known = self.id.load(Ordering::Relaxed);
        if known >> 32 == u64::from(execution) + 1 {
            let index = known as u32;
            return ObjectId { index, execution };
        }
        let new = runtime.object(kind, self.made);
        let id = (u64::from(execution) + 1) << 32 | u64::from(new.index);
        self.id.store(id, Ordering::Relaxed);
        new
    }

    /// It was not accessed before in this execution.
    pub(crate) fn is_new(&self, runtime: &dyn Runtime) -> bool {
        self.id.load(Ordering::Relaxed) >> 32 != u64::from(runtime.execution()) + 1
    }

    pub(crate) fn access(&self, runtime: &dyn Runtime, deed: Deed) -> Access {
        Access {
            object: self.id(runtime, deed.kind),
            what: deed.what,
            place: deed.place,
        }
    }

    /// Does something that does not wait, which under test is a step.
    #[inline]
    pub(crate) fn step<T>(
        &self,
        deed: Deed,
        f: impl FnOnce() -> T,
        touch: impl FnOnce(&T) -> Touch,
    ) -> T {
        if !runtime::is_controlled() {
            return f();
        }
        let access = self.reach(deed);
        let done = f();
        self.touch(access, touch(&done));
        done
    }

    /// Looks into it, which under test is a step that changes nothing.
    #[inline]
    #[track_caller]
    pub(crate) fn look<T>(&self, kind: &'static str, f: impl FnOnce() -> T) -> T {
        self.step(Deed::new(kind, "looks into"), f, |_| Touch::LOOKS)
    }

    /// Comes to an access, which the step makes that this comes back in.
    #[cold]
    pub(crate) fn reach(&self, deed: Deed) -> Option<Access> {
        let runtime = runtime::current()?;
        let access = self.access(&*runtime, deed);
        runtime.reach(access, true);
        Some(access)
    }

    #[cold]
    pub(crate) fn touch(&self, access: Option<Access>, touch: Touch) {
        if let (Some(runtime), Some(access)) = (runtime::current(), access) {
            runtime.touch(access, touch);
        }
    }

    /// Tries until `attempt` has something, which under test is one step after it was possible. Who lets
    /// it become possible calls [`unblock`](Self::unblock).
    #[cold]
    pub(crate) fn block<T>(
        &self,
        deed: Deed,
        wait: Wait,
        touch: Touch,
        mut attempt: impl FnMut() -> Option<T>,
    ) -> T {
        let access = self.reach(deed);
        self.block_on(access, wait, touch, &mut attempt)
    }

    /// As [`block`](Self::block), in the step in progress where that is possible.
    pub(crate) fn block_on<T>(
        &self,
        access: Option<Access>,
        wait: Wait,
        touch: Touch,
        attempt: &mut impl FnMut() -> Option<T>,
    ) -> T {
        loop {
            if let Some(done) = attempt() {
                self.touch(access, touch);
                return done;
            }
            if let (Some(runtime), Some(access)) = (runtime::current(), access) {
                runtime.block(access, wait);
            }
        }
    }

    /// Who is blocked on it may try again.
    pub(crate) fn unblock(&self, kind: &'static str) {
        if let Some(runtime) = runtime::current() {
            let id = self.id(&*runtime, kind);
            runtime.unblock(id);
        }
    }

    /// Awaits a future, which under test is a step when it is ready.
    pub(crate) async fn wait<F: Future>(
        &self,
        deed: Deed,
        wait: Wait,
        future: F,
        touch: impl FnOnce(&F::Output) -> Touch,
    ) -> F::Output {
        if !runtime::is_controlled() {
            return future.await;
        }
        // In a box, so that production has no room for it in its futures.
        Box::pin(self.wait_controlled(deed, wait, future, touch)).await
    }

    async fn wait_controlled<F: Future>(
        &self,
        deed: Deed,
        wait: Wait,
        future: F,
        touch: impl FnOnce(&F::Output) -> Touch,
    ) -> F::Output {
        let mut future = pin!(future);
        self.reached(deed).await;
        let mut waiting = Waiting::default();
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

    /// Comes to an access, on a stack of its own or without.
    async fn reached(&self, deed: Deed) {
        let mut is_there = false;
        poll_fn(|task| {
            if std::mem::replace(&mut is_there, true) {
                return Poll::Ready(());
            }
            let has_come = match runtime::current() {
                Some(runtime) => runtime.reach(self.access(&*runtime, deed), false),
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

/// Waits for a future in code that blocks, under test on the stack of a thread or a task. `None` where who
/// waits was told to end.
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

/// While it lives, an operation is known to wait.
#[derive(Default)]
pub(crate) struct Waiting(Option<(ObjectId, Address)>);

impl Waiting {
    pub(crate) fn begin(&mut self, object: &Object, deed: Deed, wait: Wait) {
        if let Some(runtime) = runtime::current() {
            let access = object.access(&*runtime, deed);
            runtime.awaits(access, wait);
            self.0 = Some((access.object, runtime.current()));
        }
    }
}

impl Drop for Waiting {
    fn drop(&mut self) {
        if let (Some((object, operation)), Some(runtime)) = (self.0, runtime::current()) {
            runtime.awaited(object, operation);
        }
    }
}

/// A share of an object, or all of it, that an operation holds, apart from the object.
pub(crate) struct Share {
    kind: &'static str,
    place: Place,
    /// It may have been changed.
    changes: bool,
}

impl Share {
    pub(crate) fn of(taken: Deed) -> Self {
        Self {
            kind: taken.kind,
            place: taken.place,
            changes: false,
        }
    }

    /// The object may be changed from now on.
    #[inline]
    pub(crate) fn changes(&mut self) {
        self.changes = true;
    }

    /// The current operation lets go of it.
    #[inline]
    pub(crate) fn let_go(&self, object: &Object) {
        if runtime::is_controlled() {
            object.let_go(self.kind, self.place, self.changes);
        }
    }
}

/// A share of an object, or all of it, that an operation holds until this is dropped.
pub(crate) struct Held<'a> {
    object: &'a Object,
    share: Share,
}

impl<'a> Held<'a> {
    pub(crate) fn of(object: &'a Object, taken: Deed) -> Self {
        Self {
            object,
            share: Share::of(taken),
        }
    }

    /// It may be changed from now on.
    #[inline]
    pub(crate) fn changes(&mut self) {
        self.share.changes();
    }
}

impl Drop for Held<'_> {
    #[inline]
    fn drop(&mut self) {
        self.share.let_go(self.object);
    }
}

impl Object {
    /// The current operation lets go of its share.
    #[cold]
    pub(crate) fn let_go(&self, kind: &'static str, place: Place, changes: bool) {
        let what = "lets go of";
        let access = self.reach(Deed { kind, what, place });
        // A panic may poison it.
        let touch = match changes || panicking() {
            true => Touch::LETS_GO,
            false => Touch::LEAVES,
        };
        self.touch(access, touch);
        self.unblock(kind);
    }
}

/// An object that several have: nothing in production, and where it was made outside of an execution.
#[derive(Clone, Debug)]
pub(crate) struct Common(Option<Arc<Object>>);

impl Common {
    #[track_caller]
    pub(crate) fn new() -> Self {
        let made = Location::caller();
        Self(runtime::is_controlled().then(|| Arc::new(Object::made_at(made))))
    }

    /// As [`Object::step`].
    #[inline]
    pub(crate) fn step<T>(
        &self,
        deed: Deed,
        f: impl FnOnce() -> T,
        touch: impl FnOnce(&T) -> Touch,
    ) -> T {
        match &self.0 {
            None => f(),
            Some(object) => object.step(deed, f, touch),
        }
    }

    /// As [`Object::look`].
    #[inline]
    #[track_caller]
    pub(crate) fn look<T>(&self, kind: &'static str, f: impl FnOnce() -> T) -> T {
        match &self.0 {
            None => f(),
            Some(object) => object.look(kind, f),
        }
    }

    /// As [`Object::wait`].
    pub(crate) async fn wait<F: Future>(
        &self,
        deed: Deed,
        wait: Wait,
        future: F,
        touch: impl FnOnce(&F::Output) -> Touch,
    ) -> F::Output {
        match &self.0 {
            None => future.await,
            Some(object) => object.wait(deed, wait, future, touch).await,
        }
    }

    /// The object, where an execution is controlled.
    pub(crate) fn get(&self) -> Option<&Arc<Object>> {
        self.0.as_ref().filter(|_| runtime::is_controlled())
    }

    /// As [`Object::unblock`].
    #[inline]
    pub(crate) fn unblock(&self, kind: &'static str) {
        if let Some(object) = self.get() {
            object.unblock(kind);
        }
    }

    /// One of those that have it is dropped, which under test is a step.
    pub(crate) fn dropped(&self, deed: Deed) {
        if let Some(object) = self.get() {
            let access = object.reach(deed);
            object.touch(access, Touch::CHANGES);
            object.unblock(deed.kind);
        }
    }
}
