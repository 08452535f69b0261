#![allow(missing_docs)]
use actor_core::prelude::*;
use actor_core::{actor, monitor};
use actor_test::{Tester, strategy::StrategySpec};

#[derive(Debug)]
pub struct Ping { pub from: Recipient<Pong> }
#[derive(Debug)]
pub struct Pong;

#[derive(Default)]
pub struct Server { served: u64 }
#[actor]
impl Server {
    #[on]
    fn ping(&mut self, ping: Ping) { self.served += 1; ping.from.tell(Pong); }
}
pub struct Client { server: ActorRef<Server>, left: u32 }
#[actor]
impl Client {
    #[start]
    fn begin(&mut self, cx: &mut Context<Self>) { self.server.tell(Ping { from: cx.recipient() }); }
    #[on]
    fn pong(&mut self, _: Pong, cx: &mut Context<Self>) {
        self.left -= 1;
        if self.left > 0 { self.server.tell(Ping { from: cx.recipient() }); }
    }
}
#[derive(Default)]
pub struct Answered { open: u32 }
#[monitor(hot(Pending), cold(Quiet))]
impl Answered {
    #[on]
    fn ping(&mut self, _: &Ping, cx: &mut MonitorContext<Self>) { self.open += 1; cx.goto(AnsweredState::Pending); }
    #[on]
    fn pong(&mut self, _: &Pong, cx: &mut MonitorContext<Self>) {
        assert!(self.open > 0, "a pong that nobody asked for");
        self.open -= 1;
        if self.open == 0 { cx.goto(AnsweredState::Quiet); }
    }
}
const N: u64 = 20_000;
fn main() {
    let arg = std::env::args().nth(1);
    for workers in [1] {
    for mon in [false, true] {
        if arg.as_deref() == Some("bare") && mon { continue }
        if arg.as_deref() == Some("mon") && !mon { continue }
        let report = Tester::new().iterations(std::env::args().nth(2).map_or(N, |n| n.parse().unwrap())).strategy(StrategySpec::Random).workers(workers).run(|sys| {
            if mon { sys.monitor::<Answered>(); }
            let server = sys.spawn(Server::default());
            for _ in 0..3 { sys.spawn(Client { server: server.clone(), left: 100 }); }
        });
        report.assert_clean();
        println!("workers {workers} monitor {mon}: {:.0} schedules/s, {:.1} ns/step, steps {:?} behaviours {:?}", 20_000.0 / report.elapsed_s, report.elapsed_s * 1e9 / report.steps_total as f64, report.steps, report.behaviours);
    }}
}
