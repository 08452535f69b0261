//! Assumptions of a search are named in the verdict, and a verdict with assumptions is no proof.

use std::sync::Arc;
use std::sync::atomic::AtomicU32 as Uncontrolled;

use actor_core::prelude::*;
use actor_core::sync::blocking::Mutex;
use actor_core::sync::blocking::atomic::{AtomicU32, Ordering};
use actor_core::thread;
use actor_test::report::Assumption;
use actor_test::strategy::Gap;

use crate::search::limited;

const SEARCHES: [&str; 6] = [
    "dfs",
    "dfs:local",
    "states",
    "dpor",
    "ses:by=hb",
    "pb:by=hb",
];

/// Store buffering: each thread stores to its own location and loads the other's.
/// Both loads return zero only in memory models weaker than sequential consistency.
fn store_buffering(stores: Ordering, loads: Ordering) {
    let (x, y) = (Arc::new(AtomicU32::new(0)), Arc::new(AtomicU32::new(0)));
    let run = |own: &Arc<AtomicU32>, other: &Arc<AtomicU32>| {
        let (own, other) = (own.clone(), other.clone());
        thread::spawn(move || {
            own.store(1, stores);
            other.load(loads)
        })
    };
    let (one, other) = (run(&x, &y), run(&y, &x));
    let read = one.join().expect("it ends") + other.join().expect("it ends");
    assert!(read > 0, "both read 0");
}

#[test]
fn orderings_that_are_taken_as_sequentially_consistent_are_named() {
    use Ordering::{Acquire, Relaxed, Release, SeqCst};
    // `dpor` can't follow shared memory, and ends there.
    for strategy in SEARCHES.into_iter().filter(|name| *name != "dpor") {
        for (stores, loads, weak) in [
            (Relaxed, Relaxed, 2),
            (Release, Acquire, 2),
            (SeqCst, Relaxed, 1),
            (SeqCst, SeqCst, 0),
        ] {
            let report = limited(strategy, 10_000, |_| store_buffering(stores, loads));
            assert!(report.is_clean(), "{report:?}");
            let places = report.verdict.gaps.iter().find_map(|gap| match gap {
                Gap::Orderings { places } => Some(places),
                _ => None,
            });
            assert_eq!(places.map_or(0, Vec::len), weak, "{strategy}: {places:?}");
            let here = |place: &String| place.contains("for_granted.rs:");
            let are_here = places.is_none_or(|places| places.iter().all(here));
            assert!(are_here, "{places:?}");
            assert!(weak == 0 || !report.verdict.is_exhaustive(), "{strategy}");
        }
    }
    let report = limited("dfs", 10_000, |_| store_buffering(SeqCst, SeqCst));
    assert!(report.verdict.is_exhaustive(), "{:?}", report.verdict);
}

/// Operations on atomics of the standard library are no steps, so no thread can run in between.
#[test]
fn that_threads_share_nothing_else_is_named() {
    let adding = |_: &System| {
        let sum = Arc::new(Uncontrolled::new(0));
        let add = |_| {
            let sum = sum.clone();
            thread::spawn(move || {
                let before = sum.load(Ordering::SeqCst);
                sum.store(before + 1, Ordering::SeqCst);
            })
        };
        for thread in [0, 1].map(add) {
            thread.join().expect("it ends");
        }
        assert_eq!(sum.load(Ordering::SeqCst), 2, "an update is lost");
    };
    for strategy in SEARCHES.into_iter().filter(|name| *name != "dpor") {
        let report = limited(strategy, 10_000, adding);
        assert!(report.verdict.is_exhaustive(), "{:?}", report.verdict);
        assert_eq!(report.verdict.assumptions, [Assumption::Threads]);
        let report = limited(strategy, 10_000, |_| ());
        assert_eq!(report.verdict.assumptions, []);
    }
}

/// Two threads, one of which has an additional operation in one of `every` executions.
fn transient(runs: &Uncontrolled, every: u32) {
    let is_longer = runs.fetch_add(1, Ordering::SeqCst) % every == every - 1;
    let shared = Arc::new(Mutex::new(0));
    let work = |is_longer: bool| {
        let shared = shared.clone();
        thread::spawn(move || {
            if is_longer {
                *shared.lock().expect("nobody panics") += 1;
            }
            *shared.lock().expect("nobody panics") += 1;
        })
    };
    let (one, other) = (work(is_longer), work(false));
    one.join().expect("it ends");
    other.join().expect("it ends");
}

/// The same decisions must lead to the same choices in every execution.
#[test]
fn a_program_that_differs_now_and_then_is_noticed_where_it_does() {
    for strategy in ["dfs", "dfs:local", "states"] {
        let runs = Uncontrolled::new(0);
        let verdict = limited(strategy, 10_000, |_| transient(&runs, 50)).verdict;
        let strays = verdict.gaps.iter().any(|gap| match gap {
            Gap::Diverged { executions, step } => *executions > 0 && step.is_some_and(|at| at > 3),
            _ => false,
        });
        assert!(strays, "{strategy}: {verdict:?}");
    }
}

#[test]
fn a_program_that_is_always_the_same_strays_nowhere() {
    for strategy in SEARCHES {
        let runs = Uncontrolled::new(0);
        let report = limited(strategy, 10_000, |_| transient(&runs, u32::MAX));
        let strays = |gap: &Gap| matches!(gap, Gap::Diverged { .. });
        let has_strayed = report.verdict.gaps.iter().any(strays);
        assert!(!has_strayed, "{strategy}: {report:?}");
    }
}
