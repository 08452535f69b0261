//! The failure detector: pings the servers and reports those that failed (fail-stop).

use std::collections::BTreeSet;
use std::time::Duration;

use actor_core::prelude::*;

use super::{Bug, Fail, Master, Ping, Pong, ServerFailed, ServerRef};

/// The time limit for the answer to a ping.
const PATIENCE: Duration = Duration::from_millis(100);

/// A timer: the time limit of a round of pings has passed.
#[derive(Debug)]
pub struct RoundOver;

/// Watches the servers, and notifies the master of each failure.
#[derive(Debug)]
pub struct FailureDetector {
    servers: Vec<ServerRef>,
    master: ActorRef<Master>,
    rounds_left: u32,
    /// The number of servers that the detector may still switch off; one server always stays on.
    switches_left: usize,
    answered: BTreeSet<ActorId>,
    bug: Option<Bug>,
}

// ANCHOR: detector
#[actor]
impl FailureDetector {
    /// Creates a detector with this number of rounds of pings, and of servers that it may switch off.
    pub fn new(
        servers: Vec<ServerRef>,
        master: ActorRef<Master>,
        rounds: u32,
        switches: usize,
        bug: Option<Bug>,
    ) -> Self {
        Self {
            servers,
            master,
            rounds_left: rounds,
            switches_left: switches,
            answered: BTreeSet::new(),
            bug,
        }
    }

    #[start]
    fn start(&mut self, cx: &mut Context<Self>) {
        for server in &self.servers {
            cx.watch(server);
        }
        self.ping(cx);
    }

    fn ping(&mut self, cx: &mut Context<Self>) {
        if self.rounds_left == 0 {
            return;
        }
        self.rounds_left -= 1;
        self.answered.clear();
        for server in &self.servers {
            server.tell(Ping { from: cx.me() });
        }
        cx.after(PATIENCE, RoundOver);
    }

    #[on]
    fn pong(&mut self, pong: Pong) {
        self.answered.insert(pong.server);
    }

    /// A silent server may merely be slow. The detector switches the server off first,
    /// so that a suspected server does nothing while the others continue without it.
    #[on]
    fn round_over(&mut self, _: RoundOver, cx: &mut Context<Self>) {
        let mut silent = self.servers.clone();
        silent.retain(|server| !self.answered.contains(&server.id()));
        for server in silent {
            if self.bug == Some(Bug::FalseSuspicion) {
                self.report(server.id());
            } else if self.switches_left > 0 {
                self.switches_left -= 1;
                server.tell(Fail);
            }
        }
        self.ping(cx);
    }

    #[on]
    fn terminated(&mut self, end: Terminated) {
        self.report(end.actor);
    }

    /// Reports a failure, unless the server is the last one.
    fn report(&mut self, server: ActorId) {
        let known = self.servers.iter().any(|other| other.id() == server);
        if known && self.servers.len() > 1 {
            self.servers.retain(|other| other.id() != server);
            self.master.tell(ServerFailed { server });
        }
    }
}
// ANCHOR_END: detector
