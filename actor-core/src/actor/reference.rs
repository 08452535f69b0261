//! References for sending to an actor: [`ActorRef`] by its type, [`Recipient`] by one kind of event.

use std::any::{TypeId, type_name};
use std::fmt;
use std::marker::PhantomData;

use super::reference_macros::{by_identity, of_any_type};
use super::sending::{Put, Sending, TrySending, put};
use super::{AcceptedBy, Actor};
use crate::asking::{Ask, Reply, Started, Stopped, Stopping};
use crate::dispatch::Target;
use crate::event::Event;
use crate::identity::ActorId;
use crate::seam::{AskSite, RegisteredRef, Stop};
use crate::slab::Slot;

/// A reference to an actor, cheap to clone. Dropping the last one stops the actor only if the actor was
/// spawned as [reference-counted](crate::Spawner::ref_counted).
///
/// Events from one actor to another arrive in the order in which they were sent. In production a
/// reference works on every thread, also outside the runtime, and for every type of actor.
///
/// Two references are equal if they refer to the same actor.
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
/// # sys.shutdown().await?;
/// # Ok(())
/// # }
/// ```
pub struct ActorRef<A: Actor> {
    target: Target,
    actor: PhantomData<fn(A)>,
}

/// A reference to an actor of any kind: an [`ActorRef`], a [`ProtocolRef`](crate::protocols::ProtocolRef) or
/// a [`Recipient`]. Functions that accept all of them, as [`Context::watch`](crate::Context::watch), take it.
pub trait AnyRef: Clone + fmt::Debug + Send + Sync + 'static {
    /// The actor.
    #[doc(hidden)]
    fn target(&self) -> &Target;

    /// Returns the reference for the registry of names.
    #[doc(hidden)]
    fn registered(&self) -> RegisteredRef {
        RegisteredRef::new(self.clone(), None, type_name::<Self>())
    }

    /// Returns a reference of the registry if it is of this type.
    #[doc(hidden)]
    fn found(registered: &RegisteredRef) -> Option<Self> {
        registered.get()
    }
}

impl<A: Actor> AnyRef for ActorRef<A> {
    fn target(&self) -> &Target {
        &self.target
    }

    fn registered(&self) -> RegisteredRef {
        let target = self.target.clone();
        RegisteredRef::new(target, Some(TypeId::of::<A>()), type_name::<A>())
    }

    fn found(registered: &RegisteredRef) -> Option<Self> {
        let is_actor = registered.is_actor(TypeId::of::<A>());
        is_actor.then(|| registered.get().map(Self::new))?
    }
}

impl<E: Event> AnyRef for Recipient<E> {
    fn target(&self) -> &Target {
        &self.target
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

    /// Returns the name in logs and reports: the one given at the spawn, or the type and a number.
    pub fn name(&self) -> String {
        self.target.name()
    }

    /// Returns true if, as far as is known here and now, the actor has not stopped for good. The actor may
    /// stop right after; [`stopped`](Self::stopped) waits for the end, and [`ask`](Self::ask) reports it.
    pub fn is_alive(&self) -> bool {
        !self.target.has_stopped()
    }

    /// Waits until the actor has started: its `#[start]` hook, sync or async, has returned. An actor
    /// without the hook has started as soon as it is spawned. If the actor ends before, for instance
    /// because its hook failed, the result is the reason; restarts are waited for.
    ///
    /// Events wait until the actor has started, so most programs don't need this method.
    ///
    /// ```
    /// use actor_core::prelude::*;
    ///
    /// struct Database {
    ///     url: &'static str,
    /// }
    ///
    /// #[actor]
    /// impl Database {
    ///     #[start]
    ///     async fn connect(&mut self, cx: &mut Context<Self>) -> Result<(), String> {
    ///         cx.sleep(std::time::Duration::from_millis(1)).await;
    ///         match self.url {
    ///             "" => Err("no address".into()),
    ///             _ => Ok(()),
    ///         }
    ///     }
    /// }
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), actor_core::Error> {
    /// let sys = System::new();
    /// let database = sys.spawn(Database { url: "db.example" });
    /// assert_eq!(database.started().await, Ok(()));
    /// let lost = sys.spawn(Database { url: "" });
    /// assert_eq!(lost.started().await, Err(StopReason::Failed));
    /// # sys.shutdown().await?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn started(&self) -> Started {
        Started::of(&self.target)
    }

    /// Stops the actor in order: it handles the events that were sent to it before, runs its `#[stop]` hook
    /// and ends. A stopped supervised child is not restarted. Does nothing if the actor has ended.
    ///
    /// The order is given by this call. The result can be [limited](Stopping::within), and awaited.
    ///
    /// ```
    /// # use actor_core::prelude::*;
    /// # struct Printer;
    /// # #[actor]
    /// # impl Printer {}
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), actor_core::Error> {
    /// # let sys = System::new();
    /// let printer = sys.spawn(Printer);
    /// assert_eq!(printer.stop().await, StopReason::Stopped);
    /// # sys.shutdown().await?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn stop(&self) -> Stopping {
        Stopping::order(self.target(), Stop::InOrder)
    }

    /// Ends the actor ahead of the events in its inbox, between two events or where a handler waits: the
    /// actor is dropped there, its `#[stop]` hook does not run, and its inbox becomes dead letters. A killed
    /// supervised child is not restarted. A handler that neither returns nor waits can't be ended.
    pub fn kill(&self) -> Stopping {
        Stopping::order(self.target(), Stop::AtOnce)
    }

    /// Waits until the actor has stopped for good, and returns the reason, at once if the actor has
    /// stopped before. A supervised child that is restarted has not stopped.
    ///
    /// Every event that the actor handles is handled before. The future may be awaited on any executor,
    /// from a handler, a test's body or the outside. There is no time limit: use
    /// [`Stopping::within`](crate::lifecycle::Stopping::within) to enforce an end.
    ///
    /// ```
    /// use actor_core::prelude::*;
    /// use actor_core::StopReason;
    ///
    /// #[derive(Debug)]
    /// struct Close;
    ///
    /// struct File;
    ///
    /// #[actor]
    /// impl File {
    ///     #[on]
    ///     fn close(&mut self, _: Close, cx: &mut Context<Self>) {
    ///         cx.halt();
    ///     }
    /// }
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), actor_core::Error> {
    /// let sys = System::new();
    /// let file = sys.spawn(File);
    /// file.tell(Close);
    /// assert_eq!(file.stopped().await, StopReason::Halted);
    /// assert!(!file.is_alive());
    /// # sys.shutdown().await?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn stopped(&self) -> Stopped {
        Stopped::of(&self.target)
    }

    /// Sends `event` and returns at once. The caller does not learn if the actor has stopped or if a [bounded
    /// mailbox](crate::mailbox::Mailbox) is full: an event that can't be delivered becomes a dead letter.
    #[inline]
    pub fn tell<E: AcceptedBy<A>>(&self, event: E) {
        let message = event.__into_message(Reply::nobody());
        self.target.post::<A>(&mut Slot::Full(message));
    }

    /// Sends `event` as soon as there is capacity for it in the actor's [mailbox](crate::mailbox::Mailbox).
    /// Senders to a full one wait, first come, first served, unless the mailbox rejects or drops events.
    ///
    /// Nothing is sent before the future is awaited, nor if the future is dropped before it is done.
    /// Events of one sender, from its `tell`s and finished `send`s, arrive in the order of the calls. A
    /// future that was granted a permit keeps it until the future is polled again or dropped.
    ///
    /// # Errors
    ///
    /// [`SendError::Closed`](crate::mailbox::SendError::Closed) if the actor has stopped, also while this
    /// waits, and [`SendError::Full`](crate::mailbox::SendError::Full) if the mailbox is full and
    /// [rejects](crate::mailbox::Overflow::Reject) events; both return the event.
    ///
    /// ```
    /// use actor_core::prelude::*;
    /// use actor_core::mailbox::{Mailbox, SendError};
    ///
    /// #[derive(Debug, PartialEq)]
    /// struct Chunk(u8);
    /// #[derive(Debug)]
    /// struct End;
    ///
    /// struct Disk;
    ///
    /// #[actor]
    /// impl Disk {
    ///     #[on]
    ///     fn chunk(&mut self, _: Chunk) {}
    ///
    ///     #[on]
    ///     fn end(&mut self, _: End, cx: &mut Context<Self>) {
    ///         cx.halt();
    ///     }
    /// }
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let sys = System::new();
    /// let disk = sys.spawner().mailbox(Mailbox::bounded(8)).spawn(Disk);
    /// for at in 0..100 {
    ///     disk.send(Chunk(at)).await?; // never more than eight are unread
    /// }
    /// disk.ask(End).await?;
    /// assert_eq!(disk.send(Chunk(100)).await, Err(SendError::Closed(Chunk(100))));
    /// # Ok(())
    /// # }
    /// ```
    pub fn send<E: AcceptedBy<A>>(&self, event: E) -> Sending<E> {
        Sending::new(self.target.clone(), event, put::<A, E>)
    }

    /// Sends `event` if there is capacity for it in the actor's [mailbox](crate::mailbox::Mailbox), and
    /// returns the event otherwise. In production the result is ready at once; under test the scheduler
    /// decides when.
    ///
    /// A mailbox that [drops the oldest](crate::mailbox::Overflow::DropOldest) always has capacity.
    ///
    /// # Errors
    ///
    /// [`SendError::Full`](crate::mailbox::SendError::Full) or
    /// [`SendError::Closed`](crate::mailbox::SendError::Closed), with the event.
    pub fn try_send<E: AcceptedBy<A>>(&self, event: E) -> TrySending<E> {
        TrySending::new(self.target.clone(), event, put::<A, E>)
    }

    /// Sends `event` at once, and returns a future of the handler's reply.
    ///
    /// The future may be awaited on any executor, and dropping it changes nothing for the actor. An
    /// `ask` never waits for capacity in a [bounded mailbox](crate::mailbox::Mailbox). If no reply will come,
    /// the result is an [`AskError`](crate::AskError) with the reason. There is no time limit, unless
    /// the system [sets one](crate::System::ask_limit).
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
    /// # sys.shutdown().await?;
    /// # Ok(())
    /// # }
    /// ```
    #[track_caller]
    pub fn ask<E: AcceptedBy<A>>(&self, event: E) -> Ask<E::Reply> {
        let (reply, ask) = self.target.begin_ask(Some(AskSite::of(E::EVENT)));
        self.target
            .post::<A>(&mut Slot::Full(event.__into_message(reply)));
        ask.limited(&self.target)
    }

    /// Returns this actor as the recipient of one kind of event.
    pub fn recipient<E: AcceptedBy<A>>(&self) -> Recipient<E> {
        Recipient::new(self.target.clone(), &const { SendFns::of::<A>() })
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

by_identity! { [A: Actor] ActorRef<A> }

/// A reference to any actor that handles `E`, for protocols that don't depend on the actor's type.
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
/// # sys.shutdown_from(&server).then(&client).await?;
/// # Ok(())
/// # }
/// ```
pub struct Recipient<E: Event> {
    target: Target,
    send_fns: &'static SendFns<E>,
}

/// The functions that send one event to an actor of some type.
pub(crate) struct SendFns<E: Event> {
    pub(crate) tell: fn(&Target, E),
    pub(crate) put: Put<E>,
}

impl<E: Event> SendFns<E> {
    pub(crate) const fn of<A: Actor>() -> Self
    where
        E: AcceptedBy<A>,
    {
        Self {
            tell: Target::tell::<A, E>,
            put: put::<A, E>,
        }
    }
}

impl<E: Event> Recipient<E> {
    pub(crate) fn new(target: Target, send_fns: &'static SendFns<E>) -> Self {
        Self { target, send_fns }
    }

    #[cfg(feature = "codec")]
    pub(crate) fn send_fns(&self) -> &'static SendFns<E> {
        self.send_fns
    }

    #[cfg(feature = "codec")]
    pub(crate) fn to(&self) -> &Target {
        &self.target
    }

    /// Sends `event`, as [`ActorRef::tell`] does.
    #[inline]
    pub fn tell(&self, event: E) {
        (self.send_fns.tell)(&self.target, event);
    }

    /// Sends `event` as soon as there is capacity for it, as [`ActorRef::send`] does.
    ///
    /// # Errors
    ///
    /// As for [`ActorRef::send`].
    pub fn send(&self, event: E) -> Sending<E> {
        Sending::new(self.target.clone(), event, self.send_fns.put)
    }

    /// Sends `event` if there is capacity for it, as [`ActorRef::try_send`] does.
    ///
    /// # Errors
    ///
    /// As for [`ActorRef::try_send`].
    pub fn try_send(&self, event: E) -> TrySending<E> {
        TrySending::new(self.target.clone(), event, self.send_fns.put)
    }
}

impl<A: Actor, E: AcceptedBy<A>> From<&ActorRef<A>> for Recipient<E> {
    fn from(actor: &ActorRef<A>) -> Self {
        actor.recipient()
    }
}

impl<E: Event> Clone for Recipient<E> {
    fn clone(&self) -> Self {
        Self {
            target: self.target.clone(),
            send_fns: self.send_fns,
        }
    }
}

of_any_type! { [E: Event] Recipient<E> }

by_identity! { [E: Event] Recipient<E> }

/// Typed sending to a target.
impl Target {
    /// Sends to an `A`.
    pub(crate) fn tell<A: Actor, E: AcceptedBy<A>>(&self, event: E) {
        self.send::<A, E>(event, Reply::nobody());
    }

    pub(crate) fn send<A: Actor, E: AcceptedBy<A>>(&self, event: E, reply: Reply<E::Reply>) {
        self.post::<A>(&mut Slot::Full(event.__into_message(reply)));
    }
}
