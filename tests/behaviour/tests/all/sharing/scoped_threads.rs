//! Scoped threads, which borrow from their parent: exact counts, bugs, and the guarantee
//! that they never outlive the borrowed data when an execution is ended early.

use std::io;

use actor_core::sync::blocking::Mutex;
use actor_core::sync::blocking::atomic::{AtomicU32, Ordering};
use actor_core::{Scope, System};
use actor_core::{task, thread};
use actor_test::{BugKind, Tester};
use behaviour::closures::{at_start, starter};
use behaviour::harness::{self, all};

use super::expect_bug;

fn add(count: &AtomicU32, times: u32) {
    for _ in 0..times {
        count.fetch_add(1, Ordering::SeqCst);
    }
}

#[test]
fn they_have_as_many_executions_as_threads_that_are_joined() {
    for (n, m) in [(0, 0), (1, 1), (1, 3), (2, 2)] {
        let scoped = all(move |_| {
            let count = AtomicU32::new(0);
            thread::scope(|s| {
                s.spawn(|| add(&count, n));
                s.spawn(|| add(&count, m));
            });
            assert_eq!(count.into_inner(), n + m);
        });
        let joined = all(move |_| {
            let count = std::sync::Arc::new(AtomicU32::new(0));
            let threads = [n, m].map(|times| {
                let count = count.clone();
                thread::spawn(move || add(&count, times))
            });
            for thread in threads {
                thread.join().expect("it ends");
            }
        });
        assert_eq!(scoped.executions, joined.executions, "{n} and {m}");
    }
}

// ANCHOR: borrow
/// Each of two threads adds one, unless they race.
fn count_to_two() -> u32 {
    let count = AtomicU32::new(0);
    let add = || {
        let seen = count.load(Ordering::SeqCst);
        count.store(seen + 1, Ordering::SeqCst);
    };
    thread::scope(|s| {
        s.spawn(add);
        s.spawn(add);
    });
    count.into_inner()
}
// ANCHOR_END: borrow

#[test]
fn a_lost_update_is_found() {
    expect_bug(BugKind::Panic, &["an update is lost"], |_| {
        assert_eq!(count_to_two(), 2, "an update is lost");
    });
}

#[test]
fn who_waits_for_whom_is_said() {
    expect_bug(
        BugKind::Deadlock,
        &["`test` awaits the end of `first`", "scoped_threads.rs:"],
        |_| {
            let (one, other) = (Mutex::new(()), Mutex::new(()));
            thread::scope(|s| {
                let named = thread::Builder::new().name("first".into());
                let named = named.spawn_scoped(s, || {
                    let _one = one.lock();
                    let _other = other.lock();
                });
                assert!(named.is_ok());
                s.spawn(|| {
                    let _other = other.lock();
                    let _one = one.lock();
                });
            });
        },
    );
}

/// Reads the borrowed data when it is dropped.
struct Looks<'a>(&'a Vec<u32>, &'a AtomicU32);

impl Drop for Looks<'_> {
    fn drop(&mut self) {
        assert_eq!(self.0[..], [1, 2, 3]);
        self.1.fetch_add(1, Ordering::SeqCst);
    }
}

/// Nested scopes: each thread borrows from the stack of the one before.
fn nested(_: System) {
    let (words, ends) = (vec![1, 2, 3], AtomicU32::new(0));
    thread::scope(|s| {
        let looks = Looks(&words, &ends);
        s.spawn(move || {
            let (words, own) = (looks.0.clone(), AtomicU32::new(0));
            let _looks = looks;
            thread::scope(|s| {
                for _ in 0..2 {
                    let looks = Looks(&words, &own);
                    s.spawn(move || {
                        thread::yield_now();
                        drop(looks);
                    });
                }
            });
            assert_eq!(own.into_inner(), 2);
        });
        s.spawn(|| {
            let _looks = Looks(&words, &ends);
            thread::yield_now();
        });
    });
    assert_eq!(ends.into_inner(), 2);
}

/// At whatever step an execution is ended early, the borrowed data
/// outlive the borrowers; otherwise the process would be aborted.
#[test]
fn they_end_before_what_they_borrow() {
    for steps in 1..60 {
        let tester = Tester::new().iterations(40).max_steps(steps);
        tester.run(nested).assert_clean();
    }
    Tester::new().iterations(300).run(nested).assert_clean();
    // Or at a bug of another thread.
    for point in 0..30 {
        let tester = Tester::new().iterations(20);
        let report = tester.run(move |sys| {
            let other = thread::spawn(move || {
                for _ in 0..point {
                    thread::yield_now();
                }
                panic!("a bug, at last");
            });
            nested(sys);
            drop(other);
        });
        let bug = report.bugs().first().expect("it panics");
        assert!(bug.message().contains("at last"), "{}", bug.message());
    }
}

#[test]
fn they_end_with_their_node() {
    let tester = Tester::new().iterations(300);
    let tester = tester.faults("restart=2".parse().expect("a fault"));
    let report = tester.run(|sys| {
        sys.node("n1", |node| {
            node.spawn(starter(|_| drop(task::spawn(async { nested_on_a_node() }))));
        });
    });
    report.assert_clean();
}

fn nested_on_a_node() {
    let (words, ends) = (vec![1, 2, 3], AtomicU32::new(0));
    thread::scope(|s| {
        for _ in 0..2 {
            let looks = Looks(&words, &ends);
            s.spawn(move || {
                thread::yield_now();
                drop(looks);
            });
        }
    });
}

#[test]
fn a_panic_is_told_to_who_waits() {
    let program = |waits: bool| {
        move |_: System| {
            let count = AtomicU32::new(0);
            thread::scope(|s| {
                let thread = s.spawn(|| {
                    count.fetch_add(1, Ordering::SeqCst);
                    panic!("as it happens");
                });
                if waits {
                    let payload = thread.join().expect_err("it panics");
                    assert_eq!(payload.downcast_ref(), Some(&"as it happens"));
                }
            });
        }
    };
    let supervised = || Tester::new().supervised(true);
    let report = supervised().iterations(100).run(program(true));
    report.assert_clean();
    let tester = supervised().iterations(2_000);
    let parts = ["a scoped thread panicked"];
    harness::expect_bug(&tester, BugKind::Panic, &parts, program(false));
    expect_bug(BugKind::Panic, &["as it happens"], program(true));
}

#[test]
fn a_handler_can_not_wait_for_them() {
    let parts = [
        "blocks on the scope of threads of ",
        "code that blocks needs a stack of its own",
    ];
    expect_bug(BugKind::Hang, &parts, |sys| {
        at_start(&sys, |_| {
            let count = AtomicU32::new(0);
            thread::scope(|s| drop(s.spawn(|| add(&count, 1))));
        });
    });
}

/// Also if the handle is moved to another thread, which joins.
#[test]
fn results_may_borrow_and_handles_go_around() {
    let report = Tester::new().iterations(300).run(|_| {
        let text = "one two".to_owned();
        let words: Vec<&str> = thread::scope(|s| {
            let words = s.spawn(|| text.split(' ').collect());
            let joins = s.spawn(|| words.join().expect("it ends"));
            joins.join().expect("it ends")
        });
        assert_eq!(words, ["one", "two"]);
        let (text, lengths) = (&text, Mutex::new(Vec::new()));
        thread::scope(|s| {
            let one = s.spawn(|| text.len());
            s.spawn(move || -> io::Result<()> {
                let length = one.join().expect("it ends");
                s.spawn(move || text.is_empty());
                assert_eq!(length, 7);
                Ok(())
            });
            s.spawn(|| lengths.lock().expect("no panic").push(text.len()));
        });
        assert_eq!(lengths.into_inner().expect("no panic"), [7]);
    });
    report.assert_clean();
}
