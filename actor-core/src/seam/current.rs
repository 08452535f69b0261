//! The current controlled executor of this thread, if any, and calls to it.

use std::any::Any;
use std::future::Future;
use std::rc::Rc;
use std::sync::Arc;
use std::task::{Context as TaskContext, Poll, Waker};
use std::time::Duration;

use scoped_tls::scoped_thread_local;

use super::{AnyMail, AskSlot, NextTick, Notice, Offered, Purpose, Runtime};
use crate::identity::{Address, CapacityRequestId, TimerId};

scoped_thread_local! {
    // Only a reference, since every send under test reads this.
    static CURRENT: Rc<dyn Runtime>
}

/// Makes `runtime` the current one of this thread while `f` runs.
pub fn enter<T>(runtime: &Rc<dyn Runtime>, f: impl FnOnce() -> T) -> T {
    CURRENT.set(runtime, f)
}

/// Returns true if this thread runs a controlled execution.
#[inline]
pub fn is_controlled() -> bool {
    CURRENT.is_set()
}

/// Returns the current runtime, with nothing borrowed: a call to it may return in a later step.
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

// Non-generic calls for generic code: a closure for `with` would be compiled for every actor type.

pub(crate) fn has_stopped(of: Address) -> bool {
    with(|rt| rt.has_stopped(of))
}

pub(crate) fn post(to: Address, message: &mut dyn Any) {
    with(|rt| rt.post(to, message));
}

pub(crate) fn ask(to: Address, slot: &Arc<AskSlot>) {
    let id = with(|rt| rt.ask(to, slot.clone()));
    slot.register(id);
}

pub(crate) fn ask_for_room(to: Address, event: u16, waits: bool) -> CapacityRequestId {
    with(|rt| rt.ask_for_room(to, event, waits))
}

pub(crate) fn poll_room(
    room: CapacityRequestId,
    message: &mut dyn Any,
    waker: &Waker,
) -> Poll<Offered> {
    with(|rt| rt.poll_room(room, message, waker))
}

pub(crate) fn arm(
    owner: Address,
    delay: Duration,
    message: &mut dyn Any,
    again: Option<NextTick>,
    purpose: Purpose,
) -> TimerId {
    with(|rt| rt.arm(owner, delay, message, again, purpose))
}

pub(crate) fn watch(watcher: Address, target: Address, notice: Notice) {
    with(|rt| rt.watch(watcher, target, notice));
}

pub(crate) fn receive(owner: Address, event: u16, waker: &Waker) -> Poll<(Rc<dyn AnyMail>, u32)> {
    match with(|rt| rt.receive(owner, event, waker)) {
        Some(found) => Poll::Ready(found),
        None => Poll::Pending,
    }
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

/// Runs a future to its end on the stack of the current operation, which parks while the future is
/// pending. Returns `None` if the operation is aborted meanwhile.
pub fn block_on<F: Future>(future: F, waker: &Waker) -> Option<F::Output> {
    let mut future = std::pin::pin!(future);
    // Blocking code may itself run within a poll and shares one waker with that poll, so a wait here
    // counts as a wake-up there.
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
        // The poll may have aborted the operation.
        if runtime.is_aborted() {
            return None;
        }
        runtime.park();
    }
}
