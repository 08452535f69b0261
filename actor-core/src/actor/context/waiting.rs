//! How a handler waits, and how an actor goes on meanwhile.

use std::future::Future;
use std::time::Duration;

use super::Context;
use crate::actor::receive::Receive;
use crate::actor::{AcceptedBy, Actor};
use crate::runtime::Purpose;

/// Waits of async handlers, and futures that run beside the actor.
impl<A: Actor> Context<A> {
    /// Waits. Events that arrive meanwhile stay in the inbox.
    pub fn sleep(&mut self, delay: Duration) -> impl Future<Output = ()> + Send + use<A> {
        crate::environment::sleep(self.home.is_live(), delay, Purpose::Sleep)
    }

    /// Waits for the next event of one kind; others stay in the inbox in their order. Deferred
    /// events of that kind are taken too, and first. An asker of the event is told
    /// [`AskError::Dropped`](crate::AskError::Dropped).
    ///
    /// ```
    /// use actor_core::prelude::*;
    ///
    /// #[derive(Debug)]
    /// struct Buy;
    /// #[derive(Debug)]
    /// struct Coin(u32);
    ///
    /// struct Machine;
    ///
    /// #[actor(receive(Coin))]
    /// impl Machine {
    ///     #[on]
    ///     async fn buy(&mut self, _: Buy, cx: &mut Context<Self>) -> u32 {
    ///         let mut paid = 0;
    ///         while paid < 3 {
    ///             paid += cx.receive::<Coin>().await.0;
    ///         }
    ///         paid
    ///     }
    /// }
    /// ```
    pub fn receive<E: AcceptedBy<A>>(&mut self) -> impl Future<Output = E> + Send {
        let message = self.receive_message(E::EVENT);
        async move {
            match E::out_of(message.await) {
                Ok((event, reply)) => {
                    drop(reply);
                    event
                }
                Err(_) => unreachable!("`receive` takes the kind of event that it asked for"),
            }
        }
    }

    /// As [`receive`](Self::receive), for an event that is known by its number.
    pub(crate) fn receive_message(&mut self, event: u16) -> Receive<'_, A> {
        Receive::new(&mut self.home, &mut self.timeouts, event)
    }

    /// Runs `future` beside the actor, which goes on handling events, and sends what `map` makes of
    /// its output to this actor. It is dropped when the actor stops.
    ///
    /// In production, a panic in it is [reported](crate::FailureKind::Background), and the actor
    /// goes on without the event.
    ///
    /// ```
    /// use actor_core::prelude::*;
    ///
    /// #[derive(Debug)]
    /// struct Load;
    /// #[derive(Debug)]
    /// struct Loaded(String);
    ///
    /// struct Page;
    ///
    /// #[actor]
    /// impl Page {
    ///     #[on]
    ///     fn load(&mut self, _: Load, cx: &mut Context<Self>) {
    ///         cx.pipe_to_self(async { "text".to_owned() }, Loaded);
    ///     }
    ///
    ///     #[on]
    ///     fn loaded(&mut self, loaded: Loaded) {
    ///         println!("{}", loaded.0);
    ///     }
    /// }
    /// ```
    pub fn pipe_to_self<F, E>(
        &mut self,
        future: F,
        map: impl FnOnce(F::Output) -> E + Send + 'static,
    ) where
        F: Future + Send + 'static,
        E: AcceptedBy<A>,
    {
        let me = self.me();
        self.beside(async move {
            let event = map(future.await);
            me.tell(event);
        });
    }

    /// Runs a future beside the actor, which ends with it.
    pub(crate) fn beside(&mut self, future: impl Future<Output = ()> + Send + 'static) {
        self.home.pipe(Box::pin(future));
    }
}
