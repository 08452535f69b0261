//! A reference that keeps nothing of its actor: [`WeakRef`].

use std::fmt;
use std::marker::PhantomData;

use super::alike::by_identity;
use super::{Actor, ActorRef, Context};
use crate::identity::ActorId;
use crate::production::WeakTarget;
use crate::runtime;

/// An [`ActorRef`] that keeps nothing of its actor: for lists of actors that come and go, a cache of
/// sessions for instance, which would keep the mailbox of every actor that has ended.
///
/// Unless it is [told otherwise](crate::Spawner::ref_counted), an actor goes on for as long as it is not
/// stopped, whoever refers to it. But an [`ActorRef`] keeps the memory to which it sends.
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
/// sys.stop_and_wait(&session).await;
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
    /// A reference to the same actor that keeps nothing of it.
    #[must_use]
    pub fn downgrade(&self) -> WeakRef<A> {
        WeakRef::new(self.id(), self.target().downgrade())
    }
}

impl<A: Actor> Context<A> {
    /// This actor, by a reference that keeps nothing of it.
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

    /// A reference to send by, where the actor [is alive](ActorRef::is_alive), and where others refer to
    /// it if it [counts that](crate::Spawner::ref_counted). It may stop between this answer and what you do
    /// with it; one that counts does not, as long as you keep what this returns, unless it is stopped
    /// otherwise.
    #[must_use]
    pub fn upgrade(&self) -> Option<ActorRef<A>> {
        let found = self.target.upgrade();
        if self.target.is_counted() {
            runtime::try_with(|rt| rt.sought(self.id, found.is_some()));
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

/// The actor's name, while it is there.
impl<A: Actor> fmt::Debug for WeakRef<A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.target.upgrade() {
            Some(target) => write!(f, "WeakRef({target:?})"),
            None => write!(f, "WeakRef({})", self.id),
        }
    }
}

by_identity! { [A: Actor] WeakRef<A> }
