//! Shared objects in reports: their numbers, the values of atomics, and the operations that a notification wakes.

use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use actor_core::prelude::*;
use actor_core::sync::blocking::atomic::Ordering::{AcqRel, Acquire, Relaxed, Release, SeqCst};
use actor_core::sync::blocking::atomic::{AtomicBool, AtomicI8, AtomicPtr, AtomicU32};
use actor_core::sync::blocking::{Condvar, Mutex};
use actor_core::sync::{Notify, RaceCell, mpsc, oneshot};
use actor_core::{task, thread};
use actor_test::tool::words::step_action;
use actor_test::{BodyOutput, Bug, BugKind, Tester};
use behaviour::harness::{assert_contains, only_bug};

/// Runs a program once, and returns its bug.
#[track_caller]
fn bug<R: BodyOutput<K>, K>(program: impl Fn(System) -> R + Sync) -> Bug {
    let report = Tester::new().iterations(1).run(program);
    report.bugs().first().expect("a bug is found").clone()
}

/// Returns the actions of all steps that begin with one of these verbs, each up to the place of the access.
fn actions(bug: &Bug, verbs: &[&str]) -> Vec<String> {
    let story = &bug.trace.story;
    let actions = story.steps.iter().map(|step| step_action(story, step));
    let actions = actions.filter(|action| verbs.iter().any(|verb| action.starts_with(verb)));
    actions.map(|action| without_places(&action)).collect()
}

/// Removes the places where objects were made and accessed.
fn without_places(action: &str) -> String {
    let words = action.split(' ').map(|word| match word.contains(".rs:") {
        true if word.ends_with(',') => "HERE,",
        true => "HERE",
        false => word,
    });
    let words: Vec<&str> = words.collect();
    words.join(" ")
}

fn locks(count: u32) -> Vec<Arc<Mutex<u32>>> {
    (0..count)
        .map(|number| Arc::new(Mutex::new(number)))
        .collect()
}

#[test]
fn objects_of_one_place_are_numbered_in_the_order_of_use() {
    let bug = bug(|_: System| {
        let locks = locks(3);
        let _last = locks[2].lock();
        let _first = locks[0].lock();
        let _again = locks[2].lock();
    });
    let expected = [
        "locks Mutex#1 of HERE at HERE",
        "locks Mutex#2 of HERE at HERE",
        "waits for Mutex#1 of HERE at HERE",
    ];
    assert_eq!(actions(&bug, &["locks", "waits"]), expected);
    assert_contains(
        bug.message(),
        &["`test` awaits the Mutex#1 of ", ", which it itself holds"],
    );
}

#[test]
fn the_only_object_of_its_kind_and_place_has_no_number() {
    let bug = bug(|_: System| {
        let (one, other) = (Mutex::new(1), Mutex::new(2));
        let _one = one.lock();
        let _other = other.lock();
        let _again = one.lock();
    });
    let expected = [
        "locks Mutex of HERE at HERE",
        "locks Mutex of HERE at HERE",
        "waits for Mutex of HERE at HERE",
    ];
    assert_eq!(actions(&bug, &["locks", "waits"]), expected);
    assert_contains(bug.message(), &["`test` awaits the Mutex of "]);
}

#[test]
fn a_data_race_names_one_cell_of_several() {
    let bug = bug(|_: System| {
        let cells: Vec<_> = (0..2).map(|_| Arc::new(RaceCell::new(0))).collect();
        cells[0].set(1);
        let other = cells[1].clone();
        let thread = thread::spawn(move || other.set(1));
        cells[1].set(2);
        thread.join().expect("it ends");
    });
    assert_eq!(bug.kind(), BugKind::DataRace);
    assert_contains(bug.message(), &[" writes the RaceCell#2 of "]);
}

/// Each thread has one lock and waits for the next, whoever was first.
#[test]
fn one_deadlock_with_other_numbers_is_one_bug() {
    let tester = Tester::new().iterations(300).keep_going();
    let report = tester.run(|_: System| {
        let locks = locks(3);
        let threads = (0..3).map(|number| {
            let (one, next) = (locks[number].clone(), locks[(number + 1) % 3].clone());
            thread::spawn(move || {
                let _one = one.lock();
                let _next = next.lock();
            })
        });
        let threads: Vec<_> = threads.collect();
        for thread in threads {
            thread.join().expect("it ends");
        }
    });
    let bug = only_bug(&report);
    assert!(bug.seen > 1, "{}", bug.seen);
    assert_contains(
        bug.message(),
        &["Mutex#1 of ", "Mutex#2 of ", "Mutex#3 of "],
    );
}

fn fail() {
    panic!("it is over");
}

/// Reports a failure after the accesses of a program.
#[track_caller]
fn accesses(program: impl Fn() + Sync, verbs: &[&str]) -> Vec<String> {
    let bug = bug(|_: System| {
        program();
        fail();
    });
    actions(&bug, verbs)
}

#[test]
fn an_atomic_access_has_its_value_and_ordering() {
    let program = || {
        let number = AtomicU32::new(1);
        number.store(2, Relaxed);
        number.load(Acquire);
        number.swap(3, AcqRel);
        number.fetch_add(4, SeqCst);
        number.fetch_sub(1, Release);
        number.fetch_max(9, Relaxed);
        number.fetch_min(7, Relaxed);
        number.fetch_and(3, Relaxed);
        number.fetch_or(4, Relaxed);
        number.fetch_xor(1, Relaxed);
    };
    let verbs = [
        "stores",
        "loads",
        "swaps",
        "adds",
        "subtracts",
        "takes",
        "ands",
        "ors",
        "xors",
    ];
    let expected = [
        "stores 2 (was 1), Relaxed, into atomic of HERE at HERE",
        "loads 2, Acquire, from atomic of HERE at HERE",
        "swaps in 3 (was 2), AcqRel, at atomic of HERE at HERE",
        "adds 4 (was 3, now 7), SeqCst, to atomic of HERE at HERE",
        "subtracts 1 (was 7, now 6), Release, from atomic of HERE at HERE",
        "takes the maximum with 9 (was 6, now 9), Relaxed, at atomic of HERE at HERE",
        "takes the minimum with 7 (was 9, now 7), Relaxed, at atomic of HERE at HERE",
        "ands with 3 (was 7, now 3), Relaxed, at atomic of HERE at HERE",
        "ors with 4 (was 3, now 7), Relaxed, at atomic of HERE at HERE",
        "xors with 1 (was 7, now 6), Relaxed, at atomic of HERE at HERE",
    ];
    assert_eq!(accesses(program, &verbs), expected);
}

#[test]
fn a_comparison_has_the_value_that_it_finds_and_the_ordering_of_its_outcome() {
    let program = || {
        let number = AtomicI8::new(-1);
        let _ = number.compare_exchange(-1, 5, AcqRel, Relaxed);
        let _ = number.compare_exchange(-1, 6, AcqRel, Acquire);
        let _ = number.compare_exchange_weak(5, 5, SeqCst, Relaxed);
        let _ = number.fetch_update(Release, Relaxed, |seen| Some(seen + 1));
    };
    let expected = [
        "compares with -1 and stores 5 (was -1), AcqRel, into atomic of HERE at HERE",
        "compares with -1, finds 5, Acquire, at atomic of HERE at HERE",
        "compares with 5 and stores 5 (was 5), SeqCst, into atomic of HERE at HERE",
        "loads 5, Relaxed, from atomic of HERE at HERE",
        "compares with 5 and stores 6 (was 5), Release, into atomic of HERE at HERE",
    ];
    assert_eq!(accesses(program, &["compares", "loads"]), expected);
}

#[test]
fn flags_have_values_too() {
    let program = || {
        let flag = AtomicBool::new(false);
        flag.store(true, Release);
        flag.fetch_and(false, AcqRel);
    };
    let expected = [
        "stores true (was false), Release, into atomic of HERE at HERE",
        "ands with false (was true, now false), AcqRel, at atomic of HERE at HERE",
    ];
    assert_eq!(accesses(program, &["stores", "ands"]), expected);
}

/// An address differs from run to run, so a story has none.
#[test]
fn a_pointer_has_no_value() {
    let program = || {
        let pointer = AtomicPtr::new(std::ptr::null_mut());
        pointer.store(&raw mut *Box::new(1), SeqCst);
        pointer.load(SeqCst);
    };
    let expected = [
        "stores a pointer (was null), SeqCst, into atomic of HERE at HERE",
        "loads a pointer, SeqCst, from atomic of HERE at HERE",
    ];
    assert_eq!(accesses(program, &["stores", "loads"]), expected);
}

/// A lock and a condition, and the number of threads that wait.
type Waiting = Arc<(Mutex<u32>, Condvar)>;

/// Spawns threads that wait for the condition, one after the other, and fail when they are woken.
fn waiters(count: u32) -> Waiting {
    let waiting = Waiting::default();
    for number in 1..=count {
        let own = waiting.clone();
        thread::spawn(move || {
            let mut waits = own.0.lock().expect("nobody panics");
            *waits += 1;
            drop(own.1.wait(waits));
            fail();
        });
        while *waiting.0.lock().expect("nobody panics") < number {
            thread::yield_now();
        }
    }
    waiting
}

#[test]
fn a_notification_of_one_names_the_waiter_that_is_woken() {
    let report = Tester::new().iterations(100).keep_going().run(|_: System| {
        let waiting = waiters(2);
        waiting.1.notify_one();
        thread::park();
    });
    let bug = only_bug(&report);
    let mut operations = bug.trace.story.operations.iter();
    let has_failed = |name: &str| bug.message().contains(&format!("`{name}` panicked"));
    let failed = operations.find(|operation| has_failed(&operation.name));
    let failed = &failed.expect("one fails").name;
    let expected = format!("notifies one at Condvar of HERE at HERE, wakes {failed}");
    assert_eq!(actions(bug, &["notifies"]), [expected]);
}

#[test]
fn a_notification_of_all_names_all_waiters() {
    let bug = bug(|_: System| {
        let waiting = waiters(2);
        waiting.1.notify_all();
        thread::park();
    });
    let expected = ["notifies all at Condvar of HERE at HERE, wakes thread#1, thread#2"];
    assert_eq!(actions(&bug, &["notifies"]), expected);
}

#[test]
fn a_notification_without_a_waiter_wakes_nobody() {
    let program = || {
        let condition = Condvar::new();
        condition.notify_one();
        condition.notify_all();
        let notify = Notify::new();
        notify.notify_one();
        notify.notify_last();
        notify.notify_waiters();
        thread::current().unpark();
    };
    let expected = [
        "notifies one at Condvar of HERE at HERE, wakes nobody",
        "notifies all at Condvar of HERE at HERE, wakes nobody",
        "notifies one at Notify of HERE at HERE, wakes nobody",
        "notifies the last at Notify of HERE at HERE, wakes nobody",
        "notifies all at Notify of HERE at HERE, wakes nobody",
    ];
    assert_eq!(accesses(program, &["notifies"]), expected);
}

#[test]
fn an_unparked_thread_is_named() {
    let bug = bug(|_: System| {
        let parked = thread::spawn(|| {
            thread::park();
            fail();
        });
        thread::sleep(Duration::from_secs(1));
        parked.thread().unpark();
        parked.join().expect("it ends");
    });
    let unparks = actions(&bug, &["unparks"]);
    assert_eq!(unparks, ["unparks Parker of HERE at HERE, wakes thread#1"]);
}

/// A task that waits for a notification is woken by its waker.
#[test]
fn a_notified_task_is_named() {
    let bug = bug(|_: System| async {
        let notify = Arc::new(Notify::new());
        for _ in 0..2 {
            let own = notify.clone();
            let (ready, is_ready) = oneshot::channel();
            let task = task::spawn(async move {
                let mut notified = pin!(own.notified());
                notified.as_mut().enable();
                ready.send(()).expect("it is awaited");
                notified.await;
            });
            is_ready.await.expect("it is sent");
            drop(task);
        }
        notify.notify_one();
        notify.notify_waiters();
        notify.notify_waiters();
        fail();
    });
    let expected = [
        "notifies one at Notify of HERE at HERE, wakes task#1",
        "notifies all at Notify of HERE at HERE, wakes task#2",
        "notifies all at Notify of HERE at HERE, wakes nobody",
    ];
    assert_eq!(actions(&bug, &["notifies"]), expected);
}

/// A channel wakes its receiver if it waits, and is no notification otherwise.
#[test]
fn a_sender_wakes_a_receiver_that_waits() {
    let bug = bug(|_: System| async {
        let (sender, mut receiver) = mpsc::unbounded_channel();
        let receives = task::spawn(async move { while receiver.recv().await.is_some() {} });
        task::sleep(Duration::from_secs(1)).await;
        sender.send(1).expect("it is received");
        sender.send(2).expect("it is received");
        drop((sender, receives));
        fail();
    });
    let expected = [
        "sends into mpsc channel of HERE at HERE, wakes task#1",
        "sends into mpsc channel of HERE at HERE",
    ];
    assert_eq!(actions(&bug, &["sends"]), expected);
}
