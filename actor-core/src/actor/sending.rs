//! Sending to mailboxes that may be full: [`Sending`], [`TrySending`].

use std::any::Any;
use std::fmt;
use std::future::{Future, poll_fn};
use std::pin::Pin;
use std::task::{Context as TaskContext, Poll, ready};

use super::{AcceptedBy, Actor, ActorRef};
use crate::asking::Reply;
use crate::event::Event;
use crate::parts::{AskError, Offered};
use crate::production::{Room, Target};
use crate::runtime::{self, RoomId};
use crate::slab::Slot;

/// Why an event was not sent, and the event.
///
/// ```
/// use actor_core::prelude::*;
/// use actor_core::{Mailbox, SendError};
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
    /// The mailbox is full, and the event was not to wait for room.
    Full(E),
    /// The actor has stopped.
    Closed(E),
}

/// What [`try_send`](crate::ActorRef::try_send) is refused with.
pub type TrySendError<E> = SendError<E>;

impl<E> SendError<E> {
    /// The event that was not sent.
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

/// The future of [`ActorRef::send`](crate::ActorRef::send) and
/// [`Recipient::send`](crate::Recipient::send). Nothing is sent before it is awaited; where it is
/// dropped before it is done, nothing was sent.
#[must_use = "nothing is sent before this is awaited"]
pub struct Sending<E: Event>(Offer<E>);

/// The future of [`ActorRef::try_send`](crate::ActorRef::try_send) and
/// [`Recipient::try_send`](crate::Recipient::try_send). Nothing is sent before it is awaited; where
/// it is dropped before it is done, nothing was sent.
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

/// An event on its way into a mailbox.
struct Offer<E: Event> {
    /// `None` once it was sent or given back.
    event: Option<E>,
    entrance: Entrance,
    /// Wraps the event for the type of the target.
    put: Put<E>,
}

// The event is never polled.
impl<E: Event> Unpin for Offer<E> {}

/// See [`put`].
pub(crate) type Put<E> =
    fn(&mut Entrance, &mut Option<E>, waits: bool, &mut TaskContext<'_>) -> Poll<Offered>;

impl<E: Event> Offer<E> {
    fn new(to: Target, event: E, put: Put<E>) -> Self {
        Self {
            event: Some(event),
            entrance: Entrance::new(to),
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

/// Puts the event into the mailbox of the target, or gives it back.
pub(crate) fn put<A: Actor, E: AcceptedBy<A>>(
    entrance: &mut Entrance,
    event: &mut Option<E>,
    waits: bool,
    task: &mut TaskContext<'_>,
) -> Poll<Offered> {
    let offered = event
        .take()
        .expect("a future is not polled once it is done");
    let message = &mut Slot::Full(offered.into_message(Reply::nobody()));
    let offered = entrance.poll::<A>(message, waits, task);
    if let Slot::Full(message) = std::mem::replace(message, Slot::Free(0)) {
        *event = E::out_of(message).ok().map(|(event, _)| event);
    }
    offered
}

/// As [`ActorRef::ask`], but for what waits in line, as [`ActorRef::send`] does, where the mailbox is
/// full. There is no time limit but the caller's.
pub(crate) async fn ask_in_line<A: Actor, E: AcceptedBy<A>>(
    to: &ActorRef<A>,
    event: E,
) -> Result<E::Reply, AskError> {
    let (reply, ask) = to.target().begin_ask();
    enter_in_line::<A>(to.target(), event.into_message(reply)).await;
    ask.await
}

/// As [`ActorRef::tell`], but for what waits in line where the mailbox is full.
pub(crate) async fn tell_in_line<A: Actor, E: AcceptedBy<A>>(to: &ActorRef<A>, event: E) {
    enter_in_line::<A>(to.target(), event.into_message(Reply::nobody())).await;
}

/// Puts a message into a mailbox, when there is room.
async fn enter_in_line<A: Actor>(to: &Target, message: A::Message) {
    let mut in_line = InLine::<A> {
        message: Slot::Full(message),
        entrance: Entrance::new(to.clone()),
    };
    if to.is_bounded() {
        let InLine { message, entrance } = &mut in_line;
        poll_fn(|task| entrance.poll::<A>(message, true, task)).await;
    }
}

/// A message on its way into a mailbox. What has not entered when this is dropped is told: so it is never
/// lost in silence.
struct InLine<A: Actor> {
    message: Slot<A::Message>,
    entrance: Entrance,
}

impl<A: Actor> Drop for InLine<A> {
    fn drop(&mut self) {
        if let Slot::Full(_) = self.message {
            self.entrance.to.post::<A>(&mut self.message);
        }
    }
}

/// The way into one mailbox, where the sender may have to wait.
pub(crate) struct Entrance {
    to: Target,
    asked: Asked,
}

/// Whether the sender has asked for room.
enum Asked {
    Not,
    /// It waits in line under this number.
    Live(u64),
    /// The tester decides.
    Controlled(RoomId),
}

impl Entrance {
    fn new(to: Target) -> Self {
        Self {
            to,
            asked: Asked::Not,
        }
    }

    /// Takes the message where there is room.
    fn poll<A: Actor>(
        &mut self,
        message: &mut Slot<A::Message>,
        waits: bool,
        task: &mut TaskContext<'_>,
    ) -> Poll<Offered> {
        let Some(actor) = self.to.live_actor() else {
            let Slot::Full(shown) = &*message else {
                return Poll::Ready(Offered::Taken);
            };
            let event = A::event_index(shown);
            return self.poll_controlled(event, message, waits, task);
        };
        let ticket = match self.asked {
            Asked::Live(ticket) => Some(ticket),
            Asked::Not | Asked::Controlled(_) => None,
        };
        let room = actor.offer::<A>(message, ticket, waits.then(|| task.waker()));
        self.asked = match room {
            Room::Wait(ticket) => Asked::Live(ticket),
            Room::Decided(_) => Asked::Not,
        };
        match room {
            Room::Wait(_) => Poll::Pending,
            Room::Decided(offered) => Poll::Ready(offered),
        }
    }

    fn poll_controlled(
        &mut self,
        event: u16,
        message: &mut dyn Any,
        waits: bool,
        task: &mut TaskContext<'_>,
    ) -> Poll<Offered> {
        let room = match self.asked {
            Asked::Controlled(room) => room,
            Asked::Not | Asked::Live(_) => {
                let room = runtime::ask_for_room(self.to.address(), event, waits);
                self.asked = Asked::Controlled(room);
                room
            }
        };
        let offered = ready!(runtime::poll_room(room, message, task.waker()));
        self.asked = Asked::Not;
        Poll::Ready(offered)
    }
}

impl Drop for Entrance {
    fn drop(&mut self) {
        match (&self.asked, self.to.live_actor()) {
            (Asked::Live(ticket), Some(actor)) => actor.leave_line(*ticket),
            (Asked::Controlled(room), _) => drop(runtime::try_with(|rt| rt.room_dropped(*room))),
            _ => {}
        }
    }
}
