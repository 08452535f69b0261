//! Sending to bounded mailboxes: [`Sending`], [`TrySending`].

use std::any::Any;
use std::fmt;
use std::future::{Future, poll_fn};
use std::pin::Pin;
use std::task::{Context as TaskContext, Poll, ready};

use super::{AcceptedBy, Actor, ActorRef};
use crate::asking::Reply;
use crate::dispatch::Target;
use crate::event::Event;
use crate::production::OfferState;
use crate::seam::{self, AskError, Dropped, Offered, Request, RequestId};
use crate::slab::Slot;

/// The error of a send that failed, with the event.
///
/// ```
/// use actor_core::prelude::*;
/// use actor_core::mailbox::{Mailbox, SendError};
///
/// #[derive(Debug, PartialEq)]
/// struct Job(u32);
///
/// struct Worker;
///
/// #[actor]
/// impl Worker {
///     #[on]
///     fn job(&mut self, _: Job) {}
/// }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), actor_core::Error> {
/// let sys = System::new();
/// let worker = sys.spawner().mailbox(Mailbox::bounded(1)).spawn(Worker);
/// worker.tell(Job(1));
/// assert_eq!(worker.try_send(Job(2)).await, Err(SendError::Full(Job(2))));
/// sys.shutdown().await?;
/// assert_eq!(worker.send(Job(3)).await, Err(SendError::Closed(Job(3))));
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SendError<E> {
    /// The mailbox is full, and the event was not to wait for capacity.
    Full(E),
    /// The actor has stopped.
    Closed(E),
}

/// The error of [`try_send`](crate::ActorRef::try_send).
pub type TrySendError<E> = SendError<E>;

impl<E> SendError<E> {
    /// Returns the event that was not sent.
    pub fn into_event(self) -> E {
        match self {
            Self::Full(event) | Self::Closed(event) => event,
        }
    }
}

impl<E> fmt::Display for SendError<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Full(_) => "the actor's mailbox is full",
            Self::Closed(_) => "the actor has stopped",
        })
    }
}

impl<E: fmt::Debug> std::error::Error for SendError<E> {}

/// The future of [`ActorRef::send`](crate::ActorRef::send) and [`Recipient::send`](crate::Recipient::send).
/// Nothing is sent before the future is awaited, nor if it is dropped before it is done.
#[must_use = "nothing is sent before this is awaited"]
pub struct Sending<E: Event>(Offer<E>);

/// The future of [`ActorRef::try_send`](crate::ActorRef::try_send) and
/// [`Recipient::try_send`](crate::Recipient::try_send). Nothing is sent before the future is awaited,
/// nor if it is dropped before it is done.
#[must_use = "nothing is sent before this is awaited"]
pub struct TrySending<E: Event>(Offer<E>);

impl<E: Event> Sending<E> {
    pub(crate) fn new(to: Target, event: E, put: Put<E>) -> Self {
        Self(Offer::new(to, event, put))
    }
}

impl<E: Event> TrySending<E> {
    pub(crate) fn new(to: Target, event: E, put: Put<E>) -> Self {
        Self(Offer::new(to, event, put))
    }
}

impl<E: Event> Future for Sending<E> {
    type Output = Result<(), SendError<E>>;

    fn poll(mut self: Pin<&mut Self>, task: &mut TaskContext<'_>) -> Poll<Self::Output> {
        self.0.poll(true, task)
    }
}

impl<E: Event> Future for TrySending<E> {
    type Output = Result<(), TrySendError<E>>;

    fn poll(mut self: Pin<&mut Self>, task: &mut TaskContext<'_>) -> Poll<Self::Output> {
        self.0.poll(false, task)
    }
}

impl<E: Event> fmt::Debug for Sending<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Sending").field(&self.0.entrance.to).finish()
    }
}

impl<E: Event> fmt::Debug for TrySending<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let to = &self.0.entrance.to;
        f.debug_tuple("TrySending").field(to).finish()
    }
}

/// A send in progress: an event and the mailbox that it is to enter.
struct Offer<E: Event> {
    /// `None` once the event was sent or returned.
    event: Option<E>,
    entrance: CapacityWait,
    /// Wraps the event for the type of the target.
    put: Put<E>,
}

// The event is never pinned.
impl<E: Event> Unpin for Offer<E> {}

/// See [`put`].
pub(crate) type Put<E> =
    fn(&mut CapacityWait, &mut Option<E>, waits: bool, &mut TaskContext<'_>) -> Poll<Offered>;

impl<E: Event> Offer<E> {
    fn new(to: Target, event: E, put: Put<E>) -> Self {
        Self {
            event: Some(event),
            entrance: CapacityWait::new(to),
            put,
        }
    }

    fn poll(&mut self, waits: bool, task: &mut TaskContext<'_>) -> Poll<Result<(), SendError<E>>> {
        let offered = ready!((self.put)(&mut self.entrance, &mut self.event, waits, task));
        Poll::Ready(match (offered, self.event.take()) {
            (Offered::Full, Some(event)) => Err(SendError::Full(event)),
            (Offered::Closed, Some(event)) => Err(SendError::Closed(event)),
            _ => Ok(()),
        })
    }
}

/// Puts the event into the mailbox of the target, or returns it in `event`.
pub(crate) fn put<A: Actor, E: AcceptedBy<A>>(
    entrance: &mut CapacityWait,
    event: &mut Option<E>,
    waits: bool,
    task: &mut TaskContext<'_>,
) -> Poll<Offered> {
    let offered = event
        .take()
        .expect("a future is not polled once it is done");
    let message = &mut Slot::Full(offered.__into_message(Reply::nobody()));
    let offered = entrance.poll::<A>(message, waits, task);
    if let Slot::Full(message) = std::mem::replace(message, Slot::Free(0)) {
        *event = E::__out_of(message).ok().map(|(event, _)| event);
    }
    offered
}

/// Asks as [`ActorRef::ask`] does, but waits for capacity, and without the system's time limit.
pub(crate) async fn ask_in_line<A: Actor, E: AcceptedBy<A>>(
    to: &ActorRef<A>,
    event: E,
) -> Result<E::Reply, AskError> {
    let (reply, ask) = to.target().begin_ask(None);
    enter_in_line::<A>(to.target(), event.__into_message(reply)).await;
    ask.await
}

/// Sends as [`ActorRef::tell`] does, but waits for capacity if the mailbox is full.
pub(crate) async fn tell_in_line<A: Actor, E: AcceptedBy<A>>(to: &ActorRef<A>, event: E) {
    enter_in_line::<A>(to.target(), event.__into_message(Reply::nobody())).await;
}

/// Puts a message into a mailbox as soon as there is capacity.
async fn enter_in_line<A: Actor>(to: &Target, message: A::Message) {
    let mut in_line = WaitingMessage::<A> {
        message: Slot::Full(message),
        entrance: CapacityWait::new(to.clone()),
    };
    if to.is_bounded() {
        let WaitingMessage { message, entrance } = &mut in_line;
        poll_fn(|task| entrance.poll::<A>(message, true, task)).await;
    }
}

/// A message that waits for capacity. A message that still waits when this is dropped is sent as by
/// `tell`, so that the message is never lost without a dead letter.
struct WaitingMessage<A: Actor> {
    message: Slot<A::Message>,
    entrance: CapacityWait,
}

impl<A: Actor> Drop for WaitingMessage<A> {
    fn drop(&mut self) {
        if let Slot::Full(_) = self.message {
            self.entrance.to.post::<A>(&mut self.message);
        }
    }
}

/// The sender's wait for capacity in one mailbox.
pub(crate) struct CapacityWait {
    to: Target,
    asked: SenderTicket,
}

/// The request of the sender for capacity.
enum SenderTicket {
    Not,
    /// The sender waits in line under this ticket.
    Live(u64),
    /// The tester decides about this request.
    Controlled(RequestId),
}

impl CapacityWait {
    fn new(to: Target) -> Self {
        Self {
            to,
            asked: SenderTicket::Not,
        }
    }

    /// Takes the message if there is capacity, or waits for it.
    fn poll<A: Actor>(
        &mut self,
        message: &mut Slot<A::Message>,
        waits: bool,
        task: &mut TaskContext<'_>,
    ) -> Poll<Offered> {
        self.to.settle();
        let Some(actor) = self.to.live_actor() else {
            let Slot::Full(shown) = &*message else {
                return Poll::Ready(Offered::Taken);
            };
            let event = A::__event_index(shown);
            return self.poll_controlled(event, message, waits, task);
        };
        let ticket = match self.asked {
            SenderTicket::Live(ticket) => Some(ticket),
            SenderTicket::Not | SenderTicket::Controlled(_) => None,
        };
        let room = actor.offer::<A>(message, ticket, waits.then(|| task.waker()));
        self.asked = match room {
            OfferState::Wait(ticket) => SenderTicket::Live(ticket),
            OfferState::Decided(_) => SenderTicket::Not,
        };
        match room {
            OfferState::Wait(_) => Poll::Pending,
            OfferState::Decided(offered) => Poll::Ready(offered),
        }
    }

    fn poll_controlled(
        &mut self,
        event: u16,
        message: &mut dyn Any,
        waits: bool,
        task: &mut TaskContext<'_>,
    ) -> Poll<Offered> {
        let request = match self.asked {
            SenderTicket::Controlled(request) => request,
            SenderTicket::Not | SenderTicket::Live(_) => {
                let to = self.to.address();
                let request = seam::request(Request::Capacity { to, event, waits });
                self.asked = SenderTicket::Controlled(request);
                request
            }
        };
        let offered = ready!(seam::poll_capacity(request, message, task.waker()));
        self.asked = SenderTicket::Not;
        Poll::Ready(offered)
    }
}

impl Drop for CapacityWait {
    fn drop(&mut self) {
        match (&self.asked, self.to.live_actor()) {
            (SenderTicket::Live(ticket), Some(actor)) => actor.leave_line(*ticket),
            (SenderTicket::Controlled(request), _) => {
                seam::dropped(Dropped::CapacityRequest(*request));
            }
            _ => {}
        }
    }
}
