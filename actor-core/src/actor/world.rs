//! The view of a predicate on actors of known type: values, states and inbox lengths.

use std::any::TypeId;

use super::{Actor, ActorRef};
use crate::identity::{ActorId, Address};
use crate::specification::World;

impl<'a> World<'a> {
    /// Returns the actor's value; `None` before its start, after its end, and inside an async handler.
    pub fn get<A: Actor>(&self, actor: &ActorRef<A>) -> Option<&'a A> {
        let address = actor.target().address();
        self.record_read(address);
        let found = self.snapshot.actor(address);
        self.absent.set(self.absent.get() || found.is_none());
        found.and_then(|actor| actor.downcast_ref())
    }

    /// Returns the actor's state, under the conditions of [`get`](World::get).
    pub fn state_of<A: Actor>(&self, actor: &ActorRef<A>) -> Option<&'static str> {
        let address = actor.target().address();
        self.record_read(address);
        let state = self.snapshot.state(address);
        self.absent.set(self.absent.get() || state.is_none());
        state.and_then(|state| A::INFO.state_name(state))
    }

    /// Returns every visible actor of one type, in order of creation.
    pub fn all<A: Actor>(&self) -> impl Iterator<Item = &'a A> + use<'a, A> {
        self.living().map(|(_, actor)| actor)
    }

    /// Returns the same as [`all`](World::all), each actor with its identity.
    pub fn all_with_ids<A: Actor>(&self) -> impl Iterator<Item = (ActorId, &'a A)> + use<'a, A> {
        let snapshot = self.snapshot;
        self.living().map(move |(address, actor)| {
            // A predicate that gets an identity may compare it with another, which breaks symmetry.
            snapshot.record_identity_use(address);
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
                snapshot.record_inspected(address);
            }
            Some((address, actor))
        })
    }

    /// Returns the number of events in the actor's inbox.
    pub fn inbox_len<A: Actor>(&self, actor: &ActorRef<A>) -> usize {
        let address = actor.target().address();
        self.record_read(address);
        self.snapshot.inbox_len(address)
    }
}
