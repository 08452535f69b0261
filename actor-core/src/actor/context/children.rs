//! Whom an actor starts, supervises and stops.

use std::time::Duration;

use super::Context;
use crate::actor::{Actor, ActorRef, Spawner};
use crate::runtime::{self, Home, Starts, Stop};
use crate::supervision::Supervision;

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
