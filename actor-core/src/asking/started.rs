//! Waiting for an actor's start: the future [`Started`].

use std::fmt;
use std::pin::Pin;
use std::task::{Context as TaskContext, Poll};

use super::Ask;
use super::stopped::await_lifecycle;
use crate::dispatch::Target;
use crate::production::LiveActor;
use crate::seam::Action;
use crate::supervision::StopReason;

/// The future of an actor's start; made by [`ActorRef::started`](crate::ActorRef::started). Dropping the
/// future changes nothing for the actor.
#[must_use = "nothing waits before this is awaited"]
pub struct Started(Ask<Result<(), StopReason>>);

impl Started {
    pub(crate) fn of(target: &Target) -> Self {
        Self(await_lifecycle(
            target,
            LiveActor::await_start,
            Action::AwaitStart,
        ))
    }
}

impl Future for Started {
    type Output = Result<(), StopReason>;

    fn poll(mut self: Pin<&mut Self>, task: &mut TaskContext<'_>) -> Poll<Self::Output> {
        // If the executor itself is gone, nobody can report the reason.
        let start = Pin::new(&mut self.0).poll(task);
        start.map(|start| start.unwrap_or(Err(StopReason::Aborted)))
    }
}

impl fmt::Debug for Started {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Started")
    }
}
