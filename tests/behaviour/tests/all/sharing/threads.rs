//! Threads with shared memory: exact counts, and bugs.

use std::sync::Arc;
use std::time::Duration;

use actor_core::sync::RaceCell;
use actor_core::sync::blocking::atomic::{AtomicBool, AtomicPtr, AtomicU32, Ordering, fence};
use actor_core::sync::blocking::{Barrier, Condvar, Mutex, Once, OnceLock, RwLock, mpsc};
use actor_core::thread;
use actor_core::{Scope, System};
use actor_test::faults::{FaultBudgets, FaultKind};
use actor_test::{BugKind, Report, Tester};
use behaviour::closures::handles;
use behaviour::harness::events::Go;
use behaviour::harness::{all, exhaust, first_bug, outcomes, strategy, whole};

use super::{SEARCHES, binomial, clean, expect_bug};

/// The body takes its first step, in which it spawns, and a flush. Then `n` steps of the thread,
/// the first of which runs up to its first access, interleave with `m` steps of the body.
#[test]
fn two_threads_have_as_many_executions_as_there_are_interleavings() {
    for (n, m) in [(1, 1), (2, 2), (3, 2), (3, 4), (5, 5), (2, 7)] {
        let report = all(move |_| {
            let shared = Arc::new(AtomicU32::new(0));
            let own = shared.clone();
            drop(thread::spawn(move || {
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

#[test]
fn a_lost_update_is_found() {
    let program = |_: System| {
        let count = Arc::new(AtomicU32::new(0));
        let threads: Vec<_> = (0..2)
            .map(|_| {
                let count = count.clone();
                thread::spawn(move || {
                    let seen = count.load(Ordering::SeqCst);
                    count.store(seen + 1, Ordering::SeqCst);
                })
            })
            .collect();
        for thread in threads {
            thread.join().expect("it ends");
        }
        assert_eq!(count.load(Ordering::SeqCst), 2, "an update is lost");
    };
    expect_bug(BugKind::Panic, &["an update is lost"], program);
}

#[test]
fn who_waits_for_which_lock_that_who_holds_is_said() {
    expect_bug(
        BugKind::Deadlock,
        &[
            "`thread#1` awaits the Mutex of ",
            "threads.rs:",
            ", which `thread#2` holds",
        ],
        |_| {
            let (a, b) = (Arc::new(Mutex::new(())), Arc::new(Mutex::new(())));
            let (c, d) = (a.clone(), b.clone());
            let one = thread::spawn(move || {
                let _a = a.lock();
                let _b = b.lock();
            });
            let other = thread::spawn(move || {
                let _d = d.lock();
                let _c = c.lock();
            });
            one.join().expect("it ends");
            other.join().expect("it ends");
        },
    );
}

#[test]
fn two_accesses_in_no_order_are_a_race() {
    let racy = |order: Ordering| {
        move |_: System| {
            let ready = Arc::new((AtomicBool::new(false), RaceCell::new(0)));
            let own = ready.clone();
            let thread = thread::spawn(move || {
                own.1.set(7);
                own.0.store(true, order);
            });
            if ready.0.load(Ordering::Acquire) {
                assert_eq!(ready.1.get(), 7);
            }
            thread.join().expect("it ends");
            assert_eq!(ready.1.get(), 7);
        }
    };
    clean(racy(Ordering::Release));
    let report = Tester::new().iterations(2_000).run(racy(Ordering::Relaxed));
    let (kind, message) = first_bug(&report);
    assert_eq!(kind, BugKind::DataRace);
    assert_eq!(message.matches("threads.rs:").count(), 3, "{message}");
}

#[test]
fn fences_order_what_relaxed_atomics_do_not() {
    /// Publishes a value by a flag; with fences of the writer and of the reader, or without.
    fn handed(fences: [bool; 2], store: Ordering, load: Ordering) -> impl Fn(System) + Sync + Copy {
        move |_: System| {
            let ready = Arc::new((AtomicBool::new(false), RaceCell::new(0)));
            let own = ready.clone();
            thread::spawn(move || {
                own.1.set(7);
                if fences[0] {
                    fence(Ordering::Release);
                }
                own.0.store(true, store);
            });
            if ready.0.load(load) {
                if fences[1] {
                    fence(Ordering::Acquire);
                }
                assert_eq!(ready.1.get(), 7);
            }
        }
    }
    use Ordering::{Acquire, Relaxed, Release};
    clean(handed([true, true], Relaxed, Relaxed));
    clean(handed([true, false], Relaxed, Acquire));
    clean(handed([false, true], Release, Relaxed));
    for racy in [
        handed([true, false], Relaxed, Relaxed),
        handed([false, true], Relaxed, Relaxed),
        handed([false, false], Release, Relaxed),
    ] {
        expect_bug(BugKind::DataRace, &[], racy);
    }
    // A fence does not order later accesses.
    expect_bug(BugKind::DataRace, &[], |_: System| {
        let ready = Arc::new((AtomicBool::new(false), RaceCell::new(0)));
        let own = ready.clone();
        thread::spawn(move || {
            fence(Ordering::SeqCst);
            own.1.set(7);
            own.0.store(true, Relaxed);
        });
        if ready.0.load(Acquire) {
            ready.1.get();
        }
    });
}

#[test]
fn a_pointer_is_swapped_as_a_whole_and_an_update_is_tried_again() {
    let (mut one, mut two) = (1, 2);
    let ends = [&raw mut one as usize, &raw mut two as usize];
    clean(move |_: System| {
        let [one, two] = ends.map(|end| end as *mut i32);
        let pointer = Arc::new(AtomicPtr::new(one));
        let own = pointer.clone();
        let to = ends[1];
        let thread = thread::spawn(move || own.swap(to as *mut i32, Ordering::AcqRel) as usize);
        let seen = pointer.load(Ordering::Acquire);
        assert!(seen == one || seen == two);
        assert_eq!(thread.join().expect("it ends"), one as usize);
        assert_eq!(pointer.load(Ordering::Acquire), two);
    });
    clean(|_: System| {
        let sum = Arc::new(AtomicU32::new(0));
        let add = || {
            let sum = sum.clone();
            thread::spawn(move || {
                let more = |seen: u32| (seen < 10).then_some(2 * seen + 1);
                sum.fetch_update(Ordering::SeqCst, Ordering::SeqCst, more)
            })
        };
        let (one, two) = (add(), add());
        let mut before = [one.join(), two.join()].map(|done| done.expect("it ends"));
        before.sort();
        assert_eq!(before, [Ok(0), Ok(1)]);
        assert_eq!(sum.load(Ordering::SeqCst), 3);
        let none = sum.fetch_update(Ordering::SeqCst, Ordering::SeqCst, |_| None);
        assert_eq!(none, Err(3));
    });
}

/// A spin-loop hint yields, as `yield_now` does.
#[test]
fn a_thread_that_spins_is_found_and_one_that_yields_is_not() {
    let waits = |round: fn()| {
        move |_: System| {
            let flag = Arc::new(AtomicBool::new(false));
            let own = flag.clone();
            let thread = thread::spawn(move || {
                while !own.load(Ordering::SeqCst) {
                    round();
                }
            });
            flag.store(true, Ordering::SeqCst);
            thread.join().expect("it ends");
        }
    };
    clean(waits(thread::yield_now));
    clean(waits(actor_core::hint::spin_loop));
    expect_bug(BugKind::Spin, &["`thread#1` spins at "], waits(|| {}));
}

#[test]
fn a_condition_is_waited_for() {
    clean(|_| {
        let (queue, filled) = (Mutex::new(Vec::new()), Condvar::new());
        let shared = Arc::new((queue, filled));
        let own = shared.clone();
        let taker = thread::spawn(move || {
            let queue = own.0.lock().expect("nobody panics");
            let mut queue = own
                .1
                .wait_while(queue, |queue| queue.is_empty())
                .expect("nobody panics");
            queue.pop()
        });
        shared.0.lock().expect("nobody panics").push(7);
        shared.1.notify_one();
        assert_eq!(taker.join().expect("it ends"), Some(7));
    });
}

/// The flag is checked before the lock is taken: the notification may come in between.
#[test]
fn a_lost_wake_up_is_a_deadlock() {
    expect_bug(BugKind::Deadlock, &["awaits the Condvar of "], |_| {
        let shared = Arc::new((AtomicBool::new(false), Mutex::new(()), Condvar::new()));
        let own = shared.clone();
        let waits = thread::spawn(move || {
            if !own.0.load(Ordering::SeqCst) {
                let guard = own.1.lock().expect("nobody panics");
                drop(own.2.wait(guard));
            }
        });
        shared.0.store(true, Ordering::SeqCst);
        shared.2.notify_one();
        waits.join().expect("it ends");
    });
}

#[test]
fn time_is_virtual() {
    clean(|_| {
        let shared = Arc::new((Mutex::new(()), Condvar::new()));
        let guard = shared.0.lock().expect("nobody panics");
        let day = Duration::from_secs(86_400);
        let (_guard, result) = shared.1.wait_timeout(guard, day).expect("nobody panics");
        assert!(result.timed_out());
        thread::sleep(day);
    });
}

#[test]
fn every_type_works_among_threads() {
    static ONCE: Once = Once::new();
    clean(|_| {
        let both = Arc::new(Barrier::new(2));
        let made = Arc::new((OnceLock::new(), RwLock::new(0)));
        let (send, receive) = mpsc::sync_channel(0);
        let threads: Vec<_> = (0..2_u32)
            .map(|own| {
                let (both, made, send) = (both.clone(), made.clone(), send.clone());
                thread::spawn(move || {
                    let leads = both.wait().is_leader();
                    let first = *made.0.get_or_init(|| own);
                    *made.1.write().expect("nobody panics") += 1;
                    assert!(*made.1.read().expect("nobody panics") > 0);
                    ONCE.call_once(|| send.send(first).expect("it is received"));
                    leads
                })
            })
            .collect();
        drop(send);
        let first = receive.recv().expect("it is sent");
        assert_eq!(made.0.get(), Some(&first));
        assert!(receive.recv().is_err());
        let leaders = threads
            .into_iter()
            .map(|thread| thread.join().expect("it ends"));
        assert_eq!(leaders.filter(|leads| *leads).count(), 1);
        assert_eq!(*made.1.read().expect("nobody panics"), 2);
    });
}

/// At the end a thread is unwound, and its destructor waits for a
/// lock that a suspended thread holds: that thread is unwound first.
#[test]
fn a_destructor_gets_its_lock_at_the_end() {
    struct Counts(Arc<Mutex<u32>>);
    impl Drop for Counts {
        fn drop(&mut self) {
            match self.0.lock() {
                Ok(mut count) => *count += 1,
                Err(poisoned) => *poisoned.into_inner() += 1,
            }
        }
    }
    expect_bug(BugKind::Deadlock, &["`test` awaits the Parker of "], |_| {
        let count = Arc::new(Mutex::new(0));
        let never = Arc::new(Mutex::new(0));
        let (own, held) = (count.clone(), never.clone());
        let _guard = never.lock();
        drop(thread::spawn(move || {
            let _counts = Counts(own);
            drop(held.lock());
        }));
        let holds = count.lock();
        // Waits for ever: nobody unparks the thread.
        thread::park();
        drop(holds);
    });
}

#[test]
fn a_panic_of_a_supervised_test_is_told_to_who_joins() {
    let program = |_: System| {
        let panics = thread::spawn(|| -> u32 { panic!("it fails") });
        let payload = panics.join().expect_err("it panics");
        assert_eq!(payload.downcast_ref::<&str>(), Some(&"it fails"));
    };
    let report = Tester::new().iterations(2_000).run(program);
    assert_eq!(
        first_bug(&report),
        (BugKind::Panic, "`thread#1` panicked: it fails")
    );
    let tester = Tester::new().iterations(50).supervised(true);
    tester.run(program).assert_clean();
}

/// A body that needs a stack is started again: its choices
/// are the same, and earlier spawns do not happen twice.
#[test]
fn a_body_that_is_begun_again_does_the_same() {
    let chosen = |spawns: bool| {
        let seen = std::sync::Mutex::new(Vec::new());
        let report = Tester::new().iterations(40).workers(1).run(|sys| {
            let chosen = sys.choose(1_000);
            handles(&sys, |_: Go, _| {}).tell(Go);
            if spawns {
                drop(thread::spawn(|| {}));
            }
            seen.lock().expect("nobody panics").push(chosen);
        });
        report.assert_clean();
        seen.into_inner().expect("nobody panics")
    };
    // In both programs, the choice of the first execution is the first draw.
    assert_eq!(chosen(false)[0], chosen(true)[0]);
}

#[test]
fn a_handler_that_would_block_is_told_so() {
    expect_bug(
        BugKind::Hang,
        &[
            "`Handles` blocks on the Mutex of ",
            "which `test` holds",
            "needs a stack of its own",
        ],
        |sys| {
            let lock = Arc::new(Mutex::new(0));
            let own = lock.clone();
            handles(&sys, move |_: Go, _| drop(own.lock())).tell(Go);
            let held = lock.lock();
            thread::yield_now();
            drop(held);
        },
    );
}

/// A thread reads, and reads again while it still holds the lock.
fn reads_twice(again: bool) {
    let lock = Arc::new(RwLock::new(1));
    let other = lock.clone();
    let writer = thread::spawn(move || *other.write().unwrap() += 1);
    let outer = lock.read().unwrap();
    let inner = again.then(|| *lock.read().unwrap());
    assert_eq!(inner.unwrap_or(*outer), *outer);
    drop(outer);
    writer.join().unwrap();
}

fn searched(search: &str, faults: FaultBudgets, program: impl Fn() + Sync) -> Report {
    let tester = Tester::new().iterations(20_000).strategy(strategy(search));
    tester.faults(faults).run(|_| program())
}

#[test]
fn who_reads_again_while_a_writer_waits_waits_for_ever() {
    let part = "which it itself holds, behind `thread#1`, which waits to hold it alone";
    expect_bug(BugKind::Deadlock, &[part], |_| reads_twice(true));
    all(|_| reads_twice(false));
    for search in SEARCHES {
        let report = searched(search, FaultBudgets::none(), || reads_twice(true));
        assert!(!report.is_clean(), "{search}");
        let report = searched(search, FaultBudgets::none(), || reads_twice(false));
        report.assert_clean();
    }
}

/// The result of `try_read` while one thread reads and another may wait to write.
#[test]
fn who_tries_to_read_goes_past_no_writer_that_waits() {
    let (_, seen) = outcomes(&whole("dfs"), |_| async {
        let lock = Arc::new(RwLock::new(1));
        let other = lock.clone();
        let outer = lock.read().unwrap();
        let writer = thread::spawn(move || *other.write().unwrap() += 1);
        let tried = (lock.try_read().is_ok(), lock.try_read().is_ok());
        drop(outer);
        writer.join().unwrap();
        tried
    });
    assert_eq!(seen, [(false, false), (true, false), (true, true)]);
}

/// Waiting writers precede readers, but the readers get their turn.
#[test]
fn readers_go_on_when_no_writer_waits() {
    all(|_| {
        let lock = Arc::new(RwLock::new(0));
        let writers = [1, 2].map(|by| {
            let lock = lock.clone();
            thread::spawn(move || *lock.write().unwrap() += by)
        });
        assert!(*lock.read().unwrap() <= 3);
        for writer in writers {
            writer.join().unwrap();
        }
        assert_eq!(*lock.read().unwrap(), 3);
    });
}

fn parks(again: bool) {
    let flag = Arc::new(AtomicBool::new(false));
    let seen = flag.clone();
    let parked = thread::spawn(move || {
        thread::park();
        while again && !seen.load(Ordering::SeqCst) {
            thread::park();
        }
        assert!(seen.load(Ordering::SeqCst));
    });
    flag.store(true, Ordering::SeqCst);
    parked.thread().unpark();
    parked.join().unwrap();
}

fn parks_for(limit: Duration, again: bool) {
    let flag = Arc::new(AtomicBool::new(false));
    let seen = flag.clone();
    let parked = thread::spawn(move || {
        thread::park_timeout(limit);
        if again && !seen.load(Ordering::SeqCst) {
            thread::park_timeout(limit);
        }
        seen.load(Ordering::SeqCst)
    });
    flag.store(true, Ordering::SeqCst);
    parked.thread().unpark();
    parked.join().unwrap();
}

fn waits(again: bool, limit: Option<Duration>) {
    let pair = Arc::new((Mutex::new(false), Condvar::new()));
    let other = pair.clone();
    let waiter = thread::spawn(move || {
        let (lock, changed) = &*other;
        let guard = lock.lock().unwrap();
        let guard = match (again, limit) {
            (true, None) => changed.wait_while(guard, |is_set| !*is_set).unwrap(),
            (true, Some(limit)) => {
                let waited = changed.wait_timeout_while(guard, limit, |is_set| !*is_set);
                waited.unwrap().0
            }
            (false, _) if *guard => guard,
            (false, None) => changed.wait(guard).unwrap(),
            (false, Some(limit)) => {
                let (guard, result) = changed.wait_timeout(guard, limit).unwrap();
                assert!(*guard || result.timed_out());
                return;
            }
        };
        assert!(*guard || limit.is_some());
    });
    *pair.0.lock().unwrap() = true;
    pair.1.notify_one();
    waiter.join().unwrap();
}

#[test]
fn a_wait_ends_for_no_reason_where_a_test_asks_for_it() {
    let wake = FaultBudgets::none().with(FaultKind::Wake, 1);
    let limit = Duration::from_secs(1);
    let wrong: [fn(); 3] = [
        || parks(false),
        || waits(false, None),
        || waits(false, Some(Duration::from_secs(1))),
    ];
    for program in wrong {
        all(|_| program());
        let report = Tester::new().faults(wake).run(|_| program());
        let bug = report.bugs().first().expect("the wake-up is found");
        assert_eq!(bug.kind(), BugKind::Panic);
        let text = format!("{:?}", bug.trace.story);
        assert!(text.contains("WokenSpuriously"), "{text}");
        for search in SEARCHES {
            let report = searched(search, wake, program);
            assert!(!report.is_clean(), "{search}: {:?}", report.verdict);
        }
    }
    let right: [&(dyn Fn() + Sync); 4] = [
        &|| parks(true),
        &|| parks_for(limit, true),
        &|| waits(true, None),
        &|| waits(true, Some(limit)),
    ];
    for program in right {
        for budget in [1, 2] {
            let wake = FaultBudgets::none().with(FaultKind::Wake, budget);
            exhaust(&whole("dfs").faults(wake), |_| program());
        }
    }
}
