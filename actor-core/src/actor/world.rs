//! What a predicate sees of single actors, whose types it knows.

use std::any::TypeId;

use super::{Actor, ActorRef};
use crate::identity::{ActorId, Address};
use crate::specification::World;

impl<'a> World<'a> {
    /// The actor; `None` while it is not started, when it has stopped, and while it is suspended
    /// inside an async handler.
    pub fn get<A: Actor>(&self, actor: &ActorRef<A>) -> Option<&'a A> {
        let address = actor.target().address();
        self.look(address);
        let found = self.snapshot.actor(address);
        self.absent.set(self.absent.get() || found.is_none());
        found.and_then(|actor| actor.downcast_ref())
    }

    /// The actor's state, under the conditions of [`get`](World::get).
    pub fn state_of<A: Actor>(&self, actor: &ActorRef<A>) -> Option<&'static str> {
        let address = actor.target().address();
        self.look(address);
        let state = self.snapshot.state(address);
        self.absent.set(self.absent.get() || state.is_none());
        state.and_then(|state| A::INFO.state_name(state))
    }

    /// Every actor of one type that can be shown, in order of creation.
    pub fn all<A: Actor>(&self) -> impl Iterator<Item = &'a A> + use<'a, A> {
        self.living().map(|(_, actor)| actor)
    }

    /// As [`all`](World::all), each with its identity.
    pub fn all_with_ids<A: Actor>(&self) -> impl Iterator<Item = (ActorId, &'a A)> + use<'a, A> {
        let snapshot = self.snapshot;
        self.living().map(move |(address, actor)| {
            // Who is told an identity may compare it with one.
            snapshot.singled_out(address);
            (ActorId::controlled(address), actor)
        })
    }

    fn living<A: Actor>(&self) -> impl Iterator<Item = (Address, &'a A)> + use<'a, A> {
        let (snapshot, is_watched) = (self.snapshot, self.is_watched);
        let first = snapshot.first(TypeId::of::<A>());
        let living = std::iter::successors(first, move |actor| snapshot.after(*actor));
        living.filter_map(move |address| {
            let actor = snapshot.actor(address)?.downcast_ref()?;
            if is_watched {
                snapshot.looked_at(address);
            }
            Some((address, actor))
        })
    }

    /// How many events wait in the actor's inbox.
    pub fn inbox_len<A: Actor>(&self, actor: &ActorRef<A>) -> usize {
        let address = actor.target().address();
        self.look(address);
        self.snapshot.inbox_len(address)
    }
}
