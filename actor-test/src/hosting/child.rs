//! The child process of the tool: performs the requested task on one test and reports events.

use std::io::BufRead;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use crate::data::bug::{BugKind, Finding};
use crate::data::test_name;
use crate::debugging;
use crate::declaration::attribute::ActorTest;
use crate::declaration::parameters;
use crate::declaration::parameters::Combination;
use crate::engine::{self, on_fresh_thread};
use crate::explaining::causes::explain;
use crate::explaining::minimizing::minimize;
use crate::exploring::explore::explore;
use crate::exploring::neighbourhood::{self, Neighbourhood};
use crate::exploring::progress::{ExplorationProgress, ProgressObserver, Silent};
use crate::exploring::reproduction::reproduce;
use crate::exploring::script::{follow, in_words};
use crate::hosting::{run, script, watchdog};
use crate::protocol::crash_marker;
use crate::protocol::decision_log;
use crate::protocol::environment;
use crate::protocol::process;
use crate::protocol::{ChildEvent, ChildRequest, EventWriter, Task, VERSION};
use crate::replay::replay_until;
use crate::replay::saved::PassingSchedule;
use crate::report::data::{Bug, Recording, Report};
use crate::report::words;
use crate::settings::Settings;
use crate::settings::overrides::{Budgets, Overrides};
use crate::strategy::{ScriptStep, parse};
use crate::trace;
use crate::trace::schedule;
use crate::worker_registry::WorkerStatus;

/// The default budgets in the tool, in steps: about 2 s of one core, with the tool's profile.
const BUDGETS: Budgets = Budgets {
    exploring: 20_000_000,
    minimize: 20_000_000,
};

/// The interval at which a held child checks for the file that releases it.
const HOLD: Duration = Duration::from_millis(50);

/// The minimum interval between two progress events.
const PROGRESS_INTERVAL: Duration = Duration::from_millis(50);

/// Performs the request in the file `path`, if the request is for this test.
pub(crate) fn serve(test: &'static ActorTest, path: &Path) {
    let request = match read(path) {
        Ok(request) => request,
        Err(problem) => panic!("{}: {problem}", path.display()),
    };
    if test_name::path(&request.test) != test.name {
        return;
    }
    crate::wall_clock::set_run_began(request.begun);
    let events = match EventWriter::open(&request.events) {
        Ok(events) => Arc::new(events),
        Err(error) => panic!("{}: {error}", request.events.display()),
    };
    let last = if !request.ignored.runs(test.ignored) {
        ChildEvent::Skipped
    } else {
        let answer = match request.task.clone() {
            None => combine(test),
            Some(task) => {
                let found = named(test, &request.test);
                found.and_then(|test| on_fresh_thread(|| answer(&test, task, request, &events)))
            }
        };
        answer.unwrap_or_else(|problem| ChildEvent::Refused {
            problem,
            source: source(test),
        })
    };
    events.append(&last);
}

fn read(path: &Path) -> Result<ChildRequest, String> {
    let text = std::fs::read(path).map_err(|error| error.to_string())?;
    let value: serde_json::Value =
        serde_json::from_slice(&text).map_err(|error| error.to_string())?;
    if value["version"] != VERSION {
        return Err(misunderstood(value["version"].as_u64()));
    }
    serde_json::from_slice(&text).map_err(|error| error.to_string())
}

/// Returns the advice for a tool that speaks another version of the protocol.
fn misunderstood(tools: Option<u64>) -> String {
    let own = env!("CARGO_PKG_VERSION");
    match tools {
        Some(tools) if tools > u64::from(VERSION) => format!(
            "this test's actor-test, {own}, is older than cargo-actor-test (they speak versions \
             {VERSION} and {tools} of their protocol); have the test depend on the actor-test of the \
             tool's version, which `cargo actor-test --version` prints, or install cargo-actor-test {own}"
        ),
        Some(tools) => format!(
            "cargo-actor-test is older than this test's actor-test, {own} (they speak versions {tools} \
             and {VERSION} of their protocol); install cargo-actor-test {own}"
        ),
        None => {
            "this is no request of cargo-actor-test: it names no version of the protocol".into()
        }
    }
}

fn combine(test: &'static ActorTest) -> Result<ChildEvent, String> {
    let names = run::combinations(test)?.into_iter();
    Ok(ChildEvent::Combinations {
        names: names.map(|combination| combination.name).collect(),
    })
}

fn named(test: &'static ActorTest, name: &str) -> Result<Combination, String> {
    let found = Combination::named(test, name).map_err(|error| error.to_string())?;
    found.ok_or_else(|| words::no_such_combination(name, &parameters::names(test)))
}

fn answer(
    test: &Combination,
    task: Task,
    request: ChildRequest,
    events: &Arc<EventWriter>,
) -> Result<ChildEvent, String> {
    let manifest = environment::manifest().map_err(|error| error.to_string())?;
    let limit = request.given.hang_timeout.or(manifest.hang_timeout);
    let settings = run::settings(test, request.given.clone(), manifest, BUDGETS)?;
    let ended = match task {
        Task::Explore => run::join(test, &settings, request.given.trace_dir.clone())?,
        _ => None,
    };
    if let Some(path) = &request.pin {
        crash_marker::pin_to(path).map_err(|error| format!("{}: {error}", path.display()))?;
    }
    if let Some((path, iteration)) = request.decision_log.clone() {
        decision_log::want(path, iteration);
    }
    events.append(&began(test.test, &settings, &task));
    if let Some(until) = request.hold.clone() {
        hold(until, events);
    }
    guard(limit.unwrap_or(process::HANG_TIMEOUT), events);
    match task {
        Task::Explore => Ok(match ended {
            Some((report, notes)) => ChildEvent::Done {
                report: Box::new(report),
                notes,
            },
            None => explored(test, &settings, request.given, events),
        }),
        Task::Reproduce { token } => {
            let report = reproduce(&test.name, test, &settings, &token);
            let mut report = report.map_err(|error| error.to_string())?;
            let notes = write_traces(&mut report, request.given);
            let notes = notes.into_iter().collect();
            Ok(minimized(test, &settings, report, notes, events))
        }
        Task::Minimize { finding, recording } => {
            let mut bug = Bug::unrecorded(finding, "", 0, &settings);
            bug.trace = *recording;
            let (budget, workers) = (settings.minimize, settings.workers);
            let minimal = minimize(test, &test.name, &bug, budget, workers, &mut |_| ());
            if let Some(minimal) = minimal {
                minimal.replace(&mut bug);
            }
            let found = std::iter::once(&mut bug);
            explain(test, &test.name, found, settings.explain, workers, |_| ());
            Ok(ChildEvent::Minimized { bug: Box::new(bug) })
        }
        Task::Pin { finding, recording } => pin_down(test, &finding, &recording),
        Task::Near {
            recording,
            name,
            steps,
        } => {
            let now = replay_until(test, &test.name, &recording, None);
            let passed = PassingSchedule {
                name,
                recorded: *recording,
                now: now.recording,
            };
            let near = match now.finding {
                None => neighbourhood::search(&test.name, test, &settings, &passed, steps),
                Some(_) => Neighbourhood::default(),
            };
            let mut report = Report::empty(&test.name, &settings);
            report.bugs.extend(near.bug);
            let notes = write_traces(&mut report, request.given);
            run::minimize_bugs(test, &settings, &mut report);
            Ok(ChildEvent::Near {
                executions: near.executions,
                bug: report.bugs.pop().map(Box::new),
                notes: notes.into_iter().collect(),
            })
        }
        Task::Debug => {
            engine::show_panics();
            let inquiries = actor_test_os::take_stdin()
                .lines()
                .map_while(|line| serde_json::from_slice(line.ok()?.as_bytes()).ok());
            debugging::serve(test, &test.name, inquiries, |answer| {
                events.append(&match answer {
                    Ok(answer) => ChildEvent::Answered { answer },
                    Err(problem) => ChildEvent::Refused {
                        problem,
                        source: source(test.test),
                    },
                });
            });
            Ok(ChildEvent::Closed)
        }
        Task::Replay { recording, until } => {
            engine::show_panics();
            let replayed = replay_until(test, &test.name, &recording, until);
            Ok(ChildEvent::Replayed {
                finding: replayed.finding,
                story: replayed.recording.story,
                diverged: replayed.diverged.map(|at| (at.step, at.message)),
            })
        }
    }
}

/// Words the steps of a failing execution for a pinned test, after checking that they reproduce the bug.
fn pin_down(
    test: &Combination,
    finding: &Finding,
    recording: &Recording,
) -> Result<ChildEvent, String> {
    let pinned = in_words(test, recording).filter(|(steps, _)| !steps.is_empty());
    let (mut steps, story) = pinned.ok_or_else(words::not_pinned)?;
    // A liveness bug is unavoidable after the named schedule, so later steps need no pin.
    if let Ok(schedule) = schedule::read(&recording.schedule)
        && !schedule.is_empty()
    {
        steps.truncate(schedule.len());
    }
    let settings = script::settings(test)?;
    // The steps are replayed in the written form that the user's test will have.
    let written: Vec<(String, String)> = steps.iter().map(ScriptStep::written).collect();
    let lines: Vec<(&str, &str)> = written
        .iter()
        .map(|(who, what)| (&**who, &**what))
        .collect();
    let again = follow(&test.name, test, &settings, parse(&lines)?);
    if !again.bug().is_some_and(|bug| bug.finding.is_like(finding)) {
        return Err(words::not_pinned());
    }
    let steps = written.into_iter().zip(&story.steps);
    let steps = steps.map(|((who, what), step)| [who, what, words::step_action(&story, step)]);
    Ok(ChildEvent::Pinned {
        steps: steps.collect(),
    })
}

/// Waits until the file `until` exists, so that a native debugger can attach to the process.
fn hold(until: PathBuf, events: &EventWriter) {
    let process = std::process::id();
    events.append(&ChildEvent::Holds {
        process,
        until: until.clone(),
    });
    while !until.exists() {
        std::thread::sleep(HOLD);
    }
}

fn source(test: &ActorTest) -> (String, u32) {
    (test.file.into(), test.line)
}

/// Returns the event with the settings, so that the tool can report a crash of this process.
fn began(test: &ActorTest, settings: &Settings, task: &Task) -> ChildEvent {
    let (iterations, strategies) = match task {
        Task::Reproduce { token } => {
            let strategy = token
                .rsplit_once('@')
                .map_or(&**token, |(strategy, _)| strategy);
            (1, vec![strategy.to_owned()])
        }
        _ => (settings.iterations, settings.named_strategies()),
    };
    ChildEvent::Began {
        iterations,
        seed: settings.seed,
        bounds: settings.bounds,
        strategies,
        expect_bug: settings.expect_bug.clone(),
        source: source(test),
    }
}

/// Starts the watchdog: it reports progress to the tool, and ends the process when a handler hangs.
fn guard(limit: Duration, events: &Arc<EventWriter>) {
    let (alive, barking) = (Arc::clone(events), Arc::clone(events));
    let on_hang = move |worker: &WorkerStatus, still: Duration| {
        // If the iteration is unknown, the tool determines it, as after a crash.
        if let Some(iteration) = worker.iteration() {
            barking.append(&ChildEvent::Hang {
                strategy: worker.strategy.load(Ordering::Relaxed),
                iteration,
                length: worker.length(),
                seconds: still.as_secs_f64(),
            });
        }
        std::process::exit(101);
    };
    watchdog::start(limit, move |event| alive.append(&event), Box::new(on_hang));
}

fn write_traces(report: &mut Report, given: Overrides) -> Option<String> {
    let package = trace::own_package();
    trace::write_all(
        report,
        package.as_deref(),
        &trace::directory(given.trace_dir),
    )
}

fn explored(
    test: &Combination,
    settings: &Settings,
    given: Overrides,
    events: &EventWriter,
) -> ChildEvent {
    let threads = crash_marker::threads();
    let mut reporter = ProgressReporter {
        events,
        reported_at: None,
    };
    let (mut report, mut notes) = run::explore_test(test, settings, given, &mut reporter);
    if let Some(threads) = threads.filter(|threads| !crash_marker::settle(*threads)) {
        notes.extend(leak(test, settings, threads, &mut report));
    }
    let mut done = minimized(test, settings, report, notes, events);
    if let ChildEvent::Done { report, notes } = &mut done {
        notes.extend(run::store(test, settings, report));
    }
    done
}

/// Minimises the bugs of a report. The report is sent before as well, since minimising may crash the process.
fn minimized(
    test: &Combination,
    settings: &Settings,
    report: Report,
    notes: Vec<String>,
    events: &EventWriter,
) -> ChildEvent {
    let mut report = Box::new(report);
    if settings.postprocesses_bugs() && !report.is_clean() {
        events.append(&ChildEvent::Done {
            report: report.clone(),
            notes: notes.clone(),
        });
        run::minimize_bugs(test, settings, &mut report);
    }
    ChildEvent::Done { report, notes }
}

/// Explores again after threads were left running, to find the iteration that started one. If no iteration
/// does, the threads were started once for all, which is only a note.
fn leak(
    test: &Combination,
    settings: &Settings,
    before: usize,
    report: &mut Report,
) -> Option<String> {
    let lasting = crash_marker::threads()
        .unwrap_or(before)
        .saturating_sub(before);
    crash_marker::pin_threads();
    let settings = Settings {
        workers: 1,
        // One more, since the threads of an iteration are counted when the next begins.
        iterations: report.executions + 1,
        step_budget: None,
        keep_going: true,
        check_every: 0,
        partition: settings.sample_part(),
        search_dir: None,
        ..settings.clone()
    };
    explore(&test.name, test, &settings, &mut Silent);
    let Some(turn) = crash_marker::leaking() else {
        return Some(words::lasting_threads(lasting));
    };
    if !report.is_clean() {
        return Some(words::leaked_threads());
    }
    let strategy = settings.named_strategies().swap_remove(turn.strategy);
    let finding = Finding {
        kind: BugKind::LeakedThreads,
        message: words::leaked_threads(),
        location: None,
        step: 0,
    };
    let mut bug = Bug::unrecorded(finding, &strategy, turn.iteration, &settings);
    bug.token = turn.token(&strategy, &settings);
    report.bugs.push(bug);
    None
}

/// Sends progress events at a limited rate.
struct ProgressReporter<'a> {
    events: &'a EventWriter,
    reported_at: Option<Instant>,
}

impl ProgressObserver for ProgressReporter<'_> {
    fn is_due(&self) -> bool {
        self.reported_at
            .is_none_or(|reported_at| reported_at.elapsed() >= PROGRESS_INTERVAL)
    }

    fn progress(&mut self, progress: &ExplorationProgress) {
        if !self.is_due() {
            return;
        }
        self.reported_at = Some(crate::wall_clock::now());
        self.events.append(&ChildEvent::Progress {
            executions: progress.executions,
            of: progress.of,
            steps: progress.steps,
            bugs: progress.bugs,
            extent: progress.extent,
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_is_older_is_told_and_what_to_do() {
        let version = u64::from(VERSION);
        let older = misunderstood(Some(version - 1));
        assert!(older.starts_with("cargo-actor-test is older"), "{older}");
        let both = format!("versions {} and {version} of", version - 1);
        assert!(older.contains(&both), "{older}");
        assert!(older.ends_with(concat!(
            "install cargo-actor-test ",
            env!("CARGO_PKG_VERSION")
        )));
        let newer = misunderstood(Some(version + 1));
        assert!(newer.starts_with("this test's actor-test, "), "{newer}");
        assert!(newer.contains("is older than cargo-actor-test"), "{newer}");
        assert!(newer.contains("`cargo actor-test --version`"), "{newer}");
        assert!(misunderstood(None).contains("names no version"));
    }
}
