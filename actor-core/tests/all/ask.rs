//! `ask`: the reply, and the errors if there is none.

use crate::support::{Journal, idle};
use actor_core::prelude::*;

#[derive(Debug)]
struct Double(u64);
#[derive(Debug)]
struct Slow;
#[derive(Debug)]
struct Fail;
#[derive(Debug)]
struct Break;
#[derive(Debug)]
struct Halt;
#[derive(Debug)]
struct Whatever;

struct Calculator;

#[actor(states(On(ignore(Whatever))))]
impl Calculator {
    #[on]
    fn double(&mut self, double: Double) -> u64 {
        double.0 * 2
    }

    #[on]
    async fn slow(&mut self, _: Slow, cx: &mut Context<Self>) -> &'static str {
        cx.sleep(std::time::Duration::from_secs(1)).await;
        "at last"
    }

    #[on]
    fn fail(&mut self, _: Fail) -> Result<u64, String> {
        Err("no paper".into())
    }

    #[on]
    fn smash(&mut self, _: Break) {
        panic!("smashed");
    }

    #[on]
    fn halt(&mut self, _: Halt, cx: &mut Context<Self>) {
        cx.halt();
    }
}

fn calculator(sys: &System) -> (ActorRef<Calculator>, Journal) {
    let journal = Journal::new();
    let noted = journal.clone();
    let live = sys.as_live().unwrap();
    live.on_failure(move |failure| noted.note(format!("{:?} {}", failure.kind, failure.message)));
    (sys.spawn(Calculator), journal)
}

#[tokio::test(start_paused = true)]
async fn the_handler_s_value_is_the_reply() {
    let sys = System::new();
    let (calculator, _) = calculator(&sys);
    assert_eq!(calculator.ask(Double(21)).await, Ok(42));
    assert_eq!(calculator.ask(Slow).await, Ok("at last"));
}

#[tokio::test(start_paused = true)]
async fn what_comes_while_a_handler_waits_is_handled_when_it_returns() {
    let sys = System::new();
    let (calculator, _) = calculator(&sys);
    let slow = calculator.ask(Slow);
    tokio::time::sleep(std::time::Duration::from_millis(500)).await;
    let double = calculator.ask(Double(1));
    assert_eq!(slow.await, Ok("at last"));
    let answer = tokio::time::timeout(std::time::Duration::from_secs(9), double).await;
    assert_eq!(answer, Ok(Ok(2)));
}

#[tokio::test(start_paused = true)]
async fn an_ask_with_a_limit_gives_up() {
    let sys = System::new();
    let (calculator, _) = calculator(&sys);
    let limit = |ms| std::time::Duration::from_millis(ms);
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
    let sys = System::new();
    let (calculator, journal) = calculator(&sys);
    drop(calculator.ask(Break));
    idle().await;
    journal.expect(["Panicked smashed"]);
}

#[tokio::test(start_paused = true)]
async fn a_stopped_actor_does_not_answer() {
    let sys = System::new();
    let (calculator, _) = calculator(&sys);
    calculator.tell(Halt);
    idle().await;
    assert_eq!(calculator.ask(Double(1)).await, Err(AskError::Stopped));
    assert_eq!(sys.as_live().unwrap().dead_letters(), 1);
}

#[tokio::test(start_paused = true)]
async fn an_actor_that_stops_first_does_not_answer() {
    let sys = System::new();
    let (calculator, _) = calculator(&sys);
    calculator.tell(Halt);
    assert_eq!(calculator.ask(Double(1)).await, Err(AskError::Stopped));
}

#[tokio::test(start_paused = true)]
async fn the_event_that_halts_is_answered() {
    let sys = System::new();
    let (calculator, _) = calculator(&sys);
    assert_eq!(calculator.ask(Halt).await, Ok(()));
}

#[tokio::test(start_paused = true)]
async fn an_ignored_event_is_dropped_without_an_answer() {
    let sys = System::new();
    let (calculator, _) = calculator(&sys);
    assert_eq!(calculator.ask(Whatever).await, Err(AskError::Dropped));
    assert_eq!(sys.as_live().unwrap().dead_letters(), 0);
}

#[tokio::test(start_paused = true)]
async fn a_handler_that_panics_does_not_answer_and_those_behind_it_find_it_stopped() {
    let sys = System::new();
    let (calculator, _) = calculator(&sys);
    let panics = calculator.ask(Break);
    let behind = calculator.ask(Double(1));
    assert_eq!(panics.await, Err(AskError::Failed));
    assert_eq!(behind.await, Err(AskError::Stopped));
}

#[tokio::test(start_paused = true)]
async fn an_err_goes_to_the_asker() {
    let sys = System::new();
    let (calculator, journal) = calculator(&sys);
    assert_eq!(calculator.ask(Fail).await, Ok(Err("no paper".into())));
    journal.expect::<&str>([]);
}

#[tokio::test(start_paused = true)]
async fn an_err_after_a_tell_is_a_failure_of_the_actor() {
    let sys = System::new();
    let (calculator, journal) = calculator(&sys);
    drop(calculator.ask(Fail));
    assert_eq!(calculator.ask(Double(1)).await, Ok(2));
    journal.expect::<&str>([]);
    calculator.tell(Fail);
    assert_eq!(calculator.ask(Double(1)).await, Err(AskError::Stopped));
    journal.expect([
        r#"Error `Calculator` answered `Fail` with Err("no paper"), and nobody receives it"#,
    ]);
}

#[test]
fn the_asker_may_be_outside_the_runtime() {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(1)
        .build()
        .unwrap();
    let sys = {
        let _runtime = runtime.enter();
        System::new()
    };
    let calculator = sys.spawn(Calculator);
    let other = tokio::runtime::Builder::new_current_thread()
        .build()
        .unwrap();
    assert_eq!(other.block_on(calculator.ask(Double(4))), Ok(8));
}

#[derive(Debug)]
struct Take;
#[derive(Debug)]
struct Put(u32);
#[derive(Debug)]
struct Forget;

/// Replies later, or passes the reply on to another actor.
#[derive(Default)]
struct Shelf {
    waiting: Vec<Reply<u32>>,
    supplier: Option<ActorRef<Supplier>>,
}

#[actor(states(Empty, Delegating))]
impl Shelf {
    #[on(Empty)]
    fn take(&mut self, _: Take, reply: Reply<u32>) {
        self.waiting.push(reply);
    }

    #[on(Delegating)]
    fn delegate(&mut self, _: Take, reply: Reply<u32>, cx: &mut Context<Self>) {
        let supplier = self.supplier.get_or_insert_with(|| cx.spawn(Supplier));
        supplier.tell(Supply(reply));
    }

    #[on]
    fn put(&mut self, put: Put, cx: &mut Context<Self>) {
        match self.waiting.pop() {
            Some(waiting) => waiting.send(put.0),
            None => cx.goto(ShelfState::Delegating),
        }
    }

    #[on]
    fn forget(&mut self, _: Forget) {
        self.waiting.clear();
    }

    #[on]
    fn halt(&mut self, _: Halt, cx: &mut Context<Self>) {
        cx.halt();
    }

    #[on]
    fn smash(&mut self, _: Break, reply: Reply<()>) {
        self.waiting.truncate(usize::from(reply.is_nobody()) * 10);
        panic!("smashed");
    }
}

#[derive(Debug)]
struct Supply(Reply<u32>);

struct Supplier;

#[actor]
impl Supplier {
    #[on]
    async fn supply(&mut self, supply: Supply) {
        tokio::task::yield_now().await;
        supply.0.send(11);
    }
}

#[tokio::test(start_paused = true)]
async fn a_reply_may_be_kept_and_sent_later() {
    let sys = System::new();
    let shelf = sys.spawn(Shelf::default());
    let (first, second) = (shelf.ask(Take), shelf.ask(Take));
    shelf.tell(Put(2));
    assert_eq!(second.await, Ok(2));
    shelf.tell(Put(1));
    assert_eq!(first.await, Ok(1));
    shelf.tell(Take);
    shelf.tell(Put(3));
    idle().await;
}

#[tokio::test(start_paused = true)]
async fn another_actor_may_answer() {
    let sys = System::new();
    let shelf = sys.spawn(Shelf::default());
    shelf.tell(Put(0));
    assert_eq!(shelf.ask(Take).await, Ok(11));
}

#[tokio::test(start_paused = true)]
async fn a_reply_that_is_kept_is_lost_for_a_reason() {
    let sys = System::new();
    let (_, journal) = calculator(&sys);
    let shelf = || sys.spawn(Shelf::default());
    let forgetful = shelf();
    let asked = forgetful.ask(Take);
    forgetful.tell(Forget);
    assert_eq!(asked.await, Err(AskError::Dropped));
    let halted = shelf();
    let asked = halted.ask(Take);
    halted.tell(Halt);
    assert_eq!(asked.await, Err(AskError::Stopped));
    let broken = shelf();
    let (kept, asked) = (broken.ask(Take), broken.ask(Take));
    let breaks = broken.ask(Break);
    // The shelf drops the kept reply, and then fails; the failure drops the reply in hand.
    assert_eq!(kept.await, Err(AskError::Dropped));
    assert_eq!(asked.await, Err(AskError::Dropped));
    assert_eq!(breaks.await, Err(AskError::Failed));
    let broken = shelf();
    let kept = broken.ask(Take);
    broken.tell(Break);
    assert_eq!(kept.await, Err(AskError::Failed));
    journal.expect(["Panicked smashed", "Panicked smashed"]);
}

#[derive(Debug)]
struct Tie(ActorRef<Link>);
#[derive(Debug)]
struct Begin;

struct Link {
    next: Option<ActorRef<Link>>,
    limit: Option<std::time::Duration>,
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
fn ring(sys: &System, names: &[&str], limit: Option<std::time::Duration>) -> Vec<ActorRef<Link>> {
    let link = |name: &&str| sys.spawn_named(name, Link { next: None, limit });
    let links: Vec<_> = names.iter().map(link).collect();
    for (at, link) in links.iter().enumerate() {
        link.tell(Tie(links[(at + 1) % links.len()].clone()));
    }
    links
}

#[tokio::test(start_paused = true)]
async fn a_cycle_of_asks_is_reported_by_name_and_once() {
    let sys = System::new();
    let (_, journal) = calculator(&sys);
    let alone = ring(&sys, &["alone"], None);
    let three = ring(&sys, &["one", "two", "three"], None);
    let asked = [
        alone[0].ask(Begin),
        three[1].ask(Begin),
        three[1].ask(Begin),
    ];
    idle().await;
    let cycles = [
        "AskCycle alone -> alone",
        "AskCycle one -> two -> three -> one",
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
    let sys = System::new();
    let (_, journal) = calculator(&sys);
    let limit = std::time::Duration::from_secs(1);
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
    use std::time::Duration;
    let sys = System::new();
    let (calculator, _) = calculator(&sys);
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
    use std::time::Duration;
    let sys = System::new();
    sys.ask_limit(Duration::from_millis(10));
    sys.node("n1", |node| {
        node.spawner()
            .name("calculator")
            .registered()
            .spawn(Calculator);
    });
    let calculator = sys.lookup::<Calculator>("n1/calculator").await.unwrap();
    assert_eq!(calculator.ask(Slow).await, Err(AskError::TimedOut));
    sys.faults().restart("n1");
    let calculator = sys.lookup::<Calculator>("n1/calculator").await.unwrap();
    assert_eq!(calculator.ask(Slow).await, Err(AskError::TimedOut));
    sys.shutdown().await.unwrap();
}

/// Asks can be sent and awaited outside a runtime.
#[test]
fn the_limit_counts_on_the_systems_clock_whoever_asks() {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(1)
        .enable_time()
        .build()
        .unwrap();
    let sys = {
        let _within = runtime.enter();
        System::new()
    };
    sys.ask_limit(std::time::Duration::from_millis(1));
    let calculator = {
        let _within = runtime.enter();
        sys.spawn(Calculator)
    };
    let answer = calculator.ask(Slow);
    assert_eq!(runtime.block_on(answer), Err(AskError::TimedOut));
}
