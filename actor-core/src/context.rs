//! What a handler can do: [`Context`].

use std::fmt;
use std::future::Future;
use std::time::Duration;

use crate::actor::{AcceptedBy, Actor, Call, Disposition, Handler, State};
use crate::event::Event;
use crate::fingerprint::Fingerprinter;
use crate::live;
use crate::parts::{Announcing, AnyMail, Due, Ran, mail_of};
use crate::place::Place;
use crate::random::ActorRng;
use crate::receive::Receive;
use crate::reference::{ActorRef, AnyRef, Recipient, Target};
use crate::reply::Reply;
use crate::rules::{self, Decision};
use crate::runtime::{self, Purpose, Stop};
use crate::slab::Slot;
use crate::spawner::{Spawner, Starts};
use crate::supervision::Supervision;
use crate::timeouts::{Timeouts, Until};
use crate::timer::Timer;
use crate::watch::Terminated;

/// How many raised events and transitions may follow from one event before it is a bug.
pub const CHAIN_MAX: u32 = 1000;

/// What an actor uses to act on the world while it handles an event.
///
/// Everything that writes to the world is synchronous and takes effect in the order of the calls;
/// what reads the world is `async`. At most one of [`goto`](Context::goto),
/// [`raise`](Context::raise) and [`halt`](Context::halt) decides what follows, and it takes effect
/// when the handler returns; two of them in one handler are a bug that is reported as such.
///
/// ```
/// use actor_core::prelude::*;
/// use std::time::Duration;
///
/// #[derive(Debug)]
/// struct Begin;
/// #[derive(Debug)]
/// struct TimedOut;
///
/// struct Request;
///
/// #[actor(states(Idle, Waiting))]
/// impl Request {
///     #[on(Idle)]
///     fn begin(&mut self, _: Begin, cx: &mut Context<Self>) {
///         cx.after(Duration::from_secs(1), TimedOut);
///         cx.goto(RequestState::Waiting);
///     }
///
///     #[on(Waiting)]
///     fn timed_out(&mut self, _: TimedOut, cx: &mut Context<Self>) {
///         cx.halt();
///     }
/// }
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), actor_core::Error> {
/// let sys = System::new();
/// sys.spawn(Request).tell(Begin);
/// sys.shutdown().await
/// # }
/// ```
pub struct Context<A: Actor> {
    place: Place,
    state: A::State,
    next: Next<A>,
    entering: Option<A::State>,
    chain: u32,
    part: Part,
    halted: bool,
    timeouts: Timeouts,
}

/// What the handler that runs has decided.
enum Next<A: Actor> {
    Stay,
    Goto(A::State),
    Halt,
    /// To handle a raised event. Or nothing is decided, and this is an async call that waits for
    /// its driver, which takes it before the call begins: one place for both keeps actors small.
    Run(Call<A>),
}

impl<A: Actor> Next<A> {
    fn decision(&self) -> Decision<'_> {
        match self {
            Self::Goto(state) => Decision::Goto(state),
            Self::Halt => Decision::Halt,
            Self::Run(Call::Event(message)) => Decision::Raise(A::event(message)),
            Self::Stay | Self::Run(_) => Decision::Nothing,
        }
    }
}

/// Which part of the actor runs.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Part {
    Handler,
    Start,
    Entry,
    Exit,
    Stop,
}

impl Part {
    /// The hook, where what follows is decided already.
    fn decided(self) -> Option<&'static str> {
        match self {
            Self::Exit => Some("#[exit]"),
            Self::Stop => Some("#[stop]"),
            Self::Handler | Self::Start | Self::Entry => None,
        }
    }
}

impl<A: Actor> Context<A> {
    pub(crate) fn new(me: &Target) -> Self {
        Self {
            place: Place::of(me),
            state: A::first_state(),
            next: Next::Stay,
            entering: None,
            chain: 0,
            part: Part::Handler,
            halted: false,
            timeouts: Timeouts::default(),
        }
    }

    /// This actor.
    pub fn me(&self) -> ActorRef<A> {
        ActorRef::new(self.place.target())
    }

    /// This actor, as the recipient of one kind of event.
    pub fn recipient<E: AcceptedBy<A>>(&self) -> Recipient<E> {
        self.me().recipient()
    }

    /// The current state: in a handler the one that it was called in, in an entry hook the new
    /// one, in an exit hook the one that is left.
    pub fn state(&self) -> A::State {
        self.state
    }

    /// Goes to `state` when the handler returns: the exit hook of the current state runs, then the
    /// entry hook of the new one, also where both are the same.
    ///
    /// In a `#[start]` hook it chooses the state to start in.
    pub fn goto(&mut self, state: A::State) {
        self.decide(Next::Goto(state));
    }

    /// Handles `event` when the handler returns, before anything in the inbox.
    ///
    /// The state must handle or ignore it. A chain of more than [`CHAIN_MAX`] raised events is a
    /// bug.
    ///
    /// ```
    /// use actor_core::prelude::*;
    ///
    /// #[derive(Debug)]
    /// struct Receive(Vec<u8>);
    /// #[derive(Debug)]
    /// struct Broken;
    ///
    /// struct Link;
    ///
    /// #[actor]
    /// impl Link {
    ///     #[on]
    ///     fn receive(&mut self, bytes: Receive, cx: &mut Context<Self>) {
    ///         if bytes.0.is_empty() {
    ///             cx.raise(Broken);
    ///         }
    ///     }
    ///
    ///     #[on]
    ///     fn broken(&mut self, _: Broken, cx: &mut Context<Self>) {
    ///         cx.halt();
    ///     }
    /// }
    /// ```
    pub fn raise<E: AcceptedBy<A>>(&mut self, event: E) {
        let message = event.into_message(Reply::nobody());
        self.decide(Next::Run(Call::Event(message)));
    }

    /// Stops this actor when the handler returns: the `#[stop]` hook runs, what was sent before
    /// goes out, and what is left in the inbox becomes dead letters.
    pub fn halt(&mut self) {
        self.decide(Next::Halt);
    }

    fn decide(&mut self, next: Next<A>) {
        if let Some(hook) = self.part.decided() {
            rules::decision_in_hook(A::INFO.name, hook, &next.decision());
        }
        if !matches!(self.next, Next::Stay) {
            rules::two_decisions(A::INFO.name, &self.next.decision(), &next.decision());
        }
        self.next = next;
    }

    /// Starts an actor and returns a reference to it, to which events may be sent at once.
    pub fn spawn<B: Actor>(&mut self, actor: B) -> ActorRef<B> {
        self.spawner().spawn(actor)
    }

    /// Starts what `factory` makes as a supervised child of this actor; see
    /// [`Spawner::spawn_with`].
    ///
    /// This actor's children end with it: each is stopped, in reverse order of the spawns, before
    /// this actor's value is dropped. Where it ends in order, that is when its `#[stop]` hook has
    /// run, and each child handles what was sent to it before; where it fails or is made to end at
    /// once, they are stopped ahead of that.
    pub fn spawn_with<B: Actor>(
        &mut self,
        factory: impl FnMut() -> B + Send + 'static,
    ) -> ActorRef<B> {
        self.spawner().spawn_with(factory)
    }

    /// Says how this actor supervises its children from now on: one for one, and at most 3 restarts
    /// within 5 s, unless told. After a restart of this actor it is to be said again.
    pub fn supervise(&mut self, supervision: Supervision) {
        match &self.place {
            Place::Live(side) => side.supervise(supervision),
            Place::Controlled(me) => runtime::with(|rt| rt.supervise(*me, supervision)),
        }
    }

    /// Stops another actor, as [`System::stop`](crate::System::stop) does.
    pub fn stop<B: Actor>(&mut self, other: &ActorRef<B>) {
        other.target().stop(Stop::InOrder);
    }

    /// As [`System::stop_within`](crate::System::stop_within).
    pub fn stop_within<B: Actor>(&mut self, other: &ActorRef<B>, deadline: Duration) {
        other.target().stop(Stop::Within(deadline));
    }

    /// As [`System::kill`](crate::System::kill).
    pub fn kill<B: Actor>(&mut self, other: &ActorRef<B>) {
        other.target().stop(Stop::AtOnce);
    }

    /// Starts actors with settings of their own.
    pub fn spawner(&mut self) -> Spawner<'_> {
        Spawner::new(&self.place)
    }

    /// Shows `event` to the monitors that observe its type, and to nobody else.
    pub fn announce<E: Event>(&mut self, event: E) {
        match &self.place {
            Place::Live(side) => side.announce(&event),
            Place::Controlled(_) => {
                runtime::with(|rt| rt.announce(&mut Announcing(Some(event))));
            }
        }
    }

    /// A number below `bound`, which the tester chooses; in production a random one.
    ///
    /// # Panics
    ///
    /// Where `bound` is zero or above 2³² − 1.
    pub fn choose(&mut self, bound: usize) -> usize {
        crate::random::choose(self.place.is_live(), bound)
    }

    /// `true` or `false`, as the tester chooses; in production at random.
    pub fn choose_bool(&mut self) -> bool {
        crate::random::choose_bool(self.place.is_live())
    }

    /// A generator for this call: under test its seed is one recorded choice.
    pub fn rng(&mut self) -> ActorRng {
        crate::random::generator(self.place.is_live())
    }

    /// The time since the system started: virtual under test, and constant within a step.
    pub fn now(&self) -> Duration {
        self.place.now()
    }

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
        match &mut self.place {
            Place::Controlled(owner) => {
                runtime::arm(*owner, delay, &mut Slot::Full(message), None, purpose)
            }
            Place::Live(side) => {
                let fire = move |cell: &live::Cell, fired| cell.notify::<A>(message, Some(fired));
                side.after(delay, Box::new(fire))
            }
        }
    }

    /// Sends a copy of `event` to this actor every `period`, the first after one period.
    ///
    /// At most one tick is unread: while it waits in the inbox, further ones are left out, and later
    /// ones keep to the grid. Under test a periodic timer does not keep a run alive: with nothing
    /// else to do for three rounds, nothing owed and nobody waiting, the run is over.
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
    /// Where `period` is zero; in production, on a tokio runtime without a time driver.
    pub fn every<E: AcceptedBy<A> + Clone>(&mut self, period: Duration, event: E) -> Timer {
        assert!(
            !period.is_zero(),
            "a period of zero would never let time pass"
        );
        let next = move || event.clone().into_message(Reply::nobody());
        match &mut self.place {
            Place::Controlled(owner) => {
                let mut first = Slot::Full(next());
                let again = Box::new(move |mail: &dyn AnyMail| mail.put(&mut Slot::Full(next())).0);
                runtime::arm(*owner, period, &mut first, Some(again), Purpose::Event)
            }
            Place::Live(side) => {
                let fire = move |cell: &live::Cell, fired| cell.notify::<A>(next(), Some(fired));
                side.every(period, Box::new(fire))
            }
        }
    }

    /// Sends `event` to this actor after `delay`, unless it leaves its state before. A state has one
    /// such timeout: setting it again replaces it, and so its `#[entry]` hook is where to set it.
    ///
    /// A `goto` to the current state leaves it as well. A timeout that is overtaken leaves nothing
    /// behind: its event is removed where it has fired and was not handled yet.
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
        self.timeouts.set(Until::StateLeft, timer);
    }

    /// Sends `event` to this actor after `delay`, unless it handles any event before. An actor has
    /// one such timeout: setting it again replaces it.
    ///
    /// Events that are ignored or deferred are not handled, and the timeout goes on. An event that
    /// is raised, or taken by [`receive`](Context::receive), is.
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
        self.timeouts.set(Until::EventHandled, timer);
    }

    /// Sends `event` to this actor after `delay`, as [`after`](Context::after) does, under a name of
    /// the actor's own: a timeout that is set again under that name replaces the one before, and
    /// [`cancel_timeout`](Context::cancel_timeout) ends it. It goes on when the state changes.
    ///
    /// A timeout that is replaced or cancelled leaves nothing behind: its event is removed where it has
    /// fired and was not handled yet. An actor may have as many as it has names.
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
        self.timeouts.set_named(name, Until::Cancelled, timer);
    }

    /// As [`named_timeout`](Context::named_timeout), unless the state is left before, as with
    /// [`state_timeout`](Context::state_timeout): several time limits of one state. Names are the same
    /// for both.
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
        self.timeouts.set_named(name, Until::StateLeft, timer);
    }

    /// Cancels the timeout of that name, and removes its event where it has fired and was not handled
    /// yet. Where there is none, or it is over, nothing happens.
    pub fn cancel_timeout(&mut self, name: &str) {
        self.timeouts.cancel(name);
    }

    /// Cancels a timer, and removes its event where it has fired and was not handled yet.
    /// A timer that is over is left alone.
    pub fn cancel(&mut self, timer: Timer) {
        timer.cancel();
    }

    /// Sends [`Terminated`] to this actor when `other` has stopped, at once where it already has.
    /// Any reference will do.
    /// Each call brings one notice.
    ///
    /// ```
    /// use actor_core::prelude::*;
    /// use actor_core::Actor;
    ///
    /// struct Guard<A: Actor> {
    ///     ward: ActorRef<A>,
    /// }
    ///
    /// #[actor]
    /// impl<A: Actor> Guard<A> {
    ///     #[start]
    ///     fn start(&mut self, cx: &mut Context<Self>) {
    ///         cx.watch(&self.ward);
    ///     }
    ///
    ///     #[on]
    ///     fn terminated(&mut self, end: Terminated, cx: &mut Context<Self>) {
    ///         println!("{} is gone: {:?}", end.actor, end.reason);
    ///         cx.halt();
    ///     }
    /// }
    /// ```
    ///
    /// # Panics
    ///
    /// Where one of the two actors is under test and the other in production.
    pub fn watch(&mut self, other: &impl AnyRef)
    where
        A: Handler<Terminated>,
    {
        let notice = |actor, reason| A::message(Terminated { actor, reason }, Reply::nobody());
        match &mut self.place {
            Place::Controlled(watcher) => {
                let (id, target) = (other.target().id(), other.target().address());
                let notice = Box::new(move |mail: &dyn AnyMail, reason| {
                    mail.put(&mut Slot::Full(notice(id, reason)))
                });
                runtime::watch(*watcher, target, notice);
            }
            Place::Live(side) => side.watch(other.target().watched(), |cell, actor, reason| {
                let ended = Terminated { actor, reason };
                cell.notify::<A>(A::message(ended, Reply::nobody()), None);
            }),
        }
    }

    /// Ends every watch of another actor that this one has begun. Word of its end that was sent before
    /// is still handled, as a [`Terminated`].
    ///
    /// ```
    /// use actor_core::prelude::*;
    ///
    /// struct Worker;
    /// #[actor]
    /// impl Worker {}
    ///
    /// #[derive(Debug)]
    /// struct Dismiss;
    ///
    /// struct Foreman {
    ///     worker: ActorRef<Worker>,
    /// }
    ///
    /// #[actor]
    /// impl Foreman {
    ///     #[start]
    ///     fn start(&mut self, cx: &mut Context<Self>) {
    ///         cx.watch(&self.worker);
    ///     }
    ///
    ///     #[on]
    ///     fn dismiss(&mut self, _: Dismiss, cx: &mut Context<Self>) {
    ///         cx.unwatch(&self.worker); // its end is in order
    ///         cx.stop(&self.worker);
    ///     }
    ///
    ///     #[on]
    ///     fn terminated(&mut self, end: Terminated) {
    ///         panic!("{} has left: {:?}", end.actor, end.reason);
    ///     }
    /// }
    /// ```
    ///
    /// # Panics
    ///
    /// Where one of the two actors is under test and the other in production.
    pub fn unwatch(&mut self, other: &impl AnyRef) {
        match &mut self.place {
            Place::Controlled(me) => {
                let other = other.target().address();
                runtime::with(|rt| rt.unwatch(*me, other));
            }
            Place::Live(side) => side.unwatch(other.target().watched()),
        }
    }

    /// Links this actor and another: when the value of one fails, the other fails too, with the
    /// reason [`Linked`](crate::StopReason::Linked), and its supervisor acts, where it has one. That
    /// is so whether or not the first one is brought back, and the link is gone then. Nothing is
    /// shared where one halts, is stopped or is killed, which ends the link as well.
    ///
    /// An actor that has failed for good already is shared at once.
    ///
    /// ```
    /// use actor_core::prelude::*;
    ///
    /// struct Reader;
    /// #[actor]
    /// impl Reader {}
    ///
    /// struct Session {
    ///     reader: ActorRef<Reader>,
    /// }
    ///
    /// #[actor]
    /// impl Session {
    ///     #[start]
    ///     fn start(&mut self, cx: &mut Context<Self>) {
    ///         cx.link(&self.reader);
    ///     }
    /// }
    /// ```
    ///
    /// # Panics
    ///
    /// Where one of the two actors is under test and the other in production.
    pub fn link<B: Actor>(&mut self, other: &ActorRef<B>) {
        match &self.place {
            Place::Controlled(me) => {
                let other = other.target().address();
                runtime::with(|rt| rt.link(*me, other));
            }
            Place::Live(side) => side.link(other.target().watched()),
        }
    }

    /// Ends the link between this actor and another, for both. A failure of which word is under way
    /// is shared nevertheless.
    ///
    /// # Panics
    ///
    /// Where one of the two actors is under test and the other in production.
    pub fn unlink<B: Actor>(&mut self, other: &ActorRef<B>) {
        match &self.place {
            Place::Controlled(me) => {
                let other = other.target().address();
                runtime::with(|rt| rt.unlink(*me, other));
            }
            Place::Live(side) => side.unlink(other.target().watched()),
        }
    }

    /// Has this actor told by [`Terminated`] where it would share a failure of an actor that it is
    /// [linked](Context::link) to; it goes on then. After a restart of this actor it is to be said
    /// again.
    pub fn trap_links(&mut self)
    where
        A: Handler<Terminated>,
    {
        match &self.place {
            Place::Controlled(me) => runtime::with(|rt| {
                rt.trap_links(*me, |mail, actor, reason| {
                    let ended = Terminated { actor, reason };
                    mail.put(&mut Slot::Full(A::message(ended, Reply::nobody())))
                });
            }),
            Place::Live(side) => side.trap_links(|cell, actor, reason| {
                let ended = Terminated { actor, reason };
                cell.notify::<A>(A::message(ended, Reply::nobody()), None);
            }),
        }
    }

    /// Waits. Events that arrive meanwhile stay in the inbox.
    pub fn sleep(&mut self, delay: Duration) -> impl Future<Output = ()> + Send + use<A> {
        crate::timer::sleep(self.place.is_live(), delay, Purpose::Sleep)
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
        Receive::<A, E>::new(&mut self.place, &mut self.timeouts)
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
        self.place.pipe(Box::pin(future));
    }

    /// Reports what an actor that goes on could not do, and nobody waits to hear.
    pub(crate) fn report(&self, error: &str) {
        match &self.place {
            Place::Live(side) => side.report(error),
            Place::Controlled(_) => runtime::with(|rt| rt.report(error)),
        }
    }

    /// Where its actors are started.
    pub(crate) fn parent(&self) -> &dyn Starts {
        &self.place
    }

    /// What a run of calls ended with, after which nothing follows.
    pub(crate) fn ran(&self) -> Ran {
        if self.halted { Ran::Halted } else { Ran::Done }
    }

    /// Feeds what the actor's timeouts are.
    pub(crate) fn fingerprint(&self, to: &mut Fingerprinter) {
        self.timeouts.fingerprint(to);
    }

    /// The first step: after the `#[start]` hook, the first state is entered.
    pub(crate) fn begin(&mut self) {
        self.entering = Some(self.state);
    }

    /// Keeps an async call for the driver.
    pub(crate) fn postpone(&mut self, call: Call<A>) {
        if let Place::Live(side) = &self.place {
            side.begin_async(live::number_of(&call), self.state.index());
        }
        self.next = Next::Run(call);
    }

    /// The call that was kept.
    pub(crate) fn postponed(&mut self) -> Call<A> {
        match std::mem::replace(&mut self.next, Next::Stay) {
            Next::Run(call) => call,
            _ => unreachable!("a driver runs what was kept for it"),
        }
    }

    /// The actor is about to handle what is due in production, after others may have run.
    pub(crate) fn begin_work(&mut self) {
        self.place.side().begin_work();
    }

    /// The next event to be handled in production, or what else is due.
    #[inline]
    pub(crate) fn next(&mut self) -> Result<A::Message, Due> {
        let side = self.place.side();
        match side.next(self.state.index()) {
            Ok(slot) => Ok(mail_of::<A>(side.mail()).take(slot)),
            Err(due) => Err(due),
        }
    }

    #[inline]
    pub(crate) fn enter_call(&mut self, call: &Call<A>) {
        self.part = match call {
            Call::Event(_) => {
                self.timeouts.end(Until::EventHandled);
                Part::Handler
            }
            Call::Start => Part::Start,
            Call::Entry(_) => Part::Entry,
            Call::Exit(_) => Part::Exit,
            Call::Stop => Part::Stop,
        };
    }

    /// What follows from the call that has just returned, one call at a time; both executors
    /// settle here. The order is: exit hook, entry hook, raised event.
    #[inline]
    pub(crate) fn settle(&mut self) -> Option<Call<A>> {
        if let Next::Stay = self.next
            && self.entering.is_none()
        {
            self.chain = 0;
            return None;
        }
        self.settle_decision()
    }

    fn settle_decision(&mut self) -> Option<Call<A>> {
        self.chain += 1;
        if self.chain > CHAIN_MAX {
            rules::endless_chain(A::INFO.name);
        }
        let next = std::mem::replace(&mut self.next, Next::Stay);
        if let Some(state) = self.entering.take() {
            return self.enter(state, next);
        }
        match next {
            Next::Stay => None,
            Next::Goto(state) => {
                self.entering = Some(state);
                Some(Call::Exit(self.state))
            }
            Next::Run(call) => self.settle_raise(call),
            Next::Halt => {
                self.halted = true;
                Some(Call::Stop)
            }
        }
    }

    /// Enters `state` after an exit hook or, with what it decided, the start hook.
    fn enter(&mut self, state: A::State, decided: Next<A>) -> Option<Call<A>> {
        let state = match decided {
            Next::Stay => state,
            Next::Goto(state) => state,
            Next::Halt => {
                self.halted = true;
                return Some(Call::Stop);
            }
            raise @ Next::Run(_) => {
                self.next = raise;
                state
            }
        };
        let from = (self.part != Part::Start).then(|| self.state.index());
        if from.is_some() {
            self.timeouts.end(Until::StateLeft);
        }
        self.place.entered(from, state.index());
        self.state = state;
        Some(Call::Entry(state))
    }

    fn settle_raise(&mut self, raised: Call<A>) -> Option<Call<A>> {
        let Call::Event(message) = &raised else {
            unreachable!("what a driver runs is not left to be settled")
        };
        let event = A::event_index(message);
        match A::INFO.disposition(self.state.index(), event) {
            Disposition::Handle => {
                self.place.raised(self.state.index(), event);
                Some(raised)
            }
            Disposition::Ignore => None,
            Disposition::Defer | Disposition::Unhandled => {
                rules::unhandled_raise(A::INFO.name, A::event(message), &self.state)
            }
        }
    }
}

impl<A: Actor> fmt::Debug for Context<A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Context")
            .field("me", &self.place.target())
            .field("state", &self.state)
            .finish_non_exhaustive()
    }
}
