//! The actors and the monitor of the design, as users write them.
#![deny(warnings)]
#![allow(missing_docs, dead_code)]
use actor_core::prelude::*;

#[derive(Debug)]
pub struct Ping {
    pub from: Recipient<Pong>,
}
#[derive(Debug)]
pub struct Pong;
#[derive(Debug)]
pub struct HowMany;
#[derive(Debug)]
struct Stop;
#[derive(Debug, Clone)]
struct Tick;

#[derive(Default)]
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
    /// What a handler returns is the reply to an `ask`.
    #[on]
    fn served(&mut self, _: HowMany) -> u64 {
        self.served
    }
}

pub struct Client {
    server: ActorRef<Server>,
    left: u32,
}

#[actor(states(Idle, Waiting(defer(Stop), ignore(Tick)), Done))]
impl Client {
    #[entry(Idle)]
    fn begin(&mut self, cx: &mut Context<Self>) {
        self.server.tell(Ping {
            from: cx.recipient(),
        });
        cx.goto(ClientState::Waiting);
    }
    #[on(Waiting)]
    fn pong(&mut self, _: Pong, cx: &mut Context<Self>) {
        self.left -= 1;
        cx.goto(if self.left == 0 {
            ClientState::Done
        } else {
            ClientState::Idle
        });
    }
    #[on]
    async fn stop(&mut self, _: Stop, cx: &mut Context<Self>) {
        let _served = self.server.ask(HowMany).await;
        let _: Tick = cx.receive::<Tick>().await;
        cx.sleep(std::time::Duration::from_secs(1)).await;
        cx.halt();
    }
}

/// Every ping is answered, in the end.
#[derive(Default)]
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

fn main() {}
