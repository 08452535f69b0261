//! Ping-pong: clients ping a server, round after round, and the server answers each ping.
//!
//! The server answers in a separate step: it stores the client that asked, and
//! sends [`Work`] to itself. Pings of other clients may arrive in between.
//!
//! **The bug it teaches.** With [`Bug::OneAsker`], the server has space for one
//! client only. That works while clients take turns. If a ping arrives before the
//! work for the last one is done, the server forgets the earlier client, which
//! waits for ever. No code fails: a *monitor* must demand a pong for every ping.

use actor_core::prelude::*;

#[cfg(test)]
mod tests;

/// A bug that a test can switch on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Bug {
    /// The server remembers the last client only.
    OneAsker,
}

// ANCHOR: events
/// Asks for a [`Pong`].
#[derive(Debug)]
pub struct Ping {
    /// The client that asks.
    pub from: Recipient<Pong>,
}

/// Answers a [`Ping`].
#[derive(Debug)]
pub struct Pong;

/// The server sends this to itself, in order to answer the stored clients.
#[derive(Debug)]
pub struct Work;

/// Asks the server for the number of pings it answered.
#[derive(Debug)]
pub struct HowMany;
// ANCHOR_END: events

// ANCHOR: server
/// Answers pings.
#[derive(Debug)]
pub struct Server {
    askers: Vec<Recipient<Pong>>,
    served: u64,
    bug: Option<Bug>,
}

#[actor]
impl Server {
    #[on]
    fn ping(&mut self, ping: Ping, cx: &mut Context<Self>) {
        if self.bug == Some(Bug::OneAsker) {
            self.askers.clear();
        }
        self.askers.push(ping.from);
        cx.me().tell(Work);
    }

    #[on]
    fn work(&mut self, _: Work) {
        for asker in self.askers.drain(..) {
            self.served += 1;
            asker.tell(Pong);
        }
    }

    /// The return value of a handler is the reply to an `ask`.
    #[on]
    fn how_many(&mut self, _: HowMany) -> u64 {
        self.served
    }
}
// ANCHOR_END: server

// ANCHOR: client
/// Pings the server for a number of rounds.
#[derive(Debug)]
pub struct Client {
    server: ActorRef<Server>,
    rounds_left: u32,
}

#[actor(states(Asking, Waiting, Done))]
impl Client {
    #[entry(Asking)]
    fn ask(&mut self, cx: &mut Context<Self>) {
        let from = cx.recipient();
        self.server.tell(Ping { from });
        cx.goto(ClientState::Waiting);
    }

    #[on(Waiting)]
    fn pong(&mut self, _: Pong, cx: &mut Context<Self>) {
        self.rounds_left -= 1;
        cx.goto(match self.rounds_left {
            0 => ClientState::Done,
            _ => ClientState::Asking,
        });
    }
}
// ANCHOR_END: client

// ANCHOR: monitor
/// A liveness property: every ping is answered eventually.
#[derive(Debug, Default)]
pub struct Answered {
    open: u32,
}

#[monitor(hot(Pending), cold(Quiet))]
impl Answered {
    #[on]
    fn ping(&mut self, _: &Ping, cx: &mut MonitorContext<Self>) {
        self.open += 1;
        cx.goto(AnsweredState::Pending);
    }

    #[on]
    fn pong(&mut self, _: &Pong, cx: &mut MonitorContext<Self>) {
        assert!(self.open > 0, "a pong that nobody asked for");
        self.open -= 1;
        if self.open == 0 {
            cx.goto(AnsweredState::Quiet);
        }
    }
}
// ANCHOR_END: monitor

// ANCHOR: set_up
/// Starts a server and its clients, each of which pings it `rounds` times.
pub fn set_up(sys: &System, clients: usize, rounds: u32, bug: Option<Bug>) -> ActorRef<Server> {
    sys.monitor::<Answered>();
    let server = sys.spawn(Server {
        askers: Vec::new(),
        served: 0,
        bug,
    });
    for _ in 0..clients {
        sys.spawn(Client {
            server: server.clone(),
            rounds_left: rounds,
        });
    }
    server
}
// ANCHOR_END: set_up
