//! A test under plain `cargo test` or nextest; and what that has in common with the tool's child.

use std::collections::BTreeMap;
use std::io::Write;
use std::path::PathBuf;
use std::process::Command;
use std::sync::atomic::Ordering;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use crate::attendance::WorkerStatus;
use crate::data::bug::{BugKind, Finding};
use crate::declaration::attribute::ActorTest;
use crate::declaration::parameters;
use crate::declaration::parameters::Combination;
use crate::engine::on_fresh_thread;
use crate::explaining::causes::explain;
use crate::explaining::minimizing::{Minimal, minimize};
use crate::exploring::plan::Turn;
use crate::exploring::workers::{Observer, Silent, explore};
use crate::exploring::{checkpoint, neighbourhood};
use crate::hosting::environment::{self, REQUEST};
use crate::hosting::postmortem::{Postmortem, examine};
use crate::hosting::process::{self, Job};
use crate::hosting::protocol::{Ignored, Task};
use crate::hosting::{child, watchdog};
use crate::report::facts::{Bug, Report};
use crate::report::words;
use crate::settings::Settings;
use crate::settings::overrides::{self, Budgets, Overrides};
use crate::trace::saved::Saved;
use crate::trace::{self, Trace, saved};

/// What a test may spend under plain `cargo test`, where nobody says when to stop: about 0.4 s of one
/// core in a debug build, and ten times that on a failure.
const BUDGETS: Budgets = Budgets {
    exploring: 500_000,
    minimize: 5_000_000,
};

/// How many steps are spent near each saved schedule: the same under `cargo test` and in the tool, so
/// that they find the same.
const NEAR: u64 = 100_000;

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
    crate::wall_clock::run_began();
    let given = environment::variables().unwrap_or_else(|error| panic!("{error}"));
    let manifest = environment::manifest().unwrap_or_else(|error| panic!("{error}"));
    let limit = given
        .hang_timeout
        .or(manifest.hang_timeout)
        .unwrap_or(watchdog::HANG_TIMEOUT);
    let combinations = combinations(test).unwrap_or_else(|error| panic!("{error}"));
    watchdog::start(limit, |_| (), Box::new(bark));
    let last_words = actor_test_os::speak_at_the_end();
    let mut verdicts = Vec::new();
    for combination in &combinations {
        let settings = settings(combination, given.clone(), manifest.clone(), BUDGETS)
            .unwrap_or_else(|error| panic!("{error}"));
        let settings = Settings {
            last_words,
            ..settings
        };
        let now = Running {
            settings: settings.clone(),
            given: given.clone().or(manifest.clone()),
            limit,
            begun: crate::wall_clock::now(),
            failed: None,
        };
        running().insert(combination.name.clone(), now);
        let (before, after) = words::last_words_besides(&combination.name, None);
        let explore = || explore_test(combination, &settings, given.clone(), &mut Silent);
        let (mut report, notes) =
            actor_test_os::with_last_words(&before, &after, || on_fresh_thread(explore));
        let expected = settings.expect_bug.as_deref();
        let is_expected = |expected| report.bugs.iter().any(|bug| bug.is(expected));
        // Nobody reads how short an expected bug is, unless they ask for it.
        let is_asked_for = given
            .minimize
            .or(test.attributes.minimize)
            .or(manifest.minimize)
            .is_some();
        let is_read = is_asked_for || !expected.is_some_and(is_expected);
        if settings.looks_again() && is_read && !report.is_clean() {
            let failed = words::failed(&report, &notes, &words::Place::of_shell());
            let (before, after) = words::last_words_besides(&combination.name, Some(&failed));
            if let Some(running) = running().get_mut(&combination.name) {
                running.failed = Some(failed);
            }
            let minimize = || minimize_bugs(combination, &settings, &mut report);
            actor_test_os::with_last_words(&before, &after, || on_fresh_thread(minimize));
        }
        running().remove(&combination.name);
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
    budgets: Budgets,
) -> Result<Settings, String> {
    let test = combination.test;
    let trace_dir = given.trace_dir.clone();
    let settings = overrides::resolve(given, &test.attributes, manifest, budgets)
        .map_err(|problem| format!("a setting of {}: {problem}", place(test)))?;
    // Beside the traces, unless a place is named.
    let named = |directory: PathBuf| match directory.as_os_str().is_empty() {
        true => trace::directory(trace_dir),
        false => directory,
    };
    let settings = Settings {
        salt: combination.salt(),
        checkpoint: settings.checkpoint.map(named),
        ..settings
    };
    checkpoint::check(&combination.name, &settings.first())
        .map_err(|error| format!("{}: {error}", place(test)))?;
    Ok(settings)
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

/// Searches near the saved schedules that pass, and adds the bugs; tells how many executions that took.
fn near_saved(test: &Combination, settings: &Settings, saved: &mut Saved) -> u64 {
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

/// Minimises what was found, one bug after the other, and looks for the causes. A trace is written
/// anew whenever it has become shorter, so that whatever ends the process leaves the best so far.
pub(crate) fn minimize_bugs(test: &Combination, settings: &Settings, report: &mut Report) {
    let package = trace::own_package();
    let rewrite = |bug: &Bug| {
        if let Some(path) = &bug.trace_path {
            // What can't be written leaves the one before in its place, which is as true.
            let _ = Trace::of(&test.name, package.as_deref(), bug).rewrite(path);
        }
    };
    for bug in report.bugs.iter_mut().filter(|bug| !bug.is_saved()) {
        let keep = |bug: &mut Bug, minimal: Minimal| {
            minimal.replace(bug);
            rewrite(bug);
        };
        let mut so_far = bug.clone();
        let (budget, workers) = (settings.minimize, settings.workers);
        let mut keep_so_far = |minimal: &Minimal| keep(&mut so_far, minimal.clone());
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
        None if report.is_unproved() => words::unproved(report, notes),
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
fn conclude(test: &ActorTest, verdicts: Vec<Verdict>) {
    let all = verdicts.len();
    if verdicts
        .iter()
        .all(|verdict| matches!(verdict, Verdict::Without))
        && let Some(expected) = test.attributes.expect_bug
    {
        eprintln!("\n{}\n", words::in_no_combination(test.name, expected, all));
        fail(words::missing_everywhere(expected, all));
    }
    let failed = verdicts.into_iter().filter_map(|verdict| match verdict {
        Verdict::Failed(name, why) => Some((name, why)),
        _ => None,
    });
    let failed: Vec<(String, String)> = failed.collect();
    match &failed[..] {
        [] => {}
        [(_, why)] if test.parameters.is_empty() => fail(why.clone()),
        _ => fail(words::panic_of_combinations(&failed, all)),
    }
}

/// Fails this test. A backtrace would show the tester, and nothing of the program.
fn fail(why: String) -> ! {
    eprintln!("{why}");
    std::panic::resume_unwind(Box::new(why))
}

/// A test that runs now, for the watchdog.
#[derive(Clone, Debug)]
struct Running {
    settings: Settings,
    given: Overrides,
    limit: Duration,
    begun: Instant,
    /// What has failed, where it is being minimised.
    failed: Option<String>,
}

/// The tests that run now.
fn running() -> std::sync::MutexGuard<'static, BTreeMap<String, Running>> {
    static RUNNING: Mutex<BTreeMap<String, Running>> = Mutex::new(BTreeMap::new());
    RUNNING.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A worker of this process stands still. Its thread can't be stopped, so the process ends; before,
/// a child shows where the execution stands.
fn bark(worker: &WorkerStatus, still: Duration) {
    let found = running().get(&worker.test).cloned();
    let Some(iteration) = worker.iteration() else {
        let text = words::part_stands_still(&worker.test, still.as_secs_f64());
        let _ = writeln!(std::io::stderr(), "{text}");
        std::process::exit(101);
    };
    let turn = Turn {
        iteration,
        strategy: worker.strategy.load(Ordering::Relaxed),
        length: worker.length(),
    };
    // Not `eprintln!`: libtest would keep it for a test that never ends.
    let say = |text: &str| _ = writeln!(std::io::stderr(), "{text}");
    let still = still.as_secs_f64();
    say(&words::stands_still(&worker.test, turn.iteration, still));
    if let Some(failed) = found.as_ref().and_then(|running| running.failed.as_ref()) {
        say(&format!("while this was minimised:\n\n{failed}"));
    } else if let Some(running) = found {
        let (report, notes) = hung(&worker.test, &running, turn, still);
        let place = words::Place {
            hang_timeout: running.given.hang_timeout,
            ..words::Place::of_shell()
        };
        say(&format!("\n{}", words::failed(&report, &notes, &place)));
    }
    say("\nthe process ends, and its other tests with it");
    std::process::exit(101);
}

/// The report of a test that hangs, its trace written, and notes.
fn hung(test: &str, running: &Running, turn: Turn, still: f64) -> (Report, Vec<String>) {
    let Running {
        settings,
        given,
        limit,
        begun,
        ..
    } = running;
    let strategies = settings.named_strategies();
    let strategy = strategies.get(turn.strategy).cloned().unwrap_or_default();
    let found_after_s = begun.elapsed().as_secs_f64();
    let job = Job {
        test: test.into(),
        given: given.clone(),
        task: Some(Task::Explore),
        ignored: Ignored::Include,
        pin: false,
        witness: None,
        hold: false,
    };
    let mut run = |job: &Job| {
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
    let mut report = ended(test, settings, finding, &strategy, turn);
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

/// The report of a test that ended its process, or was ended with it.
pub fn ended(
    test: &str,
    settings: &Settings,
    finding: Finding,
    strategy: &str,
    turn: Turn,
) -> Report {
    let mut report = Report::empty(test, settings);
    let mut bug = Bug::unrecorded(finding, strategy, turn.iteration, settings);
    bug.token = turn.token(strategy, settings);
    report.bugs.push(bug);
    report
}
