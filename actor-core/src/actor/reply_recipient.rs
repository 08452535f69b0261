//! References to any actor that replies to one kind of event: [`ReplyRecipient`].

use super::protocol::{EventOf, EventSender, Protocol, ProtocolRef};
use super::reference_macros::{by_identity, of_any_type};
use super::{Actor, ActorRef, AnyRef, Context, Handler, Recipient};
use crate::asking::Ask;
use crate::dispatch::Target;
use crate::event::Event;

/// Any actor that handles `E` and replies with an `R`: a [`Recipient`] that can be asked.
///
/// The handler determines the type of the reply, not the event: two actors may reply to the same event
/// with different types. So this type names the reply's type, too. For a set of events that belong
/// together, a [`protocol`](crate::protocol) names each of them with its reply.
///
/// ```
/// use actor_core::prelude::*;
/// use actor_core::ReplyRecipient;
///
/// #[derive(Debug)]
/// struct Price(&'static str);
///
/// struct Shop;
///
/// #[actor]
/// impl Shop {
///     #[on]
///     fn price(&mut self, price: Price) -> u32 {
///         price.0.len() as u32
///     }
/// }
///
/// /// Asks whoever knows prices.
/// async fn cheapest(sellers: &[ReplyRecipient<Price, u32>]) -> Option<u32> {
///     let mut prices = Vec::new();
///     for seller in sellers {
///         prices.extend(seller.ask(Price("tea")).await);
///     }
///     prices.into_iter().min()
/// }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), actor_core::Error> {
/// let sys = System::new();
/// let shop = sys.spawn(Shop);
/// assert_eq!(cheapest(&[shop.reply_recipient()]).await, Some(3));
/// # sys.shutdown().await?;
/// # Ok(())
/// # }
/// ```
pub struct ReplyRecipient<E: Event, R: Event> {
    target: Target,
    entry: &'static EventSender<E, R>,
}

impl<E: Event, R: Event> ReplyRecipient<E, R> {
    pub(crate) fn new(target: Target, entry: &'static EventSender<E, R>) -> Self {
        Self { target, entry }
    }

    #[cfg(feature = "codec")]
    pub(crate) fn entry(&self) -> &'static EventSender<E, R> {
        self.entry
    }

    #[cfg(feature = "codec")]
    pub(crate) fn to(&self) -> &Target {
        &self.target
    }

    /// Sends `event` at once, and returns the future of the reply, as [`ActorRef::ask`] does.
    #[track_caller]
    pub fn ask(&self, event: E) -> Ask<R> {
        self.entry.ask(&self.target, event)
    }

    /// Sends `event` without a reply, as [`ActorRef::tell`] does.
    pub fn tell(&self, event: E) {
        self.entry.tell(&self.target, event);
    }

    /// Returns the same actor as a recipient of the event without replies.
    pub fn recipient(&self) -> Recipient<E> {
        self.entry.recipient(&self.target)
    }
}

impl<A: Actor> ActorRef<A> {
    /// Returns this actor as a recipient that can be asked one kind of event.
    pub fn reply_recipient<E: Event>(&self) -> ReplyRecipient<E, A::Reply>
    where
        A: Handler<E>,
    {
        ReplyRecipient::new(self.target().clone(), &const { EventSender::of::<A>() })
    }
}

impl<A: Actor> Context<A> {
    /// Returns this actor as a recipient that can be asked one kind of event.
    pub fn reply_recipient<E: Event>(&self) -> ReplyRecipient<E, A::Reply>
    where
        A: Handler<E>,
    {
        self.me().reply_recipient()
    }
}

impl<P: Protocol + ?Sized> ProtocolRef<P> {
    /// Returns this actor as a recipient that can be asked one kind of event.
    pub fn reply_recipient<E: EventOf<P>>(&self) -> ReplyRecipient<E, E::Reply> {
        ReplyRecipient::new(self.to().clone(), E::__entry(self.table()))
    }
}

impl<A: Handler<E, Reply = R>, E: Event, R: Event> From<&ActorRef<A>> for ReplyRecipient<E, R> {
    fn from(actor: &ActorRef<A>) -> Self {
        actor.reply_recipient()
    }
}

impl<P: Protocol + ?Sized, E: EventOf<P>> From<&ProtocolRef<P>> for ReplyRecipient<E, E::Reply> {
    fn from(actor: &ProtocolRef<P>) -> Self {
        actor.reply_recipient()
    }
}

impl<E: Event, R: Event> AnyRef for ReplyRecipient<E, R> {
    fn target(&self) -> &Target {
        &self.target
    }
}

impl<E: Event, R: Event> Clone for ReplyRecipient<E, R> {
    fn clone(&self) -> Self {
        Self::new(self.target.clone(), self.entry)
    }
}

of_any_type! { [E: Event, R: Event] ReplyRecipient<E, R> }

by_identity! { [E: Event, R: Event] ReplyRecipient<E, R> }
