//! Owned lock guards, which keep the `Arc` of their lock, and futures that wait from an
//! explicit point on: the same steps as their borrowing forms, and movable to other tasks.

use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use actor_core::sync::{Mutex, Notify, OwnedMutexGuard, RwLock};
use actor_core::task;
use actor_test::{BugKind, Report, Tester};
use behaviour::harness::{all, contract, first_bug};

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
    assert_eq!(borrowed.executions, owned.executions);
    assert!(owned.executions > 1, "{owned:?}");
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
    assert_eq!(borrowed.executions, owned.executions);
}

/// A guard is moved to a task, which changes the value and releases the lock.
#[test]
fn a_lock_that_is_held_can_be_handed_on() {
    contract(&["1"], |_| async {
        let count = Arc::new(Mutex::new(0));
        let held: OwnedMutexGuard<u32> = count.clone().lock_owned().await;
        assert!(count.clone().try_lock_owned().is_err());
        assert!(Arc::ptr_eq(OwnedMutexGuard::mutex(&held), &count));
        task::spawn(async move {
            let mut held = held;
            task::yield_now().await;
            *held += 1;
        });
        let held = count.lock_owned().await;
        format!("{held:?}")
    });
}

#[test]
fn who_holds_one_is_named() {
    let report = Tester::new().iterations(2_000).run(|_| async {
        let (one, other) = (Arc::new(Mutex::new(())), Arc::new(Mutex::new(())));
        let (a, b) = (one.clone(), other.clone());
        let task = task::spawn(async move {
            let _b = b.lock_owned().await;
            let _a = a.lock_owned().await;
        });
        drop((one.lock_owned().await, other.lock_owned().await));
        task.await.expect("it ends");
    });
    let (kind, message) = first_bug(&report);
    assert_eq!(kind, BugKind::Deadlock);
    for part in ["`test` awaits the Mutex of ", "which `task#1` holds"] {
        assert!(message.contains(part), "{message}");
    }
}

#[test]
fn many_read_and_one_writes() {
    contract(&["[3, 2]"], |_| async {
        let list: Arc<RwLock<[u32]>> = Arc::new(RwLock::new([1, 2]));
        let one = list.clone().read_owned().await;
        let other = list.clone().try_read_owned().expect("nobody writes");
        assert!(list.clone().try_write_owned().is_err());
        assert_eq!((one[0], other[1]), (1, 2));
        let writer = task::spawn(list.clone().write_owned());
        drop((one, other));
        let mut written = writer.await.expect("it ends");
        written[0] = 3;
        assert!(list.clone().try_read_owned().is_err());
        drop(written);
        format!("{:?}", &list.try_read_owned().expect("nobody writes")[..])
    });
}

/// A notification between the call of `notified` and the first poll.
fn notified_early(enables: bool) -> Report {
    Tester::new().iterations(2_000).run(move |_| async move {
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
    let (kind, message) = first_bug(&report);
    assert_eq!(kind, BugKind::Deadlock, "{message}");
    contract(&["the first"], |_| async {
        let ready = Notify::new();
        let (mut first, second) = (pin!(ready.notified()), ready.notified());
        assert!(!first.as_mut().enable());
        ready.notify_one();
        let second = task::timeout(Duration::from_millis(1), second);
        assert!(second.await.is_err());
        assert!(first.as_mut().enable());
        first.await;
        "the first".into()
    });
}

#[test]
fn a_word_that_is_kept_is_there_when_enabled() {
    contract(&["both"], |_| async {
        let ready = Notify::new();
        ready.notify_one();
        let mut notified = pin!(ready.notified());
        assert!(notified.as_mut().enable());
        notified.await;
        let mut all = pin!(ready.notified());
        ready.notify_waiters();
        assert!(all.as_mut().enable());
        all.await;
        "both".into()
    });
}
