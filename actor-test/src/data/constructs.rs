//! Constructs of a program that a search may not follow: [`StepConstruct`].

use serde::{Deserialize, Serialize};

/// Defines an enum, and the list of all its variants in order.
macro_rules! listed {
    ($(#[$meta:meta])* pub enum $name:ident { $($(#[$doc:meta])* $variant:ident,)* }) => {
        $(#[$meta])*
        pub enum $name {
            $($(#[$doc])* $variant,)*
        }

        /// All variants, in order.
        const ALL: &[$name] = &[$($name::$variant),*];
    };
}

listed! {
    /// A resource outside a step's own operation that the step depends on or changes, so that its order
    /// matters. [`Gap::Unsupported`](crate::strategy::Gap::Unsupported) names one that a search can't follow.
    #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
    #[serde(rename_all = "kebab-case")]
    #[non_exhaustive]
    pub enum StepConstruct {
        /// The step reads the clock.
        Clock,
        /// The step arms, cancels or fires a timer, or sleeps.
        Timer,
        /// A fault may strike.
        Fault,
        /// The free capacity of a bounded mailbox.
        Room,
        /// An async handler awaits an event that is not in the inbox.
        Receive,
        /// The supervision of children.
        Supervision,
        /// A link between two actors.
        Link,
        /// An actor watches the end of another one.
        Watch,
        /// A query of whether an actor has stopped.
        Ends,
        /// The number of references to an actor.
        References,
        /// The registry of names.
        Names,
        /// A disk.
        Disk,
        /// An object of shared memory: a lock, a channel or an atomic.
        Sharing,
        /// A request to the operating system.
        System,
        /// A predicate reads actors.
        Predicate,
        /// A monitor observes an event.
        Monitor,
        /// An event is announced.
        Announcement,
        /// Several replies are pending, or one is given up or lost.
        Ask,
        /// An actor is stopped or killed.
        Stop,
        /// The program asks for the end of the execution.
        Finish,
        /// Another node.
        Node,
        /// An event is deferred by an actor that has more kinds of events than a search distinguishes.
        Defer,
        /// A piped future.
        Future,
        /// A periodic timer, or a timer that lets messages go first.
        Ticks,
        /// Several sends of a handler take effect in one step, since handlers are atomic.
        Together,
        /// A task or a thread.
        Task,
        /// A monitor or a predicate is registered after operations have begun.
        Observer,
        /// The number or name of an actor, which depends on the order in which operations create actors.
        Identity,
    }
}

/// A set of [`StepConstruct`] values.
///
/// ```
/// use actor_test::strategy::{StepConstruct, Constructs};
///
/// let none = Constructs::default();
/// assert_eq!(none.iter().next(), None::<StepConstruct>);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(into = "Vec<StepConstruct>", from = "Vec<StepConstruct>")]
pub struct Constructs(ConstructSet);

impl Constructs {
    pub(crate) fn of(reached: ConstructSet) -> Self {
        Self(reached)
    }

    /// Each value of the set, in the order of the variants.
    pub fn iter(self) -> impl Iterator<Item = StepConstruct> {
        ALL.iter().copied().filter(move |what| self.0.has(*what))
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

/// A set of [`StepConstruct`] values as a bit mask: a part of a step's footprint.
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

    /// True if the two sets have a value in common.
    pub(crate) fn meets(self, others: Self) -> bool {
        self.0 & others.0 != 0
    }

    pub(crate) fn without(self, others: Self) -> Self {
        Self(self.0 & !others.0)
    }

    /// The intersection with `others`.
    pub(crate) fn both(self, others: Self) -> Self {
        Self(self.0 & others.0)
    }

    /// The union with `other`.
    pub(crate) fn and(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// The values without those of observers, which [`ObserverSet`] records.
    pub(crate) fn without_observers(self) -> Self {
        self.without(Self::of(&[
            StepConstruct::Monitor,
            StepConstruct::Announcement,
            StepConstruct::Predicate,
        ]))
    }

    pub(crate) fn first(self) -> Option<StepConstruct> {
        let first = self.0.trailing_zeros() as usize;
        ALL.get(first).copied()
    }
}
