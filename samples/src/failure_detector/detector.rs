//! The failure detector: rounds of pings, retries, and reports of silent nodes.

use std::collections::BTreeSet;

use actor_core::prelude::*;

use super::{
    Bug, CancelFail, CancelOk, CancelTimer, Clock, NodeFailed, NodeRef, Ping, Pong, RegisterClient,
    StartTimer, Timeout, Timing,
};
use FailureDetectorState as To;

/// The number of time-outs in a row after which a node has failed.
const ATTEMPTS: u32 = 2;

/// Pings nodes, and reports those that stay silent.
#[derive(Debug)]
pub struct FailureDetector {
    alive: Vec<NodeRef>,
    clients: Vec<Recipient<NodeFailed>>,
    clock: Option<ActorRef<Clock>>,
    responded: BTreeSet<ActorId>,
    round: u64,
    attempts: u32,
    timing: Timing,
    bug: Option<Bug>,
}

// ANCHOR: detector
#[actor(states(
    Pinging,
    Cancelling(ignore(Pong, Timeout)),
    Pausing(ignore(Pong)),
    Done(ignore(Pong)),
))]
impl FailureDetector {
    /// Creates a detector that reports failures among `nodes` to `clients`.
    pub fn new(
        nodes: Vec<NodeRef>,
        clients: Vec<Recipient<NodeFailed>>,
        timing: Timing,
        bug: Option<Bug>,
    ) -> Self {
        Self {
            alive: nodes,
            clients,
            clock: None,
            responded: BTreeSet::new(),
            round: 0,
            attempts: 0,
            timing,
            bug,
        }
    }

    #[start]
    fn start(&mut self, cx: &mut Context<Self>) {
        self.clock = Some(cx.spawn(Clock::default()));
    }

    /// Pings the nodes that have not answered in this round.
    #[entry(Pinging)]
    fn ping(&mut self, cx: &mut Context<Self>) {
        for node in &self.alive {
            if !self.responded.contains(&node.id()) {
                let (round, from) = (self.round, cx.me());
                node.tell(Ping { round, from });
            }
        }
        self.start_timer(self.timing.patience, cx);
    }

    #[on(Pinging)]
    fn pong(&mut self, pong: Pong, cx: &mut Context<Self>) {
        if pong.round == self.round || self.bug == Some(Bug::CountPings) {
            self.responded.insert(pong.node);
        }
        if self
            .alive
            .iter()
            .all(|node| self.responded.contains(&node.id()))
        {
            if let Some(clock) = &self.clock {
                clock.tell(CancelTimer);
            }
            cx.goto(To::Cancelling);
        }
    }

    #[on(Pinging)]
    fn timeout(&mut self, _: Timeout, cx: &mut Context<Self>) {
        self.attempts += 1;
        let enough = match self.bug {
            Some(Bug::EarlyVerdict) => 1,
            _ => ATTEMPTS,
        };
        if self.attempts < enough {
            cx.goto(To::Pinging);
        } else {
            self.report_the_silent();
            cx.goto(To::Pausing);
        }
    }

    fn report_the_silent(&mut self) {
        let responded = &self.responded;
        for node in self
            .alive
            .extract_if(.., |node| !responded.contains(&node.id()))
        {
            for client in &self.clients {
                client.tell(NodeFailed { node: node.id() });
            }
        }
    }

    #[on(Cancelling)]
    fn cancelled(&mut self, _: CancelOk, cx: &mut Context<Self>) {
        cx.goto(To::Pausing);
    }

    /// The clock was already over: this state has ignored the time-out.
    #[on(Cancelling)]
    fn cancelled_too_late(&mut self, _: CancelFail, cx: &mut Context<Self>) {
        cx.goto(To::Pausing);
    }

    #[entry(Pausing)]
    fn pause(&mut self, cx: &mut Context<Self>) {
        self.responded.clear();
        self.attempts = 0;
        self.round += 1;
        if self.alive.is_empty() {
            cx.goto(To::Done);
        } else {
            self.start_timer(self.timing.pause, cx);
        }
    }

    #[on(Pausing)]
    fn next_round(&mut self, _: Timeout, cx: &mut Context<Self>) {
        cx.goto(To::Pinging);
    }

    #[on]
    fn register(&mut self, register: RegisterClient) {
        self.clients.push(register.client);
    }

    fn start_timer(&self, delay: std::time::Duration, cx: &Context<Self>) {
        if let Some(clock) = &self.clock {
            let from = cx.me();
            clock.tell(StartTimer { delay, from });
        }
    }
}
// ANCHOR_END: detector
