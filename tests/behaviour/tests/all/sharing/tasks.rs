//! Tasks and shared memory: exact counts, bugs, and the lifecycle of a task.

use std::cell::Cell;
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use actor_core::prelude::*;
use actor_core::sync::blocking::atomic::AtomicU32 as Shared;
use actor_core::sync::{
    Barrier, Mutex, Notify, OnceCell, RaceCell, RwLock, Semaphore, broadcast, mpsc, oneshot, watch,
};
use actor_core::task::{self, JoinHandle};
use actor_test::{BugKind, Tester};
use behaviour::closures::handles;
use behaviour::harness::events::Go;
use behaviour::harness::{all, first_bug};

use super::{binomial, clean, expect_bug};

async fn joined<T>(task: JoinHandle<T>) -> T {
    task.await.expect("it is not aborted")
}

/// The same counts as for threads: the first of the task's `n` steps runs up to its first access.
#[test]
fn two_tasks_have_as_many_executions_as_there_are_interleavings() {
    for (n, m) in [(1, 1), (3, 3), (2, 5), (6, 4)] {
        let report = all(move |_| async move {
            let shared = Arc::new(Shared::new(0));
            let own = shared.clone();
            drop(task::spawn(async move {
                for _ in 1..n {
                    own.fetch_add(1, Ordering::SeqCst);
                }
            }));
            for _ in 0..m {
                shared.fetch_add(1, Ordering::SeqCst);
            }
        });
        assert_eq!(report.executions, binomial(n + m, n), "{n} and {m}");
    }
}

/// An async operation in a handler is a step, without a stack of its own.
#[derive(Debug)]
struct Add(u32);

struct Adder {
    sum: Arc<Mutex<u32>>,
    keeps: bool,
}

#[actor]
impl Adder {
    #[on]
    async fn add(&mut self, add: Add) {
        if self.keeps {
            *self.sum.lock().await += add.0;
        } else {
            let seen = *self.sum.lock().await;
            *self.sum.lock().await = seen + add.0;
        }
    }
}

#[test]
fn handlers_share_what_tasks_do() {
    let program = |keeps: bool| {
        move |sys: System| async move {
            let sum = Arc::new(Mutex::new(0));
            let actor = || {
                let sum = sum.clone();
                sys.spawn(Adder { sum, keeps })
            };
            let (one, other) = (actor(), actor());
            let adds = [one.ask(Add(1)), other.ask(Add(2))];
            let own = sum.clone();
            joined(task::spawn(async move { *own.lock().await += 4 })).await;
            for add in adds {
                add.await.expect("it is handled");
            }
            assert_eq!(*sum.lock().await, 7, "an addition is lost");
        }
    };
    clean(program(true));
    expect_bug(BugKind::Panic, &["an addition is lost"], program(false));
}

#[test]
fn who_waits_for_which_lock_that_who_holds_is_said() {
    expect_bug(
        BugKind::Deadlock,
        &[
            "`test` awaits the end of `task#",
            "`task#1` awaits the Mutex of ",
            ", which `task#2` holds",
        ],
        |_| async {
            let (a, b) = (Arc::new(Mutex::new(())), Arc::new(Mutex::new(())));
            let (c, d) = (a.clone(), b.clone());
            let one = task::spawn(async move {
                let _a = a.lock().await;
                drop(b.lock().await);
            });
            let other = task::spawn(async move {
                let _d = d.lock().await;
                drop(c.lock().await);
            });
            joined(one).await;
            joined(other).await;
        },
    );
}

#[test]
fn every_type_works_among_tasks() {
    clean(|_| async {
        let both = Arc::new(Barrier::new(2));
        let (once, list) = (Arc::new(OnceCell::new()), Arc::new(RwLock::new(Vec::new())));
        let (permits, notify) = (Arc::new(Semaphore::new(1)), Arc::new(Notify::new()));
        let (send, mut receive) = mpsc::channel(1);
        let (news, _) = broadcast::channel(4);
        let (value, seen) = watch::channel(0);
        let (done, is_done) = oneshot::channel();
        let tasks: Vec<_> = (0..2)
            .map(|own| {
                let (both, once, list) = (both.clone(), once.clone(), list.clone());
                let (permits, notify, send) = (permits.clone(), notify.clone(), send.clone());
                let (mut news, mut seen) = (news.subscribe(), seen.clone());
                task::spawn(async move {
                    both.wait().await;
                    let first = *once.get_or_init(|| async { own }).await;
                    let permit = permits.acquire_owned().await.expect("it is open");
                    list.write().await.push(own);
                    drop(permit);
                    assert!(list.read().await.contains(&own));
                    send.send(first).await.expect("it is received");
                    // Two notifications at once would be merged into one permit.
                    notify.notified().await;
                    notify.notify_one();
                    assert_eq!(news.recv().await, Ok(9));
                    while *seen.borrow_and_update() != 5 {
                        seen.changed().await.expect("it is changed");
                    }
                    first
                })
            })
            .collect();
        drop(send);
        let first = receive.recv().await.expect("it is sent");
        assert_eq!(receive.recv().await, Some(first));
        notify.notify_one();
        news.send(9).expect("they are there");
        value.send(5).expect("they are there");
        for task in tasks {
            assert_eq!(joined(task).await, first);
        }
        assert_eq!(receive.recv().await, None);
        done.send(()).expect("it is received");
        is_done.await.expect("it is sent");
    });
}

/// A borrowed value is not changed meanwhile, and the tester does not block.
#[test]
fn a_borrowed_value_is_not_changed() {
    clean(|_| async {
        let (value, seen) = watch::channel(0);
        let count = Arc::new(Shared::new(0));
        let own = count.clone();
        let looks = task::spawn(async move {
            let borrowed = seen.borrow();
            let before = own.load(Ordering::SeqCst);
            assert!(*borrowed == 1 || before == 0 || own.load(Ordering::SeqCst) == before);
        });
        value.send_replace(1);
        count.store(1, Ordering::SeqCst);
        joined(looks).await;
    });
}

#[test]
fn a_task_outlives_who_has_spawned_it() {
    let count = Arc::new(AtomicU32::new(0));
    let report = Tester::new().iterations(50).run(|sys| {
        let count = count.clone();
        let spawner = handles(&sys, move |_: Go, cx| {
            let count = count.clone();
            drop(task::spawn(async move {
                task::yield_now().await;
                count.fetch_add(1, Ordering::Relaxed);
            }));
            cx.halt();
        });
        spawner.tell(Go);
    });
    report.assert_clean();
    // Some executions run twice, as a check for nondeterminism.
    assert!(u64::from(count.load(Ordering::Relaxed)) >= report.executions);
}

#[test]
fn who_waits_for_news_may_rest_if_nobody_joins() {
    let program = |joins: bool| {
        move |_: System| async move {
            let (send, mut receive) = mpsc::unbounded_channel::<u32>();
            let takes = task::spawn(async move { while receive.recv().await.is_some() {} });
            send.send(1).expect("it is received");
            std::mem::forget(send);
            match joins {
                true => joined(takes).await,
                false => drop(takes),
            }
        }
    };
    clean(program(false));
    expect_bug(
        BugKind::Deadlock,
        &["`task#1` awaits the mpsc channel of "],
        program(true),
    );
}

#[test]
fn an_aborted_task_ends_where_it_awaits() {
    clean(|_| async {
        let lock = Arc::new(Mutex::new(0));
        let own = lock.clone();
        let never = task::spawn(async move {
            let _held = own.lock().await;
            std::future::pending::<()>().await;
        });
        task::yield_now().await;
        never.abort();
        assert!(never.await.is_err_and(|error| error.is_cancelled()));
        // The aborted task has released the lock.
        *lock.lock().await = 1;
    });
}

#[test]
fn a_panic_is_a_bug_or_part_of_the_story() {
    let program = |_: System| async {
        let panics = task::spawn(async { panic!("it fails") });
        let error = panics.await.expect_err("it panics");
        assert!(error.is_panic());
    };
    let report = Tester::new().iterations(2_000).run(program);
    assert_eq!(
        first_bug(&report),
        (BugKind::Panic, "`task#1` panicked: it fails")
    );
    let report = Tester::new().iterations(50).supervised(true).run(program);
    report.assert_clean();
}

#[test]
fn a_task_has_its_own_thread_locals() {
    actor_core::thread_local! {
        static OWN: Cell<u32> = Cell::new(0);
    }
    clean(|_| async {
        let count = || async {
            for _ in 0..3 {
                OWN.set(OWN.get() + 1);
                task::yield_now().await;
            }
            OWN.get()
        };
        let (one, other) = (task::spawn(count()), task::spawn(count()));
        assert_eq!((joined(one).await, joined(other).await), (3, 3));
        assert_eq!(OWN.get(), 0);
    });
}

#[test]
fn accesses_that_messages_put_in_order_are_no_race() {
    let writer = |sys: &System, cell: &Arc<RaceCell<u32>>| {
        let cell = cell.clone();
        handles(sys, move |add: Add, _| cell.with_mut(|sum| *sum += add.0))
    };
    clean(move |sys| async move {
        let cell = Arc::new(RaceCell::new(0));
        let writer = writer(&sys, &cell);
        let own = cell.clone();
        joined(task::spawn(async move {
            own.set(1);
            writer.tell(Add(1));
        }))
        .await;
    });
    expect_bug(BugKind::DataRace, &[], move |sys| async move {
        let cell = Arc::new(RaceCell::new(0));
        let writer = writer(&sys, &cell);
        joined(task::spawn(async move {
            writer.tell(Add(1));
            cell.set(1);
        }))
        .await;
    });
}

/// Returns the progress of an aborted task, which may yield between its two halves.
async fn half_done_by(yields: bool) -> u32 {
    let done = Arc::new(AtomicU32::new(0));
    let own = done.clone();
    let work = task::spawn(async move {
        own.store(1, Ordering::SeqCst);
        if yields {
            task::yield_now().await;
        }
        own.store(2, Ordering::SeqCst);
    });
    task::yield_now().await;
    work.abort();
    drop(work.await);
    done.load(Ordering::SeqCst)
}

/// Returns the progress of a `select!` branch that yields between its halves, beside a ready branch.
async fn half_done_beside_another(yields: bool) -> u32 {
    let done = Arc::new(AtomicU32::new(0));
    let stop = Arc::new(Notify::new());
    let (own, stopped) = (done.clone(), stop.clone());
    let work = task::spawn(async move {
        let halves = pin!(async {
            own.store(1, Ordering::SeqCst);
            if yields {
                task::yield_now().await;
            }
            own.store(2, Ordering::SeqCst);
        });
        let stopped = pin!(stopped.notified());
        _ = futures_util::future::select(stopped, halves).await;
    });
    stop.notify_one();
    work.await.expect("nobody aborts it");
    done.load(Ordering::SeqCst)
}

/// Asserts that who yields between its halves may be cancelled there, and nobody else.
fn assert_cancelled_where_it_yields<F: Future<Output = u32> + 'static>(done: fn(bool) -> F) {
    let program = |yields| {
        move |_| async move {
            assert_ne!(done(yields).await, 1, "half is done");
        }
    };
    expect_bug(BugKind::Panic, &["half is done"], program(true));
    all(program(false));
}

#[test]
fn a_task_that_yields_may_be_aborted_there() {
    assert_cancelled_where_it_yields(half_done_by);
}

#[test]
fn a_branch_that_yields_may_be_cancelled_there() {
    assert_cancelled_where_it_yields(half_done_beside_another);
}

/// Two branches that yield in one poll count as one yield, and do not wait for a third task.
#[test]
fn branches_that_yield_together_go_on() {
    all(|_| async {
        let work = task::spawn(async {
            let twice = async || {
                task::yield_now().await;
                task::yield_now().await;
            };
            futures_util::future::join(twice(), twice()).await;
        });
        work.await.expect("nobody aborts it");
    });
}

/// The paths are those of tokio, and code that uses them compiles.
#[test]
fn errors_of_channels_have_the_paths_of_tokio() {
    let (send, receive) = mpsc::channel(1);
    drop(receive);
    let closed: Result<(), mpsc::error::TrySendError<u32>> = send.try_send(7);
    assert_eq!(closed, Err(mpsc::error::TrySendError::Closed(7)));
    let (send, mut receive) = oneshot::channel::<u32>();
    drop(send);
    let closed = oneshot::error::TryRecvError::Closed;
    assert_eq!(receive.try_recv(), Err(closed));
    let (send, mut receive) = broadcast::channel::<u32>(1);
    drop(send);
    let closed = broadcast::error::TryRecvError::Closed;
    assert_eq!(receive.try_recv(), Err(closed));
    let (send, receive) = watch::channel(1);
    drop(receive);
    assert_eq!(send.send(7), Err(watch::error::SendError(7)));
}

/// Code that imports only the prelude.
mod by_the_prelude {
    use actor_core::prelude::*;

    fn in_a_list<A: Actor>(actor: &ActorRef<A>) -> Vec<ActorRef<A>> {
        vec![actor.clone()]
    }

    #[test]
    fn generic_code_names_actor() {
        actor_test::Tester::new()
            .iterations(10)
            .run(|sys: System| async move {
                let sum = sys.spawn(super::Adder {
                    sum: std::sync::Arc::default(),
                    keeps: true,
                });
                let list = in_a_list(&sum);
                assert_eq!(list[0].ask(super::Add(1)).await, Ok(()));
            })
            .assert_clean();
    }
}
