//! The subcommand `replay`: replays a trace, and searches near it if it passes.

use std::path::{Path, PathBuf};
use std::time::Duration;

use serde_json::json;

use super::options::{Format, PackageSelection, ReplayOptions};
use super::process;
use super::screen::Screen;
use super::{Exit, Trouble, build, discover};
use crate::words;
use actor_test::story::Story;
use actor_test::tool::environment;
use actor_test::tool::overrides::Overrides;
use actor_test::tool::process::{ChildEnd, ChildJob};
use actor_test::tool::protocol::{ChildEvent, Ignored, Task};
use actor_test::tool::test_name;
use actor_test::tool::trace::{Trace, is_saved};
use actor_test::{Bug, BugKind, Finding};

struct ReplayOutcome {
    finding: Option<Finding>,
    story: Story,
    diverged: Option<(u64, String)>,
}

/// The result of the search near a passing execution.
#[derive(Default)]
struct NearbySearch {
    executions: u64,
    bug: Option<Box<Bug>>,
    notes: Vec<String>,
}

/// A time limit that no handler exceeds.
const NEVER: Duration = Duration::from_secs(1 << 31);

/// Replays a recorded execution and prints its story; if it passes, searches near it.
pub(crate) fn run(options: &ReplayOptions, screen: &mut Screen) -> Result<Exit, Trouble> {
    let trace = Trace::read(&options.trace).map_err(Trouble::new)?;
    let variables = environment::variables().map_err(Trouble::new)?;
    let test = find(
        &options.selection.clone().with_symbols(options.debugger),
        &trace,
    )?;
    let flags = Overrides {
        // A debugger may pause the program for any time.
        hang_timeout: options.debugger.then_some(NEVER).or(options.hang_timeout),
        ..Overrides::default()
    };
    let mut job = ChildJob {
        test: test.name.clone(),
        given: flags.or(variables),
        task: Some(Task::Replay {
            recording: Box::new(trace.recording()),
            until: None,
        }),
        ignored: Ignored::Include,
        pin: false,
        decision_log: Some(0),
        hold: options.debugger,
    };
    let ending = process::run(&test, &job, &mut |event| {
        if let ChildEvent::Holds { process, until } = event {
            hold(*process, until.clone(), screen);
        }
    })?;
    job.hold = false;
    let is_human = options.format == Format::Human;
    if is_human {
        screen.line(&words::trace_head(&trace));
    }
    let print = |story: &Story| {
        let story = options.part.of(story)?;
        for line in options.part.lines(&story, screen) {
            screen.raw(&line);
        }
        Ok(())
    };
    if ending.is_crash_or_hang() && ending.killed.is_none() {
        return ended_violently(&trace, &ending, &print, screen);
    }
    let replayed = match ending.answer {
        Some(ChildEvent::Replayed {
            finding,
            story,
            diverged,
        }) => ReplayOutcome {
            finding,
            story,
            diverged,
        },
        Some(ChildEvent::Refused { problem, .. }) => return Err(Trouble(problem)),
        _ => return Err(Trouble(words::crash(&ending.how, None, &ending.stderr))),
    };
    if is_human {
        print(&replayed.story)?;
        let printed = words::printed(&ending.stdout, &ending.stderr);
        printed.iter().for_each(|printed| screen.raw(printed));
    }
    let mut near = NearbySearch::default();
    if replayed.finding.is_none() && options.near > 0 {
        job.task = Some(Task::Near {
            recording: Box::new(trace.recording()),
            name: file_name(&options.trace),
            steps: options.near,
        });
        job.decision_log = None;
        near = nearby(&test, &job)?;
    }
    if is_human {
        verdict(&trace, &replayed, &near, options, screen);
    } else {
        screen.raw(&document(&trace, &replayed, &near).to_string());
    }
    Ok(exit(&trace, &replayed, &near))
}

fn file_name(trace: &Path) -> String {
    let name = trace.file_name().unwrap_or_default();
    name.to_string_lossy().into_owned()
}

/// Searches near a passing execution.
fn nearby(test: &discover::Test, job: &ChildJob) -> Result<NearbySearch, Trouble> {
    let ending = process::run(test, job, &mut |_| ())?;
    match ending.answer {
        Some(ChildEvent::Near {
            executions,
            bug,
            notes,
        }) => Ok(NearbySearch {
            executions,
            bug,
            notes,
        }),
        Some(ChildEvent::Refused { problem, .. }) => Err(Trouble(problem)),
        Some(ChildEvent::Hang { seconds, .. }) => {
            Err(Trouble(words::ended_near(&words::hang(seconds, None))))
        }
        _ => {
            let how = words::crash(&ending.how, None, &ending.stderr);
            Err(Trouble(words::ended_near(&how)))
        }
    }
}

fn exit(trace: &Trace, replayed: &ReplayOutcome, near: &NearbySearch) -> Exit {
    let found = replayed.finding.as_ref();
    match (found, &replayed.diverged) {
        _ if near.bug.is_some() => Exit::Bug,
        (Some(found), Some(_)) if !found.is_same_bug(&trace.finding) => Exit::Trouble,
        (Some(_), _) => Exit::Bug,
        // The recorded steps were followed to their end, by decisions or by names.
        (None, _) => Exit::Clean,
    }
}

/// Prints the result.
fn verdict(
    trace: &Trace,
    replayed: &ReplayOutcome,
    near: &NearbySearch,
    options: &ReplayOptions,
    screen: &Screen,
) {
    let found = replayed.finding.as_ref();
    screen.line(&match (found, &replayed.diverged) {
        (found, Some((step, message))) => words::diverged(*step, message, found, trace),
        (Some(found), None) => words::reproduced(found),
        (None, None) => words::no_bug_any_more(&trace.finding),
    });
    if found.is_none() && replayed.diverged.is_none() && !is_saved(&options.trace) {
        screen.line(words::keep_as_regression_test());
    }
    if let Some(bug) = &near.bug {
        screen.line(&words::found_near(bug, near.executions));
        let path = bug.trace_path.as_deref();
        let lines = options.part.lines(&bug.trace.story, screen);
        lines.iter().for_each(|line| screen.raw(line));
        let causes = bug.causes.iter().flat_map(words::causes);
        let trace = path.map(words::near_trace);
        for line in causes.chain(trace) {
            screen.line(&line);
        }
    } else if near.executions > 0 {
        screen.line(&words::nothing_near(near.executions));
    }
    for note in &near.notes {
        screen.line(note);
    }
}

fn document(trace: &Trace, replayed: &ReplayOutcome, near: &NearbySearch) -> serde_json::Value {
    let ReplayOutcome {
        finding,
        story,
        diverged,
    } = replayed;
    let is_there = finding
        .as_ref()
        .is_some_and(|found| found.is_same_bug(&trace.finding));
    let diverged = diverged.as_ref();
    let bug = near.bug.as_deref();
    json!({
        "format": "actor-test replay",
        "version": 1,
        "test": trace.test,
        "recorded": trace.finding,
        "finding": finding,
        "is_still_there": is_there,
        "diverged": diverged.map(|(step, message)| json!({ "step": step, "message": message })),
        "story": story,
        "near": {
            "executions": near.executions,
            "bug": bug.map(|bug| json!({
                "finding": bug.finding,
                "minimized": bug.minimized,
                "causes": bug.causes,
                "story": bug.trace.story,
                "trace": bug.trace_path,
            })),
        },
    })
}

/// Lets the user attach a debugger: the test continues after a line or the end of standard input.
fn hold(process: u32, until: PathBuf, screen: &Screen) {
    screen.line(&words::holds(process));
    std::thread::spawn(move || {
        let _ = std::io::stdin().read_line(&mut String::new());
        // If the file can't be created, the child waits until it is interrupted.
        let _ = std::fs::write(until, "");
    });
}

/// Reports a replay that crashed or hung; after the recorded step, the recorded story is printed.
fn ended_violently(
    trace: &Trace,
    ending: &ChildEnd,
    print: &dyn Fn(&Story) -> Result<(), Trouble>,
    screen: &Screen,
) -> Result<Exit, Trouble> {
    let now = match ending.answer {
        Some(ChildEvent::Hang { seconds, .. }) => (BugKind::Hang, words::hang(seconds, None)),
        _ => (
            BugKind::Crash,
            words::crash(&ending.how, None, &ending.stderr),
        ),
    };
    let step = ending.decisions.as_ref().map_or(0, |seen| seen.step);
    if (now.0, step) == (trace.finding.kind, trace.finding.step) {
        print(trace.story())?;
        screen.line(&words::reproduced(&trace.finding));
        return Ok(Exit::Bug);
    }
    let finding = Finding {
        kind: now.0,
        message: now.1,
        location: None,
        step,
    };
    screen.line(&words::crash_diverged(&finding));
    Ok(Exit::Trouble)
}

/// Builds the tests, and finds the trace's test.
pub(crate) fn find(selection: &PackageSelection, trace: &Trace) -> Result<discover::Test, Trouble> {
    // An unknown package in `-p` fails with cargo's message.
    let built = build::build_for(selection, trace.package.as_deref())?;
    let tests = discover::discover(&built)?;
    let known = tests.len();
    let nearest = discover::nearest(&tests, std::slice::from_ref(&trace.test)).join(" or ");
    let path = test_name::path(&trace.test);
    let mut called: Vec<_> = tests.into_iter().filter(|test| test.name == path).collect();
    // Two packages may have a test of that path; the recorded package comes first.
    called.sort_by_key(|test| trace.package.as_ref() != Some(&test.executable.package.name));
    let found = called.into_iter().next();
    let found = found.map(|test| test.named(&trace.test));
    found.ok_or_else(|| Trouble(words::lost_test(&trace.test, known, &nearest)))
}
