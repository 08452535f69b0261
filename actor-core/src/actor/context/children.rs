//! Whom an actor starts, supervises and stops.

use std::future::Future;
use std::pin::Pin;
use std::time::Duration;

use super::Context;
use crate::actor::{Actor, ActorRef, Handler, Spawner};
use crate::production::Target;
use crate::runtime::{self, Home, Starts, Stop};
use crate::supervision::{Decision, Failure, Supervision};

/// Other actors: to start, to supervise and to stop them.
impl<A: Actor> Context<A> {
    /// Starts an actor and returns a reference to it, to which events may be sent at once.
    pub fn spawn<B: Actor>(&mut self, actor: B) -> ActorRef<B> {
        self.spawner().spawn(actor)
    }

    /// Starts what `factory` makes as a supervised child of this actor; see
    /// [`Spawner::spawn_with`].
    ///
    /// This actor's children end with it: each is stopped, in reverse order of the spawns, before
    /// this actor's value is dropped. Where it ends in order, that is when its `#[stop]` hook has
    /// run, and each child handles what was sent to it before; where it fails or is made to end at
    /// once, they are stopped ahead of that.
    pub fn spawn_with<B: Actor>(
        &mut self,
        factory: impl FnMut() -> B + Send + 'static,
    ) -> ActorRef<B> {
        self.spawner().spawn_with(factory)
    }

    /// Says how this actor supervises its children from now on: one for one, and at most 3 restarts
    /// within 5 s, unless told. After a restart of this actor it is to be said again.
    pub fn supervise(&mut self, supervision: Supervision) {
        match &self.home {
            Home::Live(side) => side.supervise(supervision),
            Home::Controlled(me) => runtime::with(|rt| rt.supervise(*me, supervision)),
        }
    }

    /// Has this actor asked what becomes of a child that has failed: by the event [`Failure`], to which
    /// its handler answers with a [`Decision`].
    ///
    /// The child is down meanwhile: its value is dropped, and what is sent to it waits. The event comes
    /// after what is in this actor's inbox; the handler may be async, and a state may defer the event.
    /// Where there is no answer, since the state ignores the event for instance or the mailbox is full,
    /// the child is brought back. A handler that panics while it decides is a failure of this actor, whose
    /// children end with it.
    ///
    /// It is asked where the child would be brought back after a failure: not after a halt, and not for
    /// a [`Restart::Temporary`](crate::Restart::Temporary) child. After a restart of this actor it is to
    /// be said again.
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
            Home::Live(side) => side.decide_failures(ask_supervisor::<A>),
            Home::Controlled(me) => {
                runtime::with(|rt| rt.decide_failures(*me, ask_supervisor::<A>));
            }
        }
    }

    /// Stops another actor, as [`System::stop`](crate::System::stop) does.
    pub fn stop<B: Actor>(&mut self, other: &ActorRef<B>) {
        other.target().stop(Stop::InOrder);
    }

    /// As [`System::stop_within`](crate::System::stop_within).
    pub fn stop_within<B: Actor>(&mut self, other: &ActorRef<B>, deadline: Duration) {
        other.target().stop(Stop::Within(deadline));
    }

    /// As [`System::kill`](crate::System::kill).
    pub fn kill<B: Actor>(&mut self, other: &ActorRef<B>) {
        other.target().stop(Stop::AtOnce);
    }

    /// Starts actors with settings of their own.
    pub fn spawner(&mut self) -> Spawner<'_> {
        Spawner::new(&self.home)
    }

    /// Where its actors are started.
    pub(crate) fn parent(&self) -> &dyn Starts {
        &self.home
    }
}

/// Asks a supervisor what becomes of a child; that it is brought back, where there is no answer.
fn ask_supervisor<A: Handler<Failure, Reply = Decision>>(
    supervisor: Target,
    failure: Failure,
) -> Pin<Box<dyn Future<Output = Decision> + Send>> {
    Box::pin(async move {
        let answer = ActorRef::<A>::new(supervisor).ask(failure).without_limit();
        answer.await.unwrap_or_default()
    })
}
