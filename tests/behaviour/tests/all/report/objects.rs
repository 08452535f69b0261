//! Shared objects in reports: their numbers, and the values of atomics.

use std::sync::Arc;

use actor_core::prelude::*;
use actor_core::sync::RaceCell;
use actor_core::sync::blocking::Mutex;
use actor_core::sync::blocking::atomic::Ordering::{AcqRel, Acquire, Relaxed, Release, SeqCst};
use actor_core::sync::blocking::atomic::{AtomicBool, AtomicI8, AtomicPtr, AtomicU32};
use actor_core::thread;
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
