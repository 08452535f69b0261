//! The verdict on a test, and the tally of all verdicts.

use serde_json::json;

use super::build::TestTarget;
use super::options::{Format, Verbosity};
use super::screen::Screen;
use super::{Exit, interruption};
use crate::words::{self, CommandContext};
use actor_test::Report;
use actor_test::report::StrategyStatistics;
use actor_test::tool::{JudgedTest, TestOutcome};

/// The progress of an interrupted test.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct PartialProgress {
    pub(crate) executions: u64,
    /// The planned number of executions, if known.
    pub(crate) of: Option<u64>,
    pub(crate) bugs: u64,
}

/// The verdict on a test.
pub(crate) enum TestVerdict {
    Explored(Box<JudgedTest>),
    Refused(String),
    Skipped,
    /// The test was interrupted, with its progress.
    Interrupted(PartialProgress),
}

impl TestVerdict {
    /// Returns the report, if the test was explored.
    pub(crate) fn report(&self) -> Option<&Report> {
        match self {
            Self::Explored(judged) => Some(&judged.report),
            Self::Refused(_) | Self::Skipped | Self::Interrupted(_) => None,
        }
    }

    /// Returns the text for users, with the title of the test; `None` if there is nothing to print.
    pub(crate) fn block(&self, title: &str, place: &CommandContext) -> Option<String> {
        Some(match self {
            Self::Explored(judged) => {
                let mut titled = judged.clone();
                titled.report.test = title.into();
                words::outcome(&titled, place)
            }
            Self::Refused(problem) => words::refused(title, problem),
            Self::Skipped => return None,
            Self::Interrupted(done) => words::interrupted(title, done),
        })
    }

    pub(crate) fn as_json(&self, test: &str, home: &TestTarget) -> serde_json::Value {
        let TestTarget { package, target } = home;
        match self {
            Self::Explored(judged) => {
                let outcome = match judged.outcome() {
                    TestOutcome::Passed | TestOutcome::CleanCombination(_) => "passed",
                    TestOutcome::Expected(_) => "expected-bug",
                    TestOutcome::Failed => "failed",
                    TestOutcome::Unproved => "unproved",
                    TestOutcome::Unexpected(_) => "expected-bug-missing",
                };
                json!({
                    "type": "test", "test": test, "package": package, "target": target, "outcome": outcome,
                    "report": judged.report, "notes": judged.notes,
                })
            }
            Self::Refused(problem) => json!({
                "type": "test", "test": test, "package": package, "target": target, "outcome": "error",
                "problem": problem,
            }),
            Self::Skipped => json!({
                "type": "test", "test": test, "package": package, "target": target, "outcome": "ignored",
            }),
            Self::Interrupted(done) => json!({
                "type": "test", "test": test, "package": package, "target": target, "outcome": "interrupted",
                "executions": done.executions, "bugs": done.bugs,
            }),
        }
    }
}

/// The numbers of tests by verdict.
#[derive(Default)]
pub(crate) struct VerdictCounts {
    passed: usize,
    failed: usize,
    unproved: usize,
    refused: usize,
    skipped: usize,
    /// The number of results that were in the search directory.
    ended_before: usize,
    /// The number of tests that were interrupted.
    given_up: usize,
    /// The number of executions of all tests.
    executions: u64,
    /// The number of bugs found in all tests.
    bugs: u64,
    /// The statistics of each strategy over all tests, in the order of first use.
    strategies: Vec<StrategyStatistics>,
}

impl VerdictCounts {
    pub(crate) fn exit(&self) -> Exit {
        match self {
            _ if interruption::is_seen() => Exit::Interrupted,
            Self { failed: 1.., .. } => Exit::Bug,
            Self { refused: 1.., .. } => Exit::Trouble,
            Self { unproved: 1.., .. } => Exit::Unproved,
            _ => Exit::Clean,
        }
    }

    pub(crate) fn count(&mut self, verdict: &TestVerdict) {
        *match verdict {
            TestVerdict::Explored(judged) => match judged.outcome() {
                TestOutcome::Unproved => &mut self.unproved,
                _ if judged.has_passed() => &mut self.passed,
                _ => &mut self.failed,
            },
            TestVerdict::Refused(_) => &mut self.refused,
            TestVerdict::Skipped => &mut self.skipped,
            TestVerdict::Interrupted(_) => &mut self.given_up,
        } += 1;
        if let TestVerdict::Interrupted(done) = verdict {
            self.executions += done.executions;
            self.bugs += done.bugs;
        }
        if let Some(report) = verdict.report() {
            self.ended_before += usize::from(report.record.is_some());
            self.executions += report.executions;
            self.bugs += report.bugs.len() as u64;
            report.strategies.iter().for_each(|one| self.add(one));
        }
    }

    /// Returns the number of counted tests.
    pub(crate) fn tests(&self) -> usize {
        let run = self.passed + self.failed + self.unproved + self.given_up;
        run + self.refused + self.skipped
    }

    /// Counts a failed test none of whose combinations failed.
    pub(crate) fn fail(&mut self) {
        self.failed += 1;
    }

    fn add(&mut self, one: &StrategyStatistics) {
        let known = self
            .strategies
            .iter_mut()
            .find(|known| known.name == one.name);
        let Some(known) = known else {
            return self.strategies.push(one.clone());
        };
        known.executions += one.executions;
        known.bugs += one.bugs;
        known.new_behaviours += one.new_behaviours;
        known.elapsed_s += one.elapsed_s;
    }

    /// Prints the summary; `tests` is the number of selected tests.
    pub(crate) fn close(
        &self,
        tests: usize,
        format: Format,
        verbosity: Verbosity,
        seed: Option<u64>,
        screen: &Screen,
    ) {
        let VerdictCounts {
            passed,
            failed,
            unproved,
            refused,
            skipped,
            ended_before,
            given_up,
            ..
        } = *self;
        let interrupted = interruption::is_seen().then(|| words::Interrupted {
            given_up,
            // A test without the expected bug counts twice, so the tally may exceed `tests`.
            not_begun: tests.saturating_sub(self.tests()),
            executions: self.executions,
            bugs: self.bugs,
        });
        match format {
            Format::Json => screen.raw(
                &json!({
                    "type": "summary", "passed": passed, "failed": failed, "unproved": unproved,
                    "errors": refused, "ignored": skipped, "interrupted": interrupted.is_some(),
                })
                .to_string(),
            ),
            Format::Human => {
                let strategies = words::strategies(&self.strategies, false);
                if !strategies.is_empty() && verbosity == Verbosity::All {
                    screen.line("\nall tests together");
                    strategies.iter().for_each(|line| screen.line(line));
                }
                let counts = words::Counts {
                    passed,
                    failed,
                    unproved,
                    errors: refused,
                    skipped,
                    ended_before,
                };
                let summary = words::summary(&counts, seed, interrupted.as_ref());
                screen.line(&format!("\n{summary}"));
            }
        }
    }
}
