//! Keys that move from one worker to another when a keyed pool is resized: [`Rebalancing`].

use std::collections::BTreeMap;
use std::hash::{Hash, Hasher};

use super::events::PoolJob;
use crate::actor::{Actor, ActorRef};
use crate::fingerprint::{Fingerprint, Fingerprinter};
use crate::identity::ActorId;

/// The keys with unhandled events, and the events that wait for these.
pub(super) struct Rebalancing<A: Actor> {
    keys: BTreeMap<u64, PendingKey<A>>,
    /// Workers to be stopped, with the number of keys for which each has unhandled events.
    leaving: Vec<(ActorRef<A>, usize)>,
}

struct PendingKey<A: Actor> {
    worker: ActorRef<A>,
    /// The number of events of the key that the worker has not handled.
    events: usize,
    /// The events of the key for its new worker.
    waiting: Vec<PoolJob<A>>,
}

impl<A: Actor> Default for Rebalancing<A> {
    fn default() -> Self {
        Self {
            keys: BTreeMap::new(),
            leaving: Vec::new(),
        }
    }
}

impl<A: Actor> Rebalancing<A> {
    /// Registers an event for a worker. Returns the event if the worker may get it now.
    pub(super) fn enter(
        &mut self,
        key: u64,
        worker: &ActorRef<A>,
        job: PoolJob<A>,
    ) -> Option<PoolJob<A>> {
        let busy = self.keys.entry(key).or_insert_with(|| PendingKey {
            worker: worker.clone(),
            events: 0,
            waiting: Vec::new(),
        });
        if busy.worker != *worker || !busy.waiting.is_empty() {
            busy.waiting.push(job);
            return None;
        }
        busy.events += 1;
        Some(job)
    }

    /// Records a handled event of that key. Returns events that waited, and the worker if it may now stop.
    pub(super) fn done(&mut self, key: u64, by: ActorId) -> (Vec<PoolJob<A>>, Option<ActorRef<A>>) {
        // The report may come from a worker of the pool's previous incarnation.
        let busy = self.keys.get_mut(&key);
        let Some(busy) = busy.filter(|busy| busy.worker.id() == by) else {
            return (Vec::new(), None);
        };
        busy.events -= 1;
        if busy.events > 0 {
            return (Vec::new(), None);
        }
        let Some(PendingKey {
            worker, waiting, ..
        }) = self.keys.remove(&key)
        else {
            return (Vec::new(), None);
        };
        (waiting, self.has_left(&worker))
    }

    /// Records that a worker has no more events of one key; returns the worker if it may now be stopped.
    fn has_left(&mut self, worker: &ActorRef<A>) -> Option<ActorRef<A>> {
        let mut leaving = self.leaving.iter();
        let at = leaving.position(|(leaving, _)| leaving == worker)?;
        self.leaving[at].1 -= 1;
        (self.leaving[at].1 == 0).then(|| self.leaving.remove(at).0)
    }

    /// Registers a worker to be stopped; returns true if it still has events for which others may wait.
    pub(super) fn leaves(&mut self, worker: &ActorRef<A>) -> bool {
        let keys = self.keys.values().filter(|busy| busy.worker == *worker);
        let keys = keys.count();
        if keys > 0 {
            self.leaving.push((worker.clone(), keys));
        }
        keys > 0
    }

    /// Feeds all of the state; returns false if some waiting event has no fingerprint.
    pub(super) fn fingerprint(&self, to: &mut Fingerprinter) -> bool {
        let mut is_all = true;
        for (key, busy) in &self.keys {
            key.hash(to);
            busy.worker.fingerprint(to);
            to.write_usize(busy.events);
            to.write_usize(busy.waiting.len());
            for job in &busy.waiting {
                is_all &= A::__offer_event(&job.message, to);
            }
        }
        for (worker, keys) in &self.leaving {
            worker.fingerprint(to);
            to.write_usize(*keys);
        }
        is_all
    }
}
