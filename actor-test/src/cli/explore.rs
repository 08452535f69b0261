//! `cargo actor-test`: explores tests, each in a child of its own.

use std::collections::BTreeMap;

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc;
use std::time::Duration;

use serde_json::json;

use super::build::Built;
use super::discover::{self, Parameters, Test};
use super::documents::Documents;
use super::expectation::{Expectation, Missing};
use super::options::{Explore, Format};
use super::process::{self, Ending, Job};
use super::results::Results;
use super::screen::Screen;
use super::verdict::{Tally, Verdict, verdict};
use super::{Exit, Trouble, build, combinations};
use crate::cli::words::{self, Place};
use crate::data::bug::{BugKind, Finding};
use crate::hosting::protocol::{self, Event, Task};
use crate::hosting::{environment, run as running};
use crate::settings::overrides::Overrides;
use crate::settings::{Bounds, Settings};

/// Explores the tests that are asked for.
pub(crate) fn run(options: &Explore, screen: &mut Screen) -> Result<Exit, Trouble> {
    if options.strategy.iter().any(|strategy| strategy == "list") {
        screen.line(&words::strategies_known());
        return Ok(Exit::Clean);
    }
    let variables = environment::variables().map_err(Trouble::new)?;
    let given = options.overrides().or(variables);
    let built = build::build(&options.selection)?;
    check_manifests(&built)?;
    let flags = options.selection.flags();
    let tests = combinations::ask(discover::discover(&built)?, &given, options.ignored())?;
    let tests = discover::select(tests, &options.filters, &flags)?;
    let tests = match options.reproduce {
        Some(_) => vec![one(tests, &options.filters)?],
        None => tests,
    };
    let plan = Plan::new(options, given, &built, tests.len());
    let mut documents = Documents::open(options, &built, plan.place.clone())?;
    let tally = plan.run_all(&tests, screen, &mut documents)?;
    tally.close(plan.format, plan.job.given.seed, screen);
    if let Some(path) = &options.results {
        Results::new(tally.results.clone()).write(path)?;
    }
    documents.finish(screen)?;
    Ok(tally.exit())
}

/// A malformed setting in a manifest concerns all of its tests, so it is told once.
fn check_manifests(built: &Built) -> Result<(), Trouble> {
    for executable in &built.executables {
        environment::metadata(&executable.package.metadata)
            .map_err(|error| Trouble(format!("package {}: {error}", executable.package.name)))?;
    }
    Ok(())
}

/// A token belongs to one test.
fn one(mut tests: Vec<Test>, filters: &[String]) -> Result<Test, Trouble> {
    if let Some(exact) = tests.iter().position(|test| filters.contains(&test.name)) {
        return Ok(tests.swap_remove(exact));
    }
    match <[Test; 1]>::try_from(tests) {
        Ok([test]) => Ok(test),
        Err(tests) => {
            let names: Vec<&str> = tests.iter().map(|test| &*test.name).collect();
            Err(Trouble(words::token_for_several(&names)))
        }
    }
}

/// How the tests are run.
struct Plan {
    job: Job,
    children: usize,
    format: Format,
    place: Place,
}

/// How a test ended.
pub(crate) struct Ended {
    pub(crate) verdict: Verdict,
    /// The time that it took, the start of its process included.
    pub(crate) elapsed: Duration,
    /// Its source file, as rustc was given it, and its line there; not known where it did not begin.
    pub(crate) source: Option<(String, u32)>,
}

impl Plan {
    fn new(options: &Explore, mut given: Overrides, built: &Built, tests: usize) -> Self {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let workers = given.workers.unwrap_or(cores);
        // A test that is explored alone has all workers; many tests have one each.
        let children = workers.min(tests).max(1);
        given.workers = Some((workers / children).max(1));
        let directory = given.trace_dir.take();
        let here = std::env::current_dir().unwrap_or_default();
        let directory = directory.map_or_else(
            || built.target_directory.join("actor-traces"),
            |directory| here.join(directory),
        );
        given.trace_dir = Some(directory);
        let task = Some(match &options.reproduce {
            None => Task::Explore,
            Some(token) => Task::Reproduce {
                token: token.clone(),
            },
        });
        Self {
            job: Job {
                given,
                task,
                ignored: options.ignored(),
                pin: false,
            },
            children,
            format: options.format,
            place: Place {
                here,
                selection: options.selection.flags(),
                width: words::WIDTH,
            },
        }
    }

    /// Runs the tests, as many at a time as there are children, and tells of them in their order.
    fn run_all(
        &self,
        tests: &[Test],
        screen: &Screen,
        documents: &mut Documents,
    ) -> Result<Tally, Trouble> {
        let next = AtomicUsize::new(0);
        let (done, results) = mpsc::channel();
        std::thread::scope(|scope| {
            for _ in 0..self.children {
                let (next, done) = (&next, done.clone());
                scope.spawn(move || {
                    while let number = next.fetch_add(1, Ordering::Relaxed)
                        && let Some(test) = tests.get(number)
                        && done.send((number, self.run_one(test, screen))).is_ok()
                    {
                    }
                });
            }
            drop(done);
            self.tell_in_order(tests, results, screen, documents)
        })
    }

    fn tell_in_order(
        &self,
        tests: &[Test],
        results: mpsc::Receiver<(usize, Result<Ended, Trouble>)>,
        screen: &Screen,
        documents: &mut Documents,
    ) -> Result<Tally, Trouble> {
        let mut tally = Tally::default();
        let mut expectation = Expectation::default();
        let mut waiting = BTreeMap::new();
        let mut next = 0;
        for (number, ended) in results {
            waiting.insert(number, ended);
            while let Some(ended) = waiting.remove(&next) {
                let ended = ended?;
                tally.count(&ended.verdict, &tests[next].executable.package.name);
                let block = self.tell(&tests[next], &ended.verdict, screen);
                documents.add(&tests[next], &ended, block.as_deref(), screen);
                if let Verdict::Without { expected, .. } = &ended.verdict
                    && let Some(missing) = expectation.without(&tests[next])
                {
                    tally.fail();
                    self.tell_missing(&missing, expected, screen);
                }
                next += 1;
            }
        }
        Ok(tally)
    }

    fn run_one(&self, test: &Test, screen: &Screen) -> Result<Ended, Trouble> {
        if let Parameters::Unknown(problem) = &test.parameters {
            return Ok(Ended {
                verdict: Verdict::Refused(problem.clone()),
                elapsed: Duration::ZERO,
                source: None,
            });
        }
        let mut bar = screen.bar(&test.name, self.job.given.time_limit);
        let ending = process::run(test, &self.job, &mut |event| bar.tell(event))?;
        let crashed = ending.answer.is_none() && ending.began.is_some() && ending.killed.is_none();
        let source = match (&ending.began, &ending.answer) {
            (Some(Event::Began { source, .. }), _) | (_, Some(Event::Refused { source, .. })) => {
                Some(source.clone())
            }
            _ => None,
        };
        let ended = |elapsed, verdict| Ended {
            verdict,
            elapsed,
            source,
        };
        let elapsed = ending.elapsed;
        if !crashed {
            return Ok(ended(elapsed, judge(&self.job, test, ending, None)));
        }
        // What it does is decided by the seed, so a second run shows where. One worker needs the
        // time of all.
        let workers = self.job.given.workers.unwrap_or(1) as u32;
        let job = Job {
            given: Overrides {
                workers: Some(1),
                time_limit: self.job.given.time_limit.map(|limit| limit * (workers + 1)),
                ..self.job.given.clone()
            },
            pin: true,
            ..self.job.clone()
        };
        let again = process::run(test, &job, &mut |event| bar.tell(event))?;
        let elapsed = elapsed + again.elapsed;
        Ok(ended(elapsed, judge(&self.job, test, ending, Some(again))))
    }

    /// Tells that none of a test's combinations has the bug that is expected.
    fn tell_missing(&self, missing: &Missing, expected: &str, screen: &Screen) {
        let Missing { test, combinations } = missing;
        match self.format {
            Format::Json => {
                let package = &test.executable.package.name;
                let line = json!({
                    "type": "test", "test": test.path(), "package": package,
                    "outcome": "expected-bug-missing", "combinations": combinations,
                });
                screen.raw(&line.to_string());
            }
            Format::Human => {
                screen.line(&words::in_no_combination(
                    test.path(),
                    expected,
                    *combinations,
                ));
            }
        }
    }

    /// Tells of a test; returns what people read of it.
    fn tell(&self, test: &Test, verdict: &Verdict, screen: &Screen) -> Option<String> {
        let block = verdict.block(&test.name, &self.place);
        let package = &test.executable.package.name;
        match (self.format, &block) {
            (Format::Json, _) => screen.raw(&verdict.as_json(&test.name, package).to_string()),
            (Format::Human, Some(block)) => screen.line(block),
            (Format::Human, None) => {}
        }
        block
    }
}

fn is_combination(test: &Test) -> bool {
    matches!(test.parameters, Parameters::OneOf(_))
}

/// Judges how a child ended; `again` is a second run after a crash, with iterations noted.
fn judge(job: &Job, test: &Test, ending: Ending, again: Option<Ending>) -> Verdict {
    let began = Began::new(job, test, ending.began.as_ref());
    match ending.answer {
        Some(Event::Done { report, notes }) => verdict(
            is_combination(test),
            *report,
            notes,
            began.settings.expect_bug,
        ),
        Some(Event::Skipped) => Verdict::Skipped,
        Some(Event::Refused { problem, .. }) => Verdict::Refused(problem),
        Some(Event::Hang {
            strategy,
            iteration,
            seconds,
        }) => {
            let at = Some((strategy, iteration));
            began.ended(protocol::hang(seconds), at, ending.elapsed, None)
        }
        Some(_) => Verdict::Refused(words::wrong_answer()),
        None if ending.began.is_none() => Verdict::Refused(never_began(&ending)),
        None if ending.killed.is_some() => {
            let finding = finding(BugKind::Hang, ending.how);
            began.ended(
                finding,
                None,
                ending.elapsed,
                Some(words::silent_iteration()),
            )
        }
        None => {
            // The second run may end otherwise; then the first one is told, without an iteration.
            let again = again.filter(|again| again.answer.is_none());
            let pinned = again.as_ref().and_then(|again| again.pinned);
            let at = pinned.map(|turn| (turn.strategy, turn.iteration));
            let told = again.as_ref().unwrap_or(&ending);
            let finding = finding(BugKind::Crash, words::crash(&told.how, &told.stderr));
            let note = at.is_none().then(words::crash_not_repeated);
            began.ended(finding, at, ending.elapsed, note)
        }
    }
}

fn finding(kind: BugKind, message: String) -> Finding {
    Finding {
        kind,
        message,
        location: None,
        step: 0,
    }
}

/// What a child told before it ended.
struct Began<'a> {
    test: &'a Test,
    settings: Settings,
    strategies: Vec<String>,
    /// The token that was asked for.
    token: Option<&'a str>,
}

impl<'a> Began<'a> {
    fn new(job: &'a Job, test: &'a Test, began: Option<&Event>) -> Self {
        let strategies = match began {
            Some(Event::Began { strategies, .. }) => strategies.clone(),
            _ => Vec::new(),
        };
        let token = match &job.task {
            Some(Task::Reproduce { token }) => Some(&**token),
            _ => None,
        };
        Self {
            test,
            settings: settings(began),
            strategies,
            token,
        }
    }

    /// The verdict on a test that ended its process, at a strategy and an iteration if known.
    fn ended(
        self,
        finding: Finding,
        at: Option<(usize, u64)>,
        after: Duration,
        note: Option<String>,
    ) -> Verdict {
        let (strategy, iteration) = at.unwrap_or_default();
        let strategy = self.strategies.get(strategy).map_or("", String::as_str);
        let mut report = running::ended(
            &self.test.name,
            &self.settings,
            finding,
            strategy,
            iteration,
        );
        let bug = &mut report.bugs[0];
        bug.found_after_s = after.as_secs_f64();
        match (self.token, at) {
            (Some(token), _) => bug.token = token.to_owned(),
            (None, None) => bug.token.clear(),
            (None, Some(_)) => {}
        }
        let notes = note.into_iter().collect();
        verdict(
            is_combination(self.test),
            report,
            notes,
            self.settings.expect_bug,
        )
    }
}

/// What a child told of its settings.
fn settings(began: Option<&Event>) -> Settings {
    let mut settings = Settings::default();
    if let Some(Event::Began {
        iterations,
        seed,
        bounds,
        expect_bug,
        ..
    }) = began
    {
        let bounds: Bounds = *bounds;
        settings = Settings {
            iterations: *iterations,
            seed: *seed,
            bounds,
            expect_bug: expect_bug.clone(),
            ..settings
        };
    }
    settings
}

/// Why a test did not even begin.
pub(crate) fn never_began(ending: &Ending) -> String {
    if ending.stdout.contains("running 0 tests") {
        return words::not_in_executable();
    }
    if ending.stdout.is_empty() && ending.how.contains("exit code 0") {
        return words::no_harness();
    }
    words::crash(&ending.how, &ending.stderr)
}
