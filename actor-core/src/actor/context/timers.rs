//! Timers and timeouts of an actor.

use std::time::Duration;

use super::Context;
use crate::actor::timeouts::TimeoutScope;
use crate::actor::{AcceptedBy, Actor};
use crate::asking::Reply;
use crate::environment::Timer;
use crate::parts::AnyMail;
use crate::production;
use crate::runtime::{self, ActorExecutor, Purpose};
use crate::slab::Slot;

/// Timers and timeouts: they send an event to the actor later, and end with the actor.
impl<A: Actor> Context<A> {
    /// Sends `event` to this actor after `delay`. The timer ends with the actor, and so does its
    /// event: it is never a dead letter.
    ///
    /// # Panics
    ///
    /// In production, on a tokio runtime without a time driver.
    pub fn after<E: AcceptedBy<A>>(&mut self, delay: Duration, event: E) -> Timer {
        self.arm(delay, event, Purpose::Event)
    }

    fn arm<E: AcceptedBy<A>>(&mut self, delay: Duration, event: E, purpose: Purpose) -> Timer {
        let message = event.into_message(Reply::nobody());
        match &mut self.home {
            ActorExecutor::Controlled(owner) => {
                let message = &mut Slot::Full(message);
                Timer::controlled(runtime::arm(*owner, delay, message, None, purpose))
            }
            ActorExecutor::Live(side) => {
                let fire = move |actor: &production::LiveActor, fired| {
                    actor.notify::<A>(message, Some(fired))
                };
                Timer::live(side.after(delay, Box::new(fire)))
            }
        }
    }

    /// Sends a copy of `event` to this actor every `period`, the first after one period.
    ///
    /// At most one tick is unread: while one waits in the inbox, further ticks are skipped, and later ones
    /// stay on multiples of the period. Under test a periodic timer does not keep a run alive: a run ends
    /// after three rounds of nothing but periodic timers, if no obligation is pending and nobody waits.
    ///
    /// ```
    /// use actor_core::prelude::*;
    /// use std::time::Duration;
    ///
    /// #[derive(Clone, Debug)]
    /// struct Beat;
    ///
    /// struct Heart {
    ///     beats: u32,
    ///     timer: Option<Timer>,
    /// }
    ///
    /// #[actor]
    /// impl Heart {
    ///     #[start]
    ///     fn start(&mut self, cx: &mut Context<Self>) {
    ///         self.timer = Some(cx.every(Duration::from_secs(1), Beat));
    ///     }
    ///
    ///     #[on]
    ///     fn beat(&mut self, _: Beat, cx: &mut Context<Self>) {
    ///         self.beats += 1;
    ///         if self.beats == 3 && let Some(timer) = self.timer.take() {
    ///             cx.cancel(timer);
    ///         }
    ///     }
    /// }
    /// ```
    ///
    /// # Panics
    ///
    /// If `period` is zero; in production, on a tokio runtime without a time driver.
    pub fn every<E: AcceptedBy<A> + Clone>(&mut self, period: Duration, event: E) -> Timer {
        assert!(
            !period.is_zero(),
            "a period of zero would never let time pass"
        );
        let next = move || event.clone().into_message(Reply::nobody());
        match &mut self.home {
            ActorExecutor::Controlled(owner) => {
                let mut first = Slot::Full(next());
                let again = Box::new(move |mail: &dyn AnyMail| mail.put(&mut Slot::Full(next())).0);
                let timer = runtime::arm(*owner, period, &mut first, Some(again), Purpose::Event);
                Timer::controlled(timer)
            }
            ActorExecutor::Live(side) => {
                let fire = move |actor: &production::LiveActor, fired| {
                    actor.notify::<A>(next(), Some(fired))
                };
                Timer::live(side.every(period, Box::new(fire)))
            }
        }
    }

    /// Sends `event` to this actor after `delay`, unless the actor leaves its state before. A state has
    /// one such timeout: setting the timeout again replaces it, so set it in the `#[entry]` hook.
    ///
    /// A `goto` to the current state leaves the state as well. A timeout of a left state has no effect:
    /// its event is removed if it has fired and was not handled yet.
    ///
    /// ```
    /// use actor_core::prelude::*;
    /// use std::time::Duration;
    ///
    /// #[derive(Debug)]
    /// struct Coin;
    /// #[derive(Debug)]
    /// struct Push;
    /// #[derive(Debug)]
    /// struct TooSlow;
    ///
    /// struct Turnstile;
    ///
    /// #[actor(states(Locked(ignore(Push)), Open(ignore(Coin))))]
    /// impl Turnstile {
    ///     #[on(Locked)]
    ///     fn coin(&mut self, _: Coin, cx: &mut Context<Self>) {
    ///         cx.goto(TurnstileState::Open);
    ///     }
    ///
    ///     #[entry(Open)]
    ///     fn opened(&mut self, cx: &mut Context<Self>) {
    ///         cx.state_timeout(Duration::from_secs(10), TooSlow);
    ///     }
    ///
    ///     /// The timeout is over, since the state is left.
    ///     #[on(Open)]
    ///     fn push(&mut self, _: Push, cx: &mut Context<Self>) {
    ///         cx.goto(TurnstileState::Locked);
    ///     }
    ///
    ///     #[on(Open)]
    ///     fn too_slow(&mut self, _: TooSlow, cx: &mut Context<Self>) {
    ///         cx.goto(TurnstileState::Locked);
    ///     }
    /// }
    /// ```
    ///
    /// # Panics
    ///
    /// In production, on a tokio runtime without a time driver.
    pub fn state_timeout<E: AcceptedBy<A>>(&mut self, delay: Duration, event: E) {
        let timer = self.arm(delay, event, Purpose::State);
        self.timeouts.set(TimeoutScope::StateLeft, timer);
    }

    /// Sends `event` to this actor after `delay`, unless the actor handles any event before. An actor
    /// has one such timeout: setting it again replaces it.
    ///
    /// Events that are ignored or deferred are not handled, and the timeout continues. An event that is
    /// raised, or taken by [`receive`](Context::receive), counts as handled.
    ///
    /// ```
    /// use actor_core::prelude::*;
    /// use std::time::Duration;
    ///
    /// #[derive(Debug)]
    /// struct Line(String);
    /// #[derive(Debug)]
    /// struct Idle;
    ///
    /// struct Session;
    ///
    /// #[actor]
    /// impl Session {
    ///     #[on]
    ///     fn line(&mut self, _: Line, cx: &mut Context<Self>) {
    ///         cx.event_timeout(Duration::from_secs(60), Idle);
    ///     }
    ///
    ///     /// No line for a minute.
    ///     #[on]
    ///     fn idle(&mut self, _: Idle, cx: &mut Context<Self>) {
    ///         cx.halt();
    ///     }
    /// }
    /// ```
    ///
    /// # Panics
    ///
    /// In production, on a tokio runtime without a time driver.
    pub fn event_timeout<E: AcceptedBy<A>>(&mut self, delay: Duration, event: E) {
        let timer = self.arm(delay, event, Purpose::NextEvent);
        self.timeouts.set(TimeoutScope::EventHandled, timer);
    }

    /// Sends `event` to this actor after `delay`, as [`after`](Context::after) does, under a name of the
    /// actor's own. Setting a timeout again under that name replaces the one before, and
    /// [`cancel_timeout`](Context::cancel_timeout) ends it. The timeout continues when the state changes.
    ///
    /// A timeout that is replaced or cancelled has no effect: its event is removed if it has fired and
    /// was not handled yet. An actor may have one such timeout for each name.
    ///
    /// ```
    /// use actor_core::prelude::*;
    /// use std::time::Duration;
    ///
    /// #[derive(Debug)]
    /// struct Retry;
    /// #[derive(Debug)]
    /// struct GiveUp;
    /// #[derive(Debug)]
    /// struct Answer;
    ///
    /// /// Asks again each second, for ten seconds.
    /// struct Client;
    ///
    /// #[actor(states(Asking, Done))]
    /// impl Client {
    ///     #[entry(Asking)]
    ///     fn ask(&mut self, cx: &mut Context<Self>) {
    ///         cx.named_state_timeout("give up", Duration::from_secs(10), GiveUp);
    ///         cx.named_state_timeout("retry", Duration::from_secs(1), Retry);
    ///     }
    ///
    ///     #[on(Asking)]
    ///     fn retry(&mut self, _: Retry, cx: &mut Context<Self>) {
    ///         // … the question goes out once more
    ///         cx.named_state_timeout("retry", Duration::from_secs(1), Retry);
    ///     }
    ///
    ///     /// Both timeouts are over, since the state is left.
    ///     #[on(Asking)]
    ///     fn answer(&mut self, _: Answer, cx: &mut Context<Self>) {
    ///         cx.goto(ClientState::Done);
    ///     }
    ///
    ///     #[on(Asking)]
    ///     fn give_up(&mut self, _: GiveUp, cx: &mut Context<Self>) {
    ///         cx.goto(ClientState::Done);
    ///     }
    /// }
    /// ```
    ///
    /// # Panics
    ///
    /// In production, on a tokio runtime without a time driver.
    pub fn named_timeout<E: AcceptedBy<A>>(
        &mut self,
        name: &'static str,
        delay: Duration,
        event: E,
    ) {
        let timer = self.arm(delay, event, Purpose::Event);
        self.timeouts
            .set_named(name, TimeoutScope::Cancelled, timer);
    }

    /// Sets a [`named_timeout`](Context::named_timeout) that also ends when the state is left, as
    /// [`state_timeout`](Context::state_timeout) does. Both kinds share their names.
    ///
    /// # Panics
    ///
    /// In production, on a tokio runtime without a time driver.
    pub fn named_state_timeout<E: AcceptedBy<A>>(
        &mut self,
        name: &'static str,
        delay: Duration,
        event: E,
    ) {
        let timer = self.arm(delay, event, Purpose::State);
        self.timeouts
            .set_named(name, TimeoutScope::StateLeft, timer);
    }

    /// Cancels the timeout of that name, and removes its event if it has fired and was not handled yet.
    /// Does nothing if there is no such timeout, or if it is over.
    pub fn cancel_timeout(&mut self, name: &str) {
        self.timeouts.cancel(name);
    }

    /// Cancels a timer, and removes its fired, unhandled event. Does nothing if the timer is over.
    pub fn cancel(&mut self, timer: Timer) {
        timer.cancel();
    }
}
