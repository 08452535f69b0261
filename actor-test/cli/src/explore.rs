//! A run of `cargo actor-test`: explores the selected tests, each in a child process.

use std::time::Duration;

use serde_json::json;

use super::build::{BuildOutput, Executable, TestTarget};
use super::discover::{self, Parameters, Test};
use super::documents::Documents;
use super::ended::{TestEnd, never_began};
use super::expectation::{ExpectedOutcome, MissingBug};
use super::options::{ExploreOptions, Format, PackageSelection, Verbosity};
use super::process;
use super::screen::Screen;
use super::verdict::{PartialProgress, TestVerdict, VerdictCounts};
use super::{Exit, Trouble, build, combinations, interruption};
use crate::words::{self, CommandContext};
use actor_test::tool::Settings;
use actor_test::tool::StrategyTurn;
use actor_test::tool::environment;
use actor_test::tool::overrides::Overrides;
use actor_test::tool::postmortem::{Postmortem, crash_report, examine};
use actor_test::tool::process::{ChildEnd, ChildJob};
use actor_test::tool::protocol::{ChildEvent, Ignored, Task};
use actor_test::tool::{JudgedTest, TestOutcome};
use actor_test::tool::{map_ordered, trace};
use actor_test::{BugKind, Finding, Report};

/// Explores the selected tests.
pub(crate) fn run(options: &ExploreOptions, screen: &mut Screen) -> Result<Exit, Trouble> {
    if options.strategy.iter().any(|strategy| strategy == "list") {
        screen.line(&words::strategies_known());
        return Ok(Exit::Clean);
    }
    let variables = environment::variables().map_err(Trouble::new)?;
    let given = options.overrides().or(variables);
    let built = build::build(&options.selection)?;
    check_manifests(&built)?;
    let flags = options.selection.flags();
    let ignored = options.filter.ignored(Ignored::Skip);
    let tests = combinations::ask(discover::discover(&built)?, &given, ignored)?;
    let tests = match discover::select(tests, &options.filter, &flags) {
        Ok(tests) => tests,
        Err(trouble) => return screen.no_tests(trouble, options.filter.no_tests()),
    };
    let tests = match options.reproduce {
        Some(_) => vec![one(tests, &options.filter.filters)?],
        None => tests,
    };
    let plan = RunPlan::new(options, given, &built, tests.len());
    let mut documents = Documents::open(options, &built)?;
    let tally = plan.run_all(&tests, screen, &mut documents)?;
    tally.close(
        tests.len(),
        plan.format,
        plan.verbosity,
        plan.job.given.seed,
        screen,
    );
    documents.finish(screen)?;
    Ok(tally.exit())
}

/// Checks the settings in manifests, so that a malformed one is reported once, and not for each test.
fn check_manifests(built: &BuildOutput) -> Result<(), Trouble> {
    for executable in &built.executables {
        environment::metadata(&executable.package.metadata)
            .map_err(|error| Trouble(format!("package {}: {error}", executable.package.name)))?;
    }
    Ok(())
}

/// Returns the only test, since a token belongs to one test.
fn one(mut tests: Vec<Test>, filters: &[String]) -> Result<Test, Trouble> {
    if tests.iter().any(|test| filters.contains(&test.name)) {
        tests.retain(|test| filters.contains(&test.name));
    }
    match <[Test; 1]>::try_from(tests) {
        Ok([test]) => Ok(test),
        Err(tests) => {
            let names: Vec<String> = tests.iter().map(Test::title).collect();
            Err(Trouble(words::token_for_several(&names)))
        }
    }
}

/// The plan of a run: the job, the number of children and the output.
struct RunPlan {
    job: ChildJob,
    children: usize,
    /// True if the program's output is shown.
    nocapture: bool,
    format: Format,
    verbosity: Verbosity,
    /// The place for printed commands on a test of a default package.
    place: CommandContext,
    selection: PackageSelection,
}

impl RunPlan {
    fn new(
        options: &ExploreOptions,
        mut given: Overrides,
        built: &BuildOutput,
        tests: usize,
    ) -> Self {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let workers = given.workers.unwrap_or(cores);
        // A single test gets all workers; each of many tests gets one.
        let children = workers.min(tests).max(1);
        given.workers = Some((workers / children).max(1));
        let directory = given.trace_dir.take();
        let here = std::env::current_dir().unwrap_or_default();
        let directory = directory.map_or_else(
            || built.target_directory.join("actor-traces"),
            |directory| here.join(directory),
        );
        given.trace_dir = Some(directory);
        // The tests may run in another directory.
        given.search_dir = given.search_dir.map(|directory| here.join(directory));
        let hang_timeout = given.hang_timeout;
        let task = Some(match &options.reproduce {
            None => Task::Explore,
            Some(token) => Task::Reproduce {
                token: token.clone(),
            },
        });
        Self {
            job: ChildJob {
                test: String::new(),
                given,
                task,
                ignored: options.filter.ignored(Ignored::Skip),
                pin: false,
                decision_log: None,
                hold: false,
            },
            children,
            nocapture: options.nocapture,
            format: options.format,
            verbosity: options.verbosity(),
            place: CommandContext {
                here,
                selection: options.selection.flags(),
                width: words::WIDTH,
                hang_timeout,
                test: None,
                lists_strategies: options.verbosity() == Verbosity::All,
            },
            selection: options.selection.clone(),
        }
    }

    /// Runs the tests, as many at a time as there are children, and reports them in order.
    fn run_all(
        &self,
        tests: &[Test],
        screen: &Screen,
        documents: &mut Documents,
    ) -> Result<VerdictCounts, Trouble> {
        let mut counts = VerdictCounts::default();
        let mut expectation = ExpectedOutcome::default();
        let mut failed = Ok(());
        let begun = tests.iter().take_while(|_| !interruption::is_seen());
        map_ordered(
            begun,
            self.children,
            &mut (),
            || (),
            |(), test| (test, self.run_one(test, screen)),
            |(test, ended)| {
                let ended = match ended {
                    Ok(ended) => ended,
                    Err(trouble) => {
                        failed = Err(trouble);
                        return false;
                    }
                };
                counts.count(&ended.verdict);
                let block = self.report(test, &ended.verdict, screen);
                if let Some(printed) = &ended.printed {
                    screen.aside(printed);
                }
                documents.add(test, &ended, block.as_deref(), &self.place_of(test), screen);
                if let TestVerdict::Explored(judged) = &ended.verdict
                    && let TestOutcome::CleanCombination(expected) = judged.outcome()
                    && let Some(missing) = expectation.without(test)
                {
                    counts.fail();
                    self.report_missing(&missing, expected, screen);
                }
                true
            },
        );
        failed.map(|()| counts)
    }

    fn run_one(&self, test: &Test, screen: &Screen) -> Result<TestEnd, Trouble> {
        if let Parameters::Unknown(problem) = &test.parameters {
            return Ok(TestEnd {
                verdict: TestVerdict::Refused(problem.clone()),
                elapsed: Duration::ZERO,
                source: None,
                printed: None,
            });
        }
        let mut bar = screen.bar(&test.title(), self.job.given.time_limit);
        let mut job = self.job.of(&test.name);
        if let Some(directory) = &mut job.given.search_dir {
            directory.push(test.executable.home().directory());
        }
        let ending = process::run(test, &job, &mut |event| bar.update(event))?;
        if ending.interrupted {
            return Ok(TestEnd {
                verdict: TestVerdict::Interrupted(bar.done()),
                elapsed: ending.elapsed,
                source: None,
                printed: None,
            });
        }
        let printed = self
            .nocapture
            .then(|| words::printed(&ending.stdout, &ending.stderr));
        let printed = printed.flatten();
        let mut ending = ending;
        let crashed = ending.answer.is_none() && ending.began.is_some() && ending.killed.is_none();
        let source = match (&ending.began, &ending.answer) {
            (Some(ChildEvent::Began { source, .. }), _)
            | (_, Some(ChildEvent::Refused { source, .. })) => Some(source.clone()),
            _ => None,
        };
        let mut elapsed = ending.elapsed;
        let mut is_cut = false;
        let mut run = |job: &ChildJob| {
            let ending = process::run(test, job, &mut |event| bar.update(event)).ok();
            elapsed += ending
                .as_ref()
                .map_or(Duration::ZERO, |ending| ending.elapsed);
            is_cut |= ending.as_ref().is_some_and(|ending| ending.interrupted);
            ending.filter(|ending| !ending.interrupted)
        };
        // The seed determines the execution, so a second run finds the iteration that crashes.
        let mut again = crashed.then(|| run(&self.pinning(&job))).flatten();
        // A single worker knows the iteration that hangs; several that explore parts of a search don't.
        if let Some(hang) =
            again.take_if(|again| matches!(again.answer, Some(ChildEvent::Hang { .. })))
        {
            ending = hang;
        }
        let end = ChildAnalysis::new(&job, test, ending, again);
        let seen = end.turn().and_then(|(turn, strategy)| {
            examine(&job, &end.began.settings, turn, strategy, &mut run)
        });
        let verdict = match is_cut {
            // The test crashed its process, and the analysis was interrupted.
            true => TestVerdict::Interrupted(PartialProgress {
                bugs: bar.done().bugs + 1,
                ..bar.done()
            }),
            false => end.judge(seen),
        };
        Ok(TestEnd {
            verdict,
            elapsed,
            source,
            printed,
        })
    }

    /// Returns the job that records each iteration, on one worker with the time of all workers.
    fn pinning(&self, job: &ChildJob) -> ChildJob {
        let workers = self.job.given.workers.unwrap_or(1) as u32;
        ChildJob {
            given: Overrides {
                workers: Some(1),
                time_limit: self.job.given.time_limit.map(|limit| limit * (workers + 1)),
                ..job.given.clone()
            },
            pin: true,
            ..job.clone()
        }
    }

    /// Reports that none of a test's combinations has the expected bug.
    fn report_missing(&self, missing: &MissingBug, expected: &str, screen: &Screen) {
        let MissingBug { test, combinations } = missing;
        match self.format {
            Format::Json => {
                let TestTarget { package, target } = test.executable.home();
                let line = json!({
                    "type": "test", "test": test.path(), "package": package, "target": target,
                    "outcome": "expected-bug-missing", "combinations": combinations,
                });
                screen.raw(&line.to_string());
            }
            Format::Human => {
                let title = test.path_title();
                screen.line(&words::in_no_combination(&title, expected, *combinations));
            }
        }
    }

    /// Returns the place for printed commands on a test. The commands have the flags of this run, so that
    /// nothing is rebuilt, and name the package or target only if needed to distinguish the test.
    fn place_of(&self, test: &Test) -> CommandContext {
        let mut place = self.place.clone();
        if test.is_shared() {
            let Executable { package, flag, .. } = &test.executable;
            let target = test.apart.by_target.then_some(&flag[..]);
            place.selection = self.selection.flags_for(&package.name, target);
        }
        place.test = test.is_shared().then(|| test.name.clone());
        place
    }

    /// Reports a test; returns the text for users.
    fn report(&self, test: &Test, verdict: &TestVerdict, screen: &Screen) -> Option<String> {
        let block = verdict.block(&test.title(), &self.place_of(test));
        match (self.format, &block) {
            (Format::Json, _) => {
                let home = test.executable.home();
                screen.raw(&verdict.as_json(&test.name, &home).to_string());
            }
            (Format::Human, Some(block)) => match self.verbosity {
                Verbosity::All => screen.line(block),
                Verbosity::Trouble if !words::asks_for_more(block) => {}
                _ => screen.line(&words::brief(block)),
            },
            (Format::Human, None) => {}
        }
        block
    }
}

fn judged(
    test: &Test,
    report: Report,
    notes: Vec<String>,
    expected: Option<String>,
) -> TestVerdict {
    TestVerdict::Explored(Box::new(JudgedTest {
        report,
        notes,
        expected,
        is_combination: matches!(test.parameters, Parameters::OneOf(_)),
    }))
}

/// The end of a child, with the results of its analysis.
struct ChildAnalysis<'a> {
    test: &'a Test,
    job: &'a ChildJob,
    began: ChildSettings,
    ending: ChildEnd,
    /// A second run with iterations recorded, if it crashed as well; otherwise the iteration is unknown.
    again: Option<ChildEnd>,
}

impl<'a> ChildAnalysis<'a> {
    fn new(job: &'a ChildJob, test: &'a Test, ending: ChildEnd, again: Option<ChildEnd>) -> Self {
        Self {
            test,
            job,
            began: ChildSettings::new(ending.began.as_ref()),
            ending,
            again: again.filter(|again| again.answer.is_none()),
        }
    }

    /// Returns the iteration that hung or crashed, and the name of its strategy.
    fn turn(&self) -> Option<(StrategyTurn, &str)> {
        let turn = match self.ending.answer {
            Some(ChildEvent::Hang {
                strategy,
                iteration,
                length,
                ..
            }) => StrategyTurn {
                iteration,
                strategy,
                length,
            },
            None => self.again.as_ref()?.pinned?,
            Some(_) => return None,
        };
        Some((turn, self.began.strategies.get(turn.strategy)?))
    }

    /// Returns the verdict; `seen` is the reconstructed crash or hang.
    fn judge(self, seen: Option<Postmortem>) -> TestVerdict {
        let doing = seen.as_ref().and_then(Postmortem::doing);
        let at = self.turn().map(|(turn, _)| turn);
        match &self.ending.answer {
            Some(ChildEvent::Done { .. }) => {}
            Some(ChildEvent::Skipped) => return TestVerdict::Skipped,
            Some(ChildEvent::Refused { problem, .. }) => {
                return TestVerdict::Refused(problem.clone());
            }
            Some(ChildEvent::Hang { seconds, .. }) => {
                let finding = finding(BugKind::Hang, words::hang(*seconds, doing.as_deref()));
                let note = seen.is_none().then(words::end_not_repeated);
                return self.ended(finding, at, seen, words::does_not_return(), note);
            }
            Some(_) => return TestVerdict::Refused(words::wrong_answer()),
            None if self.ending.began.is_none() => {
                return TestVerdict::Refused(never_began(&self.ending));
            }
            None if self.ending.killed.is_some() => {
                let finding = finding(BugKind::Hang, self.ending.how.clone());
                let note = Some(words::silent_iteration());
                return self.ended(finding, None, None, "", note);
            }
            None => {
                let verbosity = self.again.as_ref().unwrap_or(&self.ending);
                let message = words::crash(&verbosity.how, doing.as_deref(), &verbosity.stderr);
                let finding = finding(BugKind::Crash, message);
                let note = match (at, &seen) {
                    (None, _) => Some(words::crash_not_repeated()),
                    (Some(_), None) => Some(words::end_not_repeated()),
                    (Some(_), Some(_)) => None,
                };
                return self.ended(finding, at, seen, words::ends_the_process(), note);
            }
        }
        let Some(ChildEvent::Done { report, notes }) = self.ending.answer else {
            unreachable!("every other answer was judged");
        };
        judged(self.test, *report, notes, self.began.settings.expect_bug)
    }

    /// Returns the verdict on a test that ended its process, at an iteration if known.
    fn ended(
        self,
        finding: Finding,
        at: Option<StrategyTurn>,
        seen: Option<Postmortem>,
        end: &str,
        note: Option<String>,
    ) -> TestVerdict {
        let turn = at.unwrap_or(StrategyTurn::of_first(0));
        let ChildSettings {
            settings,
            strategies,
        } = self.began;
        let strategy = strategies.get(turn.strategy).map_or("", String::as_str);
        let mut report = crash_report(&self.test.name, &settings, finding, strategy, turn);
        let bug = &mut report.bugs[0];
        bug.found_after_s = self.ending.elapsed.as_secs_f64();
        match (&self.job.task, at) {
            (Some(Task::Reproduce { token }), _) => bug.token = token.clone(),
            (_, None) => bug.token.clear(),
            (_, Some(_)) => {}
        }
        if let Some(seen) = seen {
            seen.add_to(bug, end);
        }
        let mut notes: Vec<String> = note.into_iter().collect();
        let package = &self.test.executable.package.name;
        let directory = trace::directory(self.job.given.trace_dir.clone());
        notes.extend(trace::write_all(&mut report, Some(package), &directory));
        judged(self.test, report, notes, settings.expect_bug)
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

/// The settings that a child reported when it began.
struct ChildSettings {
    settings: Settings,
    strategies: Vec<String>,
}

impl ChildSettings {
    fn new(began: Option<&ChildEvent>) -> Self {
        let strategies = match began {
            Some(ChildEvent::Began { strategies, .. }) => strategies.clone(),
            _ => Vec::new(),
        };
        Self {
            settings: settings(began),
            strategies,
        }
    }
}

/// Returns the settings that a child reported.
fn settings(began: Option<&ChildEvent>) -> Settings {
    let mut settings = Settings::default();
    if let Some(ChildEvent::Began {
        iterations,
        seed,
        bounds,
        expect_bug,
        ..
    }) = began
    {
        settings.iterations = *iterations;
        settings.seed = *seed;
        settings.bounds = *bounds;
        settings.expect_bug = expect_bug.clone();
    }
    settings
}
