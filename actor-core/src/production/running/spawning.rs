//! An actor on its way into a system, and whom a reference refers to.

use std::any::TypeId;
use std::future::Future;
use std::panic::{RefUnwindSafe, UnwindSafe};
use std::pin::Pin;
use std::sync::{Arc, Weak};

use super::actor::LiveActor;
use crate::identity::Address;
use crate::parts::{MakeMail, Resting};
use crate::supervision::{Decision, Failure};
use crate::table::ActorInfo;

/// An actor about to be spawned, without its type.
pub trait Spawn {
    /// The actor type's table.
    fn info(&self) -> &'static ActorInfo;
    /// Identifies the actor type, so that its parts can be pooled.
    fn actor_type(&self) -> TypeId;
    /// The actor type with its path, as rustc prints it.
    fn path(&self) -> &'static str;
    /// Makes empty mail for this type.
    fn mail(&self) -> MakeMail;
    /// Gives the actor a context, in which it is `me`. Called once, but for a [`Factory`].
    fn rest(&mut self, me: &Target) -> Box<dyn Resting>;
}

/// What makes the values of a supervised actor: [`rest`](Spawn::rest) may be called again.
pub type Factory = Box<dyn Spawn + Send>;

/// Asks a supervisor what becomes of a child that has failed; it is asked when this is polled first.
pub type AskSupervisor = fn(Target, Failure) -> Pin<Box<dyn Future<Output = Decision> + Send>>;

/// The registry of names of a node.
pub enum NamesOn {
    /// It is this one.
    Registry(Target),
    /// The node is down.
    Down,
    /// There is no such node, among these.
    NoNode(Vec<Box<str>>),
    /// The system has no nodes.
    NoNodes,
}

/// To whom a reference refers, without the type.
#[derive(Clone)]
pub struct Target(pub(crate) Where);

/// Which executor runs it.
#[derive(Clone)]
pub(crate) enum Where {
    Live(Arc<LiveActor>),
    Controlled(Address),
}

// An actor is reached through it by messages alone. What a panic interrupts is none of that.
impl UnwindSafe for Target {}
impl RefUnwindSafe for Target {}

impl Target {
    /// An actor under test.
    pub fn controlled(address: Address) -> Self {
        Self(Where::Controlled(address))
    }

    pub(crate) fn live(actor: Arc<LiveActor>) -> Self {
        Self(Where::Live(actor))
    }

    /// The actor in production.
    pub(crate) fn live_actor(&self) -> Option<&Arc<LiveActor>> {
        match &self.0 {
            Where::Live(actor) => Some(actor),
            Where::Controlled(_) => None,
        }
    }

    /// The actor of who is watched.
    ///
    /// # Panics
    ///
    /// For an actor under test: it was handed to an actor in production.
    pub(crate) fn watched(&self) -> &Arc<LiveActor> {
        match &self.0 {
            Where::Live(actor) => actor,
            Where::Controlled(_) => panic!("an actor under test was used in production"),
        }
    }

    /// The address under test.
    ///
    /// # Panics
    ///
    /// For an actor in production: it was handed to a test's predicate.
    pub(crate) fn address(&self) -> Address {
        match &self.0 {
            Where::Controlled(address) => *address,
            Where::Live(_) => panic!("an actor in production was used in a controlled execution"),
        }
    }

    /// The address, where it is under test.
    #[cfg(feature = "codec")]
    pub(crate) fn controlled_address(&self) -> Option<Address> {
        match &self.0 {
            Where::Controlled(address) => Some(*address),
            Where::Live(_) => None,
        }
    }
}

/// A [`Target`] that keeps nothing of the actor.
#[derive(Clone)]
pub(crate) enum WeakTarget {
    Live(Weak<LiveActor>),
    Controlled(Address),
}

// As those of a `Target`.
impl UnwindSafe for WeakTarget {}
impl RefUnwindSafe for WeakTarget {}

impl Target {
    pub(crate) fn downgrade(&self) -> WeakTarget {
        match &self.0 {
            Where::Live(actor) => WeakTarget::Live(Arc::downgrade(actor)),
            Where::Controlled(address) => WeakTarget::Controlled(*address),
        }
    }
}

impl WeakTarget {
    /// Whom it refers to, unless nothing of that is left.
    pub(crate) fn upgrade(&self) -> Option<Target> {
        match self {
            Self::Live(actor) => actor.upgrade().map(Target::live),
            Self::Controlled(address) => Some(Target::controlled(*address)),
        }
    }
}
