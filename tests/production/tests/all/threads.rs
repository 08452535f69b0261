//! Actors that block: their handlers run on threads of their own, and other actors are not delayed.

use std::pin::Pin;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::task::Poll;
use std::thread::{self, ThreadId};
use std::time::Duration;

use crate::support::{Halt, Journal, idle, poll};
use actor_core::prelude::*;

#[derive(Debug)]
struct Wait;
#[derive(Debug)]
struct WhereAreYou;
#[derive(Debug)]
struct Nap;

struct Blocker {
    go: Receiver<()>,
    journal: Journal,
}

#[actor]
impl Blocker {
    #[on]
    fn wait(&mut self, _: Wait) -> bool {
        self.go.recv().is_ok()
    }

    #[on]
    fn where_are_you(&mut self, _: WhereAreYou) -> (ThreadId, Option<String>) {
        let thread = thread::current();
        (thread.id(), thread.name().map(str::to_owned))
    }

    #[on]
    async fn nap(&mut self, _: Nap, cx: &mut Context<Self>) {
        cx.sleep(Duration::from_millis(1)).await;
    }

    #[on]
    fn halt(&mut self, _: Halt, cx: &mut Context<Self>) {
        cx.halt();
    }

    #[stop]
    fn stop(&mut self) {
        self.journal.note("stopped");
    }
}

fn blocker() -> (Blocker, Sender<()>, Journal) {
    let ((sender, go), journal) = (channel(), Journal::new());
    let blocker = Blocker {
        go,
        journal: journal.clone(),
    };
    (blocker, sender, journal)
}

/// The runtime has one thread, which is free while the actor blocks.
#[tokio::test]
async fn a_blocking_actor_leaves_the_runtime_free() {
    let sys = System::new();
    let (blocker, go, journal) = blocker();
    let blocker = sys.spawner().blocking().spawn(blocker);
    blocks(&blocker, go).await;
    sys.shutdown().await.unwrap();
    journal.expect(["stopped"]);
}

#[tokio::test]
async fn an_actor_has_a_thread_of_its_own() {
    let sys = System::new();
    let (blocker, go, journal) = blocker();
    let blocker = sys.spawner().name("diver").thread().spawn(blocker);
    let first = blocks(&blocker, go).await;
    assert_eq!(first.1.as_deref(), Some("diver"));
    assert_eq!(blocker.ask(WhereAreYou).await, Ok(first));
    blocker.tell(Halt);
    assert_eq!(blocker.ask(Wait).await, Err(AskError::Stopped));
    journal.expect(["stopped"]);
}

/// Asserts that an actor blocks on another thread, and can sleep; returns its thread.
async fn blocks(blocker: &ActorRef<Blocker>, go: Sender<()>) -> (ThreadId, Option<String>) {
    let waits = blocker.ask(Wait);
    go.send(()).unwrap();
    assert_eq!(waits.await, Ok(true));
    let thread = blocker.ask(WhereAreYou).await.unwrap();
    assert_ne!(thread.0, thread::current().id());
    assert_eq!(blocker.ask(Nap).await, Ok(()));
    thread
}

/// Sends the thread on which it is dropped.
struct Dropped(tokio::sync::mpsc::UnboundedSender<ThreadId>);

impl Drop for Dropped {
    fn drop(&mut self) {
        let _ = self.0.send(thread::current().id());
    }
}

struct Idle {
    _dropped: Dropped,
}

#[actor]
impl Idle {
    #[on]
    fn where_are_you(&mut self, _: WhereAreYou) {}
}

#[tokio::test]
async fn an_aborted_system_drops_them() {
    for thread in [false, true] {
        let sys = System::new();
        let (sender, mut dropped) = tokio::sync::mpsc::unbounded_channel();
        let actor = Idle {
            _dropped: Dropped(sender),
        };
        let spawner = match thread {
            true => sys.spawner().thread(),
            false => sys.spawner().blocking(),
        };
        let actor = spawner.spawn(actor);
        assert_eq!(actor.ask(WhereAreYou).await, Ok(()));
        idle().await;
        drop(sys);
        assert!(dropped.recv().await.is_some());
        assert_eq!(actor.ask(WhereAreYou).await, Err(AskError::Stopped));
    }
}

/// Creates a runtime with that many worker threads; with zero, a current-thread runtime.
fn runtime(workers: usize) -> tokio::runtime::Runtime {
    let mut builder = match workers {
        0 => tokio::runtime::Builder::new_current_thread(),
        _ => tokio::runtime::Builder::new_multi_thread(),
    };
    builder.worker_threads(1).enable_all().build().unwrap()
}

#[test]
fn a_limit_ends_with_the_runtime_whose_clock_it_reads() {
    for workers in [0, 1] {
        for by_system in [false, true] {
            let runtime = runtime(workers);
            let (sys, go, unlimited, mut asked, mut late) = runtime.block_on(async {
                let sys = System::new();
                let (blocker, go, _) = blocker();
                let blocker = sys.spawner().thread().spawn(blocker);
                let unlimited = blocker.ask(Wait).without_limit();
                let hour = Duration::from_secs(3_600);
                let ask = || -> Pin<Box<dyn Future<Output = Result<bool, AskError>>>> {
                    match by_system {
                        true => Box::pin(blocker.ask(Wait)),
                        false => Box::pin(blocker.ask(Wait).timeout(hour)),
                    }
                };
                if by_system {
                    sys.ask_limit(hour);
                }
                (sys, go, unlimited, ask(), ask())
            });
            assert_eq!(poll(&mut asked), Poll::Pending);
            drop(runtime);
            // The asks are awaited before the end of the runtime, and after it.
            assert_eq!(poll(&mut asked), Poll::Ready(Err(AskError::TimedOut)));
            assert_eq!(poll(&mut late), Poll::Ready(Err(AskError::TimedOut)));
            // The handler continues, and an asker without a time limit gets the reply.
            go.send(()).unwrap();
            assert_eq!(actor_core::task::block_on(unlimited), Ok(true));
            drop(sys);
        }
    }
}

#[test]
fn a_shutdown_ends_with_the_runtime_whose_clock_it_reads() {
    let runtime = runtime(1);
    let (sys, go) = runtime.block_on(async {
        let sys = System::new();
        let (blocker, go, _) = blocker();
        sys.spawner().thread().spawn(blocker).tell(Wait);
        (sys, go)
    });
    let mut end = Box::pin(sys.shutdown());
    assert!(poll(&mut end).is_pending());
    drop(runtime);
    let Poll::Ready(Err(error)) = poll(&mut end) else {
        panic!("the handler still blocks");
    };
    assert!(error.to_string().contains("Blocker"), "{error}");
    drop(go);
}
