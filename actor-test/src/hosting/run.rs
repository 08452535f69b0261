//! A test under plain `cargo test` or nextest; and what that has in common with the tool's child.

use std::collections::BTreeMap;
use std::io::Write;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use crate::data::bug::Finding;
use crate::declaration::attribute::ActorTest;
use crate::declaration::parameters;
use crate::declaration::parameters::Combination;
use crate::exploring::explorer::WorkerStatus;
use crate::exploring::workers::{Observer, Silent, explore};
use crate::hosting::environment::{self, REQUEST};
use crate::hosting::protocol;
use crate::hosting::{child, watchdog};
use crate::report::facts::{Bug, Report};
use crate::report::words;
use crate::settings::Settings;
use crate::settings::overrides::{self, Overrides};
use crate::trace::{self, saved};

/// Runs a test: as its child where the tool asks for it, and else as an ordinary test, each
/// combination of its parameters after the other.
///
/// # Panics
///
/// When a bug is found, or the expected one isn't; the report is printed before. When a setting is
/// malformed, or a parameter has no values, or there are too many.
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
    let combinations = combinations(test).unwrap_or_else(|error| panic!("{error}"));
    watchdog::start(limit, |_| (), Box::new(bark));
    let mut verdicts = Vec::new();
    for combination in &combinations {
        let settings = settings(combination, given.clone(), manifest.clone())
            .unwrap_or_else(|error| panic!("{error}"));
        running().insert(combination.name.clone(), settings.clone());
        let (report, notes) = explore_test(combination, &settings, given.clone(), &mut Silent);
        running().remove(&combination.name);
        let expected = settings.expect_bug.as_deref();
        verdicts.push(judge(combination, &report, &notes, expected));
    }
    conclude(test, verdicts);
}

/// The combinations of a test's parameters; an error says where the test is.
pub(crate) fn combinations(test: &'static ActorTest) -> Result<Vec<Combination>, String> {
    parameters::combinations(test).map_err(|error| format!("{}: {error}", place(test)))
}

/// The settings of a test, from all places.
pub(crate) fn settings(
    combination: &Combination,
    given: Overrides,
    manifest: Overrides,
) -> Result<Settings, String> {
    let test = combination.test;
    let settings = overrides::resolve(given, &test.attributes, manifest)
        .map_err(|problem| format!("a setting of {}: {problem}", place(test)))?;
    Ok(Settings {
        salt: combination.salt(),
        ..settings
    })
}

fn place(test: &ActorTest) -> String {
    format!("{}, at {}:{}", test.name, test.file, test.line)
}

/// Runs the saved schedules of a test, explores it, and writes the traces.
pub(crate) fn explore_test(
    test: &Combination,
    settings: &Settings,
    given: Overrides,
    observer: &mut dyn Observer,
) -> (Report, Vec<String>) {
    let saved = saved::run(&test.name, test);
    let mut report = if saved.bugs.is_empty() || settings.keep_going {
        explore(&test.name, test, settings, observer)
    } else {
        let mut report = Report::empty(&test.name, settings);
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

/// What became of a combination.
enum Verdict {
    Clean,
    /// It is clean, and the bug is expected in one combination at least.
    Without,
    Expected,
    /// The test's name, and what was wrong in a few words.
    Failed(String, String),
}

/// Prints the report of a combination.
fn judge(
    combination: &Combination,
    report: &Report,
    notes: &[String],
    expected: Option<&str>,
) -> Verdict {
    let place = words::Place::of_shell();
    let block = match expected {
        Some(expected) => match report.bugs.iter().find(|bug| bug.is(expected)) {
            Some(bug) => {
                println!("{}", words::expected(report, bug, notes, &place));
                return Verdict::Expected;
            }
            None if report.is_clean() && combination.is_of_several() => {
                println!("{}", words::without(report, expected, notes));
                return Verdict::Without;
            }
            None => words::unexpected(report, expected, notes, &place),
        },
        None if report.is_clean() => {
            println!("{}", words::passed(report, notes));
            return Verdict::Clean;
        }
        None => words::failed(report, notes, &place),
    };
    eprintln!("\n{block}\n");
    Verdict::Failed(report.test.clone(), words::panic(report, expected))
}

/// Fails where a combination did, or where none has the bug that is expected.
#[track_caller]
fn conclude(test: &ActorTest, verdicts: Vec<Verdict>) {
    let all = verdicts.len();
    if verdicts
        .iter()
        .all(|verdict| matches!(verdict, Verdict::Without))
        && let Some(expected) = test.attributes.expect_bug
    {
        eprintln!("\n{}\n", words::in_no_combination(test.name, expected, all));
        panic!("{}", words::missing_everywhere(expected, all));
    }
    let failed = verdicts.into_iter().filter_map(|verdict| match verdict {
        Verdict::Failed(name, why) => Some((name, why)),
        _ => None,
    });
    let failed: Vec<(String, String)> = failed.collect();
    match &failed[..] {
        [] => {}
        [(_, why)] if test.parameters.is_empty() => panic!("{why}"),
        _ => panic!("{}", words::panic_of_combinations(&failed, all)),
    }
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
