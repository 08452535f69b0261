//! Assertions on a report, which panic with its text.

use crate::report::data::{Bug, Report};
use crate::report::words::{self, CommandContext};

impl Report {
    /// Does nothing if no bug was found, and a requested proof succeeded.
    ///
    /// # Panics
    ///
    /// Panics with the report of the first bug, or with why nothing is [proved](Self::is_unproved).
    #[track_caller]
    pub fn assert_clean(&self) {
        assert!(self.is_clean() && !self.is_unproved(), "{}", failure(self));
    }

    /// Returns the first bug that `expected` names: a part of its message, or its kind.
    ///
    /// # Panics
    ///
    /// Panics if no such bug was found; the message lists the bugs that were found instead.
    #[track_caller]
    pub fn assert_bug(&self, expected: &str) -> &Bug {
        let found = self.bugs.iter().find(|bug| bug.is(expected));
        found.unwrap_or_else(|| panic!("{}", missing(self, expected)))
    }
}

/// Formats the report of a failing test, or of one that was to be proved and is not.
pub(crate) fn failure(report: &Report) -> String {
    match report.is_unproved() {
        true => words::unproved(report, &[]),
        false => words::failed(report, &[], &CommandContext::of_shell()),
    }
}

/// Formats the report of a test whose expected bug was not found.
fn missing(report: &Report, expected: &str) -> String {
    words::unexpected(report, expected, &[], &CommandContext::of_shell())
}
