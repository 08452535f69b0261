//! Selective receive: the future of [`Context::receive`](crate::Context::receive).

use std::future::Future;
use std::marker::PhantomData;
use std::pin::Pin;
use std::task::{Context as TaskContext, Poll, ready};

use super::Actor;
use super::scoped_timers::{ScopedTimers, TimerScope};
use crate::dispatch::ActorExecutor;

/// Waits for the next message with that event.
pub(crate) struct Receive<'a, A: Actor> {
    home: &'a mut ActorExecutor,
    scoped_timers: &'a mut ScopedTimers,
    event: u16,
    actor: PhantomData<fn(A)>,
}

impl<'a, A: Actor> Receive<'a, A> {
    pub(crate) fn new(
        home: &'a mut ActorExecutor,
        scoped_timers: &'a mut ScopedTimers,
        event: u16,
    ) -> Self {
        Self {
            home,
            scoped_timers,
            event,
            actor: PhantomData,
        }
    }
}

impl<A: Actor> Future for Receive<'_, A> {
    type Output = A::Message;

    fn poll(mut self: Pin<&mut Self>, task: &mut TaskContext<'_>) -> Poll<A::Message> {
        let event = self.event;
        let message = ready!(self.home.poll_receive::<A>(event, task));
        self.scoped_timers.end(TimerScope::EventHandled);
        Poll::Ready(message)
    }
}

impl<A: Actor> Drop for Receive<'_, A> {
    fn drop(&mut self) {
        self.home.receive_dropped(self.event);
    }
}
