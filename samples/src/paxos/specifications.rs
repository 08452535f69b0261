//! The specifications of Paxos: agreement and decision.

use std::collections::BTreeSet;

use actor_core::prelude::*;

use super::{Decided, Prepare};

// ANCHOR: agreement
/// A safety property (agreement): at most one value is decided.
#[derive(Debug, Default, Hash)]
pub struct Agreement {
    decided: Option<u32>,
}

#[monitor(cold(Watching))]
impl Agreement {
    #[on]
    fn decided(&mut self, decided: &Decided) {
        let (first, value) = (*self.decided.get_or_insert(decided.value), decided.value);
        assert!(value == first, "both {first} and {value} are decided");
    }
}
// ANCHOR_END: agreement

/// A liveness property: every proposer gets a decision eventually.
///
/// Paxos itself does not promise that: two proposers may outvote each other for ever. The
/// property holds here, since proposers back off for different times and never give up.
#[derive(Debug, Default, Hash)]
pub struct Decision {
    undecided: BTreeSet<ActorId>,
}

#[monitor(hot(Open), cold(Settled))]
impl Decision {
    #[on]
    fn prepare(&mut self, _: &Prepare, cx: &mut MonitorContext<Self>) {
        self.undecided.extend(cx.sender());
        cx.goto(DecisionState::Open);
    }

    #[on]
    fn decided(&mut self, _: &Decided, cx: &mut MonitorContext<Self>) {
        if let Some(proposer) = cx.sender() {
            self.undecided.remove(&proposer);
        }
        if self.undecided.is_empty() {
            cx.goto(DecisionState::Settled);
        }
    }
}
