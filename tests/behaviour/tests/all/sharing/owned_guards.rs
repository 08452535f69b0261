//! Owned lock guards, which keep the `Arc` of their lock, and futures that wait from an
//! explicit point on: the same steps as their borrowing forms, and movable to other tasks.

use std::pin::pin;
use std::sync::Arc;

use actor_core::prelude::*;
use actor_core::sync::{Mutex, Notify, OwnedMutexGuard, RwLock};
use actor_core::task;
use actor_test::strategy::StrategySpec;
use actor_test::{BugKind, Report, Tester};

fn all<F: Future<Output = ()> + 'static>(program: impl Fn(System) -> F + Sync) -> u64 {
    let report = Tester::new()
        .iterations(u64::MAX)
        .strategy(StrategySpec::Dfs(None))
        .run(program);
    report.assert_clean();
    assert!(report.verdict.is_exhaustive(), "the search ends by itself");
    report.executions
}

fn explored<F: Future<Output = ()> + 'static>(program: impl Fn(System) -> F + Sync) -> Report {
    Tester::new().iterations(2_000).run(program)
}

#[test]
fn they_are_steps_as_those_that_borrow_are() {
    let borrowed = all(|_| async {
        let count = Arc::new(Mutex::new(0));
        let own = count.clone();
        let other = task::spawn(async move { *own.lock().await += 1 });
        *count.lock().await += 1;
        other.await.expect("it ends");
        assert_eq!(*count.lock().await, 2);
    });
    let owned = all(|_| async {
        let count = Arc::new(Mutex::new(0));
        let own = count.clone();
        let other = task::spawn(async move { *own.lock_owned().await += 1 });
        *count.clone().lock_owned().await += 1;
        other.await.expect("it ends");
        assert_eq!(*count.lock().await, 2);
    });
    assert_eq!(borrowed, owned);
    assert!(owned > 1, "{owned}");
    let borrowed = all(|_| async {
        let count = Arc::new(RwLock::new(0));
        let own = count.clone();
        let other = task::spawn(async move { *own.write().await += 1 });
        let _ = *count.read().await;
        other.await.expect("it ends");
    });
    let owned = all(|_| async {
        let count = Arc::new(RwLock::new(0));
        let own = count.clone();
        let other = task::spawn(async move { *own.write_owned().await += 1 });
        let _ = *count.clone().read_owned().await;
        other.await.expect("it ends");
    });
    assert_eq!(borrowed, owned);
}

/// A guard is moved to a task, which changes the value and releases the lock.
#[test]
fn a_lock_that_is_held_can_be_handed_on() {
    let report = explored(|_| async {
        let count = Arc::new(Mutex::new(0));
        let held: OwnedMutexGuard<u32> = count.clone().lock_owned().await;
        assert!(count.clone().try_lock_owned().is_err());
        assert!(Arc::ptr_eq(OwnedMutexGuard::mutex(&held), &count));
        task::spawn(async move {
            let mut held = held;
            task::yield_now().await;
            *held += 1;
        });
        assert_eq!(*count.lock_owned().await, 1);
    });
    report.assert_clean();
}

#[test]
fn who_holds_one_is_named() {
    let report = explored(|_| async {
        let (one, other) = (Arc::new(Mutex::new(())), Arc::new(Mutex::new(())));
        let (a, b) = (one.clone(), other.clone());
        let task = task::spawn(async move {
            let _b = b.lock_owned().await;
            let _a = a.lock_owned().await;
        });
        drop((one.lock_owned().await, other.lock_owned().await));
        task.await.expect("it ends");
    });
    let finding = &report.bugs().first().expect("a bug").finding;
    assert_eq!(finding.kind, BugKind::Deadlock);
    assert!(
        finding.message.contains("`test` awaits the Mutex of ")
            && finding.message.contains("which `task#1` holds"),
        "{}",
        finding.message
    );
}

#[test]
fn many_read_and_one_writes() {
    let report = explored(|_| async {
        let list = Arc::new(RwLock::new(vec![1]));
        let (one, other) = (
            list.clone().read_owned().await,
            list.clone().read_owned().await,
        );
        assert!(list.clone().try_write_owned().is_err());
        assert_eq!((one[0], other.len()), (1, 1));
        let writer = task::spawn(list.clone().write_owned());
        drop((one, other));
        let mut written = writer.await.expect("it ends");
        written.push(2);
        assert!(list.clone().try_read_owned().is_err());
        drop(written);
        assert_eq!(list.try_read_owned().expect("nobody writes")[..], [1, 2]);
    });
    report.assert_clean();
}

/// A notification between the call of `notified` and the first poll.
fn notified_early(enables: bool) -> Report {
    explored(move |_| async move {
        let (ready, both) = (Arc::new(Notify::new()), Arc::new(Notify::new()));
        let (to, go) = (ready.clone(), both.clone());
        let other = task::spawn(async move {
            go.notified().await;
            to.notify_one();
            // The notification is for a waiter, or else for the next one.
            to.notified().await;
        });
        let mut first = pin!(ready.notified());
        if enables {
            assert!(!first.as_mut().enable());
        }
        both.notify_one();
        // The other task continues until it waits.
        for _ in 0..3 {
            task::yield_now().await;
        }
        first.await;
        ready.notify_one();
        other.await.expect("it ends");
    })
}

#[test]
fn who_is_enabled_waits_already() {
    notified_early(true).assert_clean();
    // Otherwise the notifying task may consume its own notification.
    let report = notified_early(false);
    let finding = &report.bugs().first().expect("a bug").finding;
    assert_eq!(finding.kind, BugKind::Deadlock, "{}", finding.message);
}

#[test]
fn a_word_that_is_kept_is_there_when_enabled() {
    let report = explored(|_| async {
        let ready = Notify::new();
        ready.notify_one();
        let mut notified = pin!(ready.notified());
        assert!(notified.as_mut().enable());
        notified.await;
        let mut all = pin!(ready.notified());
        ready.notify_waiters();
        assert!(all.as_mut().enable());
        all.await;
    });
    report.assert_clean();
}
