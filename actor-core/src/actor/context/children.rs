//! Spawning, supervising and stopping other actors from a handler.

use std::future::Future;
use std::pin::Pin;
use std::time::Duration;

use super::Context;
use crate::actor::{Actor, ActorRef, Handler, Spawner};
use crate::production::Target;
use crate::runtime::{self, ActorExecutor, SpawnParent, Stop};
use crate::supervision::{Decision, Failure, Supervision};

/// Spawning, supervising and stopping of other actors.
impl<A: Actor> Context<A> {
    /// Starts an actor and returns a reference to it, to which events may be sent at once.
    pub fn spawn<B: Actor>(&mut self, actor: B) -> ActorRef<B> {
        self.spawner().spawn(actor)
    }

    /// Starts a value of `factory` as a supervised child of this actor; see [`Spawner::spawn_with`].
    ///
    /// The children end with this actor: each is stopped, in reverse order of the spawns, before this
    /// actor's value is dropped. If this actor ends in order, its `#[stop]` hook runs first, and each child
    /// handles the events sent to it before. After a failure or a kill, they stop at once.
    pub fn spawn_with<B: Actor>(
        &mut self,
        factory: impl FnMut() -> B + Send + 'static,
    ) -> ActorRef<B> {
        self.spawner().spawn_with(factory)
    }

    /// Sets the supervision of this actor's children from now on. The default is one for one, with at
    /// most 3 restarts within 5 s. A restart of this actor resets the supervision to the default.
    pub fn supervise(&mut self, supervision: Supervision) {
        match &self.home {
            ActorExecutor::Live(side) => side.supervise(supervision),
            ActorExecutor::Controlled(me) => runtime::with(|rt| rt.supervise(*me, supervision)),
        }
    }

    /// Makes this actor decide about its failed children: it gets the event [`Failure`], and its
    /// handler replies with a [`Decision`].
    ///
    /// The child is down meanwhile: its value is dropped, and events sent to it wait. The [`Failure`] comes
    /// after the events in this actor's inbox; the handler may be async, and a state may defer the event.
    /// The child is restarted if there is no reply, for instance because the state ignores the event or the
    /// mailbox is full. A panic while the handler decides is a failure of this actor.
    ///
    /// The actor decides only if the child would be restarted after a failure: not after a halt, and
    /// not for a [`Restart::Temporary`](crate::Restart::Temporary) child. After a restart of this
    /// actor, call this method again.
    ///
    /// ```
    /// use actor_core::prelude::*;
    /// use actor_core::{Decision, Failure};
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
            ActorExecutor::Live(side) => side.decide_failures(ask_supervisor::<A>),
            ActorExecutor::Controlled(me) => {
                runtime::with(|rt| rt.decide_failures(*me, ask_supervisor::<A>));
            }
        }
    }

    /// Stops another actor, as [`System::stop`](crate::System::stop) does.
    pub fn stop<B: Actor>(&mut self, other: &ActorRef<B>) {
        other.target().stop(Stop::InOrder);
    }

    /// Stops another actor as [`System::stop_within`](crate::System::stop_within) does.
    pub fn stop_within<B: Actor>(&mut self, other: &ActorRef<B>, deadline: Duration) {
        other.target().stop(Stop::Within(deadline));
    }

    /// Kills another actor as [`System::kill`](crate::System::kill) does.
    pub fn kill<B: Actor>(&mut self, other: &ActorRef<B>) {
        other.target().stop(Stop::AtOnce);
    }

    /// Returns a builder for starting actors with settings of their own.
    pub fn spawner(&mut self) -> Spawner<'_> {
        Spawner::new(&self.home)
    }

    /// Returns the home of this actor, in which it spawns others.
    pub(crate) fn parent(&self) -> &dyn SpawnParent {
        &self.home
    }
}

/// Asks a supervisor to decide about a failed child; without a reply the child is restarted.
fn ask_supervisor<A: Handler<Failure, Reply = Decision>>(
    supervisor: Target,
    failure: Failure,
) -> Pin<Box<dyn Future<Output = Decision> + Send>> {
    Box::pin(async move {
        let answer = ActorRef::<A>::new(supervisor).ask(failure).without_limit();
        answer.await.unwrap_or_default()
    })
}
