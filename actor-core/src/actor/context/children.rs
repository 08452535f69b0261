//! Decisions of a supervisor about its failed children.

use std::future::Future;
use std::pin::Pin;

use super::Context;
use crate::actor::{Actor, ActorRef, Handler};
use crate::dispatch::{ActorExecutor, Target};
use crate::seam::{self, Action};
use crate::supervision::{Decision, Failure};

impl<A: Actor> Context<A> {
    /// Makes this actor decide about its failed children: it gets the event [`Failure`], and its
    /// handler replies with a [`Decision`].
    ///
    /// The child is down meanwhile: its value is dropped, and events sent to it wait. The [`Failure`] comes
    /// after the events in this actor's inbox; the handler may be async, and a state may defer the event.
    /// The child is restarted if there is no reply, for instance because the state ignores the event or the
    /// mailbox is full. A panic while the handler decides is a failure of this actor.
    ///
    /// The actor decides only if the child would be restarted after a failure: not after a halt, and not for
    /// a [`Restart::Temporary`](crate::supervision::Restart::Temporary) child. After a restart of this actor,
    /// call this method again.
    ///
    /// ```
    /// use actor_core::prelude::*;
    /// use actor_core::supervision::{Decision, Failure};
    ///
    /// struct Reader;
    /// #[actor]
    /// impl Reader {}
    ///
    /// struct Connection;
    ///
    /// #[actor]
    /// impl Connection {
    ///     #[start]
    ///     fn start(&mut self, cx: &mut Context<Self>) {
    ///         cx.decide_failures();
    ///         cx.spawn_with(|| Reader);
    ///     }
    ///
    ///     #[on]
    ///     fn failed(&mut self, failure: Failure) -> Decision {
    ///         match failure.message.contains("checksum") {
    ///             true => Decision::Escalate,
    ///             false => Decision::Restart,
    ///         }
    ///     }
    /// }
    /// ```
    pub fn decide_failures(&mut self)
    where
        A: Handler<Failure, Reply = Decision>,
    {
        match &self.home {
            ActorExecutor::Live(local) => {
                local.live_actor().decide_failures(ask_supervisor::<A, _>);
            }
            ActorExecutor::Controlled(me) => {
                seam::act(Action::DecideFailures(*me, ask_supervisor::<A, _>));
            }
        }
    }
}

/// Asks a supervisor to decide about a failed child; without a reply the child is restarted.
fn ask_supervisor<A: Handler<Failure, Reply = Decision>, Me: Into<Target>>(
    supervisor: Me,
    failure: Failure,
) -> Pin<Box<dyn Future<Output = Decision> + Send>> {
    let supervisor = ActorRef::<A>::new(supervisor.into());
    Box::pin(async move {
        let answer = supervisor.ask(failure).without_limit();
        answer.await.unwrap_or_default()
    })
}
