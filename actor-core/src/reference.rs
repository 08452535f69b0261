//! Who receives: [`ActorRef`] for an actor, [`Recipient`] for one kind of event.

use std::fmt;
use std::hash::{Hash, Hasher};
use std::marker::PhantomData;
use std::num::NonZeroU64;
use std::sync::{Arc, OnceLock};

use crate::actor::{Actor, Handler};
use crate::event::Event;
use crate::live;
use crate::parts::Slot;
use crate::reply::{Ask, Origin, Reply, asking};
use crate::runtime::{self, Address};

/// The identity of an actor, unique within a run of the program or one execution of a test.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ActorId(NonZeroU64);

impl ActorId {
    /// The identity of a controlled actor.
    #[doc(hidden)]
    pub fn controlled(address: Address) -> Self {
        Self::numbered(u64::from(address.operation))
    }

    pub(crate) fn live(number: u64) -> Self {
        Self::numbered(number)
    }

    /// One more than the number is kept, so that an `Option` takes no more room.
    fn numbered(number: u64) -> Self {
        Self(NonZeroU64::MIN.saturating_add(number))
    }

    /// The number: in a controlled execution, that of the operation.
    pub fn as_u64(self) -> u64 {
        self.0.get() - 1
    }
}

/// The actor's name under test, a number in production.
impl fmt::Debug for ActorId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match runtime::try_with(|rt| rt.name(*self)) {
            Some(name) => f.write_str(&name),
            None => write!(f, "#{}", self.as_u64()),
        }
    }
}

/// As `Debug`.
impl fmt::Display for ActorId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self, f)
    }
}

/// A reference to an actor. Cheap to clone; dropping the last one never stops the actor.
///
/// Events from one actor to another arrive in the order in which they were sent. In production a
/// reference works on every thread, also outside the runtime, whatever the actor is made of.
///
/// Two references are equal where they are to the same actor.
///
/// ```
/// use actor_core::prelude::*;
/// #[derive(Debug)]
/// struct Ping;
///
/// struct Server;
///
/// #[actor]
/// impl Server {
///     #[on]
///     fn ping(&mut self, _: Ping) {}
/// }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), actor_core::Error> {
/// let sys = System::new();
/// let server = sys.spawn_named("server", Server);
/// server.tell(Ping);
/// assert_eq!(format!("{server:?}"), "server");
/// # sys.shutdown().await
/// # }
/// ```
pub struct ActorRef<A: Actor> {
    target: Target,
    actor: PhantomData<fn(A)>,
}

/// What refers to an actor: an [`ActorRef`], a [`ProtocolRef`](crate::ProtocolRef) or a
/// [`Recipient`]. For what is the same for all of them, as [`Context::watch`](crate::Context::watch).
pub trait AnyRef: Clone + fmt::Debug + Send + 'static {
    /// The actor.
    #[doc(hidden)]
    fn target(&self) -> &Target;
}

impl<A: Actor> AnyRef for ActorRef<A> {
    fn target(&self) -> &Target {
        &self.target
    }
}

impl<E: Event> AnyRef for Recipient<E> {
    fn target(&self) -> &Target {
        &self.target
    }
}

/// To whom a reference refers, without the type.
#[derive(Clone)]
pub struct Target(Where);

#[derive(Clone)]
enum Where {
    Live(Arc<live::Cell>),
    Controlled(Address),
}

impl Target {
    /// An actor under test.
    pub fn controlled(address: Address) -> Self {
        Self(Where::Controlled(address))
    }

    pub(crate) fn live(cell: Arc<live::Cell>) -> Self {
        Self(Where::Live(cell))
    }

    /// The cell in production.
    pub(crate) fn cell(&self) -> Option<&Arc<live::Cell>> {
        match &self.0 {
            Where::Live(cell) => Some(cell),
            Where::Controlled(_) => None,
        }
    }

    /// The cell of who is watched.
    ///
    /// # Panics
    ///
    /// For an actor under test: it was handed to an actor in production.
    pub(crate) fn watched(&self) -> &live::Cell {
        match &self.0 {
            Where::Live(cell) => cell,
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

    pub(crate) fn id(&self) -> ActorId {
        match &self.0 {
            Where::Live(cell) => cell.id(),
            Where::Controlled(address) => ActorId::controlled(*address),
        }
    }

    /// From where an `ask` of this actor is.
    fn asking(&self) -> Origin {
        match &self.0 {
            Where::Live(cell) => cell.asking(),
            Where::Controlled(_) => Origin::Controlled(OnceLock::new()),
        }
    }

    /// Both ends of a new `ask` of this actor, whose event is posted next.
    pub(crate) fn begin_ask<R: Event>(&self) -> (Reply<R>, Ask<R>) {
        let (reply, ask) = asking(self.asking());
        if let Where::Controlled(address) = &self.0 {
            runtime::ask(*address, ask.slot());
        }
        (reply, ask)
    }

    /// Sends to an `A`.
    pub(crate) fn tell<A: Handler<E>, E: Event>(&self, event: E) {
        self.send::<A, E>(event, Reply::nobody());
    }

    /// Sends to an `A`, which answers to `reply`.
    pub(crate) fn send<A: Handler<E>, E: Event>(&self, event: E, reply: Reply<A::Reply>) {
        self.post::<A>(&mut Slot::Full(A::message(event, reply)));
    }

    // Generic over the actor alone, never over the event: it keeps compile times down.
    pub(crate) fn post<A: Actor>(&self, message: &mut Slot<A::Message>) {
        match &self.0 {
            Where::Live(cell) => cell.post::<A>(message),
            Where::Controlled(address) => runtime::post(*address, message),
        }
    }
}

impl fmt::Debug for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Where::Live(cell) => f.write_str(&cell.name()),
            Where::Controlled(address) => ActorId::controlled(*address).fmt(f),
        }
    }
}

impl<A: Actor> ActorRef<A> {
    pub(crate) fn new(target: Target) -> Self {
        Self {
            target,
            actor: PhantomData,
        }
    }

    pub(crate) fn target(&self) -> &Target {
        &self.target
    }

    /// The actor's identity.
    pub fn id(&self) -> ActorId {
        self.target.id()
    }

    /// Sends `event` and goes on. Whether the actor still lives is not known yet: an event that
    /// can't be delivered becomes a dead letter.
    #[inline]
    pub fn tell<E: Event>(&self, event: E)
    where
        A: Handler<E>,
    {
        let message = A::message(event, Reply::nobody());
        self.target.post::<A>(&mut Slot::Full(message));
    }

    /// Sends `event` at once, and returns the future of what its handler returns.
    ///
    /// The future may be awaited on any executor, and dropping it changes nothing for the actor.
    /// It ends in [`AskError::Stopped`](crate::AskError::Stopped) where the actor stops before it
    /// comes to the event, and in [`AskError::Dropped`](crate::AskError::Dropped) where it ignores
    /// the event or its handler panics. There is no time limit.
    ///
    /// ```
    /// use actor_core::prelude::*;
    /// #[derive(Debug)]
    /// struct Halt;
    /// #[derive(Debug)]
    /// struct Double(u64);
    ///
    /// struct Doubler;
    ///
    /// #[actor]
    /// impl Doubler {
    ///     #[on]
    ///     fn double(&mut self, double: Double) -> u64 {
    ///         double.0 * 2
    ///     }
    ///
    ///     #[on]
    ///     fn halt(&mut self, _: Halt, cx: &mut Context<Self>) {
    ///         cx.halt();
    ///     }
    /// }
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), actor_core::Error> {
    /// let sys = System::new();
    /// let doubler = sys.spawn(Doubler);
    /// assert_eq!(doubler.ask(Double(21)).await, Ok(42));
    /// doubler.tell(Halt);
    /// assert_eq!(doubler.ask(Double(21)).await, Err(AskError::Stopped));
    /// # sys.shutdown().await
    /// # }
    /// ```
    pub fn ask<E: Event>(&self, event: E) -> Ask<A::Reply>
    where
        A: Handler<E>,
    {
        let (reply, ask) = self.target.begin_ask();
        self.target
            .post::<A>(&mut Slot::Full(A::message(event, reply)));
        ask
    }

    /// This actor, as the recipient of one kind of event.
    pub fn recipient<E: Event>(&self) -> Recipient<E>
    where
        A: Handler<E>,
    {
        Recipient::new(self.target.clone(), Target::tell::<A, E>)
    }
}

impl<A: Actor> Clone for ActorRef<A> {
    fn clone(&self) -> Self {
        Self::new(self.target.clone())
    }
}

impl<A: Actor> fmt::Debug for ActorRef<A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.target.fmt(f)
    }
}

impl<A: Actor> PartialEq for ActorRef<A> {
    fn eq(&self, other: &Self) -> bool {
        self.id() == other.id()
    }
}

impl<A: Actor> Eq for ActorRef<A> {}

impl<A: Actor> Hash for ActorRef<A> {
    fn hash<H: Hasher>(&self, hasher: &mut H) {
        self.id().hash(hasher);
    }
}

/// Any actor that handles `E`: what a protocol asks for where it doesn't care about the type.
///
/// ```
/// use actor_core::prelude::*;
/// #[derive(Debug)]
/// struct Ping {
///     from: Recipient<Pong>,
/// }
/// #[derive(Debug)]
/// struct Pong;
///
/// struct Server;
///
/// #[actor]
/// impl Server {
///     #[on]
///     fn ping(&mut self, ping: Ping) {
///         ping.from.tell(Pong);
///     }
/// }
///
/// struct Client;
///
/// #[actor]
/// impl Client {
///     #[on]
///     fn pong(&mut self, _: Pong) {}
/// }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), actor_core::Error> {
/// let sys = System::new();
/// let client = sys.spawn(Client);
/// let server = sys.spawn(Server);
/// server.tell(Ping { from: client.recipient() });
/// # sys.shutdown().await
/// # }
/// ```
pub struct Recipient<E: Event> {
    target: Target,
    /// Wraps the event for the type of the target.
    post: fn(&Target, E),
}

impl<E: Event> Recipient<E> {
    pub(crate) fn new(target: Target, post: fn(&Target, E)) -> Self {
        Self { target, post }
    }

    /// Sends `event`, as [`ActorRef::tell`] does.
    #[inline]
    pub fn tell(&self, event: E) {
        (self.post)(&self.target, event);
    }

    /// The actor's identity.
    pub fn id(&self) -> ActorId {
        self.target.id()
    }
}

impl<A: Actor + Handler<E>, E: Event> From<&ActorRef<A>> for Recipient<E> {
    fn from(actor: &ActorRef<A>) -> Self {
        actor.recipient()
    }
}

impl<E: Event> Clone for Recipient<E> {
    fn clone(&self) -> Self {
        Self {
            target: self.target.clone(),
            post: self.post,
        }
    }
}

impl<E: Event> fmt::Debug for Recipient<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.target.fmt(f)
    }
}

impl<E: Event> PartialEq for Recipient<E> {
    fn eq(&self, other: &Self) -> bool {
        self.id() == other.id()
    }
}

impl<E: Event> Eq for Recipient<E> {}

impl<E: Event> Hash for Recipient<E> {
    fn hash<H: Hasher>(&self, hasher: &mut H) {
        self.id().hash(hasher);
    }
}
