//! The specifications of the ring.

use std::collections::BTreeSet;

use actor_core::prelude::*;

use super::{Joined, Joining, NUMBERS, Peer};

/// Returns true if all peers are up, and each has all of them in its leaf set.
pub fn all_know_all(world: &World<'_>) -> bool {
    let knows_all = |peer: &Peer| peer.leaves.iter().eq(&NUMBERS);
    world.all::<Peer>().filter(|peer| knows_all(peer)).count() == NUMBERS.len()
}

// ANCHOR: all_joined
/// A liveness property: every peer that starts joins eventually.
#[derive(Debug, Default)]
pub struct AllJoined {
    outside: BTreeSet<u32>,
}

#[monitor(hot(Waiting), cold(Whole))]
impl AllJoined {
    #[on]
    fn joining(&mut self, joining: &Joining, cx: &mut MonitorContext<Self>) {
        self.outside.insert(joining.number);
        cx.goto(AllJoinedState::Waiting);
    }

    #[on]
    fn joined(&mut self, joined: &Joined, cx: &mut MonitorContext<Self>) {
        self.outside.remove(&joined.number);
        if self.outside.is_empty() {
            cx.goto(AllJoinedState::Whole);
        }
    }
}
// ANCHOR_END: all_joined
