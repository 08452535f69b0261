//! What an actor is: the traits that `#[actor]` implements, and the tables they carry.

use std::any::Any;
use std::fmt::{self, Debug};
use std::future::Future;

use super::Context;
use crate::asking::Reply;
use crate::event::Event;
use crate::fingerprint::Fingerprinter;
use crate::parts::{CannotCross, Driver, Mailed};
use crate::table::{ActorInfo, State};

/// A state machine or plain actor: private state, changed by one event at a time.
///
/// Implemented by [`#[actor]`](crate::actor), not by hand: the methods are what the two executors
/// call, and their shape may change.
///
/// ```
/// use actor_core::prelude::*;
///
/// #[derive(Debug)]
/// struct Add(u64);
///
/// #[derive(Default)]
/// struct Sum {
///     total: u64,
/// }
///
/// #[actor]
/// impl Sum {
///     #[on]
///     fn add(&mut self, add: Add) {
///         self.total += add.0;
///     }
/// }
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no actor",
    label = "this type is no actor",
    note = "put `#[actor]` on its `impl` block: `#[actor] impl {Self} {{ .. }}`"
)]
pub trait Actor: Sized + Send + 'static {
    /// One variant for each event that the actor handles, defers or ignores.
    type Message: Send + 'static;
    /// The generated set of states; [`Stateless`](crate::generated::Stateless) for a plain actor.
    type State: State;
    /// Names, states and dispositions, for dispatch and for reports.
    const INFO: &'static ActorInfo;

    /// The state in which the actor starts.
    fn first_state() -> Self::State;
    /// Which of [`ActorInfo::events`] the message carries.
    fn event_index(message: &Self::Message) -> u16;
    /// The event inside the message.
    fn event(message: &Self::Message) -> &dyn Event;
    /// Feeds what the actor's value offers for a fingerprint; `false` where that is nothing.
    fn offer(&self, to: &mut Fingerprinter) -> bool {
        let _ = to;
        false
    }
    /// The actor's value as something to print, where its type has a `Debug`.
    fn debug(&self) -> Option<&dyn fmt::Debug> {
        None
    }
    /// Feeds to whom the reply goes and what the event offers; `false` where the event offers nothing.
    fn offer_event(message: &Self::Message, to: &mut Fingerprinter) -> bool {
        let _ = (message, to);
        false
    }
    /// The message as it arrives at another node: encoded and decoded.
    fn carry(message: &Self::Message) -> Result<Self::Message, CannotCross> {
        let _ = message;
        Err(CannotCross::Failed {
            of: Self::INFO.name,
            error: "an actor of the framework's own takes no events from other nodes".into(),
        })
    }
    /// Runs a handler or hook, or hands the call back because its body is async.
    fn call(&mut self, call: Call<Self>, cx: &mut Context<Self>) -> Flow<Self>;
    /// Runs the async handler or hook that [`call`](Actor::call) handed back.
    fn call_async(
        &mut self,
        call: Call<Self>,
        cx: &mut Context<Self>,
    ) -> impl Future<Output = ()> + Send {
        let _ = (call, cx);
        std::future::ready(())
    }
    /// What runs [`call_async`](Actor::call_async); `None` where nothing is async.
    fn driver() -> Option<Driver> {
        None
    }
}

#[doc(hidden)]
impl<A: Actor> Mailed for A {
    type Message = A::Message;

    #[inline(always)]
    fn event_index(message: &A::Message) -> u16 {
        A::event_index(message)
    }

    #[inline(always)]
    fn event(message: &A::Message) -> &dyn Event {
        A::event(message)
    }

    fn offer_event(message: &A::Message, to: &mut Fingerprinter) -> bool {
        A::offer_event(message, to)
    }

    fn carry(message: &A::Message) -> Result<A::Message, CannotCross> {
        A::carry(message)
    }
}

/// The actor accepts `E`: some state handles, defers or ignores it, or a handler receives it.
///
/// Sending an event to an actor without this is a compile-time error.
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no handler for `{E}`",
    label = "`{E}` is neither handled, deferred nor ignored by `{Self}`",
    note = "add `#[on] fn …(&mut self, event: {E})` to the `#[actor] impl`, or `ignore({E})` to a state",
    note = "an event that only `cx.receive()` takes is declared: `#[actor(receive({E}))]`"
)]
pub trait Handler<E: Any + Debug>: Actor {
    /// What the handler returns, and so what an [`ask`](crate::ActorRef::ask) resolves to.
    type Reply: Event;
    /// The position of `E` in [`ActorInfo::events`].
    #[doc(hidden)]
    const EVENT: u16;
    /// Wraps the event, and to whom the reply goes.
    #[doc(hidden)]
    fn message(event: E, reply: Reply<Self::Reply>) -> Self::Message;
    /// Takes the event out again; the message comes back where it holds another event.
    #[doc(hidden)]
    fn unwrap(message: Self::Message) -> Result<(E, Reply<Self::Reply>), Self::Message>;
}

/// An event that actors of type `A` accept: [`Handler`] as seen from the event.
///
/// It holds wherever `A: Handler<E>` does; there is nothing to implement. Methods that take an event
/// ask for this, so that the event's type is that of the argument, and not what the actor's handlers
/// would have it be.
///
/// ```
/// use actor_core::prelude::*;
/// use actor_core::Handler;
///
/// #[derive(Debug)]
/// struct Tick;
///
/// fn wake<A: Handler<Tick>>(actor: &ActorRef<A>) {
///     actor.tell(Tick);
/// }
/// ```
pub trait AcceptedBy<A: Actor>: Event + Sized {
    /// What an [`ask`](crate::ActorRef::ask) resolves to.
    type Reply: Event;
    /// The position of the event in [`ActorInfo::events`].
    const EVENT: u16;
    /// Wraps the event, and to whom the reply goes.
    #[doc(hidden)]
    fn into_message(self, reply: Reply<Self::Reply>) -> A::Message;
    /// Takes the event out again; the message comes back where it holds another event.
    #[doc(hidden)]
    fn out_of(message: A::Message) -> Result<(Self, Reply<Self::Reply>), A::Message>;
}

#[doc(hidden)]
impl<E: Event, A: Handler<E>> AcceptedBy<A> for E {
    type Reply = A::Reply;
    const EVENT: u16 = A::EVENT;

    #[inline]
    fn into_message(self, reply: Reply<A::Reply>) -> A::Message {
        A::message(self, reply)
    }

    #[inline]
    fn out_of(message: A::Message) -> Result<(E, Reply<A::Reply>), A::Message> {
        A::unwrap(message)
    }
}

/// What an executor asks an actor to run.
pub enum Call<A: Actor> {
    /// The handler of an event, in the current state.
    Event(A::Message),
    /// The `#[start]` hook.
    Start,
    /// The `#[entry(S)]` hook.
    Entry(A::State),
    /// The `#[exit(S)]` hook.
    Exit(A::State),
    /// The `#[stop]` hook.
    Stop,
}

/// What became of a [`Call`].
#[must_use]
pub enum Flow<A: Actor> {
    /// It ran, or there was nothing to run.
    Done,
    /// It is async: give it to [`Actor::call_async`].
    Async(Call<A>),
}
