//! The failure detector.

use std::collections::BTreeSet;
use std::time::Duration;

use actor_core::prelude::*;

use super::{Bug, Fence, Master, Ping, Pong, PowerSwitch, ServerFailed, ServerRef};

/// How long a server may take to answer a ping.
const PATIENCE: Duration = Duration::from_millis(100);

/// The time for answers is over.
#[derive(Debug)]
pub struct RoundOver;

/// Watches servers, and tells the master when one has failed.
#[derive(Debug)]
pub struct FailureDetector {
    servers: Vec<ServerRef>,
    master: ActorRef<Master>,
    power: ActorRef<PowerSwitch>,
    rounds_left: u32,
    answered: BTreeSet<ActorId>,
    bug: Option<Bug>,
}

// ANCHOR: detector
#[actor]
impl FailureDetector {
    /// A detector that pings the servers so many times.
    pub fn new(
        servers: Vec<ServerRef>,
        master: ActorRef<Master>,
        power: ActorRef<PowerSwitch>,
        rounds: u32,
        bug: Option<Bug>,
    ) -> Self {
        Self {
            servers,
            master,
            power,
            rounds_left: rounds,
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

    /// A silent server may be a slow one. It is switched off first, so that it does nothing any more
    /// when the others do without it.
    #[on]
    fn round_over(&mut self, _: RoundOver, cx: &mut Context<Self>) {
        let silent = self.servers.iter().map(ActorRef::id);
        let silent: Vec<_> = silent.filter(|id| !self.answered.contains(id)).collect();
        for server in silent {
            if self.bug == Some(Bug::FalseSuspicion) {
                self.report(server);
            } else {
                self.power.tell(Fence { server });
            }
        }
        self.ping(cx);
    }

    #[on]
    fn terminated(&mut self, end: Terminated) {
        self.report(end.actor);
    }

    /// The last server is all that there is.
    fn report(&mut self, server: ActorId) {
        let known = self.servers.iter().any(|other| other.id() == server);
        if known && self.servers.len() > 1 {
            self.servers.retain(|other| other.id() != server);
            self.master.tell(ServerFailed { server });
        }
    }
}
// ANCHOR_END: detector
