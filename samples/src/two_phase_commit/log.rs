//! The coordinator's log, on a disk with a cache.

use std::collections::BTreeSet;

use actor_core::prelude::*;

use super::{Append, Appended, Coordinator, Crash, LogRead, ReadLog, Tx};

/// The log sends this to itself, in order to write the cache to the disk.
#[derive(Debug, Hash)]
pub struct Sync;

/// Keeps the committed transactions.
#[derive(Debug, Default, Hash)]
pub struct Log {
    cached: Vec<(Tx, ActorRef<Coordinator>)>,
    committed: BTreeSet<Tx>,
    life: u32,
}

#[actor]
impl Log {
    #[on]
    fn append(&mut self, append: Append, cx: &mut Context<Self>) {
        self.cached.push((append.tx, append.coordinator));
        cx.me().tell(Sync);
    }

    #[on]
    fn sync(&mut self, _: Sync) {
        for (tx, coordinator) in self.cached.drain(..) {
            self.committed.insert(tx);
            coordinator.tell(Appended { tx });
        }
    }

    /// Loses the cache.
    #[on]
    fn crash(&mut self, _: Crash) {
        self.cached.clear();
    }

    /// Clears the cache: a reader has crashed and relies on this answer, so nothing may be added later.
    #[on]
    fn read(&mut self, read: ReadLog) {
        self.cached.clear();
        self.life += 1;
        read.coordinator.tell(LogRead {
            life: self.life,
            committed: self.committed.clone(),
        });
    }
}
