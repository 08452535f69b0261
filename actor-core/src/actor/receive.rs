//! The future of [`Context::receive`](crate::Context::receive).

use std::future::Future;
use std::marker::PhantomData;
use std::pin::Pin;
use std::task::{Context as TaskContext, Poll, ready};

use super::timeouts::{Timeouts, Until};
use super::{AcceptedBy, Actor};
use crate::runtime::Home;

/// Waits for the next event of its kind.
pub(crate) struct Receive<'a, A: Actor, E: AcceptedBy<A>> {
    home: &'a mut Home,
    timeouts: &'a mut Timeouts,
    event: PhantomData<fn(A) -> E>,
}

impl<'a, A: Actor, E: AcceptedBy<A>> Receive<'a, A, E> {
    pub(crate) fn new(home: &'a mut Home, timeouts: &'a mut Timeouts) -> Self {
        Self {
            home,
            timeouts,
            event: PhantomData,
        }
    }
}

impl<A: Actor, E: AcceptedBy<A>> Future for Receive<'_, A, E> {
    type Output = E;

    fn poll(mut self: Pin<&mut Self>, task: &mut TaskContext<'_>) -> Poll<E> {
        let message = ready!(self.home.poll_receive::<A>(E::EVENT, task));
        self.timeouts.end(Until::EventHandled);
        match E::out_of(message) {
            Ok((event, reply)) => {
                drop(reply);
                Poll::Ready(event)
            }
            Err(_) => unreachable!("`receive` takes the kind of event that it asked for"),
        }
    }
}

impl<A: Actor, E: AcceptedBy<A>> Drop for Receive<'_, A, E> {
    fn drop(&mut self) {
        self.home.receive_dropped(E::EVENT);
    }
}
