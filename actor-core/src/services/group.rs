//! Broadcast groups: [`Group`] sends each event to all its members.

use std::fmt;
use std::future::Future;
use std::hash::{Hash, Hasher};

use actor_macros::actor;

use crate::actor::Scope;
use crate::actor::reference_macros::by_identity;
use crate::actor::{ActorRef, AnyRef, Recipient};
use crate::event::Event;
use crate::fingerprint::{Fingerprint, Fingerprinter};
use crate::identity::ActorId;
use crate::insertion_ordered_map::{CleanupSchedule, InsertionOrderedMap};
use crate::system::System;

/// A group of actors: every broadcast is sent to every member. Clones are handles to the same group.
///
/// A group is an actor, which handles its requests in the order of arrival. So every member receives the
/// broadcasts in the same order, and those of one sender in the order in which they were sent. One broadcast
/// is sent to the members in the order of joining. No order exists between a broadcast and another sender's
/// [`join`](Group::join).
///
/// A member that has stopped is removed automatically. A member that joins again keeps its position. A
/// monitor observes an event on its way to each member, and not on its way to the group.
///
/// ```
/// use actor_core::services::Group;
/// use actor_core::prelude::*;
///
/// #[derive(Clone, Debug)]
/// struct Price(u64);
///
/// struct Trader;
///
/// #[actor]
/// impl Trader {
///     #[on]
///     fn price(&mut self, price: Price) {
///         println!("{}", price.0);
///     }
/// }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), actor_core::Error> {
/// let sys = System::new();
/// let prices = Group::new(&sys);
/// for _ in 0..3 {
///     prices.join(&sys.spawn(Trader));
/// }
/// prices.broadcast(Price(7));
/// assert_eq!(prices.members().await.len(), 3);
/// # sys.shutdown().await?;
/// # Ok(())
/// # }
/// ```
pub struct Group<E: Event + Clone> {
    actor: ActorRef<Members<E>>,
}

impl<E: Event + Clone> Group<E> {
    /// Starts a group without members.
    pub fn new(sys: &System) -> Self {
        Self {
            actor: sys.spawn(Members::default()),
        }
    }

    /// Starts a group with a name, which logs and reports show.
    pub fn named(sys: &System, name: &str) -> Self {
        Self {
            actor: sys.spawn_named(name, Members::default()),
        }
    }

    /// Adds a member: an [`ActorRef`], a [`ProtocolRef`](crate::protocols::ProtocolRef) or a [`Recipient`].
    pub fn join(&self, member: impl Into<Recipient<E>>) {
        self.actor.tell(GroupRequest::Join(member.into()));
    }

    /// Removes a member; does nothing for a non-member.
    pub fn leave(&self, member: &impl AnyRef) {
        self.actor.tell(GroupRequest::Leave(member.target().id()));
    }

    /// Sends a copy of `event` to every member.
    pub fn broadcast(&self, event: E) {
        self.actor.tell(GroupRequest::Broadcast(event));
    }

    /// Returns the members in the order of joining, at the time when the group handles this request. The
    /// result is empty after the system has shut down.
    pub fn members(&self) -> impl Future<Output = Vec<ActorId>> + Send + use<E> {
        let members = self.actor.ask(GroupRequest::Count);
        async move { members.await.unwrap_or_default() }
    }

    /// The group's identity.
    pub fn id(&self) -> ActorId {
        self.actor.id()
    }
}

impl<E: Event + Clone> Clone for Group<E> {
    fn clone(&self) -> Self {
        Self {
            actor: self.actor.clone(),
        }
    }
}

impl<E: Event + Clone> fmt::Debug for Group<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.actor.fmt(f)
    }
}

by_identity!([E: Event + Clone] Group<E>);

/// The actor of a [`Group`], with the members in the order of joining.
pub(super) struct Members<E: Event> {
    members: InsertionOrderedMap<ActorId, Recipient<E>>,
    sweep: CleanupSchedule,
}

impl<E: Event> Default for Members<E> {
    fn default() -> Self {
        Self {
            members: InsertionOrderedMap::new(),
            sweep: CleanupSchedule::default(),
        }
    }
}

impl<E: Event> Members<E> {
    pub(super) fn join(&mut self, member: Recipient<E>) {
        let (id, count) = (member.id(), self.members.len());
        if self.members.contains(&id) {
            return;
        }
        if self.sweep.is_due(count) {
            self.remove_stopped();
        }
        self.members.insert(id, member);
    }

    pub(super) fn leave(&mut self, leaver: ActorId) {
        self.members.remove(&leaver);
    }

    /// Removes the stopped members; returns true if any member is left.
    pub(super) fn are_any(&mut self) -> bool {
        self.remove_stopped();
        !self.members.is_empty()
    }

    pub(super) fn ids(&self) -> Vec<ActorId> {
        self.members.values().map(Recipient::id).collect()
    }

    pub(super) fn tell(&self, event: &E)
    where
        E: Clone,
    {
        for member in self.members.values() {
            member.tell(event.clone());
        }
    }

    fn remove_stopped(&mut self) {
        self.members.retain(|member| !member.target().has_stopped());
        self.sweep.record_cleanup(self.members.len());
    }
}

/// The sweep is part of the state: it decides when stopped members are removed.
impl<E: Event> Fingerprint for Members<E> {
    fn fingerprint(&self, to: &mut Fingerprinter) {
        self.sweep.hash(to);
        to.write_usize(self.members.len());
        for member in self.members.values() {
            member.fingerprint(to);
        }
    }
}

/// The requests to a group. One event type, so that monitors observe a broadcast at the members only.
#[derive(Debug)]
enum GroupRequest<E: Event> {
    Join(Recipient<E>),
    Leave(ActorId),
    Broadcast(E),
    Count,
}

#[actor(crate = crate)]
impl<E: Event + Clone> Members<E> {
    #[on]
    fn request(&mut self, request: GroupRequest<E>) -> Vec<ActorId> {
        match request {
            GroupRequest::Join(member) => self.join(member),
            GroupRequest::Leave(leaver) => self.leave(leaver),
            GroupRequest::Broadcast(event) => {
                self.remove_stopped();
                self.tell(&event);
            }
            GroupRequest::Count => {
                self.remove_stopped();
                return self.ids();
            }
        }
        Vec::new()
    }
}
