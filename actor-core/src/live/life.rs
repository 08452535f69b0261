//! The task of an actor, from its spawn to its last dead letter.

use std::future::Future;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context as TaskContext, Poll};

use super::cell::Cell;
use super::current;
use super::hooks::{FailureKind, Fault};
use super::hub::Hub;
use super::reply::losing;
use crate::parts::{Body, Due, Ran};
use crate::reference::Target;
use crate::reply::AskError;
use crate::runtime::{Spawn, SpawnOptions};
use crate::watch::StopReason;

/// Starts an actor. Where the system shuts down it is dropped, and the cell is one of an actor that
/// has stopped.
pub(super) fn spawn(hub: &Arc<Hub>, actor: &mut dyn Spawn, options: &SpawnOptions) -> Arc<Cell> {
    let cell = Cell::new(hub.clone(), options, actor.info(), actor.mail());
    let cell = Arc::new(cell);
    let Some(place) = hub.registry.enter(cell.clone()) else {
        cell.end(StopReason::Aborted);
        return cell;
    };
    let mut body = Body::new();
    body.install(actor.rest(&Target::live(cell.clone())));
    let life = Life {
        body,
        part: if cell.info().starts {
            Part::Starting
        } else {
            Part::Working
        },
        cell: cell.clone(),
        place,
    };
    // Boxed, for the task is rounded up to twice the size if it holds more than a pointer or three.
    let task = hub.handle.spawn(Box::pin(life));
    hub.registry.attach(place, cell.id(), task.abort_handle());
    cell
}

/// A running actor. Dropping it is an abort: its inbox is closed and its watchers told, as after
/// any other end.
struct Life {
    body: Body,
    part: Part,
    cell: Arc<Cell>,
    /// In the registry.
    place: u32,
}

/// Which part of its life runs, or waits in an async handler.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Part {
    /// The `#[start]` hook and the first `#[entry]`.
    Starting,
    /// Events.
    Working,
    /// The `#[stop]` hook, since the system says so.
    Stopping,
    /// It is over.
    Ended,
}

impl Future for Life {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, task: &mut TaskContext<'_>) -> Poll<()> {
        let life = &mut *self;
        // One guard for a whole batch, since a batch is one poll.
        let _current = current::enter(life.cell.id());
        let result = match catch_unwind(AssertUnwindSafe(|| life.run(task))) {
            Ok(Poll::Pending) => return Poll::Pending,
            Ok(Poll::Ready(result)) => result,
            Err(payload) => Err(Fault::from_panic(payload)),
        };
        let reason = match result {
            Ok(()) => StopReason::Halted,
            Err(fault) => {
                life.cell.failed(fault);
                StopReason::Panicked
            }
        };
        life.end(reason);
        Poll::Ready(())
    }
}

impl Life {
    fn run(&mut self, task: &TaskContext<'_>) -> Poll<Result<(), Fault>> {
        let waker = task.waker();
        let mut ran = if self.body.is_suspended() {
            self.body.resume(waker)
        } else if self.part == Part::Starting {
            self.body.start(waker)
        } else {
            Ran::Done
        };
        loop {
            match ran {
                Ran::Suspended => return Poll::Pending,
                Ran::Halted => return Poll::Ready(Ok(())),
                Ran::Done if self.part == Part::Stopping => return Poll::Ready(Ok(())),
                Ran::Done => self.part = Part::Working,
            }
            ran = match self.body.work(task) {
                Due::Wait => return Poll::Pending,
                Due::Ran(ran) => ran,
                Due::Stop => {
                    self.part = Part::Stopping;
                    self.body.stop(waker)
                }
                Due::Unhandled(event) => {
                    let state = self.body.state();
                    return Poll::Ready(Err(unhandled(&self.cell, state, &event)));
                }
            };
        }
    }

    /// Drops the actor, then closes its inbox: what its destructor sends goes out before.
    fn end(&mut self, mut reason: StopReason) {
        self.part = Part::Ended;
        let _current = current::enter(self.cell.id());
        let lost = match reason {
            StopReason::Panicked => AskError::Failed,
            _ => AskError::Stopped,
        };
        let clear = || losing(lost, || self.body.clear());
        if let Err(payload) = catch_unwind(AssertUnwindSafe(clear)) {
            self.cell.failed(Fault::from_panic(payload));
            reason = StopReason::Panicked;
        }
        self.cell.end(reason);
        self.cell.hub().registry.leave(self.place);
    }
}

impl Drop for Life {
    fn drop(&mut self) {
        if self.part != Part::Ended {
            self.end(StopReason::Aborted);
        }
    }
}

fn unhandled(cell: &Cell, state: usize, event: &str) -> Fault {
    let state = cell.info().state_name(state).unwrap_or("Stateless");
    Fault {
        kind: FailureKind::Unhandled,
        message: format!("{event} in state {state}, which neither handles, defers nor ignores it"),
    }
}
