//! Continues an execution from a step until it recovers, for the debugger.

use super::continuations::{Continuations, RecordedContinuation};
use crate::data::bug::Finding;
use crate::data::causes::ContinuationCounts;
use crate::data::story::Story;
use crate::engine::{Program, RecordedDecision};
use crate::report::data::Recording;
use crate::settings::Bounds;
use crate::strategy::Fairness;

/// A continuation without the bug.
#[derive(Debug)]
pub(crate) struct Escape {
    pub(crate) steps: u64,
    pub(crate) decisions: Vec<RecordedDecision>,
    pub(crate) fairness: Fairness,
    /// The bounds under which a re-execution does the same.
    pub(crate) bounds: Bounds,
    pub(crate) story: Story,
}

/// Continues fairly from a step, for at most `walks` continuations of `horizon` steps, until one discharges
/// the obligation, or ends without the bug if there is no obligation. Returns the share of escapes, and the
/// last escape. `None` if the recording does not fail as it did.
pub(crate) fn escape(
    program: &dyn Program,
    test: &str,
    recording: &Recording,
    finding: &Finding,
    (from, walks, horizon): (u64, u32, u64),
) -> Option<(ContinuationCounts, Option<Escape>)> {
    let mut continuations = Continuations::new(program, test, recording, finding, u64::MAX, 1);
    continuations.retrace(Box::new(continuations.replay()), recording.cycle)?;
    let share = continuations.share(from, 0..walks, horizon, true)?;
    let Some(continuation) = continuations.nearest() else {
        return Some((share, None));
    };
    let RecordedContinuation {
        outcome, decisions, ..
    } = continuations.reexecute(continuation);
    let escape = Escape {
        steps: outcome.steps,
        decisions,
        fairness: outcome.fairness,
        bounds: Bounds::new(outcome.steps)
            .with_fair(outcome.steps)
            .with_temperature(recording.bounds.temperature().max(outcome.steps)),
        story: Story::of(&outcome.records),
    };
    Some((share, Some(escape)))
}
