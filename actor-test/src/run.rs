//! A test under plain `cargo test` or nextest; and what that has in common with the tool's child.

use std::collections::BTreeMap;
use std::io::Write;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use crate::attribute::ActorTest;
use crate::environment::{self, REQUEST};
use crate::explorer::WorkerStatus;
use crate::overrides::{self, Overrides};
use crate::protocol;
use crate::report::{Bug, Report};
use crate::settings::Settings;
use crate::workers::{Observer, Silent, explore};
use crate::{Finding, child, saved, trace, watchdog, words};

/// Runs a test: as its child where the tool asks for it, and else as an ordinary test.
///
/// # Panics
///
/// When a bug is found, or the expected one isn't; the report is printed before.
#[track_caller]
pub fn run(test: &'static ActorTest) {
    if let Some(request) = std::env::var_os(REQUEST) {
        return child::serve(test, request.as_ref());
    }
    let given = environment::variables().unwrap_or_else(|error| panic!("{error}"));
    let manifest = environment::manifest().unwrap_or_else(|error| panic!("{error}"));
    let limit = given
        .hang_timeout
        .or(manifest.hang_timeout)
        .unwrap_or(watchdog::HANG_TIMEOUT);
    let settings =
        settings(test, given.clone(), manifest).unwrap_or_else(|error| panic!("{error}"));
    running().insert(test.name.to_owned(), settings.clone());
    watchdog::start(limit, |_| (), Box::new(bark));
    let (report, notes) = explore_test(test, &settings, given, &mut Silent);
    running().remove(test.name);
    judge(&report, &notes, settings.expect_bug.as_deref());
}

/// The settings of a test, from all places.
pub(crate) fn settings(
    test: &ActorTest,
    given: Overrides,
    manifest: Overrides,
) -> Result<Settings, String> {
    let at = || format!("{}, at {}:{}", test.name, test.file, test.line);
    overrides::resolve(given, &test.attributes, manifest)
        .map_err(|problem| format!("a setting of {}: {problem}", at()))
}

/// Runs the saved schedules of a test, explores it, and writes the traces.
pub(crate) fn explore_test(
    test: &ActorTest,
    settings: &Settings,
    given: Overrides,
    observer: &mut dyn Observer,
) -> (Report, Vec<String>) {
    let saved = saved::run(test.name, &test.body);
    let mut report = if saved.bugs.is_empty() || settings.keep_going {
        explore(test.name, &test.body, settings, observer)
    } else {
        let mut report = Report::empty(test.name, settings);
        report.executions = saved.executions;
        report.fair = saved.executions;
        report
    };
    report.bugs.splice(0..0, saved.bugs);
    let mut notes = saved.notes;
    notes.extend(trace::write_all(
        &mut report,
        &trace::directory(given.trace_dir),
    ));
    (report, notes)
}

#[track_caller]
fn judge(report: &Report, notes: &[String], expected: Option<&str>) {
    let place = words::Place::of_shell();
    let block = match expected {
        Some(expected) => match report.bugs.iter().find(|bug| bug.is(expected)) {
            Some(bug) => return println!("{}", words::expected(report, bug, notes, &place)),
            None => words::unexpected(report, expected, notes, &place),
        },
        None if report.is_clean() => return println!("{}", words::passed(report, notes)),
        None => words::failed(report, notes, &place),
    };
    eprintln!("\n{block}\n");
    panic!("{}", words::panic(report, expected));
}

/// The tests that run now, for the watchdog.
fn running() -> std::sync::MutexGuard<'static, BTreeMap<String, Settings>> {
    static RUNNING: Mutex<BTreeMap<String, Settings>> = Mutex::new(BTreeMap::new());
    RUNNING.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A worker of this process stands still. Its thread can't be stopped, so the process ends.
fn bark(worker: &WorkerStatus, still: Duration) {
    let settings = running().get(&worker.test).cloned().unwrap_or_default();
    let strategies = settings.search.strategies();
    let number = worker.strategy.load(std::sync::atomic::Ordering::Relaxed);
    let strategy = strategies
        .get(number)
        .map(ToString::to_string)
        .unwrap_or_default();
    let iteration = worker.iteration.load(std::sync::atomic::Ordering::Relaxed);
    let finding = protocol::hang(still.as_secs_f64());
    let report = ended(&worker.test, &settings, finding, &strategy, iteration);
    let block = words::failed(&report, &[], &words::Place::of_shell());
    // Not `eprintln!`: libtest would keep it for a test that never ends.
    let _ = writeln!(
        std::io::stderr(),
        "\n{block}\n\nthe process ends, and its other tests with it"
    );
    std::process::exit(101);
}

/// The report of a test that ended its process, or was ended with it.
pub(crate) fn ended(
    test: &str,
    settings: &Settings,
    finding: Finding,
    strategy: &str,
    iteration: u64,
) -> Report {
    let mut report = Report::empty(test, settings);
    let bug = Bug::unrecorded(finding, strategy, iteration, settings);
    report.bugs.push(bug);
    report
}
