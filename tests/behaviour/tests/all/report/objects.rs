//! Shared objects in reports: their numbers.

use std::sync::Arc;

use actor_core::prelude::*;
use actor_core::sync::RaceCell;
use actor_core::sync::blocking::Mutex;
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
