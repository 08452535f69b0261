//! The subcommand `minimize`: shortens a recorded execution and rewrites its trace.

use std::path::{Path, PathBuf};

use serde_json::json;

use super::options::{Format, MinimizeOptions};
use super::screen::Screen;
use super::{Exit, Trouble, as_test, discover, process, replay};
use crate::words;
use actor_test::Bug;
use actor_test::tool::environment;
use actor_test::tool::overrides::Overrides;
use actor_test::tool::process::ChildJob;
use actor_test::tool::protocol::{ChildEvent, Ignored, Task};
use actor_test::tool::trace::{Document, SCHEDULES, Trace};

/// Removes everything from a recorded execution that its bug does not need, and rewrites the trace.
pub(crate) fn run(options: &MinimizeOptions, screen: &mut Screen) -> Result<Exit, Trouble> {
    let trace = Trace::read(&options.trace).map_err(Trouble::new)?;
    let variables = environment::variables().map_err(Trouble::new)?;
    let test = replay::find(&options.selection, &trace)?;
    let flags = Overrides {
        hang_timeout: options.hang_timeout,
        minimize: options.budget,
        workers: options.workers,
        ..Overrides::default()
    };
    let mut given = flags.or(variables);
    given.workers = given.workers.or_else(|| {
        let cores = std::thread::available_parallelism();
        cores.ok().map(usize::from)
    });
    let job = ChildJob {
        test: test.name.clone(),
        given,
        task: Some(Task::Minimize {
            finding: trace.finding.clone(),
            recording: Box::new(trace.recording()),
        }),
        ignored: Ignored::Include,
        pin: false,
        decision_log: None,
        hold: false,
    };
    let is_human = options.format == Format::Human && !options.as_test;
    let say = |text: &str| match is_human {
        true => screen.line(text),
        false => screen.aside(text),
    };
    let ending = process::run(&test, &job, &mut |_| ())?;
    let bug = match ending.answer {
        Some(ChildEvent::Minimized { bug }) => bug,
        Some(ChildEvent::Refused { problem, .. }) => return Err(Trouble(problem)),
        _ => return Err(Trouble(words::crash(&ending.how, None, &ending.stderr))),
    };
    let left = match bug.minimized.is_some() || bug.causes.is_some() {
        // The trace is unchanged, or an older one without further information.
        false => trace,
        true => {
            let left = trace.with(&bug);
            written(left.rewrite(&options.trace), &options.trace)?;
            left
        }
    };
    if options.format == Format::Human {
        say(&words::trace_head(&left));
        for line in words::story_lines(left.story(), screen.width(options.width), false) {
            say(&line);
        }
        match &bug.minimized {
            Some(minimized) => words::minimized(minimized)
                .iter()
                .for_each(|line| say(line)),
            None => say(words::not_minimized(
                bug.causes.is_some() && options.budget != Some(0),
            )),
        }
        let causes = left.causes().into_iter().flat_map(words::causes);
        causes.for_each(|line| say(&line));
    } else {
        screen.raw(&document(&left, &bug).to_string());
    }
    if options.save {
        let path = save(&test, &left, &options.trace)?;
        say(&words::saved(&path));
    }
    if options.as_test {
        screen.raw(&as_test(&test, &job, &left)?);
    }
    Ok(Exit::Clean)
}

/// Returns the minimised trace as JSON, with the reduction.
fn document(left: &Trace, bug: &Bug) -> serde_json::Value {
    json!({
        "format": "actor-test minimize",
        "version": 1,
        "minimized": bug.minimized,
        "trace": Document::of(left, left.story()),
    })
}

/// Returns the source code of a test that pins the execution.
fn as_test(test: &discover::Test, job: &ChildJob, trace: &Trace) -> Result<String, Trouble> {
    let job = ChildJob {
        task: Some(Task::Pin {
            finding: trace.finding.clone(),
            recording: Box::new(trace.recording()),
        }),
        ..job.clone()
    };
    let ending = process::run(test, &job, &mut |_| ())?;
    match ending.answer {
        Some(ChildEvent::Pinned { steps }) => Ok(as_test::source(trace, &steps)),
        Some(ChildEvent::Refused { problem, .. }) => Err(Trouble(problem)),
        _ => Err(Trouble(words::crash(&ending.how, None, &ending.stderr))),
    }
}

fn save(test: &discover::Test, trace: &Trace, from: &Path) -> Result<PathBuf, Trouble> {
    let directory = test.executable.package.directory.join(SCHEDULES);
    let path = directory.join(from.file_name().unwrap_or_default());
    written(std::fs::create_dir_all(&directory), &directory)?;
    written(trace.rewrite(&path), &path)?;
    Ok(path)
}

fn written(done: std::io::Result<()>, path: &Path) -> Result<(), Trouble> {
    done.map_err(|error| Trouble(format!("can't write {}: {error}", path.display())))
}
