//! The replicas by name: a restarted replica has the name of the one before it.

use std::collections::BTreeMap;

use actor_core::prelude::*;
use actor_core::protocols::AcceptedBy;

use super::{REPLICAS, Replica};

/// References to replicas, by their numbers.
#[derive(Debug, Default)]
pub(super) struct Directory(BTreeMap<u32, ActorRef<Replica>>);

impl Directory {
    /// Creates a directory of all replicas but one, or of all.
    pub(super) fn without(number: Option<u32>, scope: &impl Scope) -> Self {
        let replicas = (0..).zip(REPLICAS);
        let others = replicas.filter(|(other, _)| Some(*other) != number);
        let others = others.map(|(other, node)| (other, scope.at(format!("{node}/replica"))));
        Self(others.collect())
    }

    pub(super) fn tell<E>(&self, number: u32, event: E)
    where
        E: AcceptedBy<Replica>,
    {
        if let Some(replica) = self.0.get(&number) {
            replica.tell(event);
        }
    }

    pub(super) fn tell_all<E>(&self, event: &E)
    where
        E: AcceptedBy<Replica> + Clone,
    {
        for replica in self.0.values() {
            replica.tell(event.clone());
        }
    }
}
