//! Whom a reference refers to: [`Target`].

use std::panic::{RefUnwindSafe, UnwindSafe};
use std::sync::{Arc, OnceLock, Weak};

use super::actor::LiveActor;
use crate::identity::Address;

/// To whom a reference refers, without the type.
#[derive(Clone)]
pub struct Target(Refers);

/// Whether it matters that somebody does.
#[derive(Clone)]
enum Refers {
    Plain(Where),
    Counted(Counted),
}

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
        Self(Refers::Plain(Where::Controlled(address)))
    }

    pub(crate) fn live(actor: Arc<LiveActor>) -> Self {
        Self(Refers::Plain(Where::Live(actor)))
    }

    #[inline]
    pub(crate) fn place(&self) -> &Where {
        match &self.0 {
            Refers::Plain(place) => place,
            Refers::Counted(counted) => counted.place(),
        }
    }

    /// The actor in production.
    pub(crate) fn live_actor(&self) -> Option<&Arc<LiveActor>> {
        match self.place() {
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
        match self.place() {
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
        match self.place() {
            Where::Controlled(address) => *address,
            Where::Live(_) => panic!("an actor in production was used in a controlled execution"),
        }
    }

    /// The address, where it is under test.
    #[cfg(feature = "codec")]
    pub(crate) fn controlled_address(&self) -> Option<Address> {
        match self.place() {
            Where::Controlled(address) => Some(*address),
            Where::Live(_) => None,
        }
    }

    pub(crate) fn downgrade(&self) -> WeakTarget {
        match &self.0 {
            Refers::Plain(Where::Live(actor)) => WeakTarget::Live(Arc::downgrade(actor)),
            Refers::Plain(Where::Controlled(address)) => WeakTarget::Controlled(*address),
            Refers::Counted(Counted(count)) => WeakTarget::Counted(Arc::downgrade(count)),
        }
    }
}

/// A [`Target`] that keeps nothing of the actor.
#[derive(Clone)]
pub(crate) enum WeakTarget {
    Live(Weak<LiveActor>),
    Controlled(Address),
    /// It finds an actor that counts who refers to it for as long as somebody does.
    Counted(Weak<Count>),
}

// As those of a `Target`.
impl UnwindSafe for WeakTarget {}
impl RefUnwindSafe for WeakTarget {}

impl WeakTarget {
    /// Whom it refers to, unless nothing of that is left.
    pub(crate) fn upgrade(&self) -> Option<Target> {
        match self {
            Self::Live(actor) => actor.upgrade().map(Target::live),
            Self::Controlled(address) => Some(Target::controlled(*address)),
            Self::Counted(count) => {
                let counted = count.upgrade().map(Counted);
                counted.map(|counted| Target(Refers::Counted(counted)))
            }
        }
    }

    /// Whether it finds the actor is up to those who refer to it.
    pub(crate) fn is_counted(&self) -> bool {
        matches!(self, Self::Counted(_))
    }
}

/// A reference to an actor that ends when nobody refers to it.
#[derive(Clone)]
pub(crate) struct Counted(Arc<Count>);

impl Counted {
    fn place(&self) -> &Where {
        let place = self.0.place();
        place.expect("an actor has its place before anyone refers to it")
    }

    pub(crate) fn count(&self) -> &Arc<Count> {
        &self.0
    }
}

/// What all references to an actor that counts them have in common: it goes with the last one.
pub(crate) struct Count {
    /// Known as soon as the actor is given its context.
    place: OnceLock<Where>,
}

impl Count {
    pub(crate) fn new() -> Arc<Self> {
        Arc::new(Self {
            place: OnceLock::new(),
        })
    }

    /// Whose references are counted; the first answer counts.
    pub(crate) fn settle(&self, whose: &Target) {
        self.place.get_or_init(|| whose.place().clone());
    }

    pub(crate) fn place(&self) -> Option<&Where> {
        self.place.get()
    }

    /// A reference that counts.
    pub(crate) fn reference(self: Arc<Self>) -> Target {
        Target(Refers::Counted(Counted(self)))
    }
}
