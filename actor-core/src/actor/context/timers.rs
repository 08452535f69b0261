//! Timers of an actor: the builder [`TimerBuilder`], its short forms, and cancelling.

use std::fmt;
use std::time::Duration;

use super::Context;
use crate::actor::scoped_timers::TimerScope;
use crate::actor::{AcceptedBy, Actor};
use crate::asking::Reply;
use crate::dispatch::ActorExecutor;
use crate::environment::Timer;
use crate::production;
use crate::seam::{self, AnyMail, TimerEvent};
use crate::slab::Slot;

/// Timers: they send an event to the actor later, and end with the actor.
impl<A: Actor> Context<A> {
    /// Sends `event` to this actor after `delay`. The timer ends with the actor, and so does its
    /// event: it is never a dead letter.
    ///
    /// Short for `cx.timer().after(delay, event)`.
    ///
    /// # Panics
    ///
    /// In production, on a tokio runtime without a time driver.
    pub fn after<E: AcceptedBy<A>>(&mut self, delay: Duration, event: E) -> Timer {
        self.timer().after(delay, event)
    }

    /// Sends a copy of `event` to this actor every `period`, the first after one period.
    ///
    /// At most one tick is unread: while one waits in the inbox, further ticks are skipped, and later ones
    /// stay on multiples of the period. Under test a periodic timer does not keep a run alive: a run ends
    /// after three rounds of nothing but periodic timers, if no obligation is pending and nobody waits.
    ///
    /// Short for `cx.timer().every(period, event)`.
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
        self.timer().every(period, event)
    }

    /// Starts building a timer of this actor: with a name, or an end with the state or the next event.
    pub fn timer(&mut self) -> TimerBuilder<'_, A> {
        TimerBuilder {
            cx: self,
            name: None,
            scope: TimerScope::Cancelled,
        }
    }

    /// Cancels a timer, and removes its fired, unhandled event. Does nothing if there is no such timer, or
    /// if it is over.
    ///
    /// `timer` is the [`Timer`] that arming it has returned, or a name, as in `cx.cancel("retry")`: then the
    /// timer that has the name now is cancelled.
    pub fn cancel<'a>(&mut self, timer: impl Into<TimerKey<'a>>) {
        match timer.into() {
            TimerKey::Timer(timer) => timer.cancel(),
            TimerKey::Name(name) => self.scoped_timers.cancel(name),
        }
    }
}

/// Sets when a timer ends, and arms it; made by [`Context::timer`].
///
/// Each combination of [`named`](TimerBuilder::named), [`until_state_left`](TimerBuilder::until_state_left)
/// and [`until_event`](TimerBuilder::until_event) is possible, for one event and for periodic ones. A timer
/// with both ends is over when the first of them is reached. Without any, the timer runs until it has fired
/// or is [cancelled](Context::cancel), as many at once as the actor arms.
///
/// A timer with a name, or with an end, has a place, and arming another timer in that place replaces it. The
/// place is the name, whatever the ends. An actor has three places for timers without a name: one until the
/// state is left, one until an event, and one for both ends.
///
/// A timer that is replaced, cancelled or over at its end has no effect afterwards: its event is removed if
/// the timer has fired and the event was not handled yet.
///
/// ```
/// use actor_core::prelude::*;
/// use std::time::Duration;
///
/// const SECOND: Duration = Duration::from_secs(1);
///
/// #[derive(Clone, Debug)]
/// struct Retry;
/// #[derive(Debug)]
/// struct GiveUp;
/// #[derive(Debug)]
/// struct Pause;
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
///         cx.timer()
///             .named("give up")
///             .until_state_left()
///             .after(10 * SECOND, GiveUp);
///         cx.timer()
///             .named("retry")
///             .until_state_left()
///             .every(SECOND, Retry);
///     }
///
///     #[on(Asking)]
///     fn retry(&mut self, _: Retry) {
///         // … the question goes out once more
///     }
///
///     /// Asks no more, but goes on to wait for the answer.
///     #[on(Asking)]
///     fn pause(&mut self, _: Pause, cx: &mut Context<Self>) {
///         cx.cancel("retry");
///     }
///
///     /// Both timers are over, since the state is left.
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
#[must_use = "`after` or `every` arms the timer"]
pub struct TimerBuilder<'a, A: Actor> {
    cx: &'a mut Context<A>,
    name: Option<&'static str>,
    scope: TimerScope,
}

impl<A: Actor> TimerBuilder<'_, A> {
    /// Gives the timer a name of the actor's own. Arming another timer under that name replaces this one,
    /// and [`cancel`](Context::cancel) takes the name.
    pub fn named(self, name: &'static str) -> Self {
        let name = Some(name);
        Self { name, ..self }
    }

    /// Ends the timer when the actor leaves its state. A `goto` to the current state leaves the state as
    /// well, so arm the timer in the `#[entry]` hook.
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
    ///         cx.timer()
    ///             .until_state_left()
    ///             .after(Duration::from_secs(10), TooSlow);
    ///     }
    ///
    ///     /// The timer is over, since the state is left.
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
    pub fn until_state_left(self) -> Self {
        let scope = self.scope.or(TimerScope::StateLeft);
        Self { scope, ..self }
    }

    /// Ends the timer when the actor handles any event.
    ///
    /// Events that are ignored or deferred are not handled, and the timer continues. An event that is
    /// raised, or taken by [`receive`](Context::receive), counts as handled. The event of the timer itself
    /// counts as well, so a periodic timer ends with its first tick that is handled.
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
    ///         cx.timer()
    ///             .until_event()
    ///             .after(Duration::from_secs(60), Idle);
    ///     }
    ///
    ///     /// No line for a minute.
    ///     #[on]
    ///     fn idle(&mut self, _: Idle, cx: &mut Context<Self>) {
    ///         cx.halt();
    ///     }
    /// }
    /// ```
    pub fn until_event(self) -> Self {
        let scope = self.scope.or(TimerScope::EventHandled);
        Self { scope, ..self }
    }

    /// Arms the timer: it sends `event` to the actor once, after `delay`, as [`Context::after`] does.
    ///
    /// # Panics
    ///
    /// In production, on a tokio runtime without a time driver.
    pub fn after<E: AcceptedBy<A>>(self, delay: Duration, event: E) -> Timer {
        let message = event.__into_message(Reply::nobody());
        let timer = match &mut self.cx.home {
            ActorExecutor::Controlled(owner) => {
                let event = TimerEvent {
                    owner: *owner,
                    message: &mut Slot::Full(message),
                    again: None,
                };
                Timer::controlled(seam::arm(delay, self.scope.purpose(), Some(event)))
            }
            ActorExecutor::Live(local) => {
                let fire = move |actor: &production::LiveActor, fired| {
                    actor.notify::<A>(message, Some(fired))
                };
                Timer::live(local.after(delay, Box::new(fire)))
            }
        };
        self.keep(timer)
    }

    /// Arms the timer: it sends a copy of `event` to the actor every `period`, as [`Context::every`] does.
    ///
    /// # Panics
    ///
    /// If `period` is zero; in production, on a tokio runtime without a time driver.
    pub fn every<E: AcceptedBy<A> + Clone>(self, period: Duration, event: E) -> Timer {
        assert!(
            !period.is_zero(),
            "a period of zero would never let time pass"
        );
        let next = move || event.clone().__into_message(Reply::nobody());
        let timer = match &mut self.cx.home {
            ActorExecutor::Controlled(owner) => {
                let event = TimerEvent {
                    owner: *owner,
                    message: &mut Slot::Full(next()),
                    again: Some(Box::new(move |mail: &dyn AnyMail| {
                        mail.put(&mut Slot::Full(next())).0
                    })),
                };
                Timer::controlled(seam::arm(period, self.scope.purpose(), Some(event)))
            }
            ActorExecutor::Live(local) => {
                let fire = move |actor: &production::LiveActor, fired| {
                    actor.notify::<A>(next(), Some(fired))
                };
                Timer::live(local.every(period, Box::new(fire)))
            }
        };
        self.keep(timer)
    }

    /// Puts the armed timer in its place.
    fn keep(self, timer: Timer) -> Timer {
        self.cx.scoped_timers.set(self.name, self.scope, &timer);
        timer
    }
}

impl<A: Actor> fmt::Debug for TimerBuilder<'_, A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TimerBuilder")
            .field("name", &self.name)
            .finish_non_exhaustive()
    }
}

/// Identifies a timer of an actor for [`Context::cancel`]; made from a [`Timer`], or from the
/// [name](TimerBuilder::named) of a timer.
#[derive(Clone, Debug)]
pub enum TimerKey<'a> {
    /// The timer for which the handle was returned.
    Timer(Timer),
    /// The timer that has the name now.
    Name(&'a str),
}

impl From<Timer> for TimerKey<'_> {
    fn from(timer: Timer) -> Self {
        Self::Timer(timer)
    }
}

impl<'a> From<&'a str> for TimerKey<'a> {
    fn from(name: &'a str) -> Self {
        Self::Name(name)
    }
}
