//! `cargo actor-test replay`.

use super::options::{Replay, Selection};
use super::process;
use super::screen::Screen;
use super::{Exit, Trouble, build, discover};
use crate::words;
use actor_test::story::Story;
use actor_test::tool::environment;
use actor_test::tool::overrides::Overrides;
use actor_test::tool::parameters;
use actor_test::tool::process::{Ending, Job};
use actor_test::tool::protocol::{Event, Ignored, Task};
use actor_test::tool::trace::Trace;
use actor_test::{BugKind, Finding};

/// Runs a recorded execution again, and tells its story.
pub(crate) fn run(options: &Replay, screen: &mut Screen) -> Result<Exit, Trouble> {
    let trace = Trace::read(&options.trace).map_err(Trouble::new)?;
    let variables = environment::variables().map_err(Trouble::new)?;
    let test = find(&options.selection, &trace)?;
    let flags = Overrides {
        hang_timeout: options.hang_timeout,
        ..Overrides::default()
    };
    let job = Job {
        test: test.name.clone(),
        given: flags.or(variables),
        task: Some(Task::Replay {
            recording: Box::new(trace.recording()),
            until: None,
        }),
        ignored: Ignored::Include,
        pin: false,
        witness: Some(0),
    };
    let ending = process::run(&test, &job, &mut |_| ())?;
    screen.line(&words::trace_head(&trace));
    let tell = |story: &Story| {
        let story = options.part.of(story)?;
        for line in options.part.lines(&story, screen) {
            screen.raw(&line);
        }
        Ok(())
    };
    if ending.is_violent() && ending.killed.is_none() {
        return ended_violently(&trace, &ending, &tell, screen);
    }
    match ending.answer {
        Some(Event::Replayed {
            finding,
            story,
            diverged,
        }) => {
            tell(&story)?;
            let printed = words::printed(&ending.stdout, &ending.stderr);
            printed.iter().for_each(|printed| screen.raw(printed));
            Ok(match (finding, diverged) {
                (found, Some((step, message))) => {
                    let recorded = &trace.finding;
                    let found = found.as_ref();
                    let is_there = found.is_some_and(|found| found.is_like(recorded));
                    screen.line(&words::diverged(step, &message, found, &trace));
                    if is_there { Exit::Bug } else { Exit::Trouble }
                }
                (Some(found), None) => {
                    screen.line(&words::reproduced(&found));
                    Exit::Bug
                }
                (None, None) => {
                    screen.line(&words::no_bug_any_more(&trace.finding));
                    Exit::Clean
                }
            })
        }
        Some(Event::Refused { problem, .. }) => Err(Trouble(problem)),
        _ => Err(Trouble(words::crash(&ending.how, None, &ending.stderr))),
    }
}

/// A replay that took its process down, or hung. Its story is the recorded one, where it ends in the
/// same step.
fn ended_violently(
    trace: &Trace,
    ending: &Ending,
    tell: &dyn Fn(&Story) -> Result<(), Trouble>,
    screen: &Screen,
) -> Result<Exit, Trouble> {
    let now = match ending.answer {
        Some(Event::Hang { seconds, .. }) => (BugKind::Hang, words::hang(seconds, None)),
        _ => (
            BugKind::Crash,
            words::crash(&ending.how, None, &ending.stderr),
        ),
    };
    let step = ending.witnessed.as_ref().map_or(0, |seen| seen.step);
    if (now.0, step) == (trace.finding.kind, trace.finding.step) {
        tell(trace.story())?;
        screen.line(&words::reproduced(&trace.finding));
        return Ok(Exit::Bug);
    }
    let finding = Finding {
        kind: now.0,
        message: now.1,
        location: None,
        step,
    };
    screen.line(&words::ended_elsewhere(&finding));
    Ok(Exit::Trouble)
}

/// Builds, and finds the trace's test.
pub(crate) fn find(selection: &Selection, trace: &Trace) -> Result<discover::Test, Trouble> {
    // `-p` with a name that is not there fails with cargo's message.
    let built = build::build_for(selection, trace.package.as_deref())?;
    let tests = discover::discover(&built)?;
    let known = tests.len();
    let nearest = discover::nearest(&tests, std::slice::from_ref(&trace.test)).join(" or ");
    let path = parameters::path(&trace.test);
    let mut called: Vec<_> = tests.into_iter().filter(|test| test.name == path).collect();
    // Two packages may have a test of that path.
    called.sort_by_key(|test| trace.package.as_ref() != Some(&test.executable.package.name));
    let found = called.into_iter().next();
    let found = found.map(|test| test.named(&trace.test));
    found.ok_or_else(|| Trouble(words::lost_test(&trace.test, known, &nearest)))
}
