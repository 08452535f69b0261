//! What a strategy sees: the enabled operations, and what each would do.

use std::fmt;
use std::num::NonZeroU32;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::{
    Changes, ConstructSet, DeferredEvents, MonitorTransition, ObserverSet, PredicateRead,
    SilentEffect, StepEffect,
};
use crate::data::bug::BugKind;
use crate::data::faults::Moment;
pub use crate::data::records::{MessageId, StepKind};

/// An operation of an execution: an actor, the test body, a piped future or a timer.
///
/// Numbers are given in order of creation and are the same whenever the same schedule runs; the
/// test body is number zero.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
pub struct OperationId(NonZeroU32);

impl OperationId {
    const TIMER: u32 = 1 << 31;

    #[inline]
    pub(crate) const fn actor(index: u32) -> Self {
        // Never zero, so that an `Option` takes no more room. No execution has 2^31 operations.
        match NonZeroU32::new(index.wrapping_add(1)) {
            Some(bits) => Self(bits),
            None => Self(NonZeroU32::MAX),
        }
    }

    pub(crate) const fn timer(index: u32) -> Self {
        Self::actor(Self::TIMER | index)
    }

    /// Something shared, which is no operation: it is numbered as timers are, and stands where no timer
    /// does, as what an access reaches.
    pub(crate) const fn object(index: u32) -> Self {
        Self::timer(index)
    }

    /// The operation is a timer; a timer's number is used again when the timer is over.
    #[inline]
    pub const fn is_timer(self) -> bool {
        self.bits() & Self::TIMER != 0
    }

    /// The number, counted apart for timers.
    #[inline]
    pub const fn index(self) -> usize {
        (self.bits() & !Self::TIMER) as usize
    }

    #[inline]
    pub(crate) const fn bits(self) -> u32 {
        self.0.get() - 1
    }
}

/// What an enabled operation would do.
///
/// # Example
///
/// The message that is the first in an order that does not depend on the schedule.
///
/// ```
/// use actor_test::strategy::{Enabled, MessageId};
///
/// fn first(enabled: &Enabled<'_>) -> Option<MessageId> {
///     enabled.iter().filter_map(|pending| pending.message).min()
/// }
/// # let _ = first;
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Pending {
    /// Who.
    pub operation: OperationId,
    /// What kind of step.
    pub kind: StepKind,
    /// Whose inbox it reads, appends to or closes, if any. Two flushes into the same inbox are the
    /// race that matters; an actor that halts closes its own. For an [access](StepKind::Access), what is
    /// accessed: it is no operation, and numbered apart, as timers are.
    pub inbox: Option<OperationId>,
    /// Who sent the event concerned, if any.
    pub sender: Option<OperationId>,
    /// The type of the event concerned, if any.
    pub event: Option<EventId>,
    /// Which event or reply is sent, handled or fired, or which question for room is asked. None for
    /// a start, a resume, a spawn and the end of an actor.
    pub message: Option<MessageId>,
}

impl Pending {
    /// Whose step it is: for a timer, that of the actor to which it belongs.
    pub(super) fn owner(&self) -> Option<OperationId> {
        match self.operation.is_timer() {
            true => self.inbox,
            false => Some(self.operation),
        }
    }

    /// Whether the step may concern its operation alone: it starts, handles, resumes, or spawns. Such
    /// a step can mostly be taken before any other without a loss; whether it could,
    /// [`Step::is_local`] tells when it is over.
    ///
    /// This is what `dfs-local` and `pos-local` take first.
    #[inline]
    pub fn may_be_local(&self) -> bool {
        match self.kind {
            StepKind::Start | StepKind::Handle | StepKind::Resume => true,
            StepKind::Flush => self.inbox.is_none(),
            StepKind::Timer
            | StepKind::Fault
            | StepKind::Stop
            | StepKind::Deliver
            | StepKind::Access => false,
        }
    }

    /// Whether the order of this step and another that [reaches](Self::inbox) the same makes a
    /// difference: it flushes into an inbox, or accesses what is shared.
    #[inline]
    pub(crate) fn races(&self) -> bool {
        matches!(
            self.kind,
            StepKind::Flush | StepKind::Timer | StepKind::Access
        )
    }
}

/// A step that is over, as a strategy [hears](super::Strategy::stepped) of it.
///
/// # Local steps
///
/// A step is *local* where it makes no difference to anyone whether it is taken now or after any steps
/// of others. A search that takes a local step first loses no end state. These are local:
///
/// - starting, handling and resuming, with all that goes into the outbox, and spawning.
///
/// But not where the step
///
/// - reads the clock, or arms or cancels a timer, or lets a sleep go: others move time;
/// - looks at the number or the name of an actor, where several operations create actors, tasks or
///   futures: in which order they do is what numbers tell;
/// - looks for what may still come and finds it absent: a reply to an `ask` that was open before the
///   step, an event to [`receive`](actor_core::Context::receive), the end of a sleep, room in a
///   mailbox; whether an actor has stopped, if it has not; or the registry of names, if there is none;
/// - gives up an `ask` or a `send` that is under way;
/// - takes an event from a bounded mailbox, which makes room;
/// - looks for the reply to an `ask` of somebody else, who has handed it on;
/// - begins to watch or to wait for a start, links itself, or says how its children are supervised or what becomes of links;
/// - accesses what is shared: a lock, a channel or an atomic of [`sync`](actor_core::sync);
/// - is the start of a supervised actor;
/// - is seen by a monitor that observes what is handled or announced, or by predicates;
/// - finds a bug, which ends the execution; or
/// - belongs to the test body or to a piped future, which end with others, or to a task or a thread.
///
/// And a local step would have gone otherwise had somebody [interrupted](Self::interrupted) its
/// operation before: a search that took it first has to try that too, once it has seen it happen.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Step<'a> {
    /// What was picked.
    pub pending: Pending,
    /// It was local, up to interruptions.
    pub is_local: bool,
    /// The operations whose next step it has replaced, or would have: actors that it killed, or told
    /// to stop or to fail ahead of their inbox, those whose reply it awaits no more, and all where it
    /// asks for the end of the execution.
    pub interrupted: &'a [OperationId],
    /// What else it has met that is not up to its operation alone.
    pub(crate) constructs: ConstructSet,
    /// What it has carried out.
    pub(crate) effect: StepEffect,
    /// Who has looked at it, and of predicates who might have.
    pub(crate) onlookers: ObserverSet,
    /// At what predicates have looked after it.
    pub(crate) predicate_reads: &'a [PredicateRead],
    /// What became of the monitors among them, where the strategy does not look at whole states.
    pub(crate) monitor_transitions: &'a [MonitorTransition],
    /// Which events its operation puts off after it.
    pub(crate) defers: DeferredEvents,
    /// What rode along.
    pub(crate) silent_effects: &'a [SilentEffect],
    /// Its operation awaits something after it.
    pub(crate) is_suspended: bool,
    /// It has looked whether a sleep is over, and it was not.
    pub(crate) sleeps: bool,
    /// It would have cancelled a timer, had that been there.
    pub(crate) cancels: bool,
    /// The bug that it has found.
    pub(crate) bug: Option<BugKind>,
    /// The state to which it has led, where the strategy [wants](super::Strategy::sees_states) to see
    /// states and it has found no bug.
    pub(crate) next_state: Option<StateComponents<'a>>,
}

/// A state in parts: each operation by itself, with its inbox and outbox, and the rest.
#[derive(Clone, Copy, Debug)]
pub(crate) struct StateComponents<'a> {
    /// The state as a whole.
    pub(crate) state: &'a StateView,
    /// A fingerprint of each operation; zero for one that is gone.
    pub(crate) prints: &'a [u128],
    /// A fingerprint of the armed timers; zero where there are none.
    pub(crate) timers: u128,
    /// Each of them by its number, with a fingerprint.
    pub(crate) armed: &'a [(u32, u128)],
    /// A fingerprint of all that is neither.
    pub(crate) rest: u128,
    /// The operations that the last step may have looked at or changed, each once.
    pub(crate) footprint: &'a [u32],
    /// It may have looked at timers or changed them.
    pub(crate) touches_timers: bool,
    /// Somebody was seen to have a handle to another's timer.
    pub(crate) lends_timers: bool,
    /// Some timer fires again and again.
    pub(crate) has_periodic: bool,
    /// Which operations have nothing to handle but events that they defer; none behind the last that
    /// has been.
    pub(crate) defers: &'a [bool],
}

/// An event type of an actor type: a hash of their names, the same on every machine.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct EventId(pub(crate) NonZeroU32);

/// What few ask about the enabled operations.
pub(crate) trait Details: fmt::Debug {
    /// `Client#2`, or what it was named. The first of its type may be called without a number.
    fn operation(&self, operation: OperationId) -> String;

    /// The type of the event that is sent, handled or fired.
    fn event(&self, pending: &Pending) -> Option<&'static str>;

    /// The node that an operation is on, as a bit; both ends of a link.
    fn nodes(&self, operation: OperationId) -> u64;

    /// What a node is called.
    fn node(&self, number: u32) -> String;

    /// Whom an operation spawns by its next step, if that is what it does.
    fn spawned(&self, operation: OperationId) -> Option<OperationId>;

    /// Whether an operation awaits something that is there.
    fn is_woken(&self, operation: OperationId) -> bool;

    /// What the last step has led to at which a fault may be aimed, while faults may come.
    fn moments(&self) -> &[Moment];
}

/// A state of an execution, as a search [sees](super::Strategy::sees_states) it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct StateView {
    /// The same for states that are the same, and for no others but by a chance of 2^-128; up to what
    /// fingerprints [leave out](actor_core::Fingerprint), and up to the time.
    pub print: u128,
    /// How much virtual time has passed.
    pub now: Duration,
    /// The program has looked at the clock: what it does may depend on the time.
    pub reads_clock: bool,
    /// Something in it offers nothing to compare, so that it is told apart by how it came about.
    pub by_history: bool,
    /// The monitors and predicates by which something is owed, a bit for each.
    pub(crate) obligations: u64,
    /// Those of them that are hot.
    pub(crate) hot: u64,
    /// Somebody has nothing to handle but events that it defers.
    pub(crate) is_deferring: bool,
    /// The same for states that differ in who is who among actors that are interchangeable, where there are
    /// such and that can be told.
    pub(crate) canonical: Option<u128>,
    /// A predicate means one of them, and not any.
    pub(crate) reads_one: bool,
    /// The program has looked at the numbers of actors.
    pub(crate) reads_numbers: bool,
}

impl StateView {
    /// Before the first step.
    pub(crate) fn root() -> Self {
        Self {
            print: 0,
            now: Duration::ZERO,
            reads_clock: false,
            by_history: false,
            obligations: 0,
            hot: 0,
            is_deferring: false,
            canonical: None,
            reads_one: false,
            reads_numbers: false,
        }
    }
}

/// The enabled operations, in an order that is the same whenever the same schedule runs.
#[derive(Clone, Copy, Debug)]
pub struct Enabled<'a> {
    pending: &'a [Pending],
    paths: &'a [u64],
    changes: &'a Changes,
    step: u64,
    /// Its number; few strategies ask.
    last: u32,
    details: Option<&'a dyn Details>,
    state: Option<&'a StateView>,
}

impl<'a> Enabled<'a> {
    #[inline]
    pub(crate) fn new(
        pending: &'a [Pending],
        paths: &'a [u64],
        changes: &'a Changes,
        step: u64,
        last: u32,
    ) -> Self {
        Self {
            pending,
            paths,
            changes,
            step,
            last,
            details: None,
            state: None,
        }
    }

    /// The same, with details for who asks.
    #[inline]
    pub(crate) fn with_details(self, details: &'a dyn Details) -> Self {
        Self {
            details: Some(details),
            ..self
        }
    }

    /// The same, with what is seen of the state.
    #[inline]
    pub(crate) fn seen(self, state: Option<&'a StateView>) -> Self {
        Self { state, ..self }
    }

    /// The same, for somebody who counts steps from there.
    pub(super) fn since(&self, step: u64) -> Self {
        Self {
            step: self.step.saturating_sub(step),
            ..*self
        }
    }

    /// The paths of all operations that there have been, but for timers, by number.
    pub(crate) fn paths(&self) -> &'a [u64] {
        self.paths
    }

    /// The position of the n-th, where the steps that may be local come before all others; and whether it
    /// is one of those.
    pub(super) fn nth_local_first(&self, nth: usize) -> (usize, bool) {
        let local = self.iter().filter(|pending| pending.may_be_local());
        let (may_be_local, nth) = match nth.checked_sub(local.count()) {
            None => (true, nth),
            Some(nth) => (false, nth),
        };
        let mut such =
            (0..self.len()).filter(|position| self[*position].may_be_local() == may_be_local);
        (such.nth(nth).unwrap_or(0), may_be_local)
    }

    /// The state before the step, where the strategy [wants](super::Strategy::sees_states) to see it.
    #[inline]
    pub fn state(&self) -> Option<&'a StateView> {
        self.state
    }

    /// What operations and events are called, and where they are.
    pub(crate) fn details(&self) -> Option<&'a dyn Details> {
        self.details
    }

    /// The nodes that a step concerns, a bit for each: that of who takes it, of who sent the event, and
    /// of who receives it.
    pub(super) fn nodes_of(&self, pending: &Pending) -> u64 {
        let Some(details) = self.details else {
            return 0;
        };
        let who = [Some(pending.operation), pending.inbox, pending.sender];
        let nodes = who.into_iter().flatten().map(|who| details.nodes(who));
        nodes.fold(0, |all, nodes| all | nodes)
    }

    /// What the last step has led to at which a fault may be aimed, while faults may come.
    pub(super) fn moments(&self) -> &'a [Moment] {
        self.details.map_or(&[], |details| details.moments())
    }

    /// Where the last changes are told of.
    #[inline]
    pub(super) fn changes(&self) -> &'a Changes {
        self.changes
    }

    /// How many; at least one.
    #[expect(clippy::len_without_is_empty, reason = "it is never empty")]
    pub fn len(&self) -> usize {
        self.pending.len()
    }

    /// What the operation at a position would do; `None` beyond the last.
    pub fn get(&self, position: usize) -> Option<&'a Pending> {
        self.pending.get(position)
    }

    /// Each with what it would do.
    pub fn iter(&self) -> std::slice::Iter<'a, Pending> {
        self.pending.iter()
    }

    /// How many steps the execution has taken.
    pub fn step(&self) -> u64 {
        self.step
    }

    /// Who took the last step.
    pub fn last(&self) -> OperationId {
        OperationId::actor(self.last)
    }

    /// Names an operation across executions: a hash of who created it, and of how many that one had
    /// created before. Unlike its number it does not depend on the order in which others were
    /// created. A timer is named by its number.
    pub fn path(&self, operation: OperationId) -> u64 {
        if operation.is_timer() {
            return u64::from(operation.bits());
        }
        self.paths.get(operation.index()).copied().unwrap_or(0)
    }
}

impl std::ops::Index<usize> for Enabled<'_> {
    type Output = Pending;

    fn index(&self, index: usize) -> &Pending {
        &self.pending[index]
    }
}
