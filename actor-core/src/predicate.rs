//! Predicates over a consistent snapshot of actor states: [`World`].

use std::any::{Any, TypeId};
use std::cell::Cell;
use std::fmt;

use crate::actor::Actor;
use crate::reference::{ActorId, ActorRef};
use crate::runtime::Address;

/// What a predicate is expected to be.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub enum Expectation {
    /// True after every step: an invariant.
    Always,
    /// True at least once.
    Eventually,
    /// True again and again.
    AlwaysEventually,
    /// True in some execution: reachability, reported when never seen.
    Sometimes,
}

/// A predicate as the tester keeps it.
pub type Predicate = Box<dyn FnMut(&World<'_>) -> bool>;

/// What the tester shows to a [`World`].
pub trait Snapshot {
    /// The actor, unless it is not started, stopped, or suspended in an async handler.
    fn actor(&self, of: Address) -> Option<&dyn Any>;
    /// The position of the actor's current state, under the same conditions.
    fn state(&self, of: Address) -> Option<usize>;
    /// The actor of that type that was created first, of those that have not stopped.
    fn first(&self, actor_type: TypeId) -> Option<Address>;
    /// The next actor of the same type.
    fn after(&self, actor: Address) -> Option<Address>;
    /// How many events wait in the actor's inbox.
    fn inbox_len(&self, of: Address) -> usize;
    /// How many events were sent and have not reached an inbox yet.
    fn in_flight(&self) -> usize;
    /// How many timers are armed.
    fn timers(&self) -> usize;
}

/// All actors between two steps, as [`System::always`](crate::System::always) and its kin see them.
pub struct World<'a> {
    snapshot: &'a dyn Snapshot,
    absent: Cell<bool>,
}

impl<'a> World<'a> {
    /// Shows a snapshot to one evaluation of a predicate.
    #[doc(hidden)]
    pub fn new(snapshot: &'a dyn Snapshot) -> Self {
        Self {
            snapshot,
            absent: Cell::new(false),
        }
    }

    /// Whether an actor was asked for, since the last call, that could not be shown.
    #[doc(hidden)]
    pub fn take_absent(&self) -> bool {
        self.absent.replace(false)
    }

    /// The actor; `None` while it is not started, when it has stopped, and while it is suspended
    /// inside an async handler.
    pub fn get<A: Actor>(&self, actor: &ActorRef<A>) -> Option<&'a A> {
        let found = self.snapshot.actor(actor.target().address());
        self.absent.set(self.absent.get() || found.is_none());
        found.and_then(|actor| actor.downcast_ref())
    }

    /// The actor's state, under the conditions of [`get`](World::get).
    pub fn state_of<A: Actor>(&self, actor: &ActorRef<A>) -> Option<&'static str> {
        let state = self.snapshot.state(actor.target().address());
        self.absent.set(self.absent.get() || state.is_none());
        state.and_then(|state| A::INFO.state_name(state))
    }

    /// Every actor of one type that can be shown, in order of creation.
    pub fn all<A: Actor>(&self) -> impl Iterator<Item = &'a A> + use<'a, A> {
        self.all_with_ids().map(|(_, actor)| actor)
    }

    /// As [`all`](World::all), each with its identity.
    pub fn all_with_ids<A: Actor>(&self) -> impl Iterator<Item = (ActorId, &'a A)> + use<'a, A> {
        let snapshot = self.snapshot;
        let first = snapshot.first(TypeId::of::<A>());
        let living = std::iter::successors(first, move |actor| snapshot.after(*actor));
        living.filter_map(move |address| {
            let actor = snapshot.actor(address)?.downcast_ref()?;
            Some((ActorId::controlled(address), actor))
        })
    }

    /// How many events wait in the actor's inbox.
    pub fn inbox_len<A: Actor>(&self, actor: &ActorRef<A>) -> usize {
        self.snapshot.inbox_len(actor.target().address())
    }

    /// How many events were sent and have not reached an inbox yet.
    pub fn in_flight(&self) -> usize {
        self.snapshot.in_flight()
    }

    /// How many timers are armed.
    pub fn timers(&self) -> usize {
        self.snapshot.timers()
    }
}

impl fmt::Debug for World<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("World")
            .field("in_flight", &self.in_flight())
            .finish_non_exhaustive()
    }
}
