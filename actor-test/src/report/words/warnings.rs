//! What was not judged, and what could not have failed.

use super::count;
use super::leftovers::leftovers;
use crate::data::bug::BugKind;
use crate::report::facts::Report;

/// What was not judged, and what could not have failed.
pub(super) fn warnings(report: &Report, notes: &[String]) -> Vec<String> {
    let mut lines = Vec::new();
    if report.undecided > 0 {
        let example = report.undecided_example.as_deref().unwrap_or("something");
        lines.push(format!(
            "warning: liveness undecided in {} of {}: at the bound, {example}; raise the bound (-m) \
             or lower --temperature",
            report.undecided,
            count(report.executions, "execution")
        ));
    }
    if report.transient > 0 {
        let example = report.transient_example.as_deref().unwrap_or("something");
        lines.push(format!(
            "note: {} of {} owed something for longer than the threshold, but recovered in a fair \
             continuation, so it was slow and no bug: {example}",
            report.transient,
            count(report.executions, "execution")
        ));
    }
    if report.unlisted > 0 {
        lines.push(format!(
            "note: {} failed for other reasons, which are more than are listed",
            count(report.unlisted, "more execution")
        ));
    }
    lines.extend(leftovers(report));
    if !report.opaque.is_empty() {
        let opaque = report.opaque.join(", ");
        lines.push(match report.verdict.states() {
            Some(_) => format!(
                "note: states with these are told apart by how they came about, so that there are more of \
                 them: {opaque} offer neither `Hash` nor `Fingerprint`"
            ),
            None => format!(
                "note: states can't be compared, so what goes round in circles is found by its \
                 temperature alone: {opaque} offer neither `Hash` nor `Fingerprint`"
            ),
        });
    }
    if report.liveness_unchecked {
        lines.push(
            "warning: liveness was not checked: no strategy was fair; add one, `-s random` for \
             instance"
                .into(),
        );
    }
    let denied = report.bugs.iter().any(|bug| bug.kind() == BugKind::Vacuous);
    let vacuous = report.vacuous.iter().filter(|_| !denied);
    lines.extend(vacuous.map(|what| format!("warning: {what}; it could not have failed")));
    let idle = report.without_a_chance.iter().filter(|_| !denied);
    lines.extend(idle.map(|what| format!("warning: {what}")));
    let passed_over = report.passed_over.iter();
    lines.extend(passed_over.map(|what| format!("note: {what}, which has no handler for it")));
    lines.extend(notes.iter().map(|note| format!("warning: {note}")));
    lines
}
