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

use crate::actor::Scope;
use crate::actor::scoped_timers::{ScopedTimers, TimerScope};
use crate::actor::{AcceptedBy, Actor, ActorRef, Call, Recipient};
use crate::asking::Reply;
use crate::dispatch::{ActorExecutor, RefCount, Target, WeakTarget};
use crate::environment::Timestamp;
use crate::fingerprint::Fingerprinter;
use crate::identity::ActorId;
use crate::production::{ENTRY_HOOK, EXIT_HOOK, START_HOOK, STOP_HOOK};
use crate::seam::rules::{self, HandlerDecision};
use crate::seam::{self, CHAIN_MAX, NextWork, Note, RunOutcome, mail_of};
use crate::table::{Disposition, State};

pub use piped::Piped;
pub use timers::{TimerBuilder, TimerKey};

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
    home: ActorExecutor,
    state: A::State,
    next: PendingDecision<A>,
    entering: Option<A::State>,
    chain: u32,
    part: CallKind,
    halted: bool,
    scoped_timers: ScopedTimers,
    /// The count of strong references to the actor, if references are counted.
    count: Option<Weak<RefCount>>,
}

/// The decision of the current handler.
enum PendingDecision<A: Actor> {
    Stay,
    Goto(A::State),
    Halt,
    /// Handles a raised event. Without a decision, this variant keeps an async call that waits for its
    /// driver, which takes the call before it begins: one field for both keeps actors small.
    Run(Call<A>),
}

impl<A: Actor> PendingDecision<A> {
    fn decision(&self) -> HandlerDecision<'_> {
        match self {
            Self::Goto(state) => HandlerDecision::Goto(state),
            Self::Halt => HandlerDecision::Halt,
            Self::Run(Call::Event(message)) => HandlerDecision::Raise(A::__event(message)),
            Self::Stay | Self::Run(_) => HandlerDecision::Nothing,
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum CallKind {
    Handler,
    Start,
    Entry,
    Exit,
    Stop,
}

impl CallKind {
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
    pub(crate) fn new(me: &Target, count: Option<Weak<RefCount>>) -> Self {
        Self {
            home: ActorExecutor::of(me),
            state: A::first_state(),
            next: PendingDecision::Stay,
            entering: None,
            chain: 0,
            part: CallKind::Handler,
            halted: false,
            scoped_timers: ScopedTimers::default(),
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

    /// Returns the executor of this actor, in which it spawns others.
    pub(crate) fn executor(&self) -> &ActorExecutor {
        &self.home
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
        self.decide(PendingDecision::Goto(state));
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
        let message = event.__into_message(Reply::nobody());
        self.decide(PendingDecision::Run(Call::Event(message)));
    }

    /// Stops this actor when the handler returns: the `#[stop]` hook runs, events sent before are
    /// delivered, and events left in the inbox become dead letters.
    pub fn halt(&mut self) {
        self.decide(PendingDecision::Halt);
    }

    fn decide(&mut self, next: PendingDecision<A>) {
        if let Some(hook) = self.part.decided() {
            rules::decision_in_hook(A::INFO.name, hook, &next.decision());
        }
        if !matches!(self.next, PendingDecision::Stay) {
            rules::two_decisions(A::INFO.name, &self.next.decision(), &next.decision());
        }
        self.next = next;
    }

    /// Returns the time, but records no read of the clock by the program.
    pub(crate) fn time(&self) -> Duration {
        self.home.now()
    }

    /// Returns the same time as a [`Timestamp`], for comparisons with other timestamps.
    pub fn timestamp(&self) -> Timestamp {
        Timestamp::at(Scope::now(self))
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
            ActorExecutor::Live(local) => local.live_actor().report(error),
            ActorExecutor::Controlled(_) => seam::note(Note::Unreceived(error)),
        }
    }

    /// Returns the result of a finished chain of calls.
    pub(crate) fn ran(&self) -> RunOutcome {
        if self.halted {
            RunOutcome::Halted
        } else {
            RunOutcome::Done
        }
    }

    /// Feeds the state of the actor's scoped timers.
    pub(crate) fn fingerprint(&self, to: &mut Fingerprinter) {
        self.scoped_timers.fingerprint(to);
    }

    /// Begins the first step: after the `#[start]` hook, the first state is entered.
    pub(crate) fn begin(&mut self) {
        self.entering = Some(self.state);
    }

    /// Keeps an async call for the driver.
    pub(crate) fn postpone(&mut self, call: Call<A>) {
        if let ActorExecutor::Live(local) = &self.home {
            local.begin_async(number_of(&call), self.state.index());
        }
        self.next = PendingDecision::Run(call);
    }

    pub(crate) fn postponed(&mut self) -> Call<A> {
        match std::mem::replace(&mut self.next, PendingDecision::Stay) {
            PendingDecision::Run(call) => call,
            _ => unreachable!("a driver runs what was kept for it"),
        }
    }

    /// Begins a piece of work in production, after other actors may have run.
    pub(crate) fn begin_work(&mut self) {
        self.home.local().begin_work();
    }

    /// Returns the next event to handle in production, or another kind of work that is due.
    #[inline]
    pub(crate) fn next(&mut self) -> Result<A::Message, NextWork> {
        let local = self.home.local();
        match local.next(self.state.index()) {
            Ok(slot) => Ok(mail_of::<A>(local.mail()).take(slot)),
            Err(due) => Err(due),
        }
    }

    #[inline]
    pub(crate) fn enter_handler(&mut self) {
        self.scoped_timers.end(TimerScope::EventHandled);
        self.part = CallKind::Handler;
    }

    pub(crate) fn enter_call(&mut self, call: &Call<A>) {
        self.part = match call {
            Call::Event(_) => return self.enter_handler(),
            Call::Start => CallKind::Start,
            Call::Entry(_) => CallKind::Entry,
            Call::Exit(_) => CallKind::Exit,
            Call::Stop => CallKind::Stop,
        };
    }

    /// Returns the next call that follows from the one that has just returned; both executors use this
    /// method. The order is: exit hook, entry hook, raised event.
    #[inline]
    pub(crate) fn settle(&mut self) -> Option<Call<A>> {
        if let PendingDecision::Stay = self.next
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
        let next = std::mem::replace(&mut self.next, PendingDecision::Stay);
        if let Some(state) = self.entering.take() {
            return self.enter(state, next);
        }
        match next {
            PendingDecision::Stay => None,
            PendingDecision::Goto(state) => {
                self.entering = Some(state);
                Some(Call::Exit(self.state))
            }
            PendingDecision::Run(call) => self.settle_raise(call),
            PendingDecision::Halt => {
                self.halted = true;
                Some(Call::Stop)
            }
        }
    }

    /// Enters `state` after an exit hook or the start hook, with the decision of that hook.
    fn enter(&mut self, state: A::State, decided: PendingDecision<A>) -> Option<Call<A>> {
        let state = match decided {
            PendingDecision::Stay => state,
            PendingDecision::Goto(state) => state,
            PendingDecision::Halt => {
                self.halted = true;
                return Some(Call::Stop);
            }
            raise @ PendingDecision::Run(_) => {
                self.next = raise;
                state
            }
        };
        let from = (self.part != CallKind::Start).then(|| self.state.index());
        if from.is_some() {
            self.scoped_timers.end(TimerScope::StateLeft);
        }
        self.home.entered(from, state.index());
        self.state = state;
        Some(Call::Entry(state))
    }

    fn settle_raise(&mut self, raised: Call<A>) -> Option<Call<A>> {
        let Call::Event(message) = &raised else {
            unreachable!("what a driver runs is not left to be settled")
        };
        let event = A::__event_index(message);
        match A::INFO.disposition(self.state.index(), event) {
            Disposition::Handle => {
                self.home.raised(self.state.index(), event);
                Some(raised)
            }
            Disposition::Ignore => None,
            Disposition::Defer | Disposition::Unhandled => {
                rules::unhandled_raise(A::INFO.name, A::__event(message), &self.state)
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
        Call::Event(message) => A::__event_index(message),
        Call::Start => START_HOOK,
        Call::Stop => STOP_HOOK,
        Call::Entry(_) => ENTRY_HOOK,
        Call::Exit(_) => EXIT_HOOK,
    }
}
