//! The coordinator's log, on a disk with a cache.

use std::collections::BTreeSet;

use actor_core::prelude::*;

use super::{Append, Appended, Coordinator, Crash, LogRead, ReadLog, Tx};

/// The cache goes to the disk.
#[derive(Debug, Hash)]
pub struct Sync;

/// Keeps what has committed.
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

    /// The cache is lost.
    #[on]
    fn crash(&mut self, _: Crash) {
        self.cached.clear();
    }

    /// Who reads has crashed, and goes by what it is told: nothing may be added to that.
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
