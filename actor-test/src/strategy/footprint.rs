//! The footprint of a step beyond its own operation: resources, observers and piggybacked effects.

use serde::{Deserialize, Serialize};

/// The observers of a step: a set of monitors and predicates, by number.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub(crate) struct ObserverSet(u64);

impl ObserverSet {
    /// The bit of the last monitor; monitors with higher numbers share it.
    const LAST_MONITOR: u32 = 31;

    /// The first bit of predicates. The predicates with the highest numbers share the last bit.
    const PREDICATES: u32 = 32;
    const LAST_PREDICATE: u32 = u64::BITS - 1;

    /// All monitors with a bit of their own.
    pub(crate) const MONITORS: Self = Self((1 << Self::LAST_MONITOR) - 1);

    #[inline]
    pub(crate) fn add_monitor(&mut self, number: u16) {
        self.0 |= 1 << u32::from(number).min(Self::LAST_MONITOR);
    }

    pub(crate) fn monitor(number: u32) -> Self {
        Self(1 << number)
    }

    #[inline]
    pub(crate) fn add_predicates(&mut self) {
        self.0 |= !0 << Self::PREDICATES;
    }

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

    /// The monitors of the set that have a bit of their own.
    pub(crate) fn monitors(self) -> Self {
        Self(self.0 & Self::MONITORS.0)
    }

    pub(crate) fn but(self, others: Self) -> Self {
        Self(self.0 & !others.0)
    }

    pub(crate) fn and(self, others: Self) -> Self {
        Self(self.0 | others.0)
    }

    pub(crate) fn have_predicates(self) -> bool {
        self.0 >> Self::PREDICATES != 0
    }

    pub(crate) fn without_predicates(self) -> Self {
        Self(self.0 & !(!0 << Self::PREDICATES))
    }
}

/// The operations that a predicate reads.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
pub(crate) enum PredicateScope {
    /// One operation, by its path.
    One(u64),
    /// All operations of a type.
    All,
}

/// A read of operations by the predicate with that number.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
pub(crate) struct PredicateRead {
    pub(crate) predicate: u32,
    pub(crate) at: PredicateScope,
}

/// The transition of a monitor that observed a step.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct MonitorTransition {
    /// The monitor's number among the [`ObserverSet`].
    pub(crate) monitor: u32,
    /// Hashes of the monitor's state before and after the step; `None` where its states can't be compared.
    pub(crate) states: Option<(u64, u64)>,
}

/// The events that a state defers, by their numbers among those of the actor's type.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub(crate) struct DeferredEvents(u64);

impl DeferredEvents {
    /// The number of event kinds that the set can hold.
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

/// The main effect of a step.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) enum StepEffect {
    /// No effect, or one of another kind.
    #[default]
    Nothing,
    /// An event was appended to an inbox; the number is the event's among those of the receiver's type.
    Sent(u16),
    /// The operation with that path may take its first step; until then it defers these events.
    Started(u64, DeferredEvents),
    /// The reply to an ask was delivered to the asker with that path.
    Replied(u64),
    /// The operation has ended.
    Halted,
    /// A message was put on the link to another node, whose operation has it in its inbox.
    Leaves,
}

/// The use of names by a step.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) enum NameUses<'a> {
    /// No earlier or later step makes a difference: the boot code of a node has registered, or registers, the
    /// actors. These are the names by which messages were sent, and the actors that have them, by path.
    Fixed(&'a [(u64, u64)]),
    /// Other steps may make a difference.
    #[default]
    Open,
}

/// An effect on other operations that is carried out in the same step, without a step of its own.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum SilentEffect {
    /// A timer of the operation with the path `owner` is armed; its future event names it.
    Armed { timer: u64, owner: u64 },
    /// A timer is cancelled, and its event is removed from the inbox.
    Cancelled { timer: u64 },
}
