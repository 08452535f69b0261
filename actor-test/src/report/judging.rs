//! What fails a test though no execution failed: what the whole report has that is denied.

use crate::data::bug::{BugKind, Finding};
use crate::report::facts::{Bug, Report};
use crate::report::words;
use crate::settings::{Deny, Settings};

/// Adds what is denied, and that nothing was tested, to the bugs of a report that has none.
pub(crate) fn judge(report: &mut Report, settings: &Settings) {
    if !report.is_clean() {
        return;
    }
    let denied = denied(settings.deny, report);
    for finding in idle(report).into_iter().chain(denied) {
        let mut bug = Bug::unrecorded(finding, "", 0, settings);
        // No single execution shows it.
        bug.token.clear();
        let expected = settings.expect_bug.as_deref();
        if expected.is_none_or(|expected| bug.is(expected)) {
            report.bugs.push(bug);
        }
    }
}

/// That no actor did anything, which no setting allows. A test without actors, of monitors or of the
/// tester itself, is not meant.
fn idle(report: &Report) -> Option<Finding> {
    // What was broken off says nothing by itself: it may have been before anybody's first step.
    let is_told = report.executions > report.pruned;
    (is_told && report.idle == report.executions).then(|| Finding {
        kind: BugKind::Idle,
        message:
            "no actor took a step in any execution: send one of them an event, or remove the test"
                .into(),
        location: None,
        step: 0,
    })
}

/// What the complete report of a test has that is denied.
fn denied(deny: Deny, report: &Report) -> Vec<Finding> {
    let finding = |kind, message| Finding {
        kind,
        message,
        location: None,
        step: 0,
    };
    let vacuous = [report.vacuous.as_slice(), &report.without_a_chance].concat();
    let vacuous = Some(vacuous.join("; ")).filter(|what| deny.vacuous && !what.is_empty());
    let unreached = words::unreached_parts(&report.coverage).filter(|_| deny.unreached);
    let vacuous = vacuous.map(|what| finding(BugKind::Vacuous, what));
    let unreached = unreached.map(|what| finding(BugKind::Unreached, what));
    vacuous.into_iter().chain(unreached).collect()
}
