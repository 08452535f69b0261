//! The enabled operations and their pending steps, as strategies see them: [`Enabled`].

use std::fmt;
use std::num::NonZeroU32;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::{
    Changes, ConstructSet, Constructs, DeferredEvents, MonitorTransition, NameUses, ObserverSet,
    PredicateRead, SilentEffect, StepEffect,
};
use crate::data::bug::BugKind;
use crate::data::faults::Moment;
use crate::data::step::{MessageId, StepKind};

/// An operation of an execution: an actor, the test body, a piped future or a timer.
///
/// Numbers follow the order of creation in the schedule; the test body is number zero.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
pub struct OperationId(NonZeroU32);

impl OperationId {
    const TIMER: u32 = 1 << 31;

    #[inline]
    pub(crate) const fn actor(index: u32) -> Self {
        // Never zero, so that an `Option` takes no more memory. No execution has 2^31 operations.
        match NonZeroU32::new(index.wrapping_add(1)) {
            Some(bits) => Self(bits),
            None => Self(NonZeroU32::MAX),
        }
    }

    pub(crate) const fn timer(index: u32) -> Self {
        Self::actor(Self::TIMER | index)
    }

    /// An object of shared memory, numbered like a timer; only [`Pending::inbox`] has such numbers.
    pub(crate) const fn object(index: u32) -> Self {
        Self::timer(index)
    }

    /// True for a timer. The number of a timer is used again once the timer is over.
    #[inline]
    pub const fn is_timer(self) -> bool {
        self.bits() & Self::TIMER != 0
    }

    /// The number, counted separately for timers.
    #[inline]
    pub const fn index(self) -> usize {
        (self.bits() & !Self::TIMER) as usize
    }

    #[inline]
    pub(crate) const fn bits(self) -> u32 {
        self.0.get() - 1
    }
}

/// The next step of an enabled operation.
///
/// # Example
///
/// The first message in an order that does not depend on the schedule:
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
    /// The operation that would take the step.
    pub operation: OperationId,
    /// The kind of step.
    pub kind: StepKind,
    /// The owner of the inbox that the step reads, appends to or closes, if any; an actor that halts closes
    /// its own. Two flushes into the same inbox race. For an [access](StepKind::Access), this is the
    /// object, which is no operation and is numbered separately, like timers.
    pub inbox: Option<OperationId>,
    /// The sender of the event concerned, if any.
    pub sender: Option<OperationId>,
    /// The type of the event concerned, if any.
    pub event: Option<EventId>,
    /// The event or reply that is sent, handled or fired, or the request for capacity. None for a start, a
    /// resume, a spawn and the end of an actor.
    pub message: Option<MessageId>,
}

impl Pending {
    /// The operation itself, or for a timer the actor that owns it.
    pub(super) fn owner(&self) -> Option<OperationId> {
        match self.operation.is_timer() {
            true => self.inbox,
            false => Some(self.operation),
        }
    }

    /// True if the step may concern its operation alone: a start, a handler, a resume or a spawn. Such a
    /// step can mostly be taken before any other without loss; [`Step::is_local`] is set afterwards if it
    /// could.
    ///
    /// `dfs:local` and `pos:local` take these steps first.
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

    /// True if the step races with others on the same [inbox](Self::inbox) or object.
    #[inline]
    pub(crate) fn races(&self) -> bool {
        matches!(
            self.kind,
            StepKind::Flush | StepKind::Timer | StepKind::Access
        )
    }
}

/// A completed step, as a strategy is [notified](super::StrategyEvent::Stepped) of it.
///
/// # Local steps
///
/// A step is *local* if it can be moved behind any steps of other operations without a difference to
/// anyone. A search that takes a local step first loses no end state. Local steps are:
///
/// - starts, handlers and resumes, with all that goes into the outbox, and spawns.
///
/// A step is not local if it
///
/// - reads the clock, arms or cancels a timer, or gives up a sleep: steps of others move the time;
/// - reads the number or the name of an actor, where several operations create actors, tasks or futures:
///   numbers depend on their order;
/// - finds something absent that may still come: a reply to an `ask` that was open before the step, an
///   event to [`receive`](actor_core::Context::receive), the end of a sleep, capacity of a mailbox, the
///   stop of an actor, or an entry in the registry of names;
/// - gives up an `ask` or a `send` that is under way;
/// - takes an event from a bounded mailbox, which frees capacity;
/// - polls the reply to an `ask` of another operation, which handed it on;
/// - begins to watch an actor or to wait for its start, links itself, or sets how its children are
///   supervised or links behave;
/// - accesses shared memory: a lock, a channel or an atomic of [`sync`](actor_core::sync);
/// - starts a supervised actor;
/// - is observed by predicates, or by a monitor of handled or announced events;
/// - finds a bug, which ends the execution; or
/// - belongs to the test body, a piped future, a task or a thread; the first two end with other operations.
///
/// A local step would have gone differently after an [interruption](Self::interrupted) of its operation. A
/// search that took it first has to try that too, once it has seen such an interruption.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Step<'a> {
    /// The step that was picked.
    pub pending: Pending,
    /// True if the step was local, up to interruptions.
    pub is_local: bool,
    /// The operations whose next step this one has replaced, or would have: actors that it killed, or
    /// stopped or failed ahead of their inbox; actors whose reply it no longer awaits; all operations if it
    /// asks for the end of the execution.
    pub interrupted: &'a [OperationId],
    /// The footprint of the step beyond its own operation.
    pub(crate) constructs: ConstructSet,
    /// The use of names.
    pub(crate) names: NameUses<'a>,
    /// The main effect of the step.
    pub(crate) effect: StepEffect,
    /// The monitors that observed the step, and the predicates that may have.
    pub(crate) observers: ObserverSet,
    /// The reads of predicates after the step.
    pub(crate) predicate_reads: &'a [PredicateRead],
    /// The transitions of these monitors, recorded unless the strategy sees whole states.
    pub(crate) monitor_transitions: &'a [MonitorTransition],
    /// The events that the operation defers after the step.
    pub(crate) defers: DeferredEvents,
    /// The effects that were carried out in the same step.
    pub(crate) silent_effects: &'a [SilentEffect],
    /// True if the operation awaits something after the step.
    pub(crate) is_suspended: bool,
    /// True if the step found that a sleep is not over.
    pub(crate) sleeps: bool,
    /// The bug that the step found.
    pub(crate) bug: Option<BugKind>,
    /// The resulting state, if the strategy [needs](super::Needs::states) states, and without a bug.
    pub(crate) next_state: Option<StateComponents<'a>>,
}

impl Step<'_> {
    /// The resources beyond the step's own operation that the step read or changed. Monitors and predicates
    /// that observed the step are not among them.
    pub fn constructs(&self) -> Constructs {
        Constructs::of(self.constructs)
    }
}

/// A state in components: each operation with its inbox and outbox, the timers, and the rest.
#[derive(Clone, Copy, Debug)]
pub(crate) struct StateComponents<'a> {
    /// The state as a whole.
    pub(crate) state: &'a StateView,
    /// A fingerprint of each operation; zero for one that is gone.
    pub(crate) prints: &'a [u128],
    /// A fingerprint of the armed timers; zero if there are none.
    pub(crate) timers: u128,
    /// The number and the fingerprint of each armed timer.
    pub(crate) armed: &'a [(u32, u128)],
    /// A fingerprint of everything else.
    pub(crate) rest: u128,
    /// The operations that the last step may have read or changed, each once.
    pub(crate) footprint: &'a [u32],
    /// True if the last step may have read or changed timers.
    pub(crate) touches_timers: bool,
    /// True once an operation had a handle to another one's timer.
    pub(crate) lends_timers: bool,
    /// True if some timer is periodic.
    pub(crate) has_periodic: bool,
    /// True for each operation whose inbox holds only events that it defers, up to the last such one.
    pub(crate) defers: &'a [bool],
}

/// An event type of an actor type: a hash of their names, the same on every machine.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct EventId(pub(crate) NonZeroU32);

/// Details of the enabled operations that few strategies need.
pub(crate) trait Details: fmt::Debug {
    /// The name of an operation, as `Client#2` or as given. The first of its type may have no number.
    fn operation(&self, operation: OperationId) -> String;

    /// The type of the event that is sent, handled or fired.
    fn event(&self, pending: &Pending) -> Option<&'static str>;

    /// The node of an operation, as a bit; both ends of a link.
    fn nodes(&self, operation: OperationId) -> u64;

    /// The name of a node.
    fn node(&self, number: u32) -> String;

    /// The operation that the next step of this one spawns, if that is its effect.
    fn spawned(&self, operation: OperationId) -> Option<OperationId>;

    /// True if the operation awaits something that has arrived.
    fn is_woken(&self, operation: OperationId) -> bool;

    /// The times at which a timer fires.
    fn recurrence(&self, timer: OperationId) -> Recurrence;

    /// The moments of the last step at which a fault may be aimed, while faults may come.
    fn moments(&self) -> &[Moment];
}

/// The times at which a timer fires.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Recurrence {
    Once,
    /// Again and again; also a sleep of an interval.
    Periodic,
    /// Only when nothing else is enabled.
    Patient,
}

/// A state of an execution, for a search that [needs](super::Needs::states) states.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct StateView {
    /// The fingerprint of the state, up to the time and to what fingerprints [leave
    /// out](actor_core::Fingerprint). Different states share one with a chance of 2^-128.
    pub print: u128,
    /// The virtual time that has passed.
    pub now: Duration,
    /// True if the program has read the clock, so that it may depend on the time.
    pub reads_clock: bool,
    /// True if part of the state has no fingerprint, so that it is compared by its history.
    pub by_history: bool,
    /// The monitors and predicates with a pending obligation, a bit for each.
    pub(crate) obligations: u64,
    /// The pending obligations that are hot, a bit for each.
    pub(crate) hot: u64,
    /// True if the inbox of some actor holds only events that it defers.
    pub(crate) is_deferring: bool,
    /// The canonical fingerprint under permutations of interchangeable actors, if it exists.
    pub(crate) canonical: Option<u128>,
    /// True if a predicate reads one particular actor of several interchangeable ones.
    pub(crate) reads_one: bool,
    /// True if the program has read the numbers of actors.
    pub(crate) reads_numbers: bool,
    /// True if the numbers of actors may be others in another execution: an operation was created after the
    /// first step, or that step made a choice.
    pub(crate) numbers_vary: bool,
}

impl StateView {
    /// The state before the first step.
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
            numbers_vary: false,
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
    /// The number of the operation that took the last step.
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

    /// Adds the details.
    #[inline]
    pub(crate) fn with_details(self, details: &'a dyn Details) -> Self {
        Self {
            details: Some(details),
            ..self
        }
    }

    #[inline]
    pub(crate) fn seen(self, state: Option<&'a StateView>) -> Self {
        Self { state, ..self }
    }

    /// Counts steps from `step` on.
    pub(super) fn since(&self, step: u64) -> Self {
        Self {
            step: self.step.saturating_sub(step),
            ..*self
        }
    }

    /// The paths of all operations so far, except timers, by number.
    pub(crate) fn paths(&self) -> &'a [u64] {
        self.paths
    }

    /// The position of the n-th operation, with those first whose steps may be local; true for such a one.
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

    /// The state before the step, if the strategy [needs](super::Needs::states) states.
    #[inline]
    pub fn state(&self) -> Option<&'a StateView> {
        self.state
    }

    /// The names of operations and events, and their nodes.
    pub(crate) fn details(&self) -> Option<&'a dyn Details> {
        self.details
    }

    /// The nodes of a step's operation, sender and receiver, a bit for each.
    pub(super) fn nodes_of(&self, pending: &Pending) -> u64 {
        let Some(details) = self.details else {
            return 0;
        };
        let who = [Some(pending.operation), pending.inbox, pending.sender];
        let nodes = who.into_iter().flatten().map(|who| details.nodes(who));
        nodes.fold(0, |all, nodes| all | nodes)
    }

    /// The moments of the last step at which a fault may be aimed, while faults may come.
    pub(super) fn moments(&self) -> &'a [Moment] {
        self.details.map_or(&[], |details| details.moments())
    }

    /// The log of the last changes to the set.
    #[inline]
    pub(super) fn changes(&self) -> &'a Changes {
        self.changes
    }

    /// The number of enabled operations; at least one.
    #[expect(clippy::len_without_is_empty, reason = "it is never empty")]
    pub fn len(&self) -> usize {
        self.pending.len()
    }

    /// The next step of the operation at a position; `None` beyond the last.
    pub fn get(&self, position: usize) -> Option<&'a Pending> {
        self.pending.get(position)
    }

    /// The next step of each operation.
    pub fn iter(&self) -> std::slice::Iter<'a, Pending> {
        self.pending.iter()
    }

    /// The number of steps that the execution has taken.
    pub fn step(&self) -> u64 {
        self.step
    }

    /// The operation that took the last step.
    pub fn last(&self) -> OperationId {
        OperationId::actor(self.last)
    }

    /// A name of an operation that is the same across executions: a hash of its creator's path and of the
    /// number of operations that the creator had created before. The order of other creations makes no
    /// difference. A timer is named by its number.
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
