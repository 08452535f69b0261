//! Formats warnings: undecided liveness, and specifications that could not have failed.

use std::path::Path;

use super::count;
use super::unread::end_notes;
use crate::data::bug::BugKind;
use crate::report::data::Report;

/// Formats the warnings of a report, and then the further `notes`.
pub(super) fn warnings(report: &Report, notes: &[String]) -> Vec<String> {
    let mut lines = Vec::new();
    if let Some(example) = &report.undecided.example {
        lines.push(format!(
            "warning: liveness undecided in {} of {}: at the bound, {example}; raise the bound (-m) \
             or lower --temperature",
            report.undecided.count,
            count(report.executions, "execution")
        ));
    }
    if let Some(example) = &report.transient.example {
        lines.push(format!(
            "note: {} of {} kept an obligation pending for longer than the threshold, but recovered in a fair \
             continuation, so it was slow and no bug: {example}",
            report.transient.count,
            count(report.executions, "execution")
        ));
    }
    if report.unlisted > 0 {
        lines.push(format!(
            "note: {} failed for other reasons, which are more than are listed",
            count(report.unlisted, "more execution")
        ));
    }
    lines.extend(end_notes(report));
    if !report.opaque.is_empty() {
        let offer = match report.opaque.len() {
            1 => "offers",
            _ => "offer",
        };
        let opaque = report.opaque.join(", ");
        lines.push(match report.verdict.states() {
            Some(_) => format!(
                "note: states with these are distinguished by how they came about, so that there are more of \
                 them: {opaque} {offer} neither `Hash` nor `Fingerprint`"
            ),
            None => format!(
                "note: states can't be compared, so what goes round in circles is found by its \
                 temperature alone: {opaque} {offer} neither `Hash` nor `Fingerprint`"
            ),
        });
    }
    if report.liveness_unchecked {
        let where_it_was_not = match report.unfair_at_bound {
            0 => String::new(),
            cut if cut == report.executions => String::new(),
            cut => format!(
                " in {cut} of {}, which were cut off",
                count(report.executions, "execution")
            ),
        };
        lines.push(format!(
            "warning: liveness was not checked{where_it_was_not}: no strategy was fair; add one, `-s random` \
             for instance"
        ));
    }
    let denied = report.bugs.iter().any(|bug| bug.kind() == BugKind::Vacuous);
    let vacuous = report.vacuous.iter().filter(|_| !denied);
    lines.extend(vacuous.map(|what| format!("warning: {what}; it could not have failed")));
    let idle = report.without_a_chance.iter().filter(|_| !denied);
    lines.extend(idle.map(|what| format!("warning: {what}")));
    let passed_over = report.passed_over.iter();
    lines.extend(passed_over.map(|what| format!("note: {what}, which has no handler for it")));
    lines.extend(report.record.as_deref().map(ended_before));
    lines.extend(notes.iter().map(|note| format!("warning: {note}")));
    lines
}

/// States that the search of a test has ended before.
fn ended_before(record: &Path) -> String {
    let directory = record.parent().unwrap_or(record).display();
    format!(
        "note: the search has ended before, with this result, in {}; to search anew, remove {directory}",
        record.display()
    )
}

#[cfg(test)]
mod tests {
    use super::warnings;
    use crate::report::data::Report;
    use crate::settings::Settings;

    #[test]
    fn what_cannot_be_compared() {
        let said = |opaque: &[&str]| {
            let mut report = Report::empty("a test", &Settings::default());
            report.opaque = opaque.iter().map(ToString::to_string).collect();
            warnings(&report, &[]).concat()
        };
        assert!(said(&["`Till` (actor)"]).contains("`Till` (actor) offers neither"));
        assert!(said(&["`Till` (actor)", "`Pay` (event)"]).contains("`Pay` (event) offer neither"));
    }

    #[test]
    fn where_liveness_was_not_checked() {
        let said = |cut: u64| {
            let mut report = Report::empty("a test", &Settings::default());
            (report.executions, report.unfair_at_bound) = (10, cut);
            report.liveness_unchecked = true;
            warnings(&report, &[]).concat()
        };
        let all = "warning: liveness was not checked: no strategy was fair";
        let some = "warning: liveness was not checked in 3 of 10 executions, which were cut off: no \
                    strategy was fair";
        assert!(said(10).starts_with(all), "{}", said(10));
        assert!(said(3).starts_with(some), "{}", said(3));
        // Pruned executions were not cut off.
        assert!(said(0).starts_with(all), "{}", said(0));
    }
}
