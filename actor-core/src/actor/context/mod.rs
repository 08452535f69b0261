//! What a handler can do: [`Context`]. Here is what it decides and how its calls follow each other; the
//! files beside have what it does to time, to other actors, and while it waits.

mod children;
mod environment;
mod piped;
mod timers;
mod waiting;
mod watching;

use std::fmt;
use std::sync::Weak;
use std::time::Duration;

use crate::actor::timeouts::{Timeouts, Until};
use crate::actor::{AcceptedBy, Actor, ActorRef, Call, Recipient};
use crate::asking::Reply;
use crate::environment::{ActorRng, Timestamp};
use crate::event::Event;
use crate::fingerprint::Fingerprinter;
use crate::fs::Disk;
use crate::identity::ActorId;
use crate::parts::rules::{self, Decision};
use crate::parts::{Announcing, CHAIN_MAX, Due, Ran, mail_of};
use crate::production::{Count, ENTRY_HOOK, EXIT_HOOK, START_HOOK, STOP_HOOK, Target, WeakTarget};
use crate::runtime::{self, Home};
use crate::table::{Disposition, State};

pub use piped::Piped;

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
/// sys.shutdown().await?;
/// Ok(())
/// # }
/// ```
pub struct Context<A: Actor> {
    home: Home,
    state: A::State,
    next: Next<A>,
    entering: Option<A::State>,
    chain: u32,
    part: Part,
    halted: bool,
    timeouts: Timeouts,
    /// Of those who refer to the actor, where that is counted.
    count: Option<Weak<Count>>,
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
    pub(crate) fn new(me: &Target, count: Option<Weak<Count>>) -> Self {
        Self {
            home: Home::of(me),
            state: A::first_state(),
            next: Next::Stay,
            entering: None,
            chain: 0,
            part: Part::Handler,
            halted: false,
            timeouts: Timeouts::default(),
            count,
        }
    }

    /// This actor.
    pub fn me(&self) -> ActorRef<A> {
        // Where nobody refers to it any more, it is about to stop: no reference changes that.
        let count = self.count.as_ref().and_then(Weak::upgrade);
        ActorRef::new(match count {
            Some(count) => count.reference(),
            None => self.home.target(),
        })
    }

    pub(crate) fn id(&self) -> ActorId {
        self.home.target().id()
    }

    pub(crate) fn weak_target(&self) -> WeakTarget {
        match &self.count {
            Some(count) => WeakTarget::Counted(count.clone()),
            None => self.home.target().downgrade(),
        }
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

    /// Shows `event` to the monitors that observe its type, and to nobody else.
    pub fn announce<E: Event>(&mut self, event: E) {
        match &self.home {
            Home::Live(side) => side.announce(&event),
            Home::Controlled(_) => {
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
        crate::environment::choose(self.home.is_live(), bound)
    }

    /// `true` or `false`, as the tester chooses; in production at random.
    pub fn choose_bool(&mut self) -> bool {
        crate::environment::choose_bool(self.home.is_live())
    }

    /// A generator for this call: under test its seed is one recorded choice.
    pub fn rng(&mut self) -> ActorRng {
        crate::environment::generator(self.home.is_live())
    }

    /// The [disk](crate::fs) of the system.
    pub fn disk(&self) -> Disk {
        match &self.home {
            Home::Live(side) => Disk::live(side.disk()),
            Home::Controlled(_) => Disk::controlled(),
        }
    }

    /// The time since the system started: virtual under test, and constant within a step. There, where
    /// the test says that clocks are apart, it is what the clock of the actor's node shows.
    pub fn now(&self) -> Duration {
        self.home.read_clock();
        self.home.now()
    }

    /// The same, without a look at the clock by the program.
    pub(crate) fn time(&self) -> Duration {
        self.home.now()
    }

    /// The same as a [`Timestamp`], which is for comparing with others.
    pub fn timestamp(&self) -> Timestamp {
        Timestamp::at(self.now())
    }

    /// The name of the [node](crate::System::node) that the actor is on, if it is on one.
    ///
    /// ```
    /// use actor_core::prelude::*;
    ///
    /// #[derive(Debug)]
    /// struct Where;
    ///
    /// struct Replica;
    ///
    /// #[actor]
    /// impl Replica {
    ///     #[on]
    ///     fn r#where(&mut self, _: Where, cx: &mut Context<Self>) -> Option<String> {
    ///         cx.node()
    ///     }
    /// }
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let sys = System::new();
    /// sys.node("n1", |node| {
    ///     node.spawner().name("replica").registered().spawn(Replica);
    /// });
    /// let replica = sys.lookup::<Replica>("n1/replica").await?;
    /// assert_eq!(replica.ask(Where).await?, Some("n1".into()));
    /// assert_eq!(sys.spawn(Replica).ask(Where).await?, None);
    /// # sys.shutdown().await?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn node(&self) -> Option<String> {
        self.home.node()
    }

    /// Reports what an actor that goes on could not do, and nobody waits to hear.
    pub(crate) fn report(&self, error: &str) {
        match &self.home {
            Home::Live(side) => side.report(error),
            Home::Controlled(_) => runtime::with(|rt| rt.report(error)),
        }
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
        if let Home::Live(side) = &self.home {
            side.begin_async(number_of(&call), self.state.index());
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
        self.home.side().begin_work();
    }

    /// The next event to be handled in production, or what else is due.
    #[inline]
    pub(crate) fn next(&mut self) -> Result<A::Message, Due> {
        let side = self.home.side();
        match side.next(self.state.index()) {
            Ok(slot) => Ok(mail_of::<A>(side.mail()).take(slot)),
            Err(due) => Err(due),
        }
    }

    #[inline]
    pub(crate) fn enter_handler(&mut self) {
        self.timeouts.end(Until::EventHandled);
        self.part = Part::Handler;
    }

    pub(crate) fn enter_call(&mut self, call: &Call<A>) {
        self.part = match call {
            Call::Event(_) => return self.enter_handler(),
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
        self.home.entered(from, state.index());
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
                self.home.raised(self.state.index(), event);
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
            .field("me", &self.home.target())
            .field("state", &self.state)
            .finish_non_exhaustive()
    }
}

/// The number of the event or hook that is called.
fn number_of<A: Actor>(call: &Call<A>) -> u16 {
    match call {
        Call::Event(message) => A::event_index(message),
        Call::Start => START_HOOK,
        Call::Stop => STOP_HOOK,
        Call::Entry(_) => ENTRY_HOOK,
        Call::Exit(_) => EXIT_HOOK,
    }
}
