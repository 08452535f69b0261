//! Work stealing: other workers take over the actors that a blocked worker has queued. Failures hang.
#![allow(missing_docs)]

use std::future::{Future, ready};
use std::pin::pin;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, Barrier};
use std::time::{Duration, Instant};

use actor_core::prelude::*;
use tokio::runtime::Handle;
use tokio::task::{block_in_place, yield_now};
use tokio::time::timeout;

#[derive(Debug)]
struct Rouse(Vec<ActorRef<Worker>>);
#[derive(Debug)]
struct RouseOne(ActorRef<Worker>);
#[derive(Debug)]
struct Ring(Sender<()>);
#[derive(Debug)]
struct Meet(Arc<Barrier>);

struct Worker;

#[actor]
impl Worker {
    /// Lets others ring, and blocks its thread until all but one have: the last may need the thread.
    #[on]
    fn rouse(&mut self, rouse: Rouse) -> usize {
        let (ring, rung) = channel();
        for worker in &rouse.0 {
            worker.tell(Ring(ring.clone()));
        }
        rung.iter().take(rouse.0.len() - 1).count()
    }

    /// Lets one other actor ring, and blocks its thread until it has.
    #[on]
    fn rouse_one(&mut self, rouse: RouseOne) -> bool {
        let (ring, rung) = channel();
        rouse.0.tell(Ring(ring));
        rung.recv().is_ok()
    }

    #[on]
    fn ring(&mut self, ring: Ring) {
        // Nobody receives the last ring.
        let _ = ring.0.send(());
    }

    /// Blocks its thread until that many others block theirs.
    #[on]
    fn meet(&mut self, meet: Meet) {
        meet.0.wait();
    }
}

/// Awaits a future in a program that has other work. Tokio passes a task that any thread may run to one
/// thread, and does not notify the others. If that thread is blocked, another one finds the task when it next
/// looks for work, as a timer makes it do here.
async fn busily<T>(future: impl Future<Output = T>) -> T {
    let mut future = pin!(future);
    loop {
        if let Ok(done) = timeout(Duration::from_millis(5), &mut future).await {
            return done;
        }
        tokio::spawn(ready(()));
    }
}

fn workers(sys: &System, count: usize) -> Vec<ActorRef<Worker>> {
    (0..count).map(|_| sys.spawn(Worker)).collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn what_a_blocked_worker_has_queued_runs_elsewhere() {
    let sys = System::new();
    let first = sys.spawn(Worker);
    for round in 0..500 {
        let others = workers(&sys, 2 + round % 7);
        if round % 2 == 0 {
            // The others are idle in their mailboxes; in the other rounds they are new.
            yield_now().await;
        }
        let count = others.len();
        assert_eq!(busily(first.ask(Rouse(others))).await, Ok(count - 1));
    }
    sys.shutdown().await.unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn every_thread_runs_actors_at_a_time() {
    let sys = System::new();
    for _ in 0..200 {
        let workers = workers(&sys, 4);
        let barrier = Arc::new(Barrier::new(4));
        for worker in &workers {
            worker.tell(Meet(barrier.clone()));
        }
        // A worker that shares its thread with this task would delay only the await.
        for worker in &workers {
            worker.stop();
        }
        busily(async {
            while sys.as_live().unwrap().actor_count() > 0 {
                yield_now().await;
            }
        })
        .await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 3)]
async fn who_is_told_from_outside_does_not_wait_for_who_is_blocked() {
    let sys = System::new();
    let [blocked, other] = [sys.spawn(Worker), sys.spawn(Worker)];
    for _ in 0..500 {
        let barrier = Arc::new(Barrier::new(2));
        blocked.tell(Meet(barrier.clone()));
        let others = workers(&sys, 3);
        assert_eq!(busily(other.ask(Rouse(others))).await, Ok(2));
        let met = busily(sys.spawn(Worker).ask(Meet(barrier))).await;
        assert_eq!(met, Ok(()));
    }
    sys.shutdown().await.unwrap();
}

#[derive(Debug)]
struct Depth;

/// Blocks in its handler until the next one has replied.
struct Blocks {
    next: Option<ActorRef<Blocks>>,
}

#[actor]
impl Blocks {
    #[on]
    fn depth(&mut self, _: Depth) -> u32 {
        let Some(next) = &self.next else {
            return 1;
        };
        let answer = block_in_place(|| Handle::current().block_on(next.ask(Depth)));
        1 + answer.unwrap_or_default()
    }
}

/// Runs more blocking actors than there are workers.
async fn depth(actors: u32) -> u32 {
    let sys = System::new();
    let mut next = None;
    for _ in 0..actors {
        next = Some(sys.spawn(Blocks { next }));
    }
    let deep = next.unwrap().ask(Depth).await.unwrap();
    sys.shutdown().await.unwrap();
    deep
}

#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn the_only_worker_may_block_in_place() {
    assert_eq!(depth(10).await, 10);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn all_workers_may_block_in_place() {
    for _ in 0..5 {
        assert_eq!(depth(20).await, 20);
    }
}

/// The other workers are not woken for the actor, since it is only one, and they sleep.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn one_that_a_blocked_worker_has_roused_runs_elsewhere() {
    let sys = System::new();
    let (blocker, worker) = (sys.spawn(Worker), sys.spawn(Worker));
    for _ in 0..20 {
        let rouse = RouseOne(worker.clone());
        assert_eq!(busily(blocker.ask(rouse)).await, Ok(true));
    }
    sys.shutdown().await.unwrap();
}

#[derive(Debug)]
struct Spin(Duration);
#[derive(Debug)]
struct Spun;

/// Keeps its thread for the given time at least.
#[derive(Default)]
struct Hot(Arc<AtomicU32>);

#[actor]
impl Hot {
    #[on]
    fn spin(&mut self, spin: Spin) {
        let begun = Instant::now();
        while begun.elapsed() < spin.0 {
            std::hint::spin_loop();
        }
        self.0.fetch_add(1, Ordering::Relaxed);
    }

    #[on]
    fn spun(&mut self, _: Spun) -> u32 {
        self.0.load(Ordering::Relaxed)
    }
}

/// The test counts slow events instead of measuring time, since each takes as long as the sleep.
#[tokio::test(flavor = "current_thread")]
async fn slow_handlers_hold_up_neither_timers_nor_others() {
    const SLOW: u32 = 300;
    let sys = System::new();
    let handled = Arc::new(AtomicU32::new(0));
    let (hot, idle) = (sys.spawn(Hot(handled.clone())), sys.spawn(Hot::default()));
    for _ in 0..SLOW {
        hot.tell(Spin(Duration::from_millis(1)));
    }
    for _ in 0..10 {
        let before = handled.load(Ordering::Relaxed);
        tokio::time::sleep(Duration::from_millis(1)).await;
        let slept = handled.load(Ordering::Relaxed);
        assert!(slept - before <= 8, "{before} to {slept}");
        assert_eq!(idle.ask(Spun).await, Ok(0));
        let asked = handled.load(Ordering::Relaxed);
        assert!(asked - slept <= 4, "{slept} to {asked}");
    }
    assert!(handled.load(Ordering::Relaxed) < SLOW);
    hot.kill();
    sys.shutdown().await.unwrap();
}

/// The worker reads the clock after 32 quick events, or after each event once two reads show slow ones.
#[tokio::test(flavor = "current_thread")]
async fn handlers_that_turn_slow_hold_up_others_once() {
    let handled = Arc::new(AtomicU32::new(0));
    let counted = handled.clone();
    let run = tokio::spawn(async move {
        let sys = System::new();
        let (hot, idle) = (sys.spawn(Hot(counted.clone())), sys.spawn(Hot::default()));
        for _ in 0..1_000 {
            hot.tell(Spin(Duration::ZERO));
        }
        hot.ask(Spun).await.unwrap();
        for _ in 0..300 {
            hot.tell(Spin(Duration::from_millis(1)));
        }
        for most in [72, 4, 4, 4, 4, 4, 4, 4, 4, 4] {
            let before = counted.load(Ordering::Relaxed);
            assert_eq!(idle.ask(Spun).await, Ok(0));
            let after = counted.load(Ordering::Relaxed);
            assert!(after - before <= most, "{before} to {after}");
        }
        hot.kill();
        sys.shutdown().await.unwrap();
    });
    run.await.unwrap();
    assert!(handled.load(Ordering::Relaxed) < 1_200);
}
