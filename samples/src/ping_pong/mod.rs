//! Ping-pong: clients ping a server, round after round, and the server answers each ping.
//!
//! An answer takes the server some work, which it does in a step of its own: it notes who asked,
//! and tells itself [`Work`]. Pings of other clients may come in between.
//!
//! **The bug it teaches.** A server that has room for one asker only, [`Bug::OneAsker`], works as
//! long as clients take turns. When a ping comes before the work for the last one is done, the
//! earlier asker is forgotten and waits for ever. Nothing fails in the code: a *monitor* has to say
//! that every ping is owed a pong.

use actor_core::prelude::*;

#[cfg(test)]
mod tests;

/// A mistake that can be switched on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Bug {
    /// The server remembers the last asker only.
    OneAsker,
}

// ANCHOR: events
/// Asks for a [`Pong`].
#[derive(Debug)]
pub struct Ping {
    /// Who asks.
    pub from: Recipient<Pong>,
}

/// Answers a [`Ping`].
#[derive(Debug)]
pub struct Pong;

/// The server's word to itself: answer those who asked.
#[derive(Debug)]
pub struct Work;

/// Asks the server how many pings it answered.
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

    /// What a handler returns is the reply to an `ask`.
    #[on]
    fn how_many(&mut self, _: HowMany) -> u64 {
        self.served
    }
}
// ANCHOR_END: server

// ANCHOR: client
/// Pings the server, so many times.
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
/// Every ping is answered, in the end.
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
