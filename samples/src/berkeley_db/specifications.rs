//! The specifications of the replicated database.

use std::collections::BTreeSet;

use actor_core::prelude::*;

use super::{Done, NewMaster, Put, Replica};

/// Returns true if a replica is the master. That need not hold always, but again and again.
pub fn somebody_is_master(world: &World<'_>) -> bool {
    world.all::<Replica>().any(|replica| replica.leads)
}

// ANCHOR: answered
/// A liveness property: every value becomes safe eventually.
#[derive(Debug, Default)]
pub struct Answered {
    open: BTreeSet<u64>,
    done: BTreeSet<u64>,
}

#[monitor(hot(Waiting), cold(Quiet))]
impl Answered {
    #[on]
    fn put(&mut self, put: &Put, cx: &mut MonitorContext<Self>) {
        if !self.done.contains(&put.number) {
            self.open.insert(put.number);
            cx.goto(AnsweredState::Waiting);
        }
    }

    #[on(handled)]
    fn done(&mut self, done: &Done, cx: &mut MonitorContext<Self>) {
        self.open.remove(&done.0);
        self.done.insert(done.0);
        if self.open.is_empty() {
            cx.goto(AnsweredState::Quiet);
        }
    }
}
// ANCHOR_END: answered

/// A safety property: an elected master has all safe values. An earlier master may not know of it.
#[derive(Debug, Default)]
pub struct Kept {
    term: u64,
    safe: u64,
}

#[monitor(cold(Watching))]
impl Kept {
    #[on]
    fn done(&mut self, done: &Done) {
        self.safe = self.safe.max(done.0);
    }

    #[on]
    fn new_master(&mut self, new: &NewMaster) {
        if new.term > self.term {
            self.term = new.term;
            let (safe, log) = (self.safe, new.log);
            assert!(
                log >= safe,
                "value {safe} is safe, and the master has {log}"
            );
        }
    }
}
