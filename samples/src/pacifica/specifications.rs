//! The specifications of primary/backup replication.

use std::collections::{BTreeMap, BTreeSet};

use actor_core::prelude::*;

use super::{Committed, Update, Updated};

// ANCHOR: answered
/// A liveness property: every update is answered eventually.
#[derive(Debug, Default)]
pub struct Answered {
    open: BTreeSet<u32>,
    answered: BTreeSet<u32>,
}

#[monitor(hot(Waiting), cold(Quiet))]
impl Answered {
    /// An update that was answered may be sent again.
    #[on]
    fn update(&mut self, update: &Update, cx: &mut MonitorContext<Self>) {
        if !self.answered.contains(&update.number) {
            self.open.insert(update.number);
            cx.goto(AnsweredState::Waiting);
        }
    }

    #[on(handled)]
    fn updated(&mut self, updated: &Updated, cx: &mut MonitorContext<Self>) {
        self.open.remove(&updated.0);
        self.answered.insert(updated.0);
        if self.open.is_empty() {
            cx.goto(AnsweredState::Quiet);
        }
    }
}
// ANCHOR_END: answered

/// A safety property: all replicas commit the same update at a place, and commit no update twice.
#[derive(Debug, Default)]
pub struct Agreement {
    numbers: BTreeMap<usize, u32>,
}

#[monitor(cold(Watching))]
impl Agreement {
    #[on]
    fn committed(&mut self, committed: &Committed) {
        let Committed { place, number } = *committed;
        let first = *self.numbers.entry(place).or_insert(number);
        assert_eq!(first, number, "two updates at place {place}");
        let twice = self
            .numbers
            .iter()
            .any(|(at, it)| *it == number && *at != place);
        assert!(!twice, "update {number} is committed twice");
    }
}
