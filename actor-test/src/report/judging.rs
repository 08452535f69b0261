//! Failures of a whole report, though no execution failed: denied warnings, and tests without a step.

use crate::data::bug::{BugKind, Finding};
use crate::report::data::{Bug, Report};
use crate::report::words;
use crate::settings::{Deny, Settings};

/// Adds denied warnings and an idle test to the bugs of a report that has none.
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

/// Returns a finding if no actor took a step, which no setting allows. A test without actors is exempt,
/// such as one of monitors or of the tester itself.
fn idle(report: &Report) -> Option<Finding> {
    // Executions that ended early don't count, since they may have ended before any actor's first step.
    let has_ended = report.executions > report.pruned;
    (has_ended && report.idle == report.executions).then(|| Finding {
        kind: BugKind::Idle,
        message:
            "no actor took a step in any execution: send one of them an event, or remove the test"
                .into(),
        location: None,
        step: 0,
    })
}

/// Returns the denied warnings of a complete report, as findings.
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
