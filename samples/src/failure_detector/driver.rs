//! The driver: a client of the detector that halts the nodes itself, and so knows which ones failed.

use std::collections::BTreeSet;

use actor_core::prelude::*;

use super::{
    Bug, FailureDetector, Halt, HowManyFailed, NodeFailed, NodeRef, RegisterClient, Timing,
};

/// The number of beats until the driver halts the nodes. One long timer would seldom race with the
/// detector's short ones: one of 3 000 random schedules would find the late client, instead of one of fifty.
const BEATS: u32 = 10;

/// A timer: a part of the nodes' lifetime has passed.
#[derive(Debug)]
pub struct Beat;

/// Starts a detector, halts the nodes, and waits for the report of each failure.
#[derive(Debug)]
pub struct Driver {
    nodes: Vec<NodeRef>,
    detector: Option<ActorRef<FailureDetector>>,
    failed: BTreeSet<ActorId>,
    beats: u32,
    timing: Timing,
    bug: Option<Bug>,
}

#[actor(states(Watching(defer(HowManyFailed)), Satisfied))]
impl Driver {
    /// Creates a driver of these nodes.
    pub fn new(nodes: Vec<NodeRef>, timing: Timing, bug: Option<Bug>) -> Self {
        Self {
            nodes,
            detector: None,
            failed: BTreeSet::new(),
            beats: 0,
            timing,
            bug,
        }
    }

    // ANCHOR: start
    #[start]
    fn start(&mut self, cx: &mut Context<Self>) {
        let clients = match self.bug {
            Some(Bug::LateRegister) => vec![],
            _ => vec![cx.recipient()],
        };
        let detector = FailureDetector::new(self.nodes.clone(), clients, self.timing, self.bug);
        self.detector = Some(cx.spawn(detector));
        cx.after(self.timing.lifetime / BEATS, Beat);
    }

    #[on]
    fn beat(&mut self, _: Beat, cx: &mut Context<Self>) {
        self.beats += 1;
        if self.beats < BEATS {
            cx.after(self.timing.lifetime / BEATS, Beat);
        } else {
            self.halt_the_nodes(cx);
        }
    }

    fn halt_the_nodes(&mut self, cx: &mut Context<Self>) {
        if self.bug == Some(Bug::LateRegister)
            && let Some(detector) = &self.detector
        {
            let client = cx.recipient();
            detector.tell(RegisterClient { client });
        }
        for node in &self.nodes {
            node.tell(Halt);
        }
    }
    // ANCHOR_END: start

    #[on(Watching)]
    fn failed(&mut self, failed: NodeFailed, cx: &mut Context<Self>) {
        self.failed.insert(failed.node);
        if self.failed.len() == self.nodes.len() {
            cx.goto(DriverState::Satisfied);
        }
    }

    #[on(Satisfied)]
    fn how_many_failed(&mut self, _: HowManyFailed) -> usize {
        self.failed.len()
    }
}
