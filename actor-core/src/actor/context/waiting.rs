//! Waiting in async handlers, and futures that run beside an actor.

use std::future::Future;

use super::{Context, Piped};
use crate::actor::receive::Receive;
use crate::actor::{AcceptedBy, Actor};

/// Waits of async handlers, and futures that run beside the actor.
impl<A: Actor> Context<A> {
    /// Waits for the next event of one kind; others stay in the inbox in their order. Deferred events
    /// of that kind are taken too, and first. If the event was sent by `ask`, the asker gets
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
            match E::__out_of(message.await) {
                Ok((event, reply)) => {
                    drop(reply);
                    event
                }
                Err(_) => unreachable!("`receive` takes the kind of event that it asked for"),
            }
        }
    }

    /// Receives as [`receive`](Self::receive) does, by the number of the event.
    pub(crate) fn receive_message(&mut self, event: u16) -> Receive<'_, A> {
        Receive::new(&mut self.home, &mut self.scoped_timers, event)
    }

    /// Runs `future` beside the actor, which continues to handle events, and sends the event that `map`
    /// makes of the output to this actor. The future is dropped when the actor stops.
    ///
    /// [`pipe`](Context::pipe) does the same and can be cancelled, and
    /// [`pipe_to_state`](Context::pipe_to_state) ends with the state.
    ///
    /// In production, a panic in it is [reported](crate::supervision::FailureKind::Background), and no event
    /// is sent.
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

    /// Pipes as [`pipe_to_self`](Context::pipe_to_self) does, and can be [cancelled](Context::cancel_pipe).
    ///
    /// ```
    /// use actor_core::Piped;
    /// use actor_core::prelude::*;
    ///
    /// #[derive(Debug)]
    /// struct Search(String);
    /// #[derive(Debug)]
    /// struct Found(String);
    ///
    /// #[derive(Default)]
    /// struct Finder {
    ///     search: Option<Piped>,
    /// }
    ///
    /// #[actor]
    /// impl Finder {
    ///     /// Whatever was searched for before is found no more.
    ///     #[on]
    ///     fn search(&mut self, search: Search, cx: &mut Context<Self>) {
    ///         if let Some(before) = self.search.take() {
    ///             cx.cancel_pipe(before);
    ///         }
    ///         self.search = Some(cx.pipe(async move { search.0 }, Found));
    ///     }
    ///
    ///     #[on]
    ///     fn found(&mut self, found: Found) {
    ///         println!("{}", found.0);
    ///     }
    /// }
    /// ```
    pub fn pipe<F, E>(
        &mut self,
        future: F,
        map: impl FnOnce(F::Output) -> E + Send + 'static,
    ) -> Piped
    where
        F: Future + Send + 'static,
        E: AcceptedBy<A>,
    {
        Piped::begin(self, future, map)
    }

    /// Cancels a future that runs beside this actor: the future is dropped, and its event is removed if
    /// it has come and was not handled yet. Does nothing if the future is over.
    pub fn cancel_pipe(&mut self, piped: Piped) {
        piped.cancel();
    }

    /// Pipes as [`pipe_to_self`](Context::pipe_to_self) does, until the actor leaves its state: then the
    /// future is dropped, and its unhandled event is removed. A state may have several.
    ///
    /// A `goto` to the current state leaves the state as well.
    ///
    /// ```
    /// use actor_core::prelude::*;
    /// use std::time::Duration;
    ///
    /// #[derive(Debug)]
    /// struct Connected(u32);
    /// #[derive(Debug)]
    /// struct TooLate;
    ///
    /// async fn dial() -> u32 {
    ///     7
    /// }
    ///
    /// struct Connection;
    ///
    /// #[actor(states(Connecting, Open))]
    /// impl Connection {
    ///     #[entry(Connecting)]
    ///     fn dial(&mut self, cx: &mut Context<Self>) {
    ///         cx.timer().until_state_left().after(Duration::from_secs(5), TooLate);
    ///         cx.pipe_to_state(dial(), Connected);
    ///     }
    ///
    ///     /// Dials anew, and the dial before is over.
    ///     #[on(Connecting)]
    ///     fn too_late(&mut self, _: TooLate, cx: &mut Context<Self>) {
    ///         cx.goto(ConnectionState::Connecting);
    ///     }
    ///
    ///     #[on(Connecting)]
    ///     fn connected(&mut self, _: Connected, cx: &mut Context<Self>) {
    ///         cx.goto(ConnectionState::Open);
    ///     }
    /// }
    /// ```
    pub fn pipe_to_state<F, E>(
        &mut self,
        future: F,
        map: impl FnOnce(F::Output) -> E + Send + 'static,
    ) where
        F: Future + Send + 'static,
        E: AcceptedBy<A>,
    {
        let piped = Piped::begin(self, future, map);
        self.scoped_timers.add(piped);
    }

    /// Runs a future beside the actor; the future ends with the actor.
    pub(crate) fn beside(&mut self, future: impl Future<Output = ()> + Send + 'static) {
        self.home.pipe(Box::pin(future));
    }
}
