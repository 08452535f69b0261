//! The current controlled executor of this thread, if any, and calls to it.

use std::any::Any;
use std::future::Future;
use std::rc::Rc;
use std::sync::Arc;
use std::task::{Context as TaskContext, Poll, Waker, ready};
use std::time::Duration;

use scoped_tls::scoped_thread_local;

use super::{
    Action, AnyMail, AskSite, AskSlot, Awaited, BlockUntil, Dropped, Note, Offered, Purpose, Query,
    RandomChoice, Registration, Request, Runtime, TimerEvent,
};
use crate::identity::{Address, RequestId, TimerId};

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

pub(crate) fn post(to: Address, message: &mut dyn Any) {
    with(|rt| rt.post(to, message));
}

pub(crate) fn ask(to: Address, slot: &Arc<AskSlot>, site: Option<AskSite>) {
    let id = with(|rt| rt.ask(to, slot.clone(), site));
    slot.register(id);
}

pub(crate) fn act(action: Action) {
    with(|rt| rt.act(action));
}

pub(crate) fn register(registration: Registration<'_>) {
    with(|rt| rt.register(registration));
}

pub(crate) fn choose(choice: RandomChoice) -> u32 {
    with(|rt| rt.choose(choice))
}

pub(crate) fn arm(delay: Duration, purpose: Purpose, event: Option<TimerEvent<'_>>) -> TimerId {
    with(|rt| rt.arm(delay, purpose, event))
}

pub(crate) fn request(request: Request) -> RequestId {
    with(|rt| rt.request(request))
}

/// Polls a request for capacity, and sends the message if capacity was granted.
pub(crate) fn poll_capacity(
    request: RequestId,
    message: &mut dyn Any,
    waker: &Waker,
) -> Poll<Offered> {
    let mut offered = Offered::Closed;
    let wait = Awaited::Capacity {
        request,
        message,
        offered: &mut offered,
    };
    with(|rt| rt.poll(wait, waker)).map(|()| offered)
}

/// Polls the wait of an actor for an event of that number.
pub(crate) fn poll_event(
    owner: Address,
    event: u16,
    waker: &Waker,
) -> Poll<(Rc<dyn AnyMail>, u32)> {
    let mut found = None;
    ready!(with(
        |rt| rt.poll(Awaited::Event(owner, event, &mut found), waker)
    ));
    Poll::Ready(found.expect("a wait that is over has its event"))
}

/// Asks the current runtime a question; returns the answer.
pub(crate) fn query<T: Default>(question: impl FnOnce(&mut T) -> Query<'_>) -> T {
    let mut answer = T::default();
    with(|rt| rt.query(question(&mut answer)));
    answer
}

/// Asks the current runtime a question; outside a controlled execution, the default is the answer.
pub(crate) fn try_query<T: Default>(question: impl FnOnce(&mut T) -> Query<'_>) -> T {
    let mut answer = T::default();
    try_with(|rt| rt.query(question(&mut answer)));
    answer
}

/// Returns the waker of the current operation.
pub(crate) fn current_waker() -> Waker {
    let mut waker = Waker::noop().clone();
    try_with(|rt| rt.query(Query::Waker(&mut waker)));
    waker
}

/// Passes a fact to the current runtime, if there is one.
pub(crate) fn note(note: Note<'_>) {
    try_with(|rt| rt.note(note));
}

/// Reports a drop to the current runtime, if there is one.
pub(crate) fn dropped(value: Dropped) {
    try_with(|rt| rt.dropped(value));
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
    let mut is_due_outside = false;
    current()?.query(Query::ExchangeWakeUp(&mut is_due_outside));
    loop {
        let runtime = current()?;
        if query(|to| Query::IsAborted(to)) {
            return None;
        }
        if let Poll::Ready(output) = future.as_mut().poll(&mut TaskContext::from_waker(waker)) {
            runtime.query(Query::ExchangeWakeUp(&mut is_due_outside));
            return Some(output);
        }
        is_due_outside = true;
        // The poll may have aborted the operation.
        if query(|to| Query::IsAborted(to)) {
            return None;
        }
        runtime.block(BlockUntil::Woken);
    }
}
