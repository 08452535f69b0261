//! The addresses of the replicas: looked up by name, and again after a crash.

use std::collections::BTreeMap;

use actor_core::names::LookupError;
use actor_core::prelude::*;
use actor_core::protocols::AcceptedBy;
use actor_core::{Actor, Handler};

use super::{REPLICAS, Replica};

/// The result of a look-up, which a replica sends to itself.
#[derive(Debug)]
pub struct Found {
    number: u32,
    replica: Result<ActorRef<Replica>, LookupError>,
}

impl Found {
    /// Returns true if the look-up has found the replica with that number.
    pub(super) fn is_of(&self, number: u32) -> bool {
        self.number == number && self.replica.is_ok()
    }
}

/// The replicas that are known to be up.
#[derive(Debug)]
pub(super) struct Directory {
    wanted: Vec<u32>,
    known: BTreeMap<u32, ActorRef<Replica>>,
}

impl Directory {
    /// Creates a directory of these replicas.
    pub(super) fn of(wanted: impl Iterator<Item = u32>) -> Self {
        Self {
            wanted: wanted.collect(),
            known: BTreeMap::new(),
        }
    }

    /// Looks up the unknown replicas. A node may be down, so callers repeat this now and then.
    pub(super) fn look_up<A: Actor>(&self, cx: &mut Context<A>)
    where
        Found: AcceptedBy<A>,
    {
        for number in self.wanted.iter().copied() {
            if self.known.contains_key(&number) {
                continue;
            }
            let name = format!("{}/replica", REPLICAS[number as usize]);
            let replica = cx.lookup::<Replica>(name);
            cx.pipe_to_self(replica, move |replica| Found { number, replica });
        }
    }

    pub(super) fn found<A: Actor + Handler<Terminated>>(
        &mut self,
        found: Found,
        cx: &mut Context<A>,
    ) {
        if let Ok(replica) = found.replica {
            cx.watch(&replica);
            self.known.insert(found.number, replica);
        }
    }

    /// Looks the replica up again: its node has crashed, and may be up again.
    pub(super) fn terminated<A: Actor>(&mut self, ended: &Terminated, cx: &mut Context<A>)
    where
        Found: AcceptedBy<A>,
    {
        self.known.retain(|_, replica| replica.id() != ended.actor);
        self.look_up(cx);
    }

    pub(super) fn are_all_known(&self) -> bool {
        self.known.len() == self.wanted.len()
    }

    pub(super) fn tell<E>(&self, number: u32, event: E)
    where
        E: AcceptedBy<Replica>,
    {
        if let Some(replica) = self.known.get(&number) {
            replica.tell(event);
        }
    }

    pub(super) fn tell_all<E>(&self, event: &E)
    where
        E: AcceptedBy<Replica> + Clone,
    {
        for replica in self.known.values() {
            replica.tell(event.clone());
        }
    }
}
