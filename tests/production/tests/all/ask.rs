//! `ask`, as far as production alone has it: limits in exact time, failures, dead letters, and other threads.

use std::time::Duration;

use crate::support::{Break, Halt, Mortal, idle, live, system};
use actor_core::prelude::*;

#[derive(Debug)]
struct Double(u64);
#[derive(Debug)]
struct Slow;

struct Calculator;

#[actor]
impl Calculator {
    #[on]
    fn double(&mut self, double: Double) -> u64 {
        double.0 * 2
    }

    #[on]
    async fn slow(&mut self, _: Slow, cx: &mut Context<Self>) -> &'static str {
        cx.sleep(Duration::from_secs(1)).await;
        "at last"
    }
}

#[tokio::test(start_paused = true)]
async fn an_ask_with_a_limit_gives_up() {
    let sys = System::new();
    let calculator = sys.spawn(Calculator);
    let limit = |ms| Duration::from_millis(ms);
    let slow = calculator.ask(Slow).timeout(limit(999));
    assert_eq!(slow.await, Err(AskError::TimedOut));
    // The first `Slow` is being handled until 1 000 ms.
    let slow = calculator.ask(Slow).timeout(limit(1_010));
    assert_eq!(slow.await, Ok("at last"));
    let other = calculator.clone();
    let in_task = tokio::spawn(async move { other.ask(Double(1)).timeout(limit(1)).await });
    assert_eq!(in_task.await.unwrap(), Ok(2));
}

#[tokio::test(start_paused = true)]
async fn an_ask_is_sent_when_it_is_called() {
    let (sys, journal) = system();
    drop(sys.spawn(Mortal).ask(Break));
    idle().await;
    journal.expect(["Panicked: smashed"]);
}

#[tokio::test(start_paused = true)]
async fn a_stopped_actor_does_not_answer() {
    let sys = System::new();
    let mortal = sys.spawn(Mortal);
    mortal.tell(Halt);
    idle().await;
    assert_eq!(mortal.ask(Halt).await, Err(AskError::Stopped));
    assert_eq!(live(&sys).dead_letters(), 1);
}

#[derive(Debug)]
struct Tie(ActorRef<Link>);
#[derive(Debug)]
struct Begin;

struct Link {
    next: Option<ActorRef<Link>>,
    limit: Option<Duration>,
}

#[actor]
impl Link {
    #[on]
    fn tie(&mut self, tie: Tie) {
        self.next = Some(tie.0);
    }

    #[on]
    async fn begin(&mut self, _: Begin) -> u32 {
        let Some(next) = &self.next else {
            return 1;
        };
        let asked = next.ask(Begin);
        let answer = match self.limit {
            None => asked.await,
            Some(limit) => asked.timeout(limit).await,
        };
        answer.map_or(0, |answer| answer + 1)
    }
}

/// Creates a ring of links: the last one asks the first.
fn ring(sys: &System, names: &[&str], limit: Option<Duration>) -> Vec<ActorRef<Link>> {
    let link = |name: &&str| sys.spawn_named(name, Link { next: None, limit });
    let links: Vec<_> = names.iter().map(link).collect();
    for (at, link) in links.iter().enumerate() {
        link.tell(Tie(links[(at + 1) % links.len()].clone()));
    }
    links
}

#[tokio::test(start_paused = true)]
async fn a_cycle_of_asks_is_reported_by_name_and_once() {
    let (sys, journal) = system();
    let alone = ring(&sys, &["alone"], None);
    let three = ring(&sys, &["one", "two", "three"], None);
    let asked = [
        alone[0].ask(Begin),
        three[1].ask(Begin),
        three[1].ask(Begin),
    ];
    idle().await;
    let cycles = [
        "AskCycle: alone -> alone",
        "AskCycle: one -> two -> three -> one",
    ];
    journal.expect(if cfg!(debug_assertions) {
        &cycles[..]
    } else {
        &[]
    });
    drop(asked);
}

#[tokio::test(start_paused = true)]
async fn asks_that_end_are_no_cycle() {
    let (sys, journal) = system();
    let limit = Duration::from_secs(1);
    let limited = ring(&sys, &["one", "two"], Some(limit));
    // The second link times out, replies, and then handles the request of the first.
    assert_eq!(limited[0].ask(Begin).timeout(limit * 9).await, Ok(0));
    let chain = ring(&sys, &["first", "second"], None);
    let open = sys.spawn(Link {
        next: None,
        limit: None,
    });
    chain[1].tell(Tie(open));
    for _ in 0..3 {
        assert_eq!(chain[0].ask(Begin).await, Ok(3));
    }
    journal.expect::<&str>([]);
}

#[tokio::test(start_paused = true)]
async fn a_system_has_a_limit_for_what_is_asked_from_then_on() {
    let sys = System::new();
    let calculator = sys.spawn(Calculator);
    let before = calculator.ask(Slow);
    sys.ask_limit(Duration::from_millis(10));
    let after = calculator.ask(Slow);
    assert_eq!(after.await, Err(AskError::TimedOut));
    assert_eq!(before.await, Ok("at last"), "it was asked before");

    let without = calculator.ask(Slow).without_limit();
    assert_eq!(without.await, Ok("at last"));
    let longer = calculator.ask(Slow).timeout(Duration::from_secs(30));
    assert_eq!(longer.await, Ok("at last"), "its own limit is longer");
    assert_eq!(calculator.ask(Double(4)).await, Ok(8));
    sys.shutdown().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn nodes_have_the_limit_of_their_system() {
    let sys = System::new();
    sys.ask_limit(Duration::from_millis(10));
    sys.node("n1", |node| {
        let spawner = node.spawner().name("calculator");
        spawner.registered().spawn(Calculator);
    });
    for restarts in [true, false] {
        let calculator = sys.lookup::<Calculator>("n1/calculator").await.unwrap();
        assert_eq!(calculator.ask(Slow).await, Err(AskError::TimedOut));
        if restarts {
            sys.faults().restart("n1");
        }
    }
    sys.shutdown().await.unwrap();
}

/// Asks can be sent and awaited outside the runtime of the system, whose clock counts for their limits.
#[test]
fn the_asker_may_be_outside_the_runtime() {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(1)
        .enable_time()
        .build()
        .unwrap();
    let sys = {
        let _within = runtime.enter();
        System::new()
    };
    let calculator = sys.spawn(Calculator);
    let other = tokio::runtime::Builder::new_current_thread()
        .build()
        .unwrap();
    assert_eq!(other.block_on(calculator.ask(Double(4))), Ok(8));
    sys.ask_limit(Duration::from_millis(1));
    let answer = calculator.ask(Slow);
    assert_eq!(runtime.block_on(answer), Err(AskError::TimedOut));
}
