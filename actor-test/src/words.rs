//! All words for people.

use crate::report::Report;

/// The report of a failing test.
pub(crate) fn failure(report: &Report) -> String {
    format!("{:#?}", report.bugs.first().map(|bug| &bug.finding))
}

/// The report of a test whose expected bug was not found.
pub(crate) fn missing(report: &Report, expected: &str) -> String {
    format!("expected the bug \"{expected}\", found {:?}", report.bugs.first().map(|bug| &bug.finding))
}
