//! Streams whose items are sent to an actor as events: [`attach`](Context::attach).

use std::future::poll_fn;
use std::pin::pin;

use futures_core::Stream;

use super::outcome;
use crate::actor::sending::{ask_in_line, tell_in_line};
use crate::actor::{AcceptedBy, Actor, ActorRef, Context};
use crate::seam::AskError;
use crate::task;

impl<A: Actor> Context<A> {
    /// Maps each item of a stream to an event, and sends it to this actor, beside all other events. Drops the
    /// stream when the actor stops or fails.
    ///
    /// Items are taken one at a time: the next when the actor has handled the previous event, so that the
    /// stream gets back-pressure. Replies are dropped, but an `Err` is reported as one that nobody receives.
    ///
    /// If the actor's [mailbox](crate::mailbox::Mailbox) is full, the event waits in line for capacity, as
    /// with [`send`](ActorRef::send). If the mailbox lets nobody wait, the event is a dead letter, and others
    /// run before the next item is taken. An item that was not handled when the actor ends is a dead letter,
    /// too.
    ///
    /// Under test the stream is an operation of its own, as with [`pipe_to_self`](Context::pipe_to_self). The
    /// stream may only wait for actors' replies and timers.
    ///
    /// ```
    /// use actor_core::prelude::*;
    /// use futures_core::Stream;
    ///
    /// #[derive(Debug)]
    /// struct Line(String);
    /// #[derive(Debug)]
    /// struct Closed;
    ///
    /// struct Reader<S> {
    ///     lines: Option<S>,
    /// }
    ///
    /// #[actor]
    /// impl<S: Stream<Item = String> + Send + 'static> Reader<S> {
    ///     #[start]
    ///     fn start(&mut self, cx: &mut Context<Self>) {
    ///         if let Some(lines) = self.lines.take() {
    ///             cx.attach_then(lines, Line, Closed);
    ///         }
    ///     }
    ///
    ///     #[on]
    ///     fn line(&mut self, line: Line) {
    ///         println!("{}", line.0);
    ///     }
    ///
    ///     #[on]
    ///     fn closed(&mut self, _: Closed, cx: &mut Context<Self>) {
    ///         cx.halt();
    ///     }
    /// }
    /// ```
    pub fn attach<S, E>(&mut self, stream: S, map: impl FnMut(S::Item) -> E + Send + 'static)
    where
        S: Stream + Send + 'static,
        E: AcceptedBy<A>,
    {
        let me = self.me();
        self.beside(async move {
            read(&me, stream, map).await;
        });
    }

    /// As [`attach`](Context::attach), and sends `end` after the stream's last item was handled.
    pub fn attach_then<S, E, End>(
        &mut self,
        stream: S,
        map: impl FnMut(S::Item) -> E + Send + 'static,
        end: End,
    ) where
        S: Stream + Send + 'static,
        E: AcceptedBy<A>,
        End: AcceptedBy<A>,
    {
        let me = self.me();
        self.beside(async move {
            if read(&me, stream, map).await {
                tell_in_line(&me, end).await;
            }
        });
    }
}

/// Sends a stream's items to an actor, one at a time. Returns false if the actor ended before the stream.
async fn read<A, S, E>(to: &ActorRef<A>, stream: S, mut map: impl FnMut(S::Item) -> E) -> bool
where
    A: Actor,
    S: Stream,
    E: AcceptedBy<A>,
{
    let mut stream = pin!(stream);
    loop {
        let next = poll_fn(|task| {
            stream
                .as_mut()
                .poll_next(task)
                .map(|item| item.map(&mut map))
        });
        let Some(event) = next.await else {
            return true;
        };
        match ask_in_line(to, event).await {
            Ok(value) => {
                if let Some(error) = outcome::failure(&value) {
                    let event = A::INFO.events[usize::from(E::EVENT)].name;
                    to.target()
                        .report(&format!("`{event}` was answered with Err({error})"));
                }
            }
            // The actor has ignored the event, and lives.
            Err(AskError::Dropped) => {}
            // The actor lives, and its mailbox gets capacity when it runs.
            Err(AskError::Full) => task::yield_now().await,
            Err(_) => return false,
        }
    }
}
