//! The world: an artificial operation that serialises accesses to the clock and to timers.
//!
//! The clock and the timers belong to no operation. A step that reads or changes them is an *access* to the
//! world. The world takes accesses one after another, as an actor takes events, and its answer depends on all
//! earlier accesses. So a step depends on the histories of its operation and of the world, and any two
//! accesses are dependent. This dependence is coarse, but safe.
//!
//! A timer is an operation whose only step is to fire. That step is a gated access: some histories of the
//! world permit it, and others don't. An operation that awaits several things depends on all of them, so it
//! is *tied* to the world: each of its steps, and each reply to it, is an access. Such operations are
//! discovered in executions, after which the search restarts.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use crate::hash::mix;
use crate::strategy::{ObserverSet, PredicateRead};

pub(super) const WORLD: u64 = 0x776f_726c_6400;

/// The kind of an access to the world, by the step that makes it.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(super) enum WorldAccess {
    /// An access after an input: the first step, an event, or the awaited reply.
    Run,
    /// An access before a resume with one of several awaited things.
    Resume,
    /// An access before an effect is carried out.
    Flush,
    /// An access by a timer that fires.
    Fire,
}

impl WorldAccess {
    /// True if only some histories of the world permit the access.
    pub(super) fn is_gated(self) -> bool {
        matches!(self, Self::Resume | Self::Fire)
    }
}

/// Operations, by path, whose steps access the world indirectly, observers whose order is part of behaviours,
/// and the actors of names.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub(super) struct WorldDependencies {
    /// Operations that sleep or await several things: all their steps but sends, and the replies to them.
    pub(super) waiting: BTreeSet<u64>,
    /// Operations whose end cancels their timers: the step that ends them.
    pub(super) timed: BTreeSet<u64>,
    /// Monitors whose states can't be compared: each order of their observations is a behaviour of its own,
    /// as for predicates.
    pub(super) observers: ObserverSet,
    /// The reads of predicates: only the order of changes to these operations is part of behaviours.
    pub(super) predicate_reads: BTreeSet<PredicateRead>,
    /// The monitors whose type offers nothing to compare.
    pub(super) opaque: ObserverSet,
    /// The actors that have the names by which messages are sent.
    pub(super) names: BTreeMap<u64, u64>,
}

impl WorldDependencies {
    pub(super) fn is_empty(&self) -> bool {
        self.len() == 0 && self.observers.is_empty()
    }

    fn len(&self) -> usize {
        self.waiting.len() + self.timed.len() + self.predicate_reads.len() + self.names.len()
    }

    /// Adds other ties; returns `true` if some were new.
    pub(super) fn add(&mut self, others: &Self) -> bool {
        let before = (self.len(), self.observers);
        self.waiting.extend(&others.waiting);
        self.timed.extend(&others.timed);
        self.predicate_reads.extend(&others.predicate_reads);
        self.names.extend(&others.names);
        self.observers = self.observers.and(others.observers);
        self.opaque = self.opaque.and(others.opaque);
        (self.len(), self.observers) != before
    }
}

/// Returns the payload that an operation with this history passes to the world.
pub(super) fn access_payload(history: u64) -> u64 {
    mix(history, 0x70_1d)
}

/// Returns the history of an operation after an access that left the world with the history `world`.
pub(super) fn synced(history: u64, world: u64) -> u64 {
    mix(mix(history, 0x5_7ac), world)
}
