//! Who receives: [`ActorRef`] for an actor, [`Recipient`] for one kind of event.

use std::fmt;
use std::hash::{Hash, Hasher};
use std::num::NonZeroU64;
use std::sync::Arc;

use crate::actor::{Actor, Handler};
use crate::event::Event;
use crate::live;
use crate::parts::Spawning;
use crate::reply::{Ask, AskSlot, Reply};
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

impl fmt::Debug for ActorId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "#{}", self.as_u64())
    }
}

impl fmt::Display for ActorId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "#{}", self.as_u64())
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
pub struct ActorRef<A: Actor>(Target<A>);

enum Target<A: Actor> {
    Live(Arc<live::Cell<A>>),
    Controlled(Address),
}

impl<A: Actor> ActorRef<A> {
    pub(crate) fn live(cell: Arc<live::Cell<A>>) -> Self {
        Self(Target::Live(cell))
    }

    pub(crate) fn controlled(address: Address) -> Self {
        Self(Target::Controlled(address))
    }

    pub(crate) fn spawn_controlled(actor: A, name: Option<&str>) -> Self {
        let mut spawning = Spawning(Some(actor));
        Self::controlled(runtime::with(|rt| rt.spawn(&mut spawning, name)))
    }

    /// The cell in production.
    ///
    /// # Panics
    ///
    /// For an actor under test: it was handed to an actor in production.
    pub(crate) fn watched(&self) -> &live::Cell<A> {
        match &self.0 {
            Target::Live(cell) => cell,
            Target::Controlled(_) => panic!("an actor under test was used in production"),
        }
    }

    /// The address under test.
    ///
    /// # Panics
    ///
    /// For an actor in production: it was handed to a test's predicate.
    pub(crate) fn address(&self) -> Address {
        match &self.0 {
            Target::Controlled(address) => *address,
            Target::Live(_) => panic!("an actor in production was used in a controlled execution"),
        }
    }

    /// The actor's identity.
    pub fn id(&self) -> ActorId {
        match &self.0 {
            Target::Live(cell) => cell.id(),
            Target::Controlled(address) => ActorId::controlled(*address),
        }
    }

    /// Sends `event` and goes on. Whether the actor still lives is not known yet: an event that
    /// can't be delivered becomes a dead letter.
    #[inline]
    pub fn tell<E: Event>(&self, event: E)
    where
        A: Handler<E>,
    {
        self.post(A::message(event, Reply::nobody()));
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
        match &self.0 {
            Target::Live(cell) => {
                let (reply, ask) = cell.asking();
                if cell.post(A::message(event, Reply::live(reply))) {
                    Ask::live(ask)
                } else {
                    Ask::stopped()
                }
            }
            Target::Controlled(address) => {
                let slot = Arc::new(AskSlot::new());
                let id = runtime::with(|rt| rt.ask(*address, slot.clone()));
                let (reply, ask) = Reply::controlled(id, slot);
                post_controlled::<A>(*address, A::message(event, reply));
                ask
            }
        }
    }

    /// This actor, as the recipient of one kind of event.
    #[inline]
    pub fn recipient<E: Event>(&self) -> Recipient<E>
    where
        A: Handler<E>,
    {
        Recipient(match &self.0 {
            Target::Live(cell) => To::Live(cell.clone()),
            Target::Controlled(address) => To::Controlled {
                address: *address,
                post: |address, event| {
                    post_controlled::<A>(address, A::message(event, Reply::nobody()));
                },
            },
        })
    }

    // Generic over the actor alone, never over the event: it keeps compile times down.
    fn post(&self, message: A::Message) {
        match &self.0 {
            Target::Live(cell) => {
                cell.post(message);
            }
            Target::Controlled(address) => post_controlled::<A>(*address, message),
        }
    }
}

fn post_controlled<A: Actor>(address: Address, message: A::Message) {
    runtime::post(address, &mut Some(message));
}

impl<A: Actor> Clone for ActorRef<A> {
    fn clone(&self) -> Self {
        Self(match &self.0 {
            Target::Live(cell) => Target::Live(cell.clone()),
            Target::Controlled(address) => Target::Controlled(*address),
        })
    }
}

impl<A: Actor> fmt::Debug for ActorRef<A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Target::Live(cell) => f.write_str(cell.name()),
            Target::Controlled(address) => f.write_str(&controlled_name(*address)),
        }
    }
}

fn controlled_name(address: Address) -> String {
    runtime::try_with(|rt| rt.name(address))
        .unwrap_or_else(|| ActorId::controlled(address).to_string())
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
pub struct Recipient<E: Event>(To<E>);

enum To<E: Event> {
    Live(Arc<dyn live::Accept<E>>),
    Controlled {
        address: Address,
        post: fn(Address, E),
    },
}

impl<E: Event> Recipient<E> {
    /// Sends `event`, as [`ActorRef::tell`] does.
    #[inline]
    pub fn tell(&self, event: E) {
        match &self.0 {
            To::Live(accept) => accept.tell(event),
            To::Controlled { address, post } => post(*address, event),
        }
    }

    /// The actor's identity.
    pub fn id(&self) -> ActorId {
        match &self.0 {
            To::Live(accept) => accept.id(),
            To::Controlled { address, .. } => ActorId::controlled(*address),
        }
    }
}

impl<A: Actor + Handler<E>, E: Event> From<&ActorRef<A>> for Recipient<E> {
    fn from(actor: &ActorRef<A>) -> Self {
        actor.recipient()
    }
}

impl<E: Event> Clone for Recipient<E> {
    fn clone(&self) -> Self {
        Self(match &self.0 {
            To::Live(accept) => To::Live(accept.clone()),
            To::Controlled { address, post } => To::Controlled {
                address: *address,
                post: *post,
            },
        })
    }
}

impl<E: Event> fmt::Debug for Recipient<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            To::Live(accept) => f.write_str(accept.name()),
            To::Controlled { address, .. } => f.write_str(&controlled_name(*address)),
        }
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
