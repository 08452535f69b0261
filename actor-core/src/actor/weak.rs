//! Weak references to an actor: [`WeakRef`].

use std::fmt;
use std::marker::PhantomData;

use super::reference_macros::by_identity;
use super::{Actor, ActorRef, Context};
use crate::dispatch::WeakTarget;
use crate::identity::ActorId;
use crate::seam::{self, Note};

/// A weak [`ActorRef`], which does not keep the memory of the actor's mailbox: for lists of actors that
/// come and go, such as a cache of sessions.
///
/// An actor lives until it is stopped, even without references, unless it is
/// [reference-counted](crate::Spawner::ref_counted).
///
/// ```
/// use actor_core::prelude::*;
/// # struct Session;
/// # #[actor]
/// # impl Session {}
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), actor_core::Error> {
/// let sys = System::new();
/// let session = sys.spawn(Session);
/// let weak = session.downgrade();
/// assert_eq!(weak.upgrade(), Some(session.clone()));
/// session.stop().await;
/// assert_eq!(weak.upgrade(), None);
/// # sys.shutdown().await?;
/// # Ok(())
/// # }
/// ```
pub struct WeakRef<A: Actor> {
    id: ActorId,
    target: WeakTarget,
    actor: PhantomData<fn(A)>,
}

impl<A: Actor> ActorRef<A> {
    /// Returns a weak reference to the same actor.
    #[must_use]
    pub fn downgrade(&self) -> WeakRef<A> {
        WeakRef::new(self.id(), self.target().downgrade())
    }
}

impl<A: Actor> Context<A> {
    /// Returns a weak reference to this actor.
    pub fn weak(&self) -> WeakRef<A> {
        WeakRef::new(self.id(), self.weak_target())
    }
}

impl<A: Actor> WeakRef<A> {
    fn new(id: ActorId, target: WeakTarget) -> Self {
        Self {
            id,
            target,
            actor: PhantomData,
        }
    }

    /// Returns a reference for sending if the actor [is alive](ActorRef::is_alive), and, for a
    /// [reference-counted](crate::Spawner::ref_counted) actor, if there are other references to it. The
    /// actor may stop right after; a reference-counted one lives while you keep the result, unless it is
    /// stopped otherwise.
    #[must_use]
    pub fn upgrade(&self) -> Option<ActorRef<A>> {
        let found = self.target.upgrade();
        if self.target.is_counted() {
            seam::note(Note::UpgradeAttempted(self.id, found.is_some()));
        }
        let target = found?;
        (!target.has_stopped()).then(|| ActorRef::new(target))
    }

    /// The actor's identity.
    pub fn id(&self) -> ActorId {
        self.id
    }
}

impl<A: Actor> From<&ActorRef<A>> for WeakRef<A> {
    fn from(actor: &ActorRef<A>) -> Self {
        actor.downgrade()
    }
}

impl<A: Actor> Clone for WeakRef<A> {
    fn clone(&self) -> Self {
        Self {
            id: self.id,
            target: self.target.clone(),
            actor: PhantomData,
        }
    }
}

/// Prints the actor's name while the actor is alive, its identity afterwards.
impl<A: Actor> fmt::Debug for WeakRef<A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.target.upgrade() {
            Some(target) => write!(f, "WeakRef({target:?})"),
            None => write!(f, "WeakRef({})", self.id),
        }
    }
}

by_identity! { [A: Actor] WeakRef<A> }
