//! The harness of the tests: whole searches, their outcomes and bugs, journals, and scenarios that both
//! executors run.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Debug;
use std::future::Future;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use actor_core::System;
use actor_test::strategy::StrategySpec;
use actor_test::{BodyOutput, Bug, BugKind, Report, Tester};

/// Parses the name of a strategy.
///
/// # Panics
///
/// If there is none of that name.
#[track_caller]
pub fn strategy(name: &str) -> StrategySpec {
    name.parse()
        .unwrap_or_else(|error| panic!("{name}: {error}"))
}

/// Returns a tester that runs the search of that name to its end.
#[track_caller]
pub fn whole(search: &str) -> Tester {
    Tester::new()
        .iterations(u64::MAX)
        .strategy(strategy(search))
}

/// Runs a search to its end; asserts that the program has no bug.
#[track_caller]
pub fn exhaust<R: BodyOutput<K>, K>(
    tester: &Tester,
    program: impl Fn(System) -> R + Sync,
) -> Report {
    let report = tester.run(program);
    report.assert_clean();
    let (verdict, executions) = (&report.verdict, report.executions);
    assert!(
        verdict.is_exhaustive(),
        "{verdict:?} after {executions} executions"
    );
    report
}

/// Runs each schedule of a program once; asserts that it has no bug.
#[track_caller]
pub fn all<R: BodyOutput<K>, K>(program: impl Fn(System) -> R + Sync) -> Report {
    exhaust(&whole("dfs"), program)
}

/// Returns the outputs of an async program in all executions of a search, sorted; asserts that the search
/// ends, and finds no bug.
#[track_caller]
pub fn outcomes<T, F>(tester: &Tester, program: impl Fn(System) -> F + Sync) -> (Report, Vec<T>)
where
    T: Ord + Send + 'static,
    F: Future<Output = T> + 'static,
{
    let (report, seen) = some_outcomes(tester, program);
    let (verdict, executions) = (&report.verdict, report.executions);
    assert!(
        verdict.is_exhaustive(),
        "{verdict:?} after {executions} executions"
    );
    (report, seen)
}

/// Returns the outputs of a clean async program in the executions that this tester runs, sorted.
#[track_caller]
pub fn some_outcomes<T, F>(
    tester: &Tester,
    program: impl Fn(System) -> F + Sync,
) -> (Report, Vec<T>)
where
    T: Ord + Send + 'static,
    F: Future<Output = T> + 'static,
{
    let seen = Arc::new(Mutex::new(BTreeSet::new()));
    let report = tester.run(|sys| {
        let (outcome, seen) = (program(sys), Arc::clone(&seen));
        async move {
            let outcome = outcome.await;
            lock(&seen).insert(outcome);
        }
    });
    report.assert_clean();
    let seen = std::mem::take(&mut *lock(&seen));
    (report, seen.into_iter().collect())
}

/// Runs a scenario on both executors: in every schedule under test, and once in production, on a clock that
/// is paused. Asserts that the outcomes under test are these, in this order, and that production has one of
/// them. Failures of actors are part of a scenario.
#[track_caller]
pub fn contract<F: Future<Output = String> + 'static>(
    expected: &[&str],
    scenario: impl Fn(System) -> F + Sync,
) -> Report {
    let (report, under_test) = outcomes(&whole("dfs").supervised(true), &scenario);
    assert_eq!(under_test, expected, "under test");
    let outcome = in_production(scenario);
    assert!(
        expected.contains(&&*outcome),
        "in production: {outcome:?}; under test: {expected:?}"
    );
    report
}

/// Runs a scenario once in production, on the current thread and a clock that is paused.
pub fn in_production<F: Future>(scenario: impl Fn(System) -> F) -> F::Output {
    let mut runtime = tokio::runtime::Builder::new_current_thread();
    let runtime = runtime.enable_time().start_paused(true).build();
    runtime.expect("a runtime of tokio").block_on(async {
        let sys = System::new();
        let live = sys.as_live().expect("a system in production");
        live.on_failure(|_| {});
        scenario(sys).await
    })
}

/// Runs a scenario once in production; returns the messages of all failures and violations, in order.
pub fn reported<F: Future>(scenario: impl Fn(System) -> F) -> Vec<String> {
    let journal = Journal::default();
    in_production(|sys| {
        let live = sys.as_live().expect("a system in production");
        let (failures, violations) = (journal.clone(), journal.clone());
        live.on_failure(move |failure| failures.note(&*failure.message));
        live.on_violation(move |violation| violations.note(&*violation.message));
        scenario(sys)
    });
    journal.take()
}

/// Returns the kind and the message of the first bug.
#[track_caller]
pub fn first_bug(report: &Report) -> (BugKind, &str) {
    let bug = report.bugs().first().expect("a bug is found");
    (bug.kind(), bug.message())
}

/// Returns the only bug.
#[track_caller]
pub fn only_bug(report: &Report) -> &Bug {
    let [bug] = report.bugs() else {
        panic!("one bug is expected: {:?}", report.bugs());
    };
    bug
}

/// Runs a program that has a bug; returns its kind and message.
#[track_caller]
pub fn bug<R: BodyOutput<K>, K>(
    tester: &Tester,
    program: impl Fn(System) -> R + Sync,
) -> (BugKind, String) {
    let report = tester.run(program);
    let (kind, message) = first_bug(&report);
    (kind, message.to_owned())
}

/// Runs a program; asserts that its first bug is of this kind, and that the message has these parts.
#[track_caller]
pub fn expect_bug<R: BodyOutput<K>, K>(
    tester: &Tester,
    kind: BugKind,
    parts: &[&str],
    program: impl Fn(System) -> R + Sync,
) {
    let (found, message) = bug(tester, program);
    assert_eq!(found, kind, "{message}");
    assert_contains(&message, parts);
}

/// Returns the text with which a test fails.
///
/// # Panics
///
/// If it does not fail.
#[track_caller]
pub fn failure_text(report: &Report) -> String {
    let failed = std::panic::catch_unwind(|| report.assert_clean());
    let text = failed.expect_err("the test fails");
    *text.downcast().expect("its text")
}

/// Asserts that a text contains all these parts.
#[track_caller]
pub fn assert_contains(text: &str, parts: &[&str]) {
    for part in parts {
        assert!(text.contains(part), "`{part}` is not in: {text}");
    }
}

/// Calls a function with each item, on two threads.
pub fn on_two_threads<T>(items: impl Iterator<Item = T> + Send, call: impl Fn(T) + Sync) {
    let items = Mutex::new(items);
    std::thread::scope(|threads| {
        for _ in 0..2 {
            threads.spawn(|| {
                let next = || lock(&items).next();
                while let Some(item) = next() {
                    call(item);
                }
            });
        }
    });
}

/// Returns a result that is the same for each of these numbers of workers.
#[track_caller]
pub fn same_for_workers<T: PartialEq + Debug>(workers: &[usize], run: impl Fn(usize) -> T) -> T {
    let first = run(workers[0]);
    for workers in &workers[1..] {
        assert_eq!(run(*workers), first, "{workers} workers");
    }
    first
}

/// Asserts that the share of hits is the expected one, up to five standard errors,
/// which are exceeded with a probability of 6·10^-7.
#[track_caller]
pub fn assert_share(hits: u64, of: u64, expected: f64) {
    let share = hits as f64 / of as f64;
    let error = (expected * (1.0 - expected) / of as f64).sqrt();
    assert!(
        (share - expected).abs() < 5.0 * error,
        "{share:.5} of {of}, expected {expected:.5} within {:.5}",
        5.0 * error
    );
}

/// Returns all orders of these items.
pub fn permutations<T: Copy>(of: &[T]) -> Vec<Vec<T>> {
    let Some((first, rest)) = of.split_first() else {
        return vec![Vec::new()];
    };
    let mut all = Vec::new();
    for shorter in permutations(rest) {
        for at in 0..=shorter.len() {
            let mut longer = shorter.clone();
            longer.insert(at, *first);
            all.push(longer);
        }
    }
    all
}

/// Removes the values that depend on the clock.
pub fn timeless(mut report: Report) -> Report {
    report.elapsed_s = 0.0;
    for strategy in &mut report.strategies {
        strategy.elapsed_s = 0.0;
    }
    for bug in &mut report.bugs {
        bug.found_after_s = 0.0;
    }
    report
}

/// The notes of one execution, in order.
#[derive(Clone, Default, Debug)]
pub struct Journal(Arc<Mutex<Vec<String>>>);

impl Journal {
    /// Appends a note.
    pub fn note(&self, note: impl Into<String>) {
        lock(&self.0).push(note.into());
    }

    /// Takes all notes since the last call.
    pub fn take(&self) -> Vec<String> {
        std::mem::take(&mut *lock(&self.0))
    }

    /// Takes all notes since the last call, and asserts that they are these.
    #[track_caller]
    pub fn expect<T: AsRef<str> + Debug>(&self, expected: impl AsRef<[T]>) {
        let expected: Vec<_> = expected.as_ref().iter().map(AsRef::as_ref).collect();
        assert_eq!(self.take(), expected);
    }
}

/// Returns the journals of all schedules of a clean program, with the number of schedules for each.
#[track_caller]
pub fn journals(
    tester: &Tester,
    program: impl Fn(&System, &Journal) + Sync,
) -> BTreeMap<Vec<String>, u32> {
    let journal = Journal::default();
    let seen = Mutex::new(BTreeMap::new());
    let keep = || {
        let notes = journal.take();
        if !notes.is_empty() {
            *lock(&seen).entry(notes).or_insert(0) += 1;
        }
    };
    exhaust(tester, |sys| {
        keep();
        program(&sys, &journal);
    });
    keep();
    std::mem::take(&mut *lock(&seen))
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Events that many tests use.
pub mod events {
    use serde::{Deserialize, Serialize};

    /// Starts something.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
    pub struct Go;

    /// A round, or the firing of a timer.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
    pub struct Tick;

    /// Halts the actor.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
    pub struct Halt;

    /// Makes the actor panic.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
    pub struct Break;
}
