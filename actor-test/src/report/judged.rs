//! The judgement of an explored test by the bug that it is expected to have: [`JudgedTest`].

use crate::report::data::{Bug, Report};

/// The result of exploring a test, or one combination of its parameters.
#[derive(Clone, Debug)]
pub struct JudgedTest {
    /// The report.
    pub report: Report,
    /// The warnings printed with the report.
    pub notes: Vec<String>,
    /// The bug that the test is expected to have.
    pub expected: Option<String>,
    /// True if the test is one of several combinations, at least one of which must have the expected bug.
    pub is_combination: bool,
}

/// The outcome of an explored test.
#[derive(Clone, Copy, Debug)]
pub enum TestOutcome<'a> {
    /// No bug was found, and none is expected.
    Passed,
    /// The expected bug was found.
    Expected(&'a Bug),
    /// A combination of parameters lacks the expected bug, which another one may have.
    CleanCombination(&'a str),
    /// A bug was found that is not expected.
    Failed,
    /// A proof was requested; nothing was proved, and no bug was found.
    Unproved,
    /// The expected bug was not found.
    Unexpected(&'a str),
}

impl JudgedTest {
    /// Returns the outcome.
    pub fn outcome(&self) -> TestOutcome<'_> {
        let report = &self.report;
        let Some(expected) = &self.expected else {
            return match () {
                () if report.is_unproved() => TestOutcome::Unproved,
                () if report.is_clean() => TestOutcome::Passed,
                () => TestOutcome::Failed,
            };
        };
        match report.bugs.iter().find(|bug| bug.is(expected)) {
            Some(bug) => TestOutcome::Expected(bug),
            None if self.is_combination && report.is_clean() => {
                TestOutcome::CleanCombination(expected)
            }
            None => TestOutcome::Unexpected(expected),
        }
    }

    /// Returns true if the test has passed, as far as this combination tells.
    pub fn has_passed(&self) -> bool {
        matches!(
            self.outcome(),
            TestOutcome::Passed | TestOutcome::Expected(_) | TestOutcome::CleanCombination(_)
        )
    }
}
