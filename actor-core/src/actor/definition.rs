//! The traits that `#[actor]` implements, and their associated tables.

use std::any::Any;
use std::fmt::{self, Debug};
use std::future::Future;

use super::Context;
use crate::asking::Reply;
use crate::event::Event;
use crate::fingerprint::Fingerprinter;
use crate::seam::{CannotCross, Driver, Mailed};
use crate::table::{ActorInfo, State};

/// A state machine or plain actor: private state, changed by one event at a time.
///
/// Implemented by [`#[actor]`](crate::actor), not by hand: the hidden methods may change. Their names begin
/// with underscores, so that they hide no method of yours.
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

    /// Returns the state in which the actor starts.
    fn first_state() -> Self::State;
    /// Returns the index in [`ActorInfo::events`] of the message's event.
    #[doc(hidden)]
    fn __event_index(message: &Self::Message) -> u16;
    /// Returns the event inside the message.
    #[doc(hidden)]
    fn __event(message: &Self::Message) -> &dyn Event;
    /// Feeds the actor's value to a fingerprint; returns `false` if the type offers nothing to feed.
    #[doc(hidden)]
    fn __offer(&self, to: &mut Fingerprinter) -> bool {
        let _ = to;
        false
    }
    /// Returns the actor's value for printing, if its type has a `Debug`.
    #[doc(hidden)]
    fn __debug(&self) -> Option<&dyn fmt::Debug> {
        None
    }
    /// Feeds the reply's target and the event to a fingerprint; `false` if the event offers nothing.
    #[doc(hidden)]
    fn __offer_event(message: &Self::Message, to: &mut Fingerprinter) -> bool {
        let _ = (message, to);
        false
    }
    /// Returns the message as it arrives at another node: encoded and decoded.
    #[doc(hidden)]
    fn __carry(message: &Self::Message) -> Result<Self::Message, CannotCross> {
        let _ = message;
        Err(CannotCross::Failed {
            of: Self::INFO.name,
            error: "an actor of the framework's own takes no events from other nodes".into(),
        })
    }
    /// Runs a handler or hook, or returns the call because its body is async.
    #[doc(hidden)]
    fn __call(&mut self, call: Call<Self>, cx: &mut Context<Self>) -> Flow<Self>;
    /// Runs the async handler or hook that [`__call`](Actor::__call) returned.
    #[doc(hidden)]
    fn __call_async(
        &mut self,
        call: Call<Self>,
        cx: &mut Context<Self>,
    ) -> impl Future<Output = ()> + Send {
        let _ = (call, cx);
        std::future::ready(())
    }
    /// Returns the runner of [`__call_async`](Actor::__call_async); `None` if nothing is async.
    #[doc(hidden)]
    fn __driver() -> Option<Driver> {
        None
    }
}

#[doc(hidden)]
impl<A: Actor> Mailed for A {
    type Message = A::Message;

    #[inline(always)]
    fn event_index(message: &A::Message) -> u16 {
        A::__event_index(message)
    }

    #[inline(always)]
    fn event(message: &A::Message) -> &dyn Event {
        A::__event(message)
    }

    fn offer_event(message: &A::Message, to: &mut Fingerprinter) -> bool {
        A::__offer_event(message, to)
    }

    fn carry(message: &A::Message) -> Result<A::Message, CannotCross> {
        A::__carry(message)
    }
}

/// A bound: the actor accepts `E`, since a state handles, defers or ignores it, or a handler receives it.
///
/// Sending an event to an actor without this is a compile-time error.
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no handler for `{E}`",
    label = "`{E}` is neither handled, deferred nor ignored by `{Self}`",
    note = "add `#[on] fn …(&mut self, event: {E})` to the `#[actor] impl`, or `ignore({E})` to a state",
    note = "an event that only `cx.receive()` takes is declared: `#[actor(receive({E}))]`"
)]
pub trait Handler<E: Any + Debug>: Actor {
    /// The type that the handler returns, and that an [`ask`](crate::ActorRef::ask) resolves to.
    type Reply: Event;
    /// The position of `E` in [`ActorInfo::events`].
    #[doc(hidden)]
    const EVENT: u16;
    /// Wraps the event and the target of the reply.
    #[doc(hidden)]
    fn __message(event: E, reply: Reply<Self::Reply>) -> Self::Message;
    /// Takes the event out again; returns the message if it holds another event.
    #[doc(hidden)]
    fn __unwrap(message: Self::Message) -> Result<(E, Reply<Self::Reply>), Self::Message>;
}

/// An event that actors of type `A` accept: [`Handler`] as seen from the event.
///
/// The bound holds wherever `A: Handler<E>` does; there is nothing to implement. Methods that take an event
/// use this bound, so that Rust infers the event's type from the argument, not from the actor's handlers.
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
    /// The type of the value that an [`ask`](crate::ActorRef::ask) resolves to.
    type Reply: Event;
    /// The position of the event in [`ActorInfo::events`].
    const EVENT: u16;
    /// Wraps the event and the target of the reply.
    #[doc(hidden)]
    fn __into_message(self, reply: Reply<Self::Reply>) -> A::Message;
    /// Takes the event out again; returns the message if it holds another event.
    #[doc(hidden)]
    fn __out_of(message: A::Message) -> Result<(Self, Reply<Self::Reply>), A::Message>;
}

#[doc(hidden)]
impl<E: Event, A: Handler<E>> AcceptedBy<A> for E {
    type Reply = A::Reply;
    const EVENT: u16 = A::EVENT;

    #[inline]
    fn __into_message(self, reply: Reply<A::Reply>) -> A::Message {
        A::__message(self, reply)
    }

    #[inline]
    fn __out_of(message: A::Message) -> Result<(E, Reply<A::Reply>), A::Message> {
        A::__unwrap(message)
    }
}

/// A handler or hook that an executor makes an actor run.
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

/// The result of a [`Call`].
#[must_use]
pub enum Flow<A: Actor> {
    /// The call ran, or there was nothing to run.
    Done,
    /// The call is async: pass it to [`Actor::__call_async`].
    Async(Call<A>),
}
