//! A production system on a thread pool of the `futures` crate, without a tokio runtime.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread;
use std::time::Duration;

use crate::support::{Break, Wait, live};
use actor_core::mailbox::Mailbox;
use actor_core::prelude::*;
use actor_core::supervision::Backoff;
use actor_core::{Error, StopReason, Terminated};
use futures_executor::{ThreadPool, block_on};

#[derive(Debug)]
struct Add(u64);
#[derive(Debug)]
struct Sum;
#[derive(Clone, Debug)]
struct Tick;
#[derive(Debug)]
struct TickFor(u32);
#[derive(Debug)]
struct Nap;
#[derive(Debug)]
struct Thread;
#[derive(Debug)]
struct Pass(Vec<ActorRef<Worker>>);

struct Worker {
    sum: u64,
    last: u64,
    ticks: u32,
    asked: Option<Reply<u32>>,
    wanted: u32,
    dropped: Arc<AtomicU32>,
}

impl Worker {
    fn new(dropped: &Arc<AtomicU32>) -> Self {
        Self {
            sum: 0,
            last: 0,
            ticks: 0,
            asked: None,
            wanted: 0,
            dropped: dropped.clone(),
        }
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        self.dropped.fetch_add(1, Ordering::SeqCst);
    }
}

#[actor]
impl Worker {
    #[on]
    fn add(&mut self, add: Add) {
        assert!(add.0 > self.last, "in order");
        self.last = add.0;
        self.sum += add.0;
    }

    #[on]
    fn sum(&mut self, _: Sum) -> u64 {
        self.sum
    }

    #[on]
    fn tick_for(&mut self, ticks: TickFor, reply: Reply<u32>, cx: &mut Context<Self>) {
        self.wanted = ticks.0;
        self.asked = Some(reply);
        cx.every(Duration::from_millis(1), Tick);
    }

    #[on]
    fn tick(&mut self, _: Tick) {
        self.ticks += 1;
        if self.ticks == self.wanted
            && let Some(asked) = self.asked.take()
        {
            asked.send(self.ticks);
        }
    }

    #[on]
    fn break_down(&mut self, _: Break) {
        panic!("broken");
    }

    #[on]
    async fn wait(&mut self, _: Wait) {
        std::future::pending::<()>().await;
    }

    #[on]
    async fn nap(&mut self, _: Nap, cx: &mut Context<Self>) {
        cx.sleep(Duration::from_millis(1)).await;
    }

    #[on]
    fn thread(&mut self, _: Thread) -> Option<String> {
        thread::current().name().map(str::to_owned)
    }

    #[on]
    async fn pass(&mut self, mut pass: Pass) -> u64 {
        let Some(next) = pass.0.pop() else {
            return 1;
        };
        1 + next.ask(Pass(pass.0)).await.unwrap()
    }
}

/// Halts when the watched worker has been aborted.
struct Watcher;

#[derive(Debug)]
struct Watch(ActorRef<Worker>);

#[actor]
impl Watcher {
    #[on]
    fn watch(&mut self, watch: Watch, cx: &mut Context<Self>) {
        cx.watch(&watch.0);
    }

    #[on]
    fn terminated(&mut self, terminated: Terminated, cx: &mut Context<Self>) {
        assert_eq!(terminated.reason, StopReason::Aborted);
        cx.halt();
    }
}

fn system() -> (System, Arc<AtomicU32>) {
    let pool = ThreadPool::builder().name_prefix("pool-").create();
    let sys = System::on_pool(pool.expect("a pool starts"));
    live(&sys).on_failure(|_| {});
    (sys, Arc::default())
}

#[test]
fn each_sender_is_heard_in_order() {
    let (sys, dropped) = system();
    let worker = sys.spawn(Worker::new(&dropped));
    for number in 1..=100_000 {
        worker.tell(Add(number));
    }
    assert_eq!(block_on(worker.ask(Sum)), Ok(5_000_050_000));
    block_on(sys.shutdown()).unwrap();
    assert_eq!(dropped.load(Ordering::SeqCst), 1);
}

#[test]
fn a_bounded_mailbox_is_sent_to() {
    let (sys, dropped) = system();
    let spawner = sys.spawner().mailbox(Mailbox::bounded(2));
    let worker = spawner.spawn(Worker::new(&dropped));
    block_on(async {
        for number in 1..=1_000 {
            worker.send(Add(number)).await.unwrap();
        }
        // The event waits in line behind them; an ask that did not wait would be refused.
        while worker.ask(Sum).await != Ok(500_500) {}
    });
}

#[test]
fn actors_ask_each_other() {
    let (sys, dropped) = system();
    let workers: Vec<_> = (0..100).map(|_| sys.spawn(Worker::new(&dropped))).collect();
    let first = workers[0].clone();
    assert_eq!(block_on(first.ask(Pass(workers[1..].to_vec()))), Ok(100));
}

#[test]
fn time_passes_without_a_runtime() {
    let (sys, dropped) = system();
    let worker = sys.spawn(Worker::new(&dropped));
    assert_eq!(block_on(worker.ask(TickFor(3))), Ok(3));
    assert_eq!(block_on(worker.ask(Nap)), Ok(()));
    block_on(sys.sleep(Duration::from_millis(1)));
    let late = worker.ask(Wait).timeout(Duration::from_millis(1));
    assert_eq!(block_on(late), Err(AskError::TimedOut));
}

#[test]
fn a_child_is_brought_back_after_a_while() {
    let (sys, dropped) = system();
    let back_off = Backoff::new(Duration::from_millis(1), Duration::from_millis(2));
    let made = dropped.clone();
    let spawner = sys.spawner().backoff(back_off);
    let worker = spawner.spawn_with(move || Worker::new(&made));
    worker.tell(Add(7));
    for _ in 0..3 {
        worker.tell(Break);
    }
    assert_eq!(block_on(worker.ask(Sum)), Ok(0));
    assert_eq!(dropped.load(Ordering::SeqCst), 3);
}

#[test]
fn who_waits_for_ever_is_stopped_within_a_deadline() {
    let (sys, dropped) = system();
    let worker = sys.spawn(Worker::new(&dropped));
    let watcher = sys.spawn(Watcher);
    assert_eq!(block_on(watcher.ask(Watch(worker.clone()))), Ok(()));
    worker.tell(Wait);
    worker.stop().within(Duration::from_millis(1));
    let (end, heard) = (worker.stopped(), watcher.stopped());
    assert_eq!(block_on(end), StopReason::Aborted);
    assert_eq!(block_on(heard), StopReason::Halted);
}

#[test]
fn a_shutdown_names_who_is_late() {
    let (sys, dropped) = system();
    sys.spawn_named("late", Worker::new(&dropped)).tell(Wait);
    let late = block_on(sys.shutdown_within(Duration::from_millis(1)));
    let expected = Error::ShutdownTimedOut(vec!["late".into()]);
    assert_eq!(late.unwrap_err().to_string(), expected.to_string());
}

#[test]
fn who_blocks_does_so_elsewhere() {
    let (sys, dropped) = system();
    let thread = |spawned: ActorRef<Worker>| block_on(spawned.ask(Thread)).unwrap().unwrap();
    let on_the_pool = thread(sys.spawn(Worker::new(&dropped)));
    assert!(on_the_pool.starts_with("pool-"), "{on_the_pool}");
    let spawner = |name| sys.spawner().name(name);
    let blocks = spawner("blocks").blocking().spawn(Worker::new(&dropped));
    assert_eq!(thread(blocks), "blocks");
    let own = spawner("has its own").thread().spawn(Worker::new(&dropped));
    assert_eq!(thread(own), "has its own");
}

#[test]
fn the_last_handle_aborts_everything() {
    let (sys, dropped) = system();
    let workers: Vec<_> = (0..100).map(|_| sys.spawn(Worker::new(&dropped))).collect();
    drop(sys);
    for worker in &workers {
        while block_on(worker.ask(Sum)).is_ok() {}
    }
    assert_eq!(dropped.load(Ordering::SeqCst), 100);
}
