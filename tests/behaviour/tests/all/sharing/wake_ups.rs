//! A wake-up is noticed at whatever moment of a poll it comes: every pair of
//! futures, awaited together in a handler, a task, a thread and a test body.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use actor_core::prelude::*;
use actor_core::sync::{
    Barrier, Mutex, Notify, OnceCell, RwLock, Semaphore, broadcast, mpsc, oneshot, watch,
};
use actor_core::{task, thread};
use actor_test::Tester;
use actor_test::strategy::StrategySpec;
use behaviour::harness::events::Go;
use behaviour::harness::{Journal, contract, in_production};
use futures_channel::oneshot as foreign;
use futures_util::StreamExt as _;
use futures_util::future::{Either, join, select};
use futures_util::stream::FuturesUnordered;

type Awaited = Pin<Box<dyn Future<Output = ()> + Send>>;

/// Takes a step in every execution.
struct Other;

#[actor]
impl Other {
    #[start]
    fn start(&mut self) {}

    #[on]
    fn answer(&mut self, _: Go) {}
}

const MS: Duration = Duration::from_millis(1);

/// A future, and the future that makes it ready.
struct Pair {
    awaited: Awaited,
    brings: Awaited,
}

fn pair(
    awaited: impl Future<Output = ()> + Send + 'static,
    brings: impl Future<Output = ()> + Send + 'static,
) -> Pair {
    Pair {
        awaited: Box::pin(awaited),
        brings: Box::pin(brings),
    }
}

async fn drops<T>(held: T) {
    drop(held);
}

async fn drains<T>(mut receive: mpsc::Receiver<T>) {
    while receive.recv().await.is_some() {}
}

type Make = fn(&System) -> Pair;

/// Each thing that can be awaited, by name.
const THINGS: [(&str, Make); 22] = [
    ("Ask", |sys| {
        let other = sys.spawn(Other);
        let answer = async move { other.ask(Go).await.expect("it answers") };
        pair(answer, async {})
    }),
    ("Sleep", |sys| {
        let sys = sys.clone();
        pair(async move { sys.sleep(MS).await }, async {})
    }),
    ("Started", |sys| {
        let other = sys.spawn(Other);
        let start = async move { other.started().await.expect("it starts") };
        pair(start, async {})
    }),
    ("Stopped", |sys| {
        let other = sys.spawn(Other);
        let awaited = other.clone();
        let end = async move { _ = awaited.stopped().await };
        pair(end, async move { drop(other.stop()) })
    }),
    ("Join", |_| {
        let (send, receive) = oneshot::channel();
        let other = task::spawn(async move { _ = receive.await });
        pair(async move { other.await.expect("it ends") }, async move {
            _ = send.send(())
        })
    }),
    ("Watch", |_| {
        let (send, mut receive) = watch::channel(0);
        pair(
            async move { receive.changed().await.expect("it is sent") },
            async move {
                let _ = send.send(1);
                send.closed().await;
            },
        )
    }),
    ("WatchClosed", |_| {
        let (send, receive) = watch::channel(0);
        pair(async move { send.closed().await }, drops(receive))
    }),
    ("Receive", |_| {
        let (send, mut receive) = mpsc::channel(1);
        pair(
            async move { receive.recv().await.expect("it is sent") },
            async move {
                let _ = send.send(()).await;
                send.closed().await;
            },
        )
    }),
    ("Send", |_| {
        let (send, receive) = mpsc::channel(1);
        send.try_send(()).expect("it has capacity");
        pair(
            async move { send.send(()).await.expect("it is received") },
            drains(receive),
        )
    }),
    ("Reserve", |_| {
        let (send, receive) = mpsc::channel(1);
        send.try_send(()).expect("it has capacity");
        pair(
            async move { drop(send.reserve().await.expect("it is received")) },
            drains(receive),
        )
    }),
    ("MpscClosed", |_| {
        let (send, receive) = mpsc::channel::<()>(1);
        pair(async move { send.closed().await }, drops(receive))
    }),
    ("Oneshot", |_| {
        let (send, receive) = oneshot::channel();
        pair(
            async move { receive.await.expect("it is sent") },
            // The receiver may be dropped.
            async move { _ = send.send(()) },
        )
    }),
    ("OneshotClosed", |_| {
        let (mut send, receive) = oneshot::channel::<()>();
        pair(async move { send.closed().await }, drops(receive))
    }),
    ("Broadcast", |_| {
        let (send, mut receive) = broadcast::channel(1);
        pair(
            async move { receive.recv().await.expect("it is sent") },
            async move { _ = send.send(()) },
        )
    }),
    ("Notify", |_| {
        let notify = Arc::new(Notify::new());
        let own = notify.clone();
        pair(async move { own.notified().await }, async move {
            notify.notify_one()
        })
    }),
    ("Semaphore", |_| {
        let permits = Arc::new(Semaphore::new(0));
        let own = permits.clone();
        pair(
            async move { own.acquire().await.expect("it is open").forget() },
            async move { permits.add_permits(1) },
        )
    }),
    ("Mutex", |_| {
        let lock = Arc::new(Mutex::new(()));
        let held = lock.clone().try_lock_owned().expect("nobody has it");
        pair(async move { drop(lock.lock().await) }, drops(held))
    }),
    ("Read", |_| {
        let lock = Arc::new(RwLock::new(()));
        let held = lock.clone().try_write_owned().expect("nobody has it");
        pair(async move { drop(lock.read().await) }, drops(held))
    }),
    ("Write", |_| {
        let lock = Arc::new(RwLock::new(()));
        let held = lock.clone().try_read_owned().expect("nobody writes");
        pair(async move { drop(lock.write().await) }, drops(held))
    }),
    ("Barrier", |_| {
        let barrier = Arc::new(Barrier::new(2));
        let own = barrier.clone();
        pair(async move { _ = own.wait().await }, async move {
            _ = barrier.wait().await
        })
    }),
    ("Cell", |_| {
        let cell = Arc::new(OnceCell::new());
        let own = cell.clone();
        pair(
            async move { own.get_or_init(async || ()).await.to_owned() },
            async move {
                cell.get_or_init(task::yield_now).await;
            },
        )
    }),
    ("Foreign", |_| {
        let (send, receive) = foreign::channel();
        pair(
            async move { receive.await.expect("it is sent") },
            async move { _ = send.send(()) },
        )
    }),
];

#[derive(Clone, Copy, Debug)]
enum Together {
    /// Awaits the first of two; both become ready.
    Either,
    /// Awaits the first of two; only the first becomes ready.
    First,
    /// Awaits the first of two; only the second becomes ready.
    Second,
    Both,
    Unordered,
}

const TOGETHER: [Together; 5] = [
    Together::Either,
    Together::First,
    Together::Second,
    Together::Both,
    Together::Unordered,
];

/// Two futures awaited together.
struct Two {
    awaited: Awaited,
    brings: Vec<Awaited>,
    /// The other end of a future that never becomes ready: kept, but never run.
    keeps: Option<Awaited>,
}

fn two(sys: &System, things: [Make; 2], how: Together) -> Two {
    let [first, second] = things.map(|make| make(sys));
    let (one, other) = (first.awaited, second.awaited);
    let either = |one, other| async move {
        match select(one, other).await {
            Either::Left(_) | Either::Right(_) => {}
        }
    };
    let awaited: Awaited = match how {
        Together::Either | Together::First | Together::Second => Box::pin(either(one, other)),
        Together::Both => Box::pin(async move {
            let ((), ()) = join(one, other).await;
        }),
        Together::Unordered => Box::pin(async move {
            let mut all: FuturesUnordered<Awaited> = [one, other].into_iter().collect();
            while all.next().await.is_some() {}
        }),
    };
    let (brings, keeps) = match how {
        Together::First => (vec![first.brings], Some(second.brings)),
        Together::Second => (vec![second.brings], Some(first.brings)),
        _ => (vec![first.brings, second.brings], None),
    };
    Two {
        awaited,
        brings,
        keeps,
    }
}

/// Polls a future in its handler, and notes the events that it has handled.
struct Waiter {
    awaited: Option<Awaited>,
    journal: Journal,
}

impl Waiter {
    fn spawn(
        sys: &System,
        awaited: impl Future<Output = ()> + Send + 'static,
        journal: &Journal,
    ) -> ActorRef<Self> {
        sys.spawn(Self {
            awaited: Some(Box::pin(awaited)),
            journal: journal.clone(),
        })
    }
}

#[derive(Debug)]
struct Note(u32);
#[derive(Debug)]
struct CountDown(u32);

#[actor]
impl Waiter {
    #[on]
    async fn wait(&mut self, _: Go) {
        if let Some(awaited) = self.awaited.take() {
            awaited.await;
        }
        self.journal.note("waited");
    }

    #[on]
    fn note(&mut self, note: Note) {
        self.journal.note(format!("note {}", note.0));
    }

    #[on]
    fn count_down(&mut self, left: CountDown, cx: &mut Context<Self>) {
        self.journal.note(format!("{} left", left.0));
        if left.0 > 0 {
            cx.me().tell(CountDown(left.0 - 1));
        }
    }
}

#[test]
fn what_comes_while_an_async_handler_waits_is_handled_after_it() {
    contract(&["waited, note 1"], |sys| async move {
        let journal = Journal::default();
        let (go_on, wait) = oneshot::channel::<()>();
        let waiter = Waiter::spawn(&sys, async { _ = wait.await }, &journal);
        waiter.tell(Go);
        sys.sleep(MS).await;
        waiter.tell(Note(1));
        sys.sleep(MS).await;
        go_on.send(()).expect("it waits");
        waiter.stop().await;
        journal.take().join(", ")
    });
}

/// An actor begins to send to itself at each inbox length: at some length it yields between two events.
#[test]
fn what_comes_when_an_actor_lets_others_run_is_handled() {
    for before in 0..300 {
        let handled = in_production(|sys| async move {
            let journal = Journal::default();
            let waiter = Waiter::spawn(&sys, async {}, &journal);
            for number in 0..before {
                waiter.tell(Note(number));
            }
            waiter.tell(CountDown(5));
            sys.sleep(MS).await;
            journal.take()
        });
        let notes = (0..before).map(|number| format!("note {number}"));
        let counts = (0..=5).rev().map(|left| format!("{left} left"));
        assert!(notes.chain(counts).eq(handled), "{before} notes before");
    }
}

#[derive(Clone, Copy, Debug)]
enum Place {
    Handler,
    Task,
    Thread,
    Body,
}

async fn run(sys: &System, things: [Make; 2], how: Together, place: Place) {
    let two = two(sys, things, how);
    let (awaited, keeps) = (two.awaited, two.keeps);
    let brings: Vec<_> = two.brings.into_iter().map(task::spawn).collect();
    match place {
        Place::Handler => {
            let waiter = Waiter::spawn(sys, awaited, &Journal::default());
            waiter.ask(Go).await.expect("it answers");
        }
        Place::Task => task::spawn(awaited).await.expect("it ends"),
        Place::Thread => {
            let thread = thread::spawn(move || task::block_on(awaited));
            thread.join().expect("it ends");
        }
        Place::Body => awaited.await,
    }
    // The future that it makes ready may already be dropped.
    for brings in brings {
        brings.abort();
    }
    drop(keeps);
}

const EXECUTIONS: u64 = 12;

fn every_pair_in(place: Place) {
    let mut failed = Vec::new();
    for (one, first) in THINGS {
        for (other, second) in THINGS {
            for how in TOGETHER {
                let random = StrategySpec::Random;
                let tester = Tester::new().iterations(EXECUTIONS).strategy(random);
                let report = tester.run(move |sys| async move {
                    run(&sys, [first, second], how, place).await;
                });
                if let Some(bug) = report.bugs().first() {
                    failed.push(format!("{one}, {other}, {how:?}: {}", bug.message()));
                }
            }
        }
    }
    let count = failed.len();
    assert!(failed.is_empty(), "{count}:\n{}", failed.join("\n"));
}

#[test]
fn every_pair_is_awaited_in_a_handler() {
    every_pair_in(Place::Handler);
}

#[test]
fn every_pair_is_awaited_in_a_task() {
    every_pair_in(Place::Task);
}

#[test]
fn every_pair_is_awaited_in_a_thread() {
    every_pair_in(Place::Thread);
}

#[test]
fn every_pair_is_awaited_in_the_test_body() {
    every_pair_in(Place::Body);
}
