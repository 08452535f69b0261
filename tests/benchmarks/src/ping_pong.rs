//! Ping-pong as actors: one server, and clients with a number of round trips each.

use actor_core::prelude::*;
use actor_core::{actor, monitor};

/// A ping, and the recipient of the pong.
#[derive(Debug)]
pub struct Ping {
    from: Recipient<Pong>,
}

/// The answer to a ping.
#[derive(Debug)]
pub struct Pong;

/// Answers pings.
#[derive(Debug, Default)]
pub struct Server {
    served: u64,
}

#[actor]
impl Server {
    #[on]
    fn ping(&mut self, ping: Ping) {
        self.served += 1;
        ping.from.tell(Pong);
    }
}

/// Sends a ping, and another for each pong.
#[derive(Debug)]
pub struct Client {
    server: ActorRef<Server>,
    left: u32,
}

#[actor]
impl Client {
    #[start]
    fn start(&mut self, cx: &mut Context<Self>) {
        self.ping(cx);
    }

    #[on]
    fn pong(&mut self, _: Pong, cx: &mut Context<Self>) {
        self.left -= 1;
        if self.left > 0 {
            self.ping(cx);
        }
    }

    fn ping(&self, cx: &mut Context<Self>) {
        self.server.tell(Ping {
            from: cx.recipient(),
        });
    }
}

/// A liveness property: every ping is answered.
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

/// The set-up of one execution.
pub fn ping_pong(sys: &System, clients: u32, rounds: u32) {
    let server = sys.spawn(Server::default());
    for _ in 0..clients {
        sys.spawn(Client {
            server: server.clone(),
            left: rounds,
        });
    }
}
