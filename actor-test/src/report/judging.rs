//! What fails a test though no execution failed: what the whole report has that is denied.

use crate::data::bug::{BugKind, Finding};
use crate::report::facts::{Bug, Report};
use crate::report::words;
use crate::settings::{Deny, Settings};

/// Adds what is denied to the bugs of a report that has none.
pub(crate) fn judge(report: &mut Report, settings: &Settings) {
    if !report.is_clean() {
        return;
    }
    for finding in denied(settings.deny, report) {
        let mut bug = Bug::unrecorded(finding, "", 0, settings);
        // No single execution shows it.
        bug.token.clear();
        let expected = settings.expect_bug.as_deref();
        if expected.is_none_or(|expected| bug.is(expected)) {
            report.bugs.push(bug);
        }
    }
}

/// What the complete report of a test has that is denied.
fn denied(deny: Deny, report: &Report) -> Vec<Finding> {
    let finding = |kind, message| Finding {
        kind,
        message,
        location: None,
        step: 0,
    };
    let vacuous = Some(report.vacuous.join("; ")).filter(|what| deny.vacuous && !what.is_empty());
    let unreached = words::unreached_parts(&report.coverage).filter(|_| deny.unreached);
    let vacuous = vacuous.map(|what| finding(BugKind::Vacuous, what));
    let unreached = unreached.map(|what| finding(BugKind::Unreached, what));
    vacuous.into_iter().chain(unreached).collect()
}
