//! The implementation of the MCP tools.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

use actor_test::Report;
use actor_test::story::{Selection, Story};
use actor_test::tool::trace::Trace;
use rmcp::RoleServer;
use rmcp::service::RequestContext;
use serde::{Deserialize, Serialize};

use super::arguments::{CausesOfStep, ExplainFailure, ExploreArguments, ListTests, ListTraces};
use super::arguments::{MinimizeArguments, ReadStory, ReplayArguments};
use super::child::{self, ToolOutput};
use super::pages::{self, Answer};
use super::traces::{TraceDirectories, Use};
use crate::words::{self, CommandContext};

/// The maximum number of tests in an answer; failing ones come first.
const TESTS_MAX: usize = 20;

/// The maximum length of a test's report.
const REPORT_MAX: usize = 12_000;

pub(super) struct CallContext {
    /// Cargo's flags for the selected packages and targets.
    pub(super) selection: Vec<OsString>,
    pub(super) places: Result<TraceDirectories, String>,
    pub(super) context: RequestContext<RoleServer>,
}

#[derive(Serialize)]
struct Tests<'a> {
    tests: Vec<&'a str>,
    total: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    next_offset: Option<usize>,
}

#[derive(Serialize)]
struct Traces {
    folder: PathBuf,
    traces: Vec<Listed>,
    total: usize,
}

#[derive(Serialize)]
struct Listed {
    trace: PathBuf,
    bytes: u64,
}

#[derive(Serialize)]
struct Explored {
    tests: Vec<ExploredTest>,
    /// The number of further tests that are not in the answer.
    more: usize,
    passed: usize,
    failed: usize,
    /// True if the run was cancelled before all tests were explored.
    given_up: bool,
}

#[derive(Serialize)]
struct ExploredTest {
    test: String,
    package: String,
    /// The outcome: `passed`, `failed`, `unproved`, `expected-bug`, `expected-bug-missing`, `ignored`,
    /// `interrupted` or `error`.
    outcome: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    problem: Option<String>,
    executions: u64,
    bugs: Vec<FoundBug>,
    /// The report for users.
    report: String,
}

#[derive(Serialize)]
struct FoundBug {
    kind: String,
    message: String,
    step: u64,
    strategy: String,
    iteration: u64,
    token: String,
    /// The path of the trace, for `read_story` and other tools.
    trace: Option<PathBuf>,
}

/// A line of the tool's JSON output.
#[derive(Deserialize)]
struct ReportLine {
    #[serde(rename = "type")]
    is: String,
    #[serde(default)]
    test: String,
    #[serde(default)]
    package: String,
    #[serde(default)]
    outcome: String,
    #[serde(default)]
    problem: Option<String>,
    #[serde(default)]
    report: Option<Report>,
    #[serde(default)]
    notes: Vec<String>,
}

impl CallContext {
    pub(super) async fn list_tests(&self, asked: ListTests) -> Answer {
        let mut arguments: Vec<OsString> = vec!["list".into()];
        arguments.extend(self.selection.iter().cloned());
        if let Some(part) = asked.contains {
            arguments.extend(["--".into(), part.into()]);
        }
        let ended = self.run(arguments, Duration::from_secs(3600)).await?;
        let all: Vec<&str> = ended.stdout.lines().collect();
        if ended.code != Some(0) && all.is_empty() {
            return Err(complaint(&ended));
        }
        let tests: Vec<&str> = all
            .iter()
            .copied()
            .skip(asked.offset)
            .take(asked.limit)
            .collect();
        let end = asked.offset + tests.len();
        pages::data(&Tests {
            tests,
            total: all.len(),
            next_offset: (end < all.len()).then_some(end),
        })
    }

    pub(super) fn list_traces(&self, asked: &ListTraces) -> Answer {
        let places = self.places.as_ref()?;
        let all = places.all();
        let total = all.len();
        let listed = all.into_iter().take(asked.limit);
        pages::data(&Traces {
            folder: places.traces.clone(),
            traces: listed
                .map(|(trace, bytes)| Listed { trace, bytes })
                .collect(),
            total,
        })
    }

    pub(super) async fn explore(&self, asked: ExploreArguments) -> Answer {
        let mut arguments: Vec<OsString> = vec!["--format=json".into()];
        let mut flag = |name: &str, value: Option<String>| {
            arguments.extend(value.map(|value| OsString::from(format!("--{name}={value}"))));
        };
        flag(
            "iterations",
            asked.iterations.map(|number| number.to_string()),
        );
        flag("seed", asked.seed.map(|number| number.to_string()));
        flag("strategy", asked.strategy);
        flag("max-steps", asked.max_steps);
        let switches = [("--exact", asked.exact), ("--no-fail-fast", asked.all_bugs)];
        arguments.extend(switches.iter().filter(|it| it.1).map(|it| it.0.into()));
        arguments.extend(self.selection.iter().cloned());
        arguments.extend(["--".into(), asked.test.into()]);
        let limit = Duration::from_secs(asked.time_limit_s);
        let ended = self.run(arguments, limit).await?;
        let lines: Vec<ReportLine> = ended
            .stdout
            .lines()
            .filter_map(|line| serde_json::from_str(line).ok())
            .collect();
        let mut lines: Vec<ReportLine> =
            lines.into_iter().filter(|line| line.is == "test").collect();
        if lines.is_empty() {
            return Err(complaint(&ended));
        }
        let is_fine = |line: &ReportLine| !is_failure(&line.outcome);
        let failed = lines.iter().filter(|line| !is_fine(line)).count();
        let passed = |line: &&ReportLine| matches!(&*line.outcome, "passed" | "expected-bug");
        let passed = lines.iter().filter(passed).count();
        lines.sort_by_key(is_fine);
        let more = lines.len().saturating_sub(TESTS_MAX);
        lines.truncate(TESTS_MAX);
        let here = std::env::current_dir().unwrap_or_default();
        pages::data(&Explored {
            tests: lines
                .into_iter()
                .map(|line| explored(line, &here))
                .collect(),
            more,
            passed,
            failed,
            given_up: ended.given_up,
        })
    }

    pub(super) fn read_story(&self, asked: &ReadStory) -> Answer {
        let mut selection = Selection::default();
        selection.actor.clone_from(&asked.actor);
        selection.event.clone_from(&asked.event);
        selection.from = asked.from_step;
        selection.to = asked.to_step;
        let trace = self.read(&asked.trace)?;
        let all = asked.every_step || !selection.is_everything();
        let story = selection.of(trace.story()).map_err(in_these_words)?;
        page_of(&trace, &story, all, asked.offset, asked.limit)
    }

    pub(super) fn causes_of_step(&self, asked: &CausesOfStep) -> Answer {
        let mut selection = Selection::default();
        selection.causes_of = Some(asked.step);
        let trace = self.read(&asked.trace)?;
        let story = selection.of(trace.story()).map_err(in_these_words)?;
        page_of(&trace, &story, true, asked.offset, asked.limit)
    }

    pub(super) fn explain_failure(&self, asked: &ExplainFailure) -> Answer {
        let trace = self.read(&asked.trace)?;
        let mut lines = head(&trace);
        let causes = trace.causes().map_or_else(Vec::new, words::causes);
        if causes.is_empty() {
            lines.push(words::no_causes().to_owned());
        }
        lines.extend(causes);
        pages::text(&lines)
    }

    pub(super) async fn minimize(&self, asked: MinimizeArguments) -> Answer {
        let path = self.places.as_ref()?.trace(&asked.trace, Use::Rewrite)?;
        let mut arguments: Vec<OsString> = vec!["minimize".into()];
        let budget = asked
            .budget
            .map(|budget| format!("--budget={budget}").into());
        arguments.extend(budget);
        if asked.save {
            arguments.push("--save".into());
        }
        arguments.extend(self.selection.iter().cloned());
        arguments.extend(["--".into(), path.into()]);
        let limit = Duration::from_secs(asked.time_limit_s);
        let ended = self.run(arguments, limit).await?;
        if ended.given_up || ended.code != Some(0) {
            return Err(complaint(&ended));
        }
        let lines: Vec<String> = ended.stdout.lines().map(str::to_owned).collect();
        pages::page_and_end(&[], &lines, asked.offset, asked.limit)
    }

    pub(super) async fn replay(&self, asked: ReplayArguments) -> Answer {
        let path = self.places.as_ref()?.trace(&asked.trace, Use::Read)?;
        let near = format!("--near={}", asked.near);
        let mut arguments: Vec<OsString> = vec!["replay".into(), near.into()];
        arguments.extend(self.selection.iter().cloned());
        arguments.extend(["--".into(), path.into()]);
        let limit = Duration::from_secs(asked.time_limit_s);
        let ended = self.run(arguments, limit).await?;
        let head = match ended.code {
            Some(0) => words::replayed_clean(),
            Some(1) => words::replayed_again(),
            _ if ended.given_up || ended.stdout.is_empty() => return Err(complaint(&ended)),
            _ => words::replay_diverged(),
        };
        let lines: Vec<String> = ended.stdout.lines().map(str::to_owned).collect();
        pages::page_and_end(&[head.to_owned()], &lines, asked.offset, asked.limit)
    }

    async fn run(&self, arguments: Vec<OsString>, limit: Duration) -> Result<ToolOutput, String> {
        child::run(arguments, limit, &self.context).await
    }

    fn read(&self, named: &str) -> Result<Trace, String> {
        let path = self.places.as_ref()?.trace(named, Use::Read)?;
        let trace = Trace::read(&path).map_err(|error| error.to_string())?;
        match trace.story().is_empty() {
            true => Err(words::no_story(&path)),
            false => Ok(trace),
        }
    }
}

fn is_failure(outcome: &str) -> bool {
    !matches!(outcome, "passed" | "expected-bug" | "ignored")
}

fn explored(line: ReportLine, here: &Path) -> ExploredTest {
    let place = CommandContext {
        here: here.to_owned(),
        selection: Vec::new(),
        width: words::WIDTH,
        hang_timeout: None,
        test: None,
        lists_strategies: false,
    };
    let report = line.report.as_ref();
    let report_text = report.map_or_else(String::new, |report| match is_failure(&line.outcome) {
        true if report.is_unproved() => words::unproved(report, &line.notes),
        true => words::failed(report, &line.notes, &place),
        false => words::passed(report, &line.notes),
    });
    let bugs = report.map_or(&[][..], |report| &report.bugs);
    let bugs = bugs.iter().map(|bug| FoundBug {
        kind: bug.kind().word().to_owned(),
        message: words::shortened(bug.message()),
        step: bug.step(),
        strategy: bug.strategy.clone(),
        iteration: bug.iteration,
        token: bug.token.clone(),
        trace: bug.trace_path.clone(),
    });
    ExploredTest {
        bugs: bugs.collect(),
        executions: report.map_or(0, |report| report.executions),
        report: words::cut(&report_text, REPORT_MAX),
        test: line.test,
        package: line.package,
        outcome: line.outcome,
        problem: line.problem,
    }
}

fn head(trace: &Trace) -> Vec<String> {
    words::trace_head(trace)
        .lines()
        .map(str::to_owned)
        .collect()
}

fn page_of(trace: &Trace, story: &Story, all: bool, offset: usize, limit: usize) -> Answer {
    let lines = words::story_lines(story, words::WIDTH, all);
    pages::page(&head(trace), &lines, offset, limit)
}

/// Replaces the flags of the command line in an error by the names of arguments.
fn in_these_words(problem: String) -> String {
    let names = [
        ("--causes-of ", "step: "),
        ("--from ", "from_step: "),
        ("--to ", "to_step: "),
        ("--actor ", "actor: "),
        ("--event ", "event: "),
    ];
    names.iter().fold(problem, |report_text, (flag, name)| {
        report_text.replace(flag, name)
    })
}

/// Returns the tool's own error message.
fn complaint(ended: &ToolOutput) -> String {
    let said = [&ended.stdout, &ended.stderr].map(|text| text.trim());
    let said: Vec<&str> = said.into_iter().filter(|text| !text.is_empty()).collect();
    let said = words::harmless(&said.join("\n"));
    let last = said.char_indices().rev().nth(8_000).map_or(0, |(at, _)| at);
    let said = &said[last..];
    let said = said.strip_prefix("error: ").unwrap_or(said);
    match ended.given_up {
        true => format!("{}\n{said}", words::given_up()),
        false if said.is_empty() => words::ended_without_words(ended.code),
        false => said.to_owned(),
    }
}
