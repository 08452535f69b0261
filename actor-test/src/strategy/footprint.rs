//! What a step may reach beyond its own operation.

use serde::{Deserialize, Serialize};

/// What a step may reach beyond its own operation, so that it makes a difference when it is taken.
///
/// [`Gap::Outside`](super::Gap::Outside) says which of these a search can't follow.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum StepConstruct {
    /// It reads the clock.
    Clock,
    /// A timer: it is armed, cancelled or fires, or somebody sleeps.
    Timer,
    /// A fault may strike.
    Fault,
    /// Room in a bounded mailbox.
    Room,
    /// An event that an async handler waits for, which is not there.
    Receive,
    /// A supervisor and its children.
    Supervision,
    /// A link between two actors.
    Link,
    /// Somebody watches another's end.
    Watch,
    /// Whether an actor has stopped.
    Ends,
    /// How many refer to an actor.
    References,
    /// The registry of names.
    Names,
    /// A disk.
    Disk,
    /// Something shared: a lock, a channel, an atomic.
    Sharing,
    /// What the operating system is asked for.
    System,
    /// A predicate looks at actors.
    Predicate,
    /// A monitor observes an event.
    Monitor,
    /// An event is announced.
    Announcement,
    /// Several replies are open, or one is given up or lost.
    Ask,
    /// An actor is told to stop, or to end.
    Stop,
    /// The program asks for the end of the execution.
    Finish,
    /// Another node.
    Node,
    /// An event is put off for a later state, by an actor that takes more kinds of them than can be told apart.
    Defer,
    /// A piped future.
    Future,
    /// A timer that fires again and again, or one that lets messages go first.
    Ticks,
    /// Several sends of a handler that leave together, since handlers are atomic.
    Together,
    /// A task or a thread.
    Task,
    /// A monitor or a predicate is set to work when others have begun.
    Onlooker,
    /// The number of an actor, or its name, where several create actors: in which order they came.
    Identity,
}

/// All of them, in their order.
const ALL: [StepConstruct; 28] = {
    use StepConstruct::*;
    [
        Clock,
        Timer,
        Fault,
        Room,
        Receive,
        Supervision,
        Link,
        Watch,
        Ends,
        References,
        Names,
        Disk,
        Sharing,
        System,
        Predicate,
        Monitor,
        Announcement,
        Ask,
        Stop,
        Finish,
        Node,
        Defer,
        Future,
        Ticks,
        Together,
        Task,
        Onlooker,
        Identity,
    ]
};

/// Who has looked at a step: monitors, by their numbers, and predicates, by theirs.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub(crate) struct ObserverSet(u64);

impl ObserverSet {
    /// Monitors beyond the last that has a number of its own share this one.
    const LAST_MONITOR: u32 = 31;

    /// From here on there are predicates, of which the last ones share the last number.
    const PREDICATES: u32 = 32;
    const LAST_PREDICATE: u32 = u64::BITS - 1;

    /// All monitors that have a number of their own.
    pub(crate) const MONITORS: Self = Self((1 << Self::LAST_MONITOR) - 1);

    #[inline]
    pub(crate) fn add_monitor(&mut self, number: u16) {
        self.0 |= 1 << u32::from(number).min(Self::LAST_MONITOR);
    }

    /// The monitor with that number.
    pub(crate) fn monitor(number: u32) -> Self {
        Self(1 << number)
    }

    /// All predicates.
    #[inline]
    pub(crate) fn add_predicates(&mut self) {
        self.0 |= !0 << Self::PREDICATES;
    }

    /// The predicate with that number among them.
    pub(crate) fn predicate(number: u32) -> Self {
        let number = number.saturating_add(Self::PREDICATES);
        Self(1 << number.min(Self::LAST_PREDICATE))
    }

    pub(crate) fn iter(self) -> impl Iterator<Item = u32> {
        (0..u64::BITS).filter(move |number| self.0 & 1 << number != 0)
    }

    pub(crate) fn has(self, number: u32) -> bool {
        self.0 & 1 << number != 0
    }

    pub(crate) fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// The monitors that have a number of their own.
    pub(crate) fn monitors(self) -> Self {
        Self(self.0 & Self::MONITORS.0)
    }

    /// Those that are not among others.
    pub(crate) fn but(self, others: Self) -> Self {
        Self(self.0 & !others.0)
    }

    /// These and others.
    pub(crate) fn and(self, others: Self) -> Self {
        Self(self.0 | others.0)
    }

    pub(crate) fn have_predicates(self) -> bool {
        self.0 >> Self::PREDICATES != 0
    }

    /// Those but the predicates.
    pub(crate) fn without_predicates(self) -> Self {
        Self(self.0 & !(!0 << Self::PREDICATES))
    }
}

/// At what a predicate looks.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
pub(crate) enum PredicateScope {
    /// One operation, by its path.
    One(u64),
    /// All of a type.
    All,
}

/// A predicate, by its number, looks at something.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
pub(crate) struct PredicateRead {
    pub(crate) predicate: u32,
    pub(crate) at: PredicateScope,
}

/// What became of a monitor that has looked at a step.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct MonitorTransition {
    /// Its number among the [`Onlookers`].
    pub(crate) monitor: u32,
    /// Hashes of what it was before and after; `None` where its states can't be compared.
    pub(crate) states: Option<(u64, u64)>,
}

/// Which events a state puts off, by their numbers among those of an actor's type.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub(crate) struct DeferredEvents(u64);

impl DeferredEvents {
    /// Only so many events of a type can be told apart.
    pub(crate) const EVENTS_MAX: usize = u64::BITS as usize;

    pub(crate) fn of(is_deferred: impl Fn(u16) -> bool, events: usize) -> Self {
        let events = 0..events.min(Self::EVENTS_MAX) as u16;
        let deferred = events.filter(|event| is_deferred(*event));
        Self(deferred.fold(0, |mask, event| mask | 1 << event))
    }

    pub(crate) fn has(self, event: u16) -> bool {
        usize::from(event) < Self::EVENTS_MAX && self.0 & 1 << event != 0
    }

    pub(crate) fn is_empty(self) -> bool {
        self.0 == 0
    }
}

/// What a step has carried out that is mostly up to its operation alone.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) enum StepEffect {
    /// Nothing, or something else.
    #[default]
    Nothing,
    /// An event went into an inbox, of that number among those of its receiver's type.
    Sent(u16),
    /// The operation with that path may take its first step, and puts off these events until then.
    Started(u64, DeferredEvents),
    /// The reply of an ask went to who asked, named by its path.
    Replied(u64),
    /// The operation has ended.
    Halted,
}

/// What rides along with a step: silent effects that concern others.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum SilentEffect {
    /// A timer runs, of the operation with that path. The timer is named by the event that it is going
    /// to send.
    Armed { timer: u64, owner: u64 },
    /// A timer is cancelled, and its event taken out of the inbox.
    Cancelled { timer: u64 },
}

/// Several of them.
///
/// ```
/// use actor_test::strategy::{Beyond, Constructs};
///
/// let none = Constructs::default();
/// assert_eq!(none.iter().next(), None::<Beyond>);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(into = "Vec<StepConstruct>", from = "Vec<StepConstruct>")]
pub struct Constructs(ConstructSet);

impl Constructs {
    pub(crate) fn of(reached: ConstructSet) -> Self {
        Self(reached)
    }

    /// Each of them.
    pub fn iter(self) -> impl Iterator<Item = StepConstruct> {
        ALL.into_iter().filter(move |what| self.0.has(*what))
    }
}

impl From<Constructs> for Vec<StepConstruct> {
    fn from(constructs: Constructs) -> Self {
        constructs.iter().collect()
    }
}

impl From<Vec<StepConstruct>> for Constructs {
    fn from(constructs: Vec<StepConstruct>) -> Self {
        Self(ConstructSet::of(&constructs))
    }
}

/// Which of them a step has reached.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct ConstructSet(u32);

impl ConstructSet {
    pub(crate) const NOTHING: Self = Self(0);

    #[inline]
    pub(crate) fn add(&mut self, what: StepConstruct) {
        self.0 |= 1 << what as u32;
    }

    #[inline]
    pub(crate) fn is_nothing(self) -> bool {
        self.0 == 0
    }

    pub(crate) const fn of(all: &[StepConstruct]) -> Self {
        let (mut mask, mut at) = (0, 0);
        while at < all.len() {
            mask |= 1 << all[at] as u32;
            at += 1;
        }
        Self(mask)
    }

    pub(crate) fn has(self, what: StepConstruct) -> bool {
        self.meets(Self::of(&[what]))
    }

    /// Whether both have one of them.
    pub(crate) fn meets(self, others: Self) -> bool {
        self.0 & others.0 != 0
    }

    /// Those but the others.
    pub(crate) fn without(self, others: Self) -> Self {
        Self(self.0 & !others.0)
    }

    /// Those that both have.
    pub(crate) fn both(self, others: Self) -> Self {
        Self(self.0 & others.0)
    }

    /// Those of both.
    pub(crate) fn and(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// Those but what onlookers do, who are told of by [`Onlookers`].
    pub(crate) fn without_onlookers(self) -> Self {
        self.without(Self::of(&[
            StepConstruct::Monitor,
            StepConstruct::Announcement,
            StepConstruct::Predicate,
        ]))
    }

    /// The first of them.
    pub(crate) fn first(self) -> Option<StepConstruct> {
        let first = self.0.trailing_zeros() as usize;
        ALL.get(first).copied()
    }
}
