//! Orders to stop: [`Stopping`], and the future of an actor's end: [`Stopped`].

use std::fmt;
use std::future::IntoFuture;
use std::pin::Pin;
use std::task::{Context as TaskContext, Poll};
use std::time::Duration;

use super::{Ask, Reply};
use crate::dispatch::Target;
use crate::event::Event;
use crate::identity::AskId;
use crate::production::{Awaits, LiveActor};
use crate::seam::{self, Action, Stop};
use crate::supervision::StopReason;

/// An order to an actor to end, which was given by [`ActorRef::stop`](crate::ActorRef::stop) or
/// [`ActorRef::kill`](crate::ActorRef::kill).
///
/// Dropping it changes nothing. Awaiting it waits for the actor's end, and returns the reason.
///
/// ```
/// # use actor_core::prelude::*;
/// # use std::time::Duration;
/// # struct Printer;
/// # #[actor]
/// # impl Printer {}
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), actor_core::Error> {
/// # let sys = System::new();
/// let printer = sys.spawn(Printer);
/// let reason = printer.stop().within(Duration::from_secs(5)).await;
/// assert_eq!(reason, StopReason::Stopped);
/// # sys.shutdown().await?;
/// # Ok(())
/// # }
/// ```
pub struct Stopping(Target);

impl Stopping {
    pub(crate) fn order(target: &Target, stop: Stop) -> Self {
        target.stop(stop);
        Self(target.uncounted())
    }

    /// Kills the actor, as [`kill`](crate::ActorRef::kill) does, if it has not ended after `limit`: a
    /// handler that waits for ever, or an endless inbox, keeps an actor from stopping in order.
    ///
    /// # Panics
    ///
    /// In production, if the system's tokio runtime has no time driver.
    pub fn within(self, limit: Duration) -> Self {
        self.0.stop(Stop::After(limit));
        self
    }
}

impl IntoFuture for Stopping {
    type Output = StopReason;
    type IntoFuture = Stopped;

    fn into_future(self) -> Stopped {
        Stopped::of(&self.0)
    }
}

impl fmt::Debug for Stopping {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Stopping")
    }
}

/// The future of an actor's end; made by [`ActorRef::stopped`](crate::ActorRef::stopped), and by awaiting a
/// [`Stopping`]. Dropping the future changes nothing for the actor.
#[must_use = "nothing waits before this is awaited"]
pub struct Stopped(Ask<StopReason>);

impl Stopped {
    pub(crate) fn of(target: &Target) -> Self {
        Self(await_lifecycle(
            target,
            LiveActor::await_end,
            Action::AwaitEnd,
        ))
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

/// Waits for the start or the end of an actor, which the executor reports as a reply without an event.
pub(super) fn await_lifecycle<T: Event>(
    target: &Target,
    live: impl FnOnce(&LiveActor, Box<dyn Awaits<T>>),
    controlled: impl FnOnce(AskId, Box<dyn FnOnce(T)>) -> Action,
) -> Ask<T> {
    let (reply, ask) = target.begin_ask_beside();
    match target.live_actor() {
        Some(actor) => live(&actor, Box::new(reply)),
        None => {
            if let Some(id) = ask.controlled() {
                seam::act(controlled(id, Box::new(|of| reply.put(of))));
            }
        }
    }
    ask
}

impl<T: Event> Awaits<T> for Reply<T> {
    fn notify(self: Box<Self>, of: T) {
        self.send(of);
    }

    fn is_over(&self) -> bool {
        self.is_nobody()
    }
}
