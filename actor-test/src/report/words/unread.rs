//! Formats unread events and running periodic timers at the end of executions.

use super::count;
use crate::report::data::Report;

/// Formats unread events, and timers that would have fired for ever.
pub(super) fn end_notes(report: &Report) -> Vec<String> {
    let of = count(report.executions, "execution");
    let unread = report.unread.example.as_ref().map(|example| {
        let unread = report.unread.count;
        format!("note: {unread} of {of} ended with events that nobody will handle: {example}")
    });
    let restless = report.restless.example.as_ref().map(|example| {
        let restless = report.restless.count;
        format!(
            "note: {restless} of {of} never came to rest: {example}; \
             sys.finish() in an async body ends them"
        )
    });
    unread.into_iter().chain(restless).collect()
}
