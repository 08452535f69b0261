//! Waiting for an actor's end: the future [`Stopped`].

use std::fmt;
use std::pin::Pin;
use std::task::{Context as TaskContext, Poll};

use super::{Ask, Reply};
use crate::production::{AwaitsEnd, Target};
use crate::runtime;
use crate::supervision::StopReason;

/// The future of an actor's end; made by [`ActorRef::stopped`](crate::ActorRef::stopped). Dropping the
/// future changes nothing for the actor.
#[must_use = "nothing waits before this is awaited"]
pub struct Stopped(Ask<StopReason>);

impl Stopped {
    pub(crate) fn of(target: &Target) -> Self {
        let (reply, ask) = target.begin_ask_beside();
        match target.live_actor() {
            Some(actor) => actor.await_end(Box::new(reply)),
            None => {
                if let Some(id) = ask.controlled() {
                    runtime::with(|rt| rt.await_end(id, Box::new(|reason| reply.put(reason))));
                }
            }
        }
        Self(ask)
    }
}

impl Future for Stopped {
    type Output = StopReason;

    fn poll(mut self: Pin<&mut Self>, task: &mut TaskContext<'_>) -> Poll<StopReason> {
        // If the executor itself is gone, nobody can report the reason.
        let end = Pin::new(&mut self.0).poll(task);
        end.map(|reason| reason.unwrap_or(StopReason::Aborted))
    }
}

impl fmt::Debug for Stopped {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Stopped")
    }
}

impl AwaitsEnd for Reply<StopReason> {
    fn ended(self: Box<Self>, reason: StopReason) {
        self.send(reason);
    }

    fn is_over(&self) -> bool {
        self.is_nobody()
    }
}
