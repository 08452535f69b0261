//! The ring as actors on nodes; with the argument `local`, as actors on no node.

use std::env;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use actor_core::prelude::*;
use actor_test::Tester;
use simulators::{BALLS, Ball, EACH, EXECUTIONS, HOSTS, measure};

const NAMES: [&str; HOSTS] = ["n0", "n1", "n2"];

/// Passes on the balls that it receives.
struct Host {
    number: usize,
    next: Option<ActorRef<Host>>,
    got: u64,
    arrived: Arc<AtomicU64>,
}

impl Host {
    fn new(number: usize, arrived: &Arc<AtomicU64>) -> Self {
        Self {
            number,
            next: None,
            got: 0,
            arrived: arrived.clone(),
        }
    }

    fn throw(&self, ball: Ball) {
        let next = self.next.as_ref().expect("it knows the next one");
        next.tell(ball);
    }
}

/// Gives a host the next host of the ring.
#[derive(Debug)]
struct Next(ActorRef<Host>);

/// Starts a host; all hosts know the next one.
#[derive(Debug)]
struct Begin;

#[actor]
impl Host {
    #[on]
    fn next(&mut self, next: Next) {
        self.next = Some(next.0);
    }

    #[on]
    fn begin(&mut self, _: Begin) {
        for _ in 0..BALLS {
            self.throw(Ball::of(self.number));
        }
    }

    #[on]
    fn ball(&mut self, ball: Ball) {
        self.got += 1;
        if self.got == EACH {
            self.arrived.fetch_add(self.got, Ordering::Relaxed);
        }
        if let Some(ball) = ball.hand_on() {
            self.throw(ball);
        }
    }
}

async fn play(sys: System, on_nodes: bool, arrived: Arc<AtomicU64>) {
    let mut hosts = Vec::new();
    for (number, name) in NAMES.into_iter().enumerate() {
        if !on_nodes {
            hosts.push(sys.spawn(Host::new(number, &arrived)));
            continue;
        }
        let arrived = arrived.clone();
        sys.node(name, move |node| {
            let host = Host::new(number, &arrived);
            node.spawner().name("host").registered().spawn(host);
        });
        let found = sys.lookup(format!("{name}/host")).await;
        hosts.push(found.expect("it has booted"));
    }
    for (number, host) in hosts.iter().enumerate() {
        let next = Next(hosts[(number + 1) % HOSTS].clone());
        host.ask(next).await.expect("it is up");
    }
    for host in &hosts {
        host.tell(Begin);
    }
}

fn main() {
    let on_nodes = env::args().nth(1).is_none_or(|word| word != "local");
    measure(|| {
        let arrived = Arc::new(AtomicU64::new(0));
        let tester = Tester::new()
            .iterations(EXECUTIONS)
            .strategy("random".parse().expect("a strategy"))
            .max_steps(1_000_000)
            .workers(1);
        let report = tester.run(|sys| play(sys, on_nodes, arrived.clone()));
        report.assert_clean();
        arrived.load(Ordering::Relaxed)
    });
}
