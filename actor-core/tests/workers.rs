//! The workers that run actors: what one of them holds up, others take over. A test that fails here
//! hangs.
#![allow(missing_docs)]

use std::future::{Future, ready};
use std::pin::pin;
use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, Barrier};
use std::time::Duration;

use actor_core::prelude::*;
use tokio::task::yield_now;
use tokio::time::timeout;

#[derive(Debug)]
struct Rouse(Vec<ActorRef<Worker>>);
#[derive(Debug)]
struct Ring(Sender<()>);
#[derive(Debug)]
struct Meet(Arc<Barrier>);

struct Worker;

#[actor]
impl Worker {
    /// Has others ring, and keeps its thread until all have but one: who was roused last may have to
    /// wait for the thread.
    #[on]
    fn rouse(&mut self, rouse: Rouse) -> usize {
        let (ring, rung) = channel();
        for worker in &rouse.0 {
            worker.tell(Ring(ring.clone()));
        }
        rung.iter().take(rouse.0.len() - 1).count()
    }

    #[on]
    fn ring(&mut self, ring: Ring) {
        // Nobody listens to the last one.
        let _ = ring.0.send(());
    }

    /// Keeps its thread until so many others keep theirs.
    #[on]
    fn meet(&mut self, meet: Meet) {
        meet.0.wait();
    }
}

/// Awaits in a program that has other things to do. Tokio hands tasks that any thread may run to one of
/// them, and does not tell the others: where that one is blocked, they are found by who comes to look
/// for something new, as a timer makes one do here.
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
            // They wait in their mailboxes before they are told; else they are new.
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
        // One that shares its thread with this task would keep it from being awaited, and nobody else
        // would be kept.
        for worker in &workers {
            sys.stop(worker);
        }
        busily(async {
            while sys.as_live().unwrap().actors() > 0 {
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
