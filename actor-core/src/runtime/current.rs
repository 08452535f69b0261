//! The runtime of the execution that this thread runs, where it runs one.

use std::any::Any;
use std::future::Future;
use std::rc::Rc;
use std::sync::Arc;
use std::task::{Context as TaskContext, Poll, Waker};
use std::time::Duration;

use scoped_tls::scoped_thread_local;

use super::Runtime;
use crate::identity::{Address, RoomId, TimerId};
use crate::parts::{Again, AnyMail, AskSlot, Notice, Offered, Purpose, SpawnOptions};
use crate::production::{Factory, Spawn, Target};

scoped_thread_local! {
    // A reference and no more: who tells an event looks here each time.
    static CURRENT: Rc<dyn Runtime>
}

/// Makes `runtime` the current one of this thread while `f` runs.
pub fn enter<T>(runtime: &Rc<dyn Runtime>, f: impl FnOnce() -> T) -> T {
    CURRENT.set(runtime, f)
}

/// Whether this thread runs a controlled execution.
#[inline]
pub fn is_controlled() -> bool {
    CURRENT.is_set()
}

/// The current runtime, to be called with nothing borrowed: what it does may come back in a later step.
#[cold]
pub(crate) fn current() -> Option<Rc<dyn Runtime>> {
    is_controlled().then(|| CURRENT.with(Rc::clone))
}

/// Calls the current runtime.
///
/// # Panics
///
/// Outside a controlled execution: a reference made under test was carried to another thread, or
/// kept after its test.
#[inline]
pub(crate) fn with<T>(f: impl FnOnce(&dyn Runtime) -> T) -> T {
    if !is_controlled() {
        outside();
    }
    CURRENT.with(|runtime| f(&**runtime))
}

// What generic code calls: a closure for `with` would be compiled for every actor type.

/// See [`Runtime::spawn`].
pub(crate) fn spawn(actor: &mut dyn Spawn, options: &SpawnOptions) -> Target {
    Target::controlled(with(|rt| rt.spawn(actor, options)))
}

/// See [`Runtime::spawn_with`].
pub(crate) fn spawn_with(
    supervisor: Option<Address>,
    factory: Factory,
    options: &SpawnOptions,
) -> Target {
    Target::controlled(with(|rt| rt.spawn_with(supervisor, factory, options)))
}

/// The registry of names; `registry` is started where there is none yet.
pub(crate) fn names(registry: &mut dyn Spawn) -> Target {
    if let Some(known) = with(|rt| rt.names()) {
        return Target::controlled(known);
    }
    let options = SpawnOptions::named("registry");
    let started = with(|rt| rt.spawn(registry, &options));
    with(|rt| rt.set_names(started));
    Target::controlled(started)
}

/// See [`Runtime::has_stopped`].
pub(crate) fn has_stopped(of: Address) -> bool {
    with(|rt| rt.has_stopped(of))
}

/// See [`Runtime::post`].
pub(crate) fn post(to: Address, message: &mut dyn Any) {
    with(|rt| rt.post(to, message));
}

/// See [`Runtime::ask`].
pub(crate) fn ask(to: Address, slot: &Arc<AskSlot>) {
    let id = with(|rt| rt.ask(to, slot.clone()));
    slot.register(id);
}

/// See [`Runtime::ask_for_room`].
pub(crate) fn ask_for_room(to: Address, event: u16, waits: bool) -> RoomId {
    with(|rt| rt.ask_for_room(to, event, waits))
}

/// See [`Runtime::poll_room`].
pub(crate) fn poll_room(room: RoomId, message: &mut dyn Any, waker: &Waker) -> Poll<Offered> {
    with(|rt| rt.poll_room(room, message, waker))
}

/// See [`Runtime::arm`].
pub(crate) fn arm(
    owner: Address,
    delay: Duration,
    message: &mut dyn Any,
    again: Option<Again>,
    purpose: Purpose,
) -> TimerId {
    with(|rt| rt.arm(owner, delay, message, again, purpose))
}

/// See [`Runtime::watch`].
pub(crate) fn watch(watcher: Address, target: Address, notice: Notice) {
    with(|rt| rt.watch(watcher, target, notice));
}

/// See [`Runtime::receive`].
pub(crate) fn receive(owner: Address, event: u16, waker: &Waker) -> Poll<(Rc<dyn AnyMail>, u32)> {
    match with(|rt| rt.receive(owner, event, waker)) {
        Some(found) => Poll::Ready(found),
        None => Poll::Pending,
    }
}

/// See [`Runtime::entered`].
pub(crate) fn entered(owner: Address, from: Option<usize>, to: usize) {
    with(|rt| rt.entered(owner, from, to));
}

/// See [`Runtime::raised`].
pub(crate) fn raised(owner: Address, state: usize, event: u16) {
    with(|rt| rt.raised(owner, state, event));
}

/// Calls the current runtime, if there is one: for destructors.
pub(crate) fn try_with<T>(f: impl FnOnce(&dyn Runtime) -> T) -> Option<T> {
    is_controlled().then(|| CURRENT.with(|runtime| f(&**runtime)))
}

#[cold]
fn outside() -> ! {
    panic!(
        "an actor under test was used outside its execution: the reference was carried to \
         another thread, or kept after its test"
    )
}

/// Runs a future on the stack of the current operation, which waits where the future does. `None` where
/// the operation was told to end meanwhile.
pub fn block_on<F: Future>(future: F, waker: &Waker) -> Option<F::Output> {
    let mut future = std::pin::pin!(future);
    // Code that blocks may itself run within a poll: its wake-ups and those of that poll have one waker,
    // so a wait here counts as a wake-up there.
    let mut is_due_outside = current()?.replace_wake_up(false);
    loop {
        let runtime = current()?;
        if runtime.is_aborted() {
            return None;
        }
        if let Poll::Ready(output) = future.as_mut().poll(&mut TaskContext::from_waker(waker)) {
            runtime.replace_wake_up(is_due_outside);
            return Some(output);
        }
        is_due_outside = true;
        // It may have been told meanwhile.
        if runtime.is_aborted() {
            return None;
        }
        runtime.park();
    }
}
