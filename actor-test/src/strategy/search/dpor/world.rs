//! The world: what is no operation's, and what more than one operation changes.
//!
//! The clock and the timers are nobody's own. A step that reads or changes them is an *access* to the
//! world, which takes accesses one after another, as an operation takes events, and answers each with all
//! that it was told before. So what a step does depends on the history of its operation and on that of
//! the world, and the order of any two accesses makes a difference. That is more orders than there need
//! be; it is never fewer.
//!
//! A timer is an operation whose only step is to fire. That is an access as well, one that the world
//! takes only where the timer may fire: after some histories of the world, and not after others. What an
//! operation that awaits several things goes on with is up to all of them, so it is *tied* to the world:
//! each of its steps, and each reply to it, is an access. Which operations these are is learnt from
//! executions, and the search begins anew with what it has learnt.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use crate::hash::mix;
use crate::strategy::{ObserverSet, PredicateRead};

/// The path of the world.
pub(super) const WORLD: u64 = 0x776f_726c_6400;

/// In what kind of step the world is accessed.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(super) enum WorldAccess {
    /// Once something was taken: the first step, an event, or the reply that was awaited.
    Run,
    /// Where one of several things is there that were awaited.
    Resume,
    /// Before something is carried out.
    Flush,
    /// A timer fires.
    Fire,
}

impl WorldAccess {
    /// The world may not take it yet.
    pub(super) fn is_gated(self) -> bool {
        matches!(self, Self::Resume | Self::Fire)
    }
}

/// Whose steps are accesses to the world although they need not look like it. Operations are named by
/// their paths.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub(super) struct WorldDependencies {
    /// They await several things, or sleep: all their steps but those that send, and the replies to them.
    pub(super) waiting: BTreeSet<u64>,
    /// They have timers, which end with them: their ends.
    pub(super) timed: BTreeSet<u64>,
    /// Monitors that are onlookers as the predicates are: what they are can't be compared, so that each
    /// order in which they see something is a behaviour.
    pub(super) onlookers: ObserverSet,
    /// At what predicates look: the order in which that changes is a part of behaviours, and no more is.
    pub(super) predicate_reads: BTreeSet<PredicateRead>,
    /// Those of them whose values offer nothing to compare.
    pub(super) opaque: ObserverSet,
}

impl WorldDependencies {
    pub(super) fn is_empty(&self) -> bool {
        self.len() == 0 && self.onlookers.is_empty()
    }

    fn len(&self) -> usize {
        self.waiting.len() + self.timed.len() + self.predicate_reads.len()
    }

    /// Adds others; tells whether that makes a difference.
    pub(super) fn add(&mut self, others: &Self) -> bool {
        let before = (self.len(), self.onlookers);
        self.waiting.extend(&others.waiting);
        self.timed.extend(&others.timed);
        self.predicate_reads.extend(&others.predicate_reads);
        self.onlookers = self.onlookers.and(others.onlookers);
        self.opaque = self.opaque.and(others.opaque);
        (self.len(), self.onlookers) != before
    }
}

/// What the world is told by an operation with that history.
pub(super) fn access_payload(history: u64) -> u64 {
    mix(history, 0x70_1d)
}

/// The history of an operation after an access, which left the world with that history.
pub(super) fn synced(history: u64, world: u64) -> u64 {
    mix(mix(history, 0x5_7ac), world)
}
