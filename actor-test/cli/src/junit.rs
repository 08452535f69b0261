//! JUnit XML reports (`--junit`), for continuous integration.

use std::collections::BTreeMap;
use std::fs::{self, File, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Instant;

use quick_junit::{NonSuccessKind, Property, Report as Xml, TestCase, TestCaseStatus, TestSuite};

use super::Trouble;
use super::discover::Test;
use super::ended::TestEnd;
use super::verdict::TestVerdict;
use crate::words;
use actor_test::Report;
use actor_test::report::StrategyStatistics;
use actor_test::tool::{TestOutcome, test_name};

/// An unfinished document: a suite for each test executable, a case for each test.
pub(crate) struct Junit {
    path: PathBuf,
    suites: BTreeMap<String, Vec<TestCase>>,
    begun: Instant,
}

impl Junit {
    /// Creates the file, so that errors are reported before the run.
    pub(crate) fn open(path: &Path) -> Result<Self, Trouble> {
        let directory = path
            .parent()
            .filter(|parent| !parent.as_os_str().is_empty());
        directory
            .map_or(Ok(()), fs::create_dir_all)
            .and_then(|()| OpenOptions::new().append(true).create(true).open(path))
            .map_err(|error| trouble(path, &error))?;
        Ok(Self {
            path: path.to_owned(),
            suites: BTreeMap::new(),
            begun: actor_test::tool::wall_clock::now(),
        })
    }

    /// Adds a test, with the text for users.
    pub(crate) fn add(&mut self, test: &Test, ended: &TestEnd, block: &str) {
        let suite = suite(test);
        let mut case = TestCase::new(
            test_name::libtest_name(&test.name),
            status(&ended.verdict, block),
        );
        case.set_classname(&*suite).set_time(ended.elapsed);
        if let Some(report) = ended.verdict.report() {
            case.add_properties(properties(report));
        }
        if let TestVerdict::Explored(judged) = &ended.verdict
            && let TestOutcome::Passed | TestOutcome::Expected(_) = judged.outcome()
        {
            case.set_system_out(block);
        }
        self.suites.entry(suite).or_default().push(case);
    }

    pub(crate) fn write(self) -> Result<(), Trouble> {
        let mut xml = Xml::new("cargo actor-test");
        xml.set_time(self.begun.elapsed());
        for (name, cases) in self.suites {
            let mut suite = TestSuite::new(name);
            suite.set_time(cases.iter().filter_map(|case| case.time).sum());
            suite.add_test_cases(cases);
            xml.add_test_suite(suite);
        }
        let text = xml.to_string().map_err(Trouble::new)?;
        let written = File::create(&self.path).and_then(|mut file| file.write_all(text.as_bytes()));
        written.map_err(|error| trouble(&self.path, &error))
    }
}

fn trouble(path: &Path, error: &std::io::Error) -> Trouble {
    Trouble(format!("can't write {}: {error}", path.display()))
}

/// Returns the name of a test's suite: the package, and the target unless it is the library. If two targets
/// have a test of this path, the name is as in nextest.
fn suite(test: &Test) -> String {
    let executable = &test.executable;
    let (package, target) = (&executable.package.name, &executable.target);
    match executable.flag[0].trim_start_matches("--") {
        _ if !test.apart.by_target => {}
        "lib" => {}
        "test" => return format!("{package}::{target}"),
        kind => return format!("{package}::{kind}/{target}"),
    }
    if executable.target.replace('-', "_") == package.replace('-', "_") {
        return package.clone();
    }
    format!("{package}::{}", executable.target)
}

fn status(verdict: &TestVerdict, block: &str) -> TestCaseStatus {
    let (kind, what, message) = match verdict {
        TestVerdict::Skipped => return TestCaseStatus::skipped(),
        TestVerdict::Interrupted(_) => {
            let mut status = TestCaseStatus::skipped();
            status.set_message(block);
            return status;
        }
        TestVerdict::Refused(problem) => (NonSuccessKind::Error, "error", problem.clone()),
        TestVerdict::Explored(judged) => {
            let report = &judged.report;
            let (what, message) = match judged.outcome() {
                TestOutcome::Passed
                | TestOutcome::Expected(_)
                | TestOutcome::CleanCombination(_) => return TestCaseStatus::success(),
                TestOutcome::Failed => {
                    let finding = report.bugs.first().map(|bug| &bug.finding);
                    (
                        finding.map_or("failure", |finding| finding.kind.word()),
                        finding.map(words::finding).unwrap_or_default(),
                    )
                }
                TestOutcome::Unproved => ("unproved", words::no_proof(report)),
                TestOutcome::Unexpected(expected) => {
                    ("expected bug missing", words::unmet(report, expected))
                }
            };
            (NonSuccessKind::Failure, what, message)
        }
    };
    let mut status = TestCaseStatus::non_success(kind);
    status
        .set_type(what)
        .set_message(message.lines().next().unwrap_or_default())
        .set_description(block);
    status
}

/// Returns the statistics of a test.
fn properties(report: &Report) -> Vec<Property> {
    let strategy =
        |strategy: &StrategyStatistics| format!("{} {}", strategy.name, strategy.executions);
    let strategies: Vec<String> = report.strategies.iter().map(strategy).collect();
    let mut properties = vec![
        Property::new("schedules", report.executions.to_string()),
        Property::new("fair", report.fair.to_string()),
        Property::new("unfair", report.unfair.to_string()),
        Property::new("steps", report.steps_total.to_string()),
        Property::new("behaviours", report.behaviours.seen.to_string()),
        Property::new("strategies", strategies.join(", ")),
        Property::new("seed", report.seed.to_string()),
    ];
    // One property for each bug, with the number of executions that have it.
    properties.extend(report.bugs.iter().map(|bug| {
        let finding = words::finding(&bug.finding);
        let what = finding.lines().next().unwrap_or_default();
        let seen = words::count(bug.seen, "execution");
        Property::new("bug", format!("{what} (seen in {seen})"))
    }));
    if let Some(bug) = report.bugs.first() {
        let trace = bug.trace_path.as_ref();
        let trace = trace.map(|path| Property::new("trace", path.display().to_string()));
        let token = (!bug.token.is_empty()).then(|| Property::new("reproduce", &*bug.token));
        properties.extend(token.into_iter().chain(trace));
    }
    properties
}
