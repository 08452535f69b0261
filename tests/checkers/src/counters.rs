//! The programs in this project: `dpor` for behaviours, `states:order=breadth` and `states` for states.

use actor_core::actor;
use actor_core::prelude::*;
use actor_test::strategy::StrategySpec;
use actor_test::{Report, Tester};

use crate::programs::Program;

/// A call to the server, or a message to the receiver.
#[derive(Clone, Hash, Debug)]
struct Call {
    from: Recipient<Reply>,
}

#[derive(Clone, Copy, Hash, Debug)]
struct Reply;

#[derive(Clone, Copy, Hash, Debug)]
struct Item;

#[derive(Hash)]
struct Server;

#[actor]
impl Server {
    #[on]
    fn call(&mut self, call: Call) {
        call.from.tell(Reply);
    }

    #[on]
    fn item(&mut self, _: Item) {}
}

#[derive(Hash)]
struct Client {
    server: ActorRef<Server>,
    left: u32,
}

#[actor]
impl Client {
    #[start]
    fn start(&mut self, cx: &mut Context<Self>) {
        self.send(cx);
    }

    #[on]
    fn reply(&mut self, _: Reply, cx: &mut Context<Self>) {
        self.left -= 1;
        if self.left > 0 {
            self.send(cx);
        }
    }

    fn send(&self, cx: &mut Context<Self>) {
        self.server.tell(Call {
            from: cx.recipient(),
        });
    }
}

#[derive(Hash)]
struct Sender {
    to: ActorRef<Server>,
    messages: u32,
}

#[actor]
impl Sender {
    #[start]
    fn start(&mut self) {
        (0..self.messages).for_each(|_| self.to.tell(Item));
    }
}

fn set_up(sys: &System, program: Program) {
    let server = sys.spawn(Server);
    match program {
        Program::FanIn(senders, messages) => {
            for _ in 0..senders {
                let to = server.clone();
                sys.spawn(Sender { to, messages });
            }
        }
        Program::Calls(clients, left) => {
            for _ in 0..clients {
                let server = server.clone();
                sys.spawn(Client { server, left });
            }
        }
    }
}

/// Returns the number of covered behaviours or states; `CHECKERS` names the strategy.
pub(crate) fn ours(program: Program) -> u64 {
    let name = std::env::var("CHECKERS").unwrap_or_else(|_| "dpor".into());
    let strategy: StrategySpec = name.parse().expect("the name of a strategy");
    let tester = Tester::new()
        .iterations(u64::MAX)
        .check_every(0)
        .samples_beside_proof(0)
        .strategy(strategy);
    let report = tester.run(|sys| set_up(&sys, program));
    report.assert_clean();
    explored(&report)
}

fn explored(report: &Report) -> u64 {
    let verdict = &report.verdict;
    let all = verdict.behaviours().or(verdict.states());
    all.unwrap_or(report.executions)
}
