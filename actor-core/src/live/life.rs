//! The task of an actor, from its spawn to its last dead letter.

use std::future::{Future, poll_fn};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::task::{Context as TaskContext, Poll, ready};

use super::cell::Cell;
use super::current;
use super::hooks::{FailureKind, Fault};
use super::hub::Hub;
use super::inbox::Next;
use super::side::Side;
use crate::actor::{Actor, Call, State};
use crate::context::Context;
use crate::parts::{run_async, run_sync};
use crate::reference::ActorRef;
use crate::watch::StopReason;

/// Starts an actor. Where the system shuts down it is dropped, and the reference is to an actor
/// that has stopped.
pub(super) fn spawn<A: Actor>(hub: &Arc<Hub>, actor: A, name: Option<&str>) -> ActorRef<A> {
    let cell = Arc::new(Cell::<A>::new(hub.clone(), name));
    let me = ActorRef::live(cell.clone());
    if !hub.registry.enter(cell.clone()) {
        cell.mailbox().close();
        cell.ended(StopReason::Aborted);
        return me;
    }
    let id = cell.id();
    let cx = Context::live(me.clone(), Side::new(cell));
    let life = Life {
        actor: Some(actor),
        cx,
        ended: false,
    };
    // Boxed, so that tokio's machinery is compiled once and not for every actor type.
    let task: Pin<Box<dyn Future<Output = ()> + Send>> = Box::pin(life.live());
    let task = hub.handle.spawn(task);
    hub.registry.attach(id, task.abort_handle());
    me
}

/// A running actor. Dropping it is an abort: its inbox is closed and its watchers told, as after
/// any other end.
struct Life<A: Actor> {
    /// `None` once it was dropped at the end.
    actor: Option<A>,
    cx: Context<A>,
    ended: bool,
}

/// Why a batch of events is over.
enum Batch<A: Actor> {
    /// The handler is async.
    Async(Call<A>),
    /// The actor has stopped itself; its `#[stop]` hook ran.
    Halted,
    /// The system stops the actor.
    Stop,
    /// The state has no use for the event.
    Unhandled(A::Message),
}

impl<A: Actor> Life<A> {
    async fn live(mut self) {
        let id = self.cx.me().id();
        let result = {
            let mut run = pin!(self.run());
            // One guard for a whole batch, since a batch is one poll.
            let poll = |task: &mut TaskContext<'_>| {
                let _current = current::enter(id);
                match catch_unwind(AssertUnwindSafe(|| run.as_mut().poll(task))) {
                    Ok(poll) => poll,
                    Err(payload) => Poll::Ready(Err(Fault::from_panic(payload))),
                }
            };
            poll_fn(poll).await
        };
        let reason = match result {
            Ok(()) => StopReason::Halted,
            Err(fault) => {
                self.cell().failed(fault);
                StopReason::Panicked
            }
        };
        self.end(reason);
    }

    async fn run(&mut self) -> Result<(), Fault> {
        let Self { actor, cx, .. } = self;
        let actor = actor.as_mut().expect("a running actor was not dropped");
        if A::INFO.starts {
            cx.begin();
            call(actor, Call::Start, cx).await;
        }
        while !cx.is_halted() {
            match poll_fn(|task| poll_batch(actor, cx, task)).await {
                Batch::Async(call) => run_async(actor, call, cx).await,
                Batch::Halted => break,
                Batch::Stop => {
                    call(actor, Call::Stop, cx).await;
                    break;
                }
                Batch::Unhandled(message) => return Err(unhandled(&message, cx)),
            }
        }
        Ok(())
    }

    fn cell(&mut self) -> &Arc<Cell<A>> {
        side(&mut self.cx).cell()
    }

    /// Drops the actor, then closes its inbox: what its destructor sends goes out before.
    fn end(&mut self, mut reason: StopReason) {
        self.ended = true;
        let _current = current::enter(self.cx.me().id());
        let actor = self.actor.take();
        if let Err(payload) = catch_unwind(AssertUnwindSafe(|| drop(actor))) {
            self.cell().failed(Fault::from_panic(payload));
            reason = StopReason::Panicked;
        }
        side(&mut self.cx).end(reason);
    }
}

impl<A: Actor> Drop for Life<A> {
    fn drop(&mut self) {
        if !self.ended {
            self.end(StopReason::Aborted);
        }
    }
}

/// Runs one call and what follows from it.
async fn call<A: Actor>(actor: &mut A, call: Call<A>, cx: &mut Context<A>) {
    if let Some(call) = run_sync(actor, call, cx) {
        run_async(actor, call, cx).await;
    }
}

/// Handles events until something else than a synchronous handler is due.
fn poll_batch<A: Actor>(
    actor: &mut A,
    cx: &mut Context<A>,
    task: &TaskContext<'_>,
) -> Poll<Batch<A>> {
    loop {
        let state = cx.state().index();
        match ready!(side(cx).poll_next(state, task)) {
            Next::Handle { message, .. } => {
                if let Some(call) = run_sync(actor, Call::Event(message), cx) {
                    return Poll::Ready(Batch::Async(call));
                }
                if cx.is_halted() {
                    return Poll::Ready(Batch::Halted);
                }
            }
            Next::Nothing => {}
            Next::Stop => return Poll::Ready(Batch::Stop),
            Next::Unhandled(message) => return Poll::Ready(Batch::Unhandled(message)),
        }
    }
}

fn unhandled<A: Actor>(message: &A::Message, cx: &Context<A>) -> Fault {
    let event = A::event(message);
    let state = cx.state();
    Fault {
        kind: FailureKind::Unhandled,
        message: format!(
            "{event:?} in state {state:?}, which neither handles, defers nor ignores it"
        ),
    }
}

#[inline]
fn side<A: Actor>(cx: &mut Context<A>) -> &mut Side<A> {
    cx.live_side().expect("a live actor has a live context")
}
