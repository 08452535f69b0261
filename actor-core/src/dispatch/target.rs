//! Untyped references to actors of either executor, strong, weak and counted: [`Target`].

use std::borrow::Cow;
use std::fmt;
use std::panic::{RefUnwindSafe, UnwindSafe};
use std::sync::{Arc, OnceLock, Weak};

use crate::identity::{ActorId, Address};
use crate::production::{LiveActor, NamedActor};
use crate::seam::{Action, Dropped, Mailed, Note, Query, Stop, act, dropped, note, post, query};
use crate::slab::Slot;

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
    /// By name, in production.
    Named(Arc<NamedActor>),
}

// A target gives access by messages alone, and a panic does not interrupt those.
impl UnwindSafe for Target {}
impl RefUnwindSafe for Target {}

impl From<Arc<LiveActor>> for Target {
    fn from(actor: Arc<LiveActor>) -> Self {
        Self(TargetKind::Plain(ActorAddress::Live(actor)))
    }
}

impl From<Arc<NamedActor>> for Target {
    fn from(actor: Arc<NamedActor>) -> Self {
        Self(TargetKind::Plain(ActorAddress::Named(actor)))
    }
}

impl From<Address> for Target {
    fn from(address: Address) -> Self {
        Self(TargetKind::Plain(ActorAddress::Controlled(address)))
    }
}

impl Target {
    #[inline]
    pub(crate) fn place(&self) -> &ActorAddress {
        match &self.0 {
            TargetKind::Plain(place) => place,
            TargetKind::Counted(counted) => counted.place(),
        }
    }

    /// Returns the actor in production; for a name that nobody has, one that has ended.
    pub(crate) fn live_actor(&self) -> Option<Cow<'_, Arc<LiveActor>>> {
        match self.place() {
            ActorAddress::Live(actor) => Some(Cow::Borrowed(actor)),
            ActorAddress::Named(named) => Some(Cow::Owned(named.holder())),
            ActorAddress::Controlled(_) => None,
        }
    }

    /// Returns the live actor to watch or to link.
    ///
    /// # Panics
    ///
    /// If the actor is under test: it was passed to an actor in production.
    pub(crate) fn watched(&self) -> Cow<'_, Arc<LiveActor>> {
        let actor = self.live_actor();
        actor.unwrap_or_else(|| panic!("an actor under test was used in production"))
    }

    /// Returns the address under test.
    ///
    /// # Panics
    ///
    /// If the actor is in production: it was passed to a test's predicate.
    pub(crate) fn address(&self) -> Address {
        match self.place() {
            ActorAddress::Controlled(address) => *address,
            ActorAddress::Live(_) | ActorAddress::Named(_) => {
                panic!("an actor in production was used in a controlled execution")
            }
        }
    }

    #[cfg(feature = "codec")]
    pub(crate) fn controlled_address(&self) -> Option<Address> {
        match self.place() {
            ActorAddress::Controlled(address) => Some(*address),
            ActorAddress::Live(_) | ActorAddress::Named(_) => None,
        }
    }

    /// Returns a reference to the same actor that is not counted; in production, to the actor that has the
    /// name now.
    pub(crate) fn uncounted(&self) -> Self {
        match self.place() {
            ActorAddress::Named(named) => named.holder().into(),
            place => Self(TargetKind::Plain(place.clone())),
        }
    }

    /// Makes a reference by name, in production, one to the actor that has the name now.
    pub(crate) fn settle(&mut self) {
        if let ActorAddress::Named(named) = self.place() {
            *self = named.holder().into();
        }
    }

    pub(crate) fn downgrade(&self) -> WeakTarget {
        match &self.0 {
            TargetKind::Plain(ActorAddress::Live(actor)) => WeakTarget::Live(Arc::downgrade(actor)),
            TargetKind::Plain(ActorAddress::Controlled(address)) => {
                WeakTarget::Controlled(*address)
            }
            TargetKind::Plain(ActorAddress::Named(named)) => WeakTarget::Named(named.clone()),
            TargetKind::Counted(CountedRef(count)) => WeakTarget::Counted(Arc::downgrade(count)),
        }
    }
}

/// Calls on the actor.
impl Target {
    pub(crate) fn id(&self) -> ActorId {
        match self.place() {
            ActorAddress::Live(actor) => actor.id(),
            ActorAddress::Named(named) => named.id(),
            ActorAddress::Controlled(address) => ActorId::controlled(*address),
        }
    }

    pub(crate) fn name(&self) -> String {
        format!("{self:?}")
    }

    /// Returns the name for the registry, without the prefix of the node.
    pub(crate) fn own_name(&self) -> String {
        match self.place() {
            ActorAddress::Live(actor) => actor.own_name(),
            ActorAddress::Named(named) => named.full_name(),
            ActorAddress::Controlled(_) => {
                let name = self.name();
                match query(|to| Query::NodePrefix(self.address(), to)) {
                    Some(prefix) => name.strip_prefix(&*prefix).unwrap_or(&name).to_owned(),
                    None => name,
                }
            }
        }
    }

    /// Returns true if the actor has stopped: its inbox takes no more events.
    pub(crate) fn has_stopped(&self) -> bool {
        match self.live_actor() {
            Some(actor) => !actor.is_running(),
            None => query(|to| Query::HasStopped(self.address(), to)),
        }
    }

    pub(crate) fn is_bounded(&self) -> bool {
        match self.live_actor() {
            Some(actor) => actor.is_bounded(),
            None => query(|to| Query::IsBounded(self.address(), to)),
        }
    }

    /// Reports a failed operation of an actor that goes on, if nobody waits for the result.
    pub(crate) fn report(&self, error: &str) {
        match self.live_actor() {
            Some(actor) => actor.report(error),
            None => note(Note::Unreceived(error)),
        }
    }

    pub(crate) fn stop(&self, stop: Stop) {
        match self.live_actor() {
            Some(actor) => actor.stop(stop),
            None => act(Action::Stop(self.address(), stop)),
        }
    }

    // Generic over the actor alone, never over the event, to keep compile times down.
    #[inline]
    pub(crate) fn post<A: Mailed>(&self, message: &mut Slot<A::Message>) {
        match self.place() {
            ActorAddress::Live(actor) => actor.post::<A>(message),
            ActorAddress::Named(named) => named.holder().post::<A>(message),
            ActorAddress::Controlled(address) => post(*address, message),
        }
    }

    /// Posts as [`post`](Self::post) does, for a relayed message, which monitors have already observed.
    pub(crate) fn pass_on<A: Mailed>(&self, message: &mut Slot<A::Message>) {
        match self.live_actor() {
            Some(actor) => actor.pass_on::<A>(message),
            None => post(self.address(), message),
        }
    }

    /// Sends a service's [internal event](crate::table::EventInfo) to itself: the event takes no
    /// capacity, and is dropped without a dead letter if the service has stopped.
    pub(crate) fn tell_own<A: Mailed>(&self, message: A::Message) {
        match self.live_actor() {
            Some(actor) => actor.notify::<A>(message, None),
            None => post(self.address(), &mut Slot::Full(message)),
        }
    }
}

impl fmt::Debug for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.place() {
            ActorAddress::Live(actor) => f.write_str(&actor.name()),
            ActorAddress::Named(named) => f.write_str(&named.full_name()),
            ActorAddress::Controlled(address) => ActorId::controlled(*address).fmt(f),
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
    Named(Arc<NamedActor>),
}

// For the reason given at `Target`.
impl UnwindSafe for WeakTarget {}
impl RefUnwindSafe for WeakTarget {}

impl WeakTarget {
    /// Returns a strong reference, if there is an actor to refer to.
    pub(crate) fn upgrade(&self) -> Option<Target> {
        match self {
            Self::Live(actor) => actor.upgrade().map(Target::from),
            Self::Controlled(address) => Some(Target::from(*address)),
            Self::Named(named) => Some(Target::from(named.clone())),
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

impl Drop for CountedRef {
    /// Notifies the tester, since the schedule determines which reference is dropped last.
    fn drop(&mut self) {
        let count = self.count();
        if let Some(ActorAddress::Controlled(address)) = count.place()
            && Arc::strong_count(count) > 1
        {
            dropped(Dropped::Reference {
                target: *address,
                is_last: false,
            });
        }
    }
}

impl Drop for RefCount {
    /// Stops the actor in order, since no reference to it is left.
    fn drop(&mut self) {
        match self.place() {
            Some(ActorAddress::Live(actor)) => actor.stop(Stop::InOrder),
            Some(ActorAddress::Named(_)) | None => {}
            Some(ActorAddress::Controlled(address)) => {
                dropped(Dropped::Reference {
                    target: *address,
                    is_last: true,
                });
            }
        }
    }
}
