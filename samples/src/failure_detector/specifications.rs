//! The specifications of a failure detector: completeness and accuracy.

use std::collections::{BTreeMap, BTreeSet};

use actor_core::prelude::*;

use super::{Halt, NodeFailed, Ping, Pong};

// ANCHOR: completeness
/// A liveness property (completeness): every halted node is reported eventually.
#[derive(Debug, Default)]
pub struct Completeness {
    halted: BTreeSet<ActorId>,
    reported: BTreeSet<ActorId>,
}

#[monitor(hot(Wait), cold(Satisfied))]
impl Completeness {
    #[on]
    fn halt(&mut self, _: &Halt, cx: &mut MonitorContext<Self>) {
        self.halted.extend(cx.target());
        self.judge(cx);
    }

    #[on]
    fn failed(&mut self, failed: &NodeFailed, cx: &mut MonitorContext<Self>) {
        self.reported.insert(failed.node);
        self.judge(cx);
    }

    fn judge(&mut self, cx: &mut MonitorContext<Self>) {
        cx.goto(if self.halted.is_subset(&self.reported) {
            CompletenessState::Satisfied
        } else {
            CompletenessState::Wait
        });
    }
}
// ANCHOR_END: completeness

/// A safety property: no node has more than three unanswered pings, two of this round and one of the last.
#[derive(Debug, Default)]
pub struct Backlog {
    unanswered: BTreeMap<ActorId, u32>,
}

#[monitor(cold(Counting))]
impl Backlog {
    #[on]
    fn ping(&mut self, _: &Ping, cx: &mut MonitorContext<Self>) {
        let Some(node) = cx.target() else { return };
        let unanswered = self.unanswered.entry(node).or_default();
        *unanswered += 1;
        assert!(*unanswered <= 3, "a node is {unanswered} answers behind");
    }

    #[on]
    fn pong(&mut self, pong: &Pong) {
        let unanswered = self.unanswered.entry(pong.node).or_default();
        assert!(*unanswered > 0, "a pong that nobody asked for");
        *unanswered -= 1;
    }
}

/// A safety property (accuracy): only halted nodes are reported.
///
/// No detector can promise accuracy if messages may take any time. The property holds only
/// if time-outs are long compared to everything else, as in tests with `timers = patient`.
#[derive(Debug, Default)]
pub struct Accuracy {
    halted: BTreeSet<ActorId>,
}

#[monitor(cold(Watching))]
impl Accuracy {
    #[on]
    fn halt(&mut self, _: &Halt, cx: &mut MonitorContext<Self>) {
        self.halted.extend(cx.target());
    }

    #[on]
    fn failed(&mut self, failed: &NodeFailed) {
        let halted = self.halted.contains(&failed.node);
        assert!(halted, "a live node is reported as failed");
    }
}
