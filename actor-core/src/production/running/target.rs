//! Untyped references to actors of either executor, strong, weak and counted: [`Target`].

use std::panic::{RefUnwindSafe, UnwindSafe};
use std::sync::{Arc, OnceLock, Weak};

use super::actor::LiveActor;
use crate::identity::Address;

/// A reference to an actor, without the type.
#[derive(Clone)]
pub struct Target(TargetKind);

/// The kind of a reference: counted or not.
#[derive(Clone)]
enum TargetKind {
    Plain(ActorAddress),
    Counted(CountedRef),
}

/// The executor that runs the actor.
#[derive(Clone)]
pub(crate) enum ActorAddress {
    Live(Arc<LiveActor>),
    Controlled(Address),
}

// A target gives access by messages alone, and a panic does not interrupt those.
impl UnwindSafe for Target {}
impl RefUnwindSafe for Target {}

impl Target {
    /// Refers to an actor under test.
    pub fn controlled(address: Address) -> Self {
        Self(TargetKind::Plain(ActorAddress::Controlled(address)))
    }

    pub(crate) fn live(actor: Arc<LiveActor>) -> Self {
        Self(TargetKind::Plain(ActorAddress::Live(actor)))
    }

    #[inline]
    pub(crate) fn place(&self) -> &ActorAddress {
        match &self.0 {
            TargetKind::Plain(place) => place,
            TargetKind::Counted(counted) => counted.place(),
        }
    }

    /// Returns the actor in production.
    pub(crate) fn live_actor(&self) -> Option<&Arc<LiveActor>> {
        match self.place() {
            ActorAddress::Live(actor) => Some(actor),
            ActorAddress::Controlled(_) => None,
        }
    }

    /// Returns the live actor to watch or to link.
    ///
    /// # Panics
    ///
    /// If the actor is under test: it was passed to an actor in production.
    pub(crate) fn watched(&self) -> &Arc<LiveActor> {
        match self.place() {
            ActorAddress::Live(actor) => actor,
            ActorAddress::Controlled(_) => panic!("an actor under test was used in production"),
        }
    }

    /// Returns the address under test.
    ///
    /// # Panics
    ///
    /// If the actor is in production: it was passed to a test's predicate.
    pub(crate) fn address(&self) -> Address {
        match self.place() {
            ActorAddress::Controlled(address) => *address,
            ActorAddress::Live(_) => {
                panic!("an actor in production was used in a controlled execution")
            }
        }
    }

    #[cfg(feature = "codec")]
    pub(crate) fn controlled_address(&self) -> Option<Address> {
        match self.place() {
            ActorAddress::Controlled(address) => Some(*address),
            ActorAddress::Live(_) => None,
        }
    }

    /// Returns a reference to the same actor that is not counted.
    pub(crate) fn uncounted(&self) -> Self {
        Self(TargetKind::Plain(self.place().clone()))
    }

    pub(crate) fn downgrade(&self) -> WeakTarget {
        match &self.0 {
            TargetKind::Plain(ActorAddress::Live(actor)) => WeakTarget::Live(Arc::downgrade(actor)),
            TargetKind::Plain(ActorAddress::Controlled(address)) => {
                WeakTarget::Controlled(*address)
            }
            TargetKind::Counted(CountedRef(count)) => WeakTarget::Counted(Arc::downgrade(count)),
        }
    }
}

/// A weak [`Target`].
#[derive(Clone)]
pub(crate) enum WeakTarget {
    Live(Weak<LiveActor>),
    Controlled(Address),
    /// A weak reference to a reference-counted actor, valid while there are strong ones.
    Counted(Weak<RefCount>),
}

// For the reason given at `Target`.
impl UnwindSafe for WeakTarget {}
impl RefUnwindSafe for WeakTarget {}

impl WeakTarget {
    /// Returns a strong reference, if there is an actor to refer to.
    pub(crate) fn upgrade(&self) -> Option<Target> {
        match self {
            Self::Live(actor) => actor.upgrade().map(Target::live),
            Self::Controlled(address) => Some(Target::controlled(*address)),
            Self::Counted(count) => {
                let counted = count.upgrade().map(CountedRef);
                counted.map(|counted| Target(TargetKind::Counted(counted)))
            }
        }
    }

    /// Returns true if strong references determine the result of an upgrade.
    pub(crate) fn is_counted(&self) -> bool {
        matches!(self, Self::Counted(_))
    }
}

/// A strong reference to a reference-counted actor.
#[derive(Clone)]
pub(crate) struct CountedRef(Arc<RefCount>);

impl CountedRef {
    fn place(&self) -> &ActorAddress {
        let place = self.0.place();
        place.expect("an actor has its place before anyone refers to it")
    }

    pub(crate) fn count(&self) -> &Arc<RefCount> {
        &self.0
    }
}

/// The shared count of a reference-counted actor; dropped with the last strong reference.
pub(crate) struct RefCount {
    /// Set as soon as the actor gets its context.
    place: OnceLock<ActorAddress>,
}

impl RefCount {
    pub(crate) fn new() -> Arc<Self> {
        Arc::new(Self {
            place: OnceLock::new(),
        })
    }

    /// Sets the actor whose references are counted; the first call counts.
    pub(crate) fn settle(&self, whose: &Target) {
        self.place.get_or_init(|| whose.place().clone());
    }

    pub(crate) fn place(&self) -> Option<&ActorAddress> {
        self.place.get()
    }

    pub(crate) fn reference(self: Arc<Self>) -> Target {
        Target(TargetKind::Counted(CountedRef(self)))
    }
}
