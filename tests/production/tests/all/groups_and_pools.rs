//! Groups and pools in production.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use crate::support::{Break, Halt, Journal, failures, fallible, idle, later, live, system};
use actor_core::mailbox::{Mailbox, Overflow};
use actor_core::prelude::*;
use actor_core::services::{Group, Pool, PoolRef, Topics};

#[derive(Clone, Debug)]
struct Say(u32);

struct Member(&'static str, Journal);

#[actor]
impl Member {
    #[on]
    fn say(&mut self, say: Say) {
        self.1.note(format!("{} {}", self.0, say.0));
    }

    #[on]
    fn halt(&mut self, _: Halt, cx: &mut Context<Self>) {
        cx.halt();
    }
}

#[tokio::test(start_paused = true)]
async fn members_hear_what_is_broadcast_in_the_order_of_joining() {
    let sys = System::new();
    let (group, journal) = (Group::named(&sys, "choir"), Journal::new());
    let [alto, bass] = ["alto", "bass"].map(|name| sys.spawn(Member(name, journal.clone())));
    group.join(&alto);
    group.join(&bass);
    group.join(&alto);
    group.broadcast(Say(1));
    idle().await;
    journal.expect(["alto 1", "bass 1"]);
    group.leave(&alto);
    group.broadcast(Say(2));
    idle().await;
    journal.expect(["bass 2"]);
    assert_eq!(group.members().await, [bass.id()]);
    bass.tell(Halt);
    idle().await;
    group.broadcast(Say(3));
    assert_eq!(group.members().await, [], "who has stopped has left");
    assert_eq!(live(&sys).dead_letters(), 0);
    assert_eq!(format!("{group:?}"), "choir");
}

#[derive(Debug)]
struct WhoAreYou;
#[derive(Debug)]
struct Work(u64);
#[derive(Debug)]
struct Order(&'static str);
#[derive(Debug)]
struct Cancel(&'static str);

struct Worker(usize);

#[actor]
impl Worker {
    #[on]
    fn who_are_you(&mut self, _: WhoAreYou) -> usize {
        self.0
    }

    #[on]
    async fn work(&mut self, work: Work, cx: &mut Context<Self>) -> usize {
        cx.sleep(Duration::from_secs(work.0)).await;
        self.0
    }

    #[on]
    fn order(&mut self, _: Order) -> usize {
        self.0
    }

    #[on]
    fn cancel(&mut self, _: Cancel) -> usize {
        self.0
    }

    #[on]
    fn smash(&mut self, _: Break, cx: &mut Context<Self>) -> Result<(), String> {
        cx.halt();
        Err("broken".into())
    }
}

async fn three(pool: &PoolRef<Worker>) -> [usize; 3] {
    let mut asked = [9; 3];
    for worker in &mut asked {
        *worker = pool.ask(WhoAreYou).await.unwrap();
    }
    asked
}

#[tokio::test(start_paused = true)]
async fn a_worker_that_has_stopped_is_replaced() {
    let sys = fallible();
    let mut made = 0;
    let pool = sys.spawn(Pool::round_robin(2, move |_| {
        made += 1;
        Worker(made)
    }));
    pool.tell(Break);
    idle().await;
    pool.tell(Work(0));
    assert_eq!(three(&pool).await, [3, 2, 3]);
}

#[tokio::test(start_paused = true)]
async fn the_least_busy_gets_the_next() {
    let sys = System::new();
    let pool = sys.spawn_named("workers", Pool::least_busy(3, Worker));
    assert_eq!(format!("{pool:?}"), "workers");
    pool.tell(Work(5));
    pool.tell(Work(9));
    assert_eq!(three(&pool).await, [2, 2, 2]);
    // All workers are busy with one event; the first finishes first.
    let last = pool.ask(Work(9));
    sys.sleep(Duration::from_secs(6)).await;
    assert_eq!(three(&pool).await, [0, 0, 0]);
    assert_eq!(last.await, Ok(2));
}

#[tokio::test]
async fn events_of_one_key_go_to_one_worker() {
    let sys = System::new();
    let pool = Pool::keyed(8, Worker)
        .by(|order: &Order| order.0)
        .by(|cancel: &Cancel| cancel.0);
    let pool = sys.spawn(pool);
    let mut workers = Vec::new();
    for customer in ["ada", "bob", "cyd", "dan", "eve"] {
        let worker = pool.ask(Order(customer)).await;
        assert_eq!(pool.ask(Order(customer)).await, worker);
        assert_eq!(pool.ask(Cancel(customer)).await, worker);
        workers.push(worker.unwrap());
    }
    workers.sort_unstable();
    workers.dedup();
    assert!(workers.len() > 1);
    assert_eq!(three(&pool).await, [0, 1, 2]);
}

#[tokio::test(start_paused = true)]
async fn a_failure_is_reported_by_every_kind() {
    let error = "Error: `Worker` answered `Break` with Err(\"broken\"), and nobody receives it";
    let unheard = "Unheard: `Break` was answered with Err(\"broken\")";
    for (pool, message) in [
        (Pool::round_robin(1, Worker), error),
        (Pool::least_busy(1, Worker), unheard),
    ] {
        let (sys, noted) = system();
        let pool = sys.spawn(pool);
        pool.tell(Break);
        idle().await;
        noted.expect([message]);
        assert_eq!(pool.ask(Break).await, Ok(Err("broken".to_owned())));
        idle().await;
        noted.expect::<&str>([]);
    }
}

#[test]
#[should_panic(expected = "one worker at least")]
fn a_pool_has_workers() {
    drop(Pool::round_robin(0, Worker));
}

#[test]
#[should_panic(expected = "keyed pool")]
fn only_a_keyed_pool_has_keys() {
    drop(Pool::least_busy(1, Worker).by(|order: &Order| order.0));
}

#[tokio::test(start_paused = true)]
async fn subscribers_hear_their_topic_and_no_other() {
    let sys = System::new();
    let (news, journal) = (Topics::named(&sys, "news"), Journal::new());
    let [alto, bass] = ["alto", "bass"].map(|name| sys.spawn(Member(name, journal.clone())));
    news.subscribe(1, &alto);
    news.subscribe(2, &bass);
    news.subscribe(2, &alto);
    news.subscribe(2, &bass);
    news.publish(1, Say(1));
    idle().await;
    journal.expect(["alto 1"]);
    news.publish(2, Say(2));
    news.publish(3, Say(3));
    idle().await;
    journal.expect(["bass 2", "alto 2"]);
    news.unsubscribe(2, &bass);
    news.publish(2, Say(4));
    idle().await;
    journal.expect(["alto 4"]);
    alto.tell(Halt);
    assert_eq!(news.subscribers(1).await, []);
    assert_eq!(live(&sys).dead_letters(), 0);
    assert_eq!(format!("{news:?}"), "news");
    sys.shutdown().await.unwrap();
}

#[derive(Debug)]
struct Numbered(u32, u32);

/// Handles events of a key in order, or fails the test.
struct Careful(usize, Handled);

/// The next number of each key, and the workers that have handled some of its events.
type Handled = Arc<Mutex<Vec<(u32, Vec<usize>)>>>;

#[actor]
impl Careful {
    #[on]
    async fn numbered(&mut self, event: Numbered, cx: &mut Context<Self>) -> usize {
        cx.sleep(Duration::from_millis(u64::from(event.1 % 3)))
            .await;
        let mut handled = self.1.lock().unwrap();
        let (next, workers) = &mut handled[event.0 as usize];
        assert_eq!(event.1, *next, "of key {}", event.0);
        *next += 1;
        if !workers.contains(&self.0) {
            workers.push(self.0);
        }
        self.0
    }
}

#[tokio::test(start_paused = true)]
async fn a_keyed_pool_is_resized_and_keys_keep_their_order() {
    const KEYS: u32 = 12;
    let handled = vec![(0, Vec::new()); KEYS as usize];
    let (sys, handled) = (System::new(), Handled::new(handled.into()));
    let kept = handled.clone();
    let pool = Pool::keyed(2, move |index| Careful(index, kept.clone()));
    let pool = sys.spawn(pool.by(|event: &Numbered| event.0).resizable());
    for (number, size) in [5, 1, 4, 2, 7, 3].into_iter().cycle().take(60).enumerate() {
        for key in 0..KEYS {
            pool.tell(Numbered(key, number as u32));
        }
        pool.resize(size);
        tokio::time::sleep(Duration::from_millis(number as u64 % 4)).await;
    }
    // Waiting events are handled before a stopped pool ends.
    pool.stop().await;
    let handled = handled.lock().unwrap();
    assert!(handled.iter().all(|(next, _)| *next == 60), "{handled:?}");
    assert!(handled.iter().any(|(_, workers)| workers.len() > 2));
    assert_eq!(live(&sys).actor_count(), 0);
}

#[tokio::test(start_paused = true)]
async fn workers_that_are_too_many_handle_what_they_have() {
    let sys = System::new();
    let pool = sys.spawn(Pool::round_robin(3, Worker));
    let asked: Vec<_> = (0..6).map(|_| pool.ask(Work(1))).collect();
    pool.resize(1);
    let later = pool.ask(WhoAreYou);
    for (number, answer) in asked.into_iter().enumerate() {
        assert_eq!(answer.await, Ok(number % 3));
    }
    assert_eq!(later.await, Ok(0));
    pool.resize(2);
    assert_eq!(three(&pool).await, [0, 1, 0]);
    idle().await;
    assert_eq!(live(&sys).actor_count(), 3, "the pool and two");
}

#[tokio::test(start_paused = true)]
async fn a_keyed_pool_that_may_not_be_resized_says_so() {
    let sys = System::new();
    let failures = failures(&sys);
    let pool = sys.spawn(Pool::keyed(2, Worker).by(|order: &Order| order.0));
    pool.resize(3);
    idle().await;
    failures.expect(["a keyed pool keeps its size unless it is made `resizable()`"]);
    assert_eq!(live(&sys).actor_count(), 3);
}

#[tokio::test(start_paused = true)]
async fn an_elastic_pool_has_as_many_as_are_busy() {
    let sys = System::new();
    let workers = || live(&sys).actor_count() - 1;
    let pool = Pool::least_busy(1, Worker).elastic(3, Duration::from_secs(10));
    let pool = sys.spawn(pool);
    let answers: Vec<_> = [5, 5, 5, 5].map(|seconds| pool.ask(Work(seconds))).into();
    idle().await;
    assert_eq!(workers(), 3, "and no more than three");
    let mut who = Vec::new();
    for answer in answers {
        who.push(answer.await.unwrap());
    }
    assert_eq!(who, [0, 1, 2, 0]);
    // The time is 10 s; the last two workers are idle since 5 s.
    later(4).await;
    assert_eq!(workers(), 3);
    later(2).await;
    assert_eq!(workers(), 1, "both were idle for ten seconds");
    assert_eq!(pool.ask(WhoAreYou).await, Ok(0));
    later(100).await;
    assert_eq!(workers(), 1, "and no fewer than at first");
}

#[test]
#[should_panic(expected = "no fewer than that")]
fn an_elastic_pool_grows() {
    drop(Pool::least_busy(3, Worker).elastic(2, Duration::ZERO));
}

/// Events from before a stop are handled. The messages that a counting pool sends to itself are internal, and
/// never dead letters; a message from outside is one.
#[tokio::test(start_paused = true)]
async fn workers_end_with_their_pool() {
    let keyed = || Pool::keyed(2, Worker).by(|order: &Order| order.0);
    for pool in [
        Pool::round_robin(3, Worker),
        Pool::least_busy(3, Worker),
        Pool::least_busy(1, Worker).elastic(3, Duration::from_secs(1)),
        keyed().resizable(),
    ] {
        let (sys, journal) = (System::new(), Journal::new());
        journal.note_dead_letters(&sys);
        let live = live(&sys);
        let pool = sys.spawn(pool);
        let orders = ["ada", "bob", "cyd"].map(|who| pool.ask(Order(who)));
        let works = [(); 6].map(|()| pool.ask(Work(1)));
        pool.stop();
        for ask in orders.into_iter().chain(works) {
            assert!(ask.await.is_ok(), "what came before is handled");
        }
        idle().await;
        assert_eq!((live.dead_letters(), live.actor_count()), (0, 0));
        pool.tell(Order("dan"));
        pool.resize(7);
        journal.expect(["lost Order(\"dan\"): Stopped", "lost Resize(7): Stopped"]);

        let pool = sys.spawn(Pool::round_robin(3, Worker));
        assert!(pool.ask(WhoAreYou).await.is_ok());
        assert_eq!(live.actor_count(), 4);
        pool.kill();
        idle().await;
        assert_eq!(live.actor_count(), 0);
    }
}

/// The bound of a mailbox excludes the pool's messages to itself, without which it would lose count.
#[tokio::test(start_paused = true)]
async fn a_pool_with_a_bounded_mailbox_keeps_count() {
    let sys = System::new();
    let pool = Pool::least_busy(1, Worker).elastic(3, Duration::from_secs(10));
    let mailbox = Mailbox::bounded(1).overflow(Overflow::DropNewest);
    let pool = sys.spawner().mailbox(mailbox).spawn(pool);
    for _ in 0..20 {
        for _ in 0..3 {
            pool.send(Work(1)).await.unwrap();
        }
        // The event arrives just when the three workers are done.
        later(1).await;
        pool.tell(Work(0));
    }
    later(100).await;
    assert_eq!(live(&sys).actor_count(), 2, "nobody is busy for ever");
}

#[derive(Debug)]
struct Job(u64);
#[derive(Debug)]
struct Pause;

/// Fails at each bad job, and at its start if it should; halts for a pause, which it answers with its place.
struct Weak {
    place: usize,
    fails_to_start: bool,
}

#[actor]
impl Weak {
    #[start]
    async fn start(&mut self, cx: &mut Context<Self>) {
        cx.sleep(Duration::from_millis(1)).await;
        assert!(!self.fails_to_start, "it can't start");
    }

    #[on]
    fn job(&mut self, job: Job) -> u64 {
        assert_ne!(job.0 % 3, 1, "a bad job");
        job.0
    }

    #[on]
    fn pause(&mut self, _: Pause, cx: &mut Context<Self>) -> usize {
        cx.halt();
        self.place
    }
}

fn weak(place: usize) -> Weak {
    Weak {
        place,
        fails_to_start: false,
    }
}

#[tokio::test(start_paused = true)]
async fn a_worker_that_halts_is_brought_back_with_its_inbox() {
    let sys = System::new();
    let pool = sys.spawn(Pool::round_robin(1, weak));
    let (halted, next) = (pool.ask(Pause), pool.ask(Job(3)));
    assert_eq!((halted.await, next.await), (Ok(0), Ok(3)));
}

/// Without the rule for workers, the worker would be restarted for ever.
#[tokio::test(start_paused = true)]
async fn a_worker_that_cannot_start_is_made_anew_when_its_turn_comes() {
    let sys = System::new();
    let failures = failures(&sys);
    let mut made = 0;
    let pool = sys.spawn(Pool::round_robin(1, move |place| {
        made += 1;
        Weak {
            place,
            fails_to_start: made == 2 || made == 3,
        }
    }));
    let (bad, behind) = (pool.ask(Job(1)), pool.ask(Job(2)));
    assert_eq!(bad.await, Err(AskError::Failed));
    assert_eq!(behind.await, Err(AskError::Stopped));
    idle().await;
    failures.expect([
        "assertion `left != right` failed: a bad job\n  left: 1\n right: 1",
        "it can't start",
    ]);
    assert_eq!(pool.ask(Job(3)).await, Err(AskError::Stopped));
    failures.expect(["it can't start"]);
    assert_eq!(pool.ask(Job(3)).await, Ok(3));
    failures.expect::<&str>([]);
}

#[tokio::test(start_paused = true)]
async fn a_pool_goes_on_when_nobody_refers_to_it() {
    let sys = System::new();
    let pool = sys.spawn(Pool::round_robin(2, weak));
    let (weak, answers) = (pool.downgrade(), [3, 6].map(|job| pool.ask(Job(job))));
    drop(pool);
    for (answer, job) in answers.into_iter().zip([3, 6]) {
        assert_eq!(answer.await, Ok(job));
    }
    idle().await;
    let pool = weak.upgrade().expect("it is alive");
    assert_eq!(pool.ask(Job(9)).await, Ok(9));
}
