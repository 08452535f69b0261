//! References to any actor that handles a set of events: [`ProtocolRef`].

use std::fmt;

use super::reference_macros::{by_identity, of_any_type};
use super::sending::{Sending, TrySending};
use super::{Actor, ActorRef, AnyRef, Handler, Recipient, SendFns};
use crate::asking::{Ask, Reply};
use crate::dispatch::Target;
use crate::event::Event;
use crate::seam::AskSite;
use crate::table::EventInfo;

/// A set of events that an actor handles, independent of the actor's type.
///
/// Implemented by [`#[protocol]`](crate::protocol) for `dyn Name` of a trait `Name`, not by hand.
pub trait Protocol {
    /// A table that says, for each event, how to send it to an actor of some type.
    type Table: Send + Sync + 'static;
    /// The name of the trait.
    const NAME: &'static str;
    /// The events, in the order of the trait.
    const EVENTS: &'static [EventInfo];
}

/// An event of the protocol `P`.
///
/// Others can't be sent to a [`ProtocolRef`]. Implemented by [`#[protocol]`](crate::protocol), not by hand.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no event of the protocol `{P}`",
    label = "the protocol does not have it",
    note = "add `fn …(event: {Self});` to the `#[protocol] trait`"
)]
pub trait EventOf<P: Protocol + ?Sized>: Event + Sized {
    /// The type of the reply to the event.
    type Reply: Event;
    /// The position of the event in [`Protocol::EVENTS`].
    const EVENT: u16;
    /// Returns the table entry that sends the event.
    #[doc(hidden)]
    fn __entry(table: &P::Table) -> &EventSender<Self, Self::Reply>;
}

/// A bound: the actor handles every event of the protocol, with the reply types of the protocol.
pub trait OfferedBy<A: Actor>: Protocol {
    /// The table of functions that send the events to the actor.
    #[doc(hidden)]
    const TABLE: &'static Self::Table;
}

/// The functions that send one event of a protocol to an actor of some type.
pub struct EventSender<E: Event, R: Event> {
    send_fns: &'static SendFns<E>,
    ask: fn(&Target, E, Reply<R>),
    /// The position of the event among those of the actor.
    event: u16,
}

impl<E: Event, R: Event> EventSender<E, R> {
    /// Returns the functions for an `A`.
    pub const fn of<A: Handler<E, Reply = R>>() -> Self {
        Self {
            send_fns: &const { SendFns::of::<A>() },
            ask: Target::send::<A, E>,
            event: <A as Handler<E>>::EVENT,
        }
    }
}

impl<E: Event, R: Event> EventSender<E, R> {
    pub(super) fn tell(&self, to: &Target, event: E) {
        (self.send_fns.tell)(to, event);
    }

    #[track_caller]
    pub(super) fn ask(&self, of: &Target, event: E) -> Ask<R> {
        let (reply, ask) = of.begin_ask(Some(AskSite::of(self.event)));
        (self.ask)(of, event, reply);
        ask.limited(of)
    }

    pub(super) fn recipient(&self, of: &Target) -> Recipient<E> {
        Recipient::new(of.clone(), self.send_fns)
    }
}

impl<E: Event, R: Event> fmt::Debug for EventSender<E, R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Entry")
    }
}

/// A reference to any actor that offers a protocol: `ProtocolRef<dyn Store>`, which the macro calls
/// `StoreRef`. Made from an [`ActorRef`], and as cheap.
///
/// The code that holds a `ProtocolRef` works with the actor, with a model of it and with a
/// [`Probe`](crate::services::Probe), and names none of their types.
///
/// Two are equal if they refer to the same actor.
///
/// ```
/// use actor_core::prelude::*;
/// use std::collections::BTreeMap;
///
/// #[derive(Debug)]
/// struct Get(&'static str);
/// #[derive(Debug)]
/// struct Put(&'static str, u64);
///
/// #[protocol]
/// trait Store {
///     fn get(get: Get) -> Option<u64>;
///     fn put(put: Put);
/// }
///
/// #[derive(Default)]
/// struct Memory(BTreeMap<&'static str, u64>);
///
/// #[actor]
/// impl Memory {
///     #[on]
///     fn get(&mut self, get: Get) -> Option<u64> {
///         self.0.get(get.0).copied()
///     }
///
///     #[on]
///     fn put(&mut self, put: Put) {
///         self.0.insert(put.0, put.1);
///     }
/// }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), actor_core::Error> {
/// let sys = System::new();
/// let store: StoreRef = sys.spawn(Memory::default()).into();
/// store.tell(Put("seven", 7));
/// assert_eq!(store.ask(Get("seven")).await, Ok(Some(7)));
/// # sys.shutdown().await?;
/// # Ok(())
/// # }
/// ```
///
/// An event that the protocol lacks does not compile:
///
/// ```compile_fail
/// # use actor_core::prelude::*;
/// # #[derive(Debug)]
/// # struct Get;
/// # #[derive(Debug)]
/// # struct Burn;
/// # #[protocol]
/// # trait Store {
/// #     fn get(get: Get);
/// # }
/// fn burn(store: &StoreRef) {
///     store.tell(Burn);
/// }
/// ```
pub struct ProtocolRef<P: Protocol + ?Sized> {
    target: Target,
    table: &'static P::Table,
}

impl<P: Protocol + ?Sized> ProtocolRef<P> {
    #[cfg(feature = "codec")]
    pub(crate) fn new(target: Target, table: &'static P::Table) -> Self {
        Self { target, table }
    }

    pub(crate) fn table(&self) -> &'static P::Table {
        self.table
    }

    pub(crate) fn to(&self) -> &Target {
        &self.target
    }

    /// Sends `event`, as [`ActorRef::tell`] does.
    #[inline]
    pub fn tell<E: EventOf<P>>(&self, event: E) {
        E::__entry(self.table).tell(&self.target, event);
    }

    /// Sends `event` as soon as there is capacity for it, as [`ActorRef::send`] does.
    ///
    /// # Errors
    ///
    /// As for [`ActorRef::send`].
    pub fn send<E: EventOf<P>>(&self, event: E) -> Sending<E> {
        Sending::new(
            self.target.clone(),
            event,
            E::__entry(self.table).send_fns.put,
        )
    }

    /// Sends `event` if there is capacity for it, as [`ActorRef::try_send`] does.
    ///
    /// # Errors
    ///
    /// As for [`ActorRef::try_send`].
    pub fn try_send<E: EventOf<P>>(&self, event: E) -> TrySending<E> {
        TrySending::new(
            self.target.clone(),
            event,
            E::__entry(self.table).send_fns.put,
        )
    }

    /// Sends `event` and returns the future of the reply, as [`ActorRef::ask`] does.
    #[track_caller]
    pub fn ask<E: EventOf<P>>(&self, event: E) -> Ask<E::Reply> {
        E::__entry(self.table).ask(&self.target, event)
    }

    /// Returns this actor as the recipient of one event of the protocol.
    pub fn recipient<E: EventOf<P>>(&self) -> Recipient<E> {
        E::__entry(self.table).recipient(&self.target)
    }
}

impl<P: Protocol + ?Sized, E: EventOf<P>> From<&ProtocolRef<P>> for Recipient<E> {
    fn from(actor: &ProtocolRef<P>) -> Self {
        actor.recipient()
    }
}

impl<P: Protocol + ?Sized + 'static> AnyRef for ProtocolRef<P> {
    fn target(&self) -> &Target {
        &self.target
    }
}

impl<A: Actor, P: OfferedBy<A> + ?Sized> From<&ActorRef<A>> for ProtocolRef<P> {
    fn from(actor: &ActorRef<A>) -> Self {
        Self {
            target: actor.target().clone(),
            table: P::TABLE,
        }
    }
}

impl<A: Actor, P: OfferedBy<A> + ?Sized> From<ActorRef<A>> for ProtocolRef<P> {
    fn from(actor: ActorRef<A>) -> Self {
        Self::from(&actor)
    }
}

impl<P: Protocol + ?Sized> Clone for ProtocolRef<P> {
    fn clone(&self) -> Self {
        Self {
            target: self.target.clone(),
            table: self.table,
        }
    }
}

of_any_type! { [P: Protocol + ?Sized] ProtocolRef<P> }

by_identity! { [P: Protocol + ?Sized] ProtocolRef<P> }
