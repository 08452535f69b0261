//! `cargo actor-test minimize`.

use std::path::{Path, PathBuf};

use super::options::Minimize;
use super::screen::Screen;
use super::{Exit, Trouble, as_test, discover, process, replay};
use crate::words;
use actor_test::tool::environment;
use actor_test::tool::overrides::Overrides;
use actor_test::tool::process::Job;
use actor_test::tool::protocol::{Event, Ignored, Task};
use actor_test::tool::trace::{SCHEDULES, Trace};

/// Leaves out of a recorded execution what its bug can do without; the trace is written anew.
pub(crate) fn run(options: &Minimize, screen: &mut Screen) -> Result<Exit, Trouble> {
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
    let job = Job {
        test: test.name.clone(),
        given,
        task: Some(Task::Minimize {
            finding: trace.finding.clone(),
            recording: Box::new(trace.recording()),
        }),
        ignored: Ignored::Include,
        pin: false,
        witness: None,
        hold: false,
    };
    let say = |text: &str| match options.as_test {
        true => screen.aside(text),
        false => screen.line(text),
    };
    let ending = process::run(&test, &job, &mut |_| ())?;
    let minimal = match ending.answer {
        Some(Event::Minimized { minimal }) => minimal,
        Some(Event::Refused { problem, .. }) => return Err(Trouble(problem)),
        _ => return Err(Trouble(words::crash(&ending.how, None, &ending.stderr))),
    };
    let left = match minimal {
        None => {
            say(&words::trace_head(&trace));
            say(words::not_minimized());
            trace
        }
        Some(minimal) => {
            let left = trace.with(&minimal);
            written(left.rewrite(&options.trace), &options.trace)?;
            say(&words::trace_head(&left));
            for line in words::story_lines(left.story(), screen.width(options.width), false) {
                say(&line);
            }
            let minimized = minimal.minimized.iter().flat_map(words::minimized);
            let causes = left.causes().into_iter().flat_map(words::causes);
            minimized.chain(causes).for_each(|line| say(&line));
            left
        }
    };
    if options.save {
        let path = save(&test, &left, &options.trace)?;
        say(&words::saved(&path));
    }
    if options.as_test {
        screen.raw(&as_test(&test, &job, &left)?);
    }
    Ok(Exit::Clean)
}

/// The source of a test that pins it.
fn as_test(test: &discover::Test, job: &Job, trace: &Trace) -> Result<String, Trouble> {
    let job = Job {
        task: Some(Task::Pin {
            finding: trace.finding.clone(),
            recording: Box::new(trace.recording()),
        }),
        ..job.clone()
    };
    let ending = process::run(test, &job, &mut |_| ())?;
    match ending.answer {
        Some(Event::Pinned { steps }) => Ok(as_test::source(trace, &steps)),
        Some(Event::Refused { problem, .. }) => Err(Trouble(problem)),
        _ => Err(Trouble(words::crash(&ending.how, None, &ending.stderr))),
    }
}

/// Puts a trace where the test's package keeps its schedules.
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
