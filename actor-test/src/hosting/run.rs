//! Running a test under plain `cargo test` or nextest, with functions shared with the tool's child.

use std::collections::BTreeMap;
use std::io::Write;
use std::path::PathBuf;
use std::process::Command;
use std::sync::atomic::Ordering;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use crate::data::bug::{BugKind, Finding};
use crate::declaration::attribute::ActorTest;
use crate::declaration::parameters;
use crate::declaration::parameters::Combination;
use crate::engine::on_fresh_thread;
use crate::explaining::causes::explain;
use crate::explaining::minimizing::{MinimalExecution, minimize};
use crate::exploring::explore::explore;
use crate::exploring::progress::{ProgressObserver, Silent};
use crate::exploring::{checkpoint, neighbourhood};
use crate::hosting::{child, watchdog};
use crate::protocol::environment;
use crate::protocol::environment::REQUEST;
use crate::protocol::postmortem::crash_report;
use crate::protocol::postmortem::{Postmortem, examine};
use crate::protocol::process;
use crate::protocol::process::ChildJob;
use crate::protocol::{Ignored, Task};
use crate::replay::saved;
use crate::replay::saved::SavedResults;
use crate::report::data::{Bug, Report};
use crate::report::judged::{JudgedTest, TestOutcome};
use crate::report::words;
use crate::settings::Settings;
use crate::settings::overrides::{self, Budgets, Overrides};
use crate::settings::turn::StrategyTurn;
use crate::trace::{self, Trace};
use crate::worker_registry::WorkerStatus;

/// The default budgets in steps: about 0.4 s of one core in a debug build, ten times that on a failure.
const BUDGETS: Budgets = Budgets {
    exploring: 500_000,
    minimize: 5_000_000,
};

/// The budget in steps for the search near each saved schedule: the same under `cargo test` and in the tool,
/// so that both find the same bugs.
const NEAR: u64 = 100_000;

/// Runs a test: as the tool's child if a request is given, or else as an ordinary test, one combination of
/// its parameters after the other.
///
/// # Panics
///
/// If a bug is found, or the expected one isn't; the report is printed before. If a setting is malformed, or
/// a parameter has no values or too many.
#[track_caller]
pub fn run(test: &'static ActorTest) {
    if let Some(request) = std::env::var_os(REQUEST) {
        return child::serve(test, request.as_ref());
    }
    crate::wall_clock::run_began();
    let given = environment::variables().unwrap_or_else(|error| panic!("{error}"));
    let manifest = environment::manifest().unwrap_or_else(|error| panic!("{error}"));
    let limit = given
        .hang_timeout
        .or(manifest.hang_timeout)
        .unwrap_or(process::HANG_TIMEOUT);
    let combinations = combinations(test).unwrap_or_else(|error| panic!("{error}"));
    watchdog::start(limit, |_| (), Box::new(report_hang));
    let last_words = actor_test_os::enable_exit_messages();
    let mut all = Vec::new();
    let mut conclude_one = |combination: &Combination, settings: &Settings, (report, notes)| {
        let judged = JudgedTest {
            report,
            notes,
            expected: settings.expect_bug.clone(),
            is_combination: combination.has_parameters(),
        };
        print(&judged);
        all.push(judged);
    };
    for combination in &combinations {
        let settings = settings(combination, given.clone(), manifest.clone(), BUDGETS)
            .unwrap_or_else(|error| panic!("{error}"));
        let settings = Settings {
            last_words,
            ..settings
        };
        let ended = join(combination, &settings, given.trace_dir.clone());
        if let Some(ended) = ended.unwrap_or_else(|error| panic!("{error}")) {
            conclude_one(combination, &settings, ended);
            continue;
        }
        let now = RunningTest {
            settings: settings.clone(),
            given: given.clone().or(manifest.clone()),
            limit,
            begun: crate::wall_clock::now(),
            failed: None,
        };
        running().insert(combination.name.clone(), now);
        let (before, after) = words::last_words_besides(&combination.name, None);
        let explore = || explore_test(combination, &settings, given.clone(), &mut Silent);
        let (mut report, mut notes) =
            actor_test_os::with_exit_message(&before, &after, || on_fresh_thread(explore));
        let expected = settings.expect_bug.as_deref();
        let is_expected = |expected| report.bugs.iter().any(|bug| bug.is(expected));
        // The length of an expected bug rarely matters, so it is minimised only on request.
        let is_asked_for = given
            .minimize
            .or(test.attributes.minimize)
            .or(manifest.minimize)
            .is_some();
        let is_read = is_asked_for || !expected.is_some_and(is_expected);
        if settings.postprocesses_bugs() && is_read && !report.is_clean() {
            let failed = words::failed(&report, &notes, &words::CommandContext::of_shell());
            let (before, after) = words::last_words_besides(&combination.name, Some(&failed));
            if let Some(running) = running().get_mut(&combination.name) {
                running.failed = Some(failed);
            }
            let minimize = || minimize_bugs(combination, &settings, &mut report);
            actor_test_os::with_exit_message(&before, &after, || on_fresh_thread(minimize));
        }
        running().remove(&combination.name);
        notes.extend(store(combination, &settings, &report));
        conclude_one(combination, &settings, (report, notes));
    }
    conclude(test, &all);
}

/// Returns the combinations of a test's parameters; an error includes the place of the test.
pub(crate) fn combinations(test: &'static ActorTest) -> Result<Vec<Combination>, String> {
    parameters::combinations(test).map_err(|error| format!("{}: {error}", place(test)))
}

/// Resolves the settings of a test from flags, variables, attribute and manifest.
pub(crate) fn settings(
    combination: &Combination,
    given: Overrides,
    manifest: Overrides,
    budgets: Budgets,
) -> Result<Settings, String> {
    let test = combination.test;
    let settings = overrides::resolve(given, &test.attributes, manifest, budgets)
        .map_err(|problem| format!("a setting of {}: {problem}", place(test)))?;
    Ok(Settings {
        salt: combination.salt(),
        ..settings
    })
}

/// Joins the search of a test in the search directory, if the settings have one. Returns the report and
/// notes, if the search has ended before. Lost traces of its bugs are written anew.
pub(crate) fn join(
    test: &Combination,
    settings: &Settings,
    trace_dir: Option<PathBuf>,
) -> Result<Option<(Report, Vec<String>)>, String> {
    let ended = checkpoint::join(&test.name, settings);
    let ended = ended.map_err(|error| format!("{}: {error}", place(test.test)))?;
    Ok(ended.map(|(mut report, path)| {
        for bug in &mut report.bugs {
            bug.trace_path.take_if(|path| !path.exists());
        }
        let directory = trace::directory(trace_dir);
        let unwritten = trace::write_all(&mut report, trace::own_package().as_deref(), &directory);
        report.record = Some(path);
        (report, unwritten.into_iter().collect())
    }))
}

/// Stores the result of a test in the search directory, if the settings have one; returns a message if that
/// fails.
pub(crate) fn store(test: &Combination, settings: &Settings, report: &Report) -> Option<String> {
    let stored = checkpoint::store(&test.name, settings, report);
    stored.err().map(|error| words::not_stored(&error))
}

fn place(test: &ActorTest) -> String {
    format!("{}, at {}:{}", test.name, test.file, test.line)
}

/// Runs the saved schedules of a test, explores it, and writes the traces.
pub(crate) fn explore_test(
    test: &Combination,
    settings: &Settings,
    given: Overrides,
    observer: &mut dyn ProgressObserver,
) -> (Report, Vec<String>) {
    let mut saved = saved::run(&test.name, test);
    let near = near_saved(test, settings, &mut saved);
    let mut report = if saved.bugs.is_empty() || settings.keep_going {
        explore(&test.name, test, settings, observer)
    } else {
        let mut report = Report::empty(&test.name, settings);
        report.executions = saved.executions;
        report.fair = saved.executions;
        report
    };
    (report.saved, report.near) = (saved.passed.len() as u64, near);
    report.bugs.splice(0..0, saved.bugs);
    report.list_bugs();
    let mut notes = saved.notes;
    notes.extend(report.checkpoint.as_ref().map(words::kept));
    notes.extend(trace::write_all(
        &mut report,
        trace::own_package().as_deref(),
        &trace::directory(given.trace_dir),
    ));
    (report, notes)
}

/// Searches near the saved schedules that pass, adds the bugs found, and returns the number of executions.
fn near_saved(test: &Combination, settings: &Settings, saved: &mut SavedResults) -> u64 {
    let mut executions = 0;
    for passed in &saved.passed {
        if !saved.bugs.is_empty() && !settings.keep_going {
            break;
        }
        let found = neighbourhood::search(&test.name, test, settings, passed, NEAR);
        executions += found.executions;
        saved.bugs.extend(found.bug);
    }
    executions
}

/// Minimises the bugs one after the other, and searches for their causes. A trace is rewritten whenever it
/// becomes shorter, so the best so far survives the end of the process.
pub(crate) fn minimize_bugs(test: &Combination, settings: &Settings, report: &mut Report) {
    let package = trace::own_package();
    let rewrite = |bug: &Bug| {
        if let Some(path) = &bug.trace_path {
            // If writing fails, the earlier trace stays, which is valid as well.
            let _ = Trace::of(&test.name, package.as_deref(), bug).rewrite(path);
        }
    };
    for bug in report.bugs.iter_mut().filter(|bug| !bug.is_saved()) {
        let keep = |bug: &mut Bug, minimal: MinimalExecution| {
            minimal.replace(bug);
            rewrite(bug);
        };
        let mut so_far = bug.clone();
        let (budget, workers) = (settings.minimize, settings.workers);
        let mut keep_so_far = |minimal: &MinimalExecution| keep(&mut so_far, minimal.clone());
        let minimal = minimize(test, &test.name, bug, budget, workers, &mut keep_so_far);
        if let Some(minimal) = minimal {
            keep(bug, minimal);
        }
    }
    let found = report.bugs.iter_mut().filter(|bug| !bug.is_saved());
    explain(
        test,
        &test.name,
        found,
        settings.explain,
        settings.workers,
        rewrite,
    );
    report.list_bugs();
}

/// Prints the report of a combination.
fn print(judged: &JudgedTest) {
    let block = words::outcome(judged, &words::CommandContext::of_shell());
    match judged.has_passed() {
        true => println!("{block}"),
        false => eprintln!("\n{block}\n"),
    }
}

/// Panics if a combination failed, or if no combination has the expected bug.
fn conclude(test: &ActorTest, judged: &[JudgedTest]) {
    let all = judged.len();
    let is_without = |one: &JudgedTest| matches!(one.outcome(), TestOutcome::CleanCombination(_));
    if judged.iter().all(is_without)
        && let Some(expected) = test.attributes.expect_bug
    {
        eprintln!("\n{}\n", words::in_no_combination(test.name, expected, all));
        fail(words::missing_everywhere(expected, all));
    }
    let failed: Vec<(String, String)> = judged
        .iter()
        .filter(|one| !one.has_passed())
        .map(|one| {
            let why = words::panic(&one.report, one.expected.as_deref());
            (one.report.test.clone(), why)
        })
        .collect();
    match &failed[..] {
        [] => {}
        [(_, why)] if test.parameters.is_empty() => fail(why.clone()),
        _ => fail(words::panic_of_combinations(&failed, all)),
    }
}

/// Fails this test without a backtrace, which would show only the tester.
fn fail(why: String) -> ! {
    eprintln!("{why}");
    std::panic::resume_unwind(Box::new(why))
}

/// A test in progress, for the watchdog.
#[derive(Clone, Debug)]
struct RunningTest {
    settings: Settings,
    given: Overrides,
    limit: Duration,
    begun: Instant,
    /// The failure report, set while its bug is being minimised.
    failed: Option<String>,
}

/// Returns the tests in progress, by name.
fn running() -> std::sync::MutexGuard<'static, BTreeMap<String, RunningTest>> {
    static RUNNING: Mutex<BTreeMap<String, RunningTest>> = Mutex::new(BTreeMap::new());
    RUNNING.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Reports a worker without progress and ends the process, since its thread can't be stopped. Before, a child
/// process reconstructs the unfinished step.
fn report_hang(worker: &WorkerStatus, still: Duration) {
    let found = running().get(&worker.test).cloned();
    let Some(iteration) = worker.iteration() else {
        let text = words::part_stands_still(&worker.test, still.as_secs_f64());
        let _ = writeln!(std::io::stderr(), "{text}");
        std::process::exit(101);
    };
    let turn = StrategyTurn {
        iteration,
        strategy: worker.strategy.load(Ordering::Relaxed),
        length: worker.length(),
    };
    // libtest would capture `eprintln!` for a test that never ends.
    let say = |text: &str| _ = writeln!(std::io::stderr(), "{text}");
    let still = still.as_secs_f64();
    say(&words::stands_still(&worker.test, turn.iteration, still));
    if let Some(failed) = found.as_ref().and_then(|running| running.failed.as_ref()) {
        say(&format!("while this was minimised:\n\n{failed}"));
    } else if let Some(running) = found {
        let (report, notes) = hung(&worker.test, &running, turn, still);
        let place = words::CommandContext {
            hang_timeout: running.given.hang_timeout,
            ..words::CommandContext::of_shell()
        };
        say(&format!("\n{}", words::failed(&report, &notes, &place)));
    }
    say("\nthe process ends, and its other tests with it");
    std::process::exit(101);
}

/// Returns the report of a hanging test, with its trace written, and notes.
fn hung(
    test: &str,
    running: &RunningTest,
    turn: StrategyTurn,
    still: f64,
) -> (Report, Vec<String>) {
    let RunningTest {
        settings,
        given,
        limit,
        begun,
        ..
    } = running;
    let strategies = settings.named_strategies();
    let strategy = strategies.get(turn.strategy).cloned().unwrap_or_default();
    let found_after_s = begun.elapsed().as_secs_f64();
    let job = ChildJob {
        test: test.into(),
        given: given.clone(),
        task: Some(Task::Explore),
        ignored: Ignored::Include,
        pin: false,
        decision_log: None,
        hold: false,
    };
    let mut run = |job: &ChildJob| {
        let own = Command::new(std::env::current_exe().ok()?);
        process::run(own, job, *limit, &mut |_| ()).ok()
    };
    let seen = examine(&job, settings, turn, &strategy, &mut run);
    let doing = seen.as_ref().and_then(Postmortem::doing);
    let finding = Finding {
        kind: BugKind::Hang,
        message: words::hang(still, doing.as_deref()),
        location: None,
        step: 0,
    };
    let mut report = crash_report(test, settings, finding, &strategy, turn);
    let bug = &mut report.bugs[0];
    bug.found_after_s = found_after_s;
    let mut notes = Vec::new();
    match seen {
        Some(seen) => seen.add_to(bug, words::does_not_return()),
        None => notes.push(words::end_not_repeated()),
    }
    notes.extend(trace::write_all(
        &mut report,
        trace::own_package().as_deref(),
        &trace::directory(given.trace_dir.clone()),
    ));
    (report, notes)
}
