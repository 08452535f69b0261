//! The context of a handler, [`Context`]: decisions, and the order of the calls that follow from them.
//! The files beside hold timers, spawning and watching of other actors, and waiting.

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

/// The interface to the world that an actor uses while it handles an event.
///
/// Every method that writes to the world is synchronous and takes effect in the order of the calls;
/// methods that read the world are `async`. At most one of [`goto`](Context::goto),
/// [`raise`](Context::raise) and [`halt`](Context::halt) decides what follows, and the decision takes
/// effect when the handler returns; two decisions in one handler are a bug that is reported.
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
    /// The count of strong references to the actor, if references are counted.
    count: Option<Weak<Count>>,
}

/// The decision of the current handler.
enum Next<A: Actor> {
    Stay,
    Goto(A::State),
    Halt,
    /// Handles a raised event. Without a decision, this variant keeps an async call that waits for its
    /// driver, which takes the call before it begins: one field for both keeps actors small.
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

#[derive(Clone, Copy, PartialEq, Eq)]
enum Part {
    Handler,
    Start,
    Entry,
    Exit,
    Stop,
}

impl Part {
    /// Returns the name of the hook if this hook may make no decision.
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

    /// Returns a reference to this actor.
    pub fn me(&self) -> ActorRef<A> {
        // An actor without references is about to stop, and a new reference does not change that.
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

    /// Returns this actor as the recipient of one kind of event.
    pub fn recipient<E: AcceptedBy<A>>(&self) -> Recipient<E> {
        self.me().recipient()
    }

    /// Returns the current state: in a handler the state in which it was called, in an entry hook the
    /// new state, in an exit hook the old one.
    pub fn state(&self) -> A::State {
        self.state
    }

    /// Changes to `state` when the handler returns: the exit hook of the current state runs, then the
    /// entry hook of the new one. Both run even if the two states are the same.
    ///
    /// In a `#[start]` hook this call chooses the state to start in.
    pub fn goto(&mut self, state: A::State) {
        self.decide(Next::Goto(state));
    }

    /// Handles `event` when the handler returns, before anything in the inbox.
    ///
    /// The state must handle or ignore it. More than [`CHAIN_MAX`] raised events in a row are a bug.
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

    /// Stops this actor when the handler returns: the `#[stop]` hook runs, events sent before are
    /// delivered, and events left in the inbox become dead letters.
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

    /// Returns a number below `bound`, chosen by the tester; in production a random one.
    ///
    /// # Panics
    ///
    /// If `bound` is zero or above 2³² − 1.
    pub fn choose(&mut self, bound: usize) -> usize {
        crate::environment::choose(self.home.is_live(), bound)
    }

    /// Returns `true` or `false` as the tester chooses; in production at random.
    pub fn choose_bool(&mut self) -> bool {
        crate::environment::choose_bool(self.home.is_live())
    }

    /// Returns a random number generator for this call: under test its seed is one recorded choice.
    pub fn rng(&mut self) -> ActorRng {
        crate::environment::generator(self.home.is_live())
    }

    /// Returns the [disk](crate::fs) of the system.
    pub fn disk(&self) -> Disk {
        match &self.home {
            Home::Live(side) => Disk::live(side.disk()),
            Home::Controlled(_) => Disk::controlled(),
        }
    }

    /// Returns the time since the system started: virtual under test, and constant within a step. If
    /// the test sets clock skew, the result is the time on the clock of the actor's node.
    pub fn now(&self) -> Duration {
        self.home.read_clock();
        self.home.now()
    }

    /// Returns the same time, but records no read of the clock by the program.
    pub(crate) fn time(&self) -> Duration {
        self.home.now()
    }

    /// Returns the same time as a [`Timestamp`], for comparisons with other timestamps.
    pub fn timestamp(&self) -> Timestamp {
        Timestamp::at(self.now())
    }

    /// Returns the name of the actor's [node](crate::System::node), or `None` if it is on no node.
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

    /// Reports a failed operation of an actor that goes on, if nobody waits for the result.
    pub(crate) fn report(&self, error: &str) {
        match &self.home {
            Home::Live(side) => side.report(error),
            Home::Controlled(_) => runtime::with(|rt| rt.report(error)),
        }
    }

    /// Returns the result of a finished chain of calls.
    pub(crate) fn ran(&self) -> Ran {
        if self.halted { Ran::Halted } else { Ran::Done }
    }

    /// Feeds the state of the actor's timeouts.
    pub(crate) fn fingerprint(&self, to: &mut Fingerprinter) {
        self.timeouts.fingerprint(to);
    }

    /// Begins the first step: after the `#[start]` hook, the first state is entered.
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

    pub(crate) fn postponed(&mut self) -> Call<A> {
        match std::mem::replace(&mut self.next, Next::Stay) {
            Next::Run(call) => call,
            _ => unreachable!("a driver runs what was kept for it"),
        }
    }

    /// Begins a piece of work in production, after other actors may have run.
    pub(crate) fn begin_work(&mut self) {
        self.home.side().begin_work();
    }

    /// Returns the next event to handle in production, or another kind of work that is due.
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

    /// Returns the next call that follows from the one that has just returned; both executors use this
    /// method. The order is: exit hook, entry hook, raised event.
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

    /// Enters `state` after an exit hook or the start hook, with the decision of that hook.
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

fn number_of<A: Actor>(call: &Call<A>) -> u16 {
    match call {
        Call::Event(message) => A::event_index(message),
        Call::Start => START_HOOK,
        Call::Stop => STOP_HOOK,
        Call::Entry(_) => ENTRY_HOOK,
        Call::Exit(_) => EXIT_HOOK,
    }
}
