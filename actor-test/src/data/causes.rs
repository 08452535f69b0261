//! The causes of a failure: critical transition, needed races, and the nearest passing execution.

use serde::{Deserialize, Serialize};

use crate::data::story::Story;

/// The causes of a failure, as far as other continuations of the execution show.
///
/// Everything in here was observed in as many executions as the numbers say, and nothing is claimed beyond
/// them. Steps are those of the recorded execution.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Causes {
    /// The step that decided the failure.
    pub decided: DecisivePoint,
    /// The share of random continuations that failed again, for some of the steps.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub curve: Vec<ContinuationCounts>,
    /// The races (orders of events) that the failure needs.
    #[serde(default)]
    pub races: RaceResults,
    /// The passing execution that agrees with the failing one for longest.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub nearest: Option<NearestPassing>,
    /// The number of steps that this analysis took.
    #[serde(default)]
    pub steps: u64,
    /// True if the budget of steps ended the analysis early.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub cut_short: bool,
}

impl Causes {
    /// Returns the step from which on an obligation stays pending for ever, if one was found.
    pub fn critical(&self) -> Option<u64> {
        match &self.decided {
            DecisivePoint::Critical { at, .. } => Some(at.step),
            _ => None,
        }
    }

    /// Returns the steps that the report of these causes names, possibly with repetitions.
    pub(crate) fn named(&self) -> Vec<u64> {
        let (from, to) = match &self.decided {
            DecisivePoint::Critical { at, .. }
            | DecisivePoint::Mostly { at, .. }
            | DecisivePoint::ByTheLastStep { at, .. } => (at.step, None),
            DecisivePoint::Fading { last, .. } => (last.step, None),
            DecisivePoint::Between { before, after } => (before.step, Some(after.step)),
            _ => (0, None),
        };
        let races = self.races.needed.iter();
        let races = races.flat_map(|race| [race.first.step, race.second.step]);
        let diverges_at = self.nearest.iter().map(|nearest| nearest.shared + 1);
        let decided = std::iter::once(from).chain(to);
        decided.chain(diverges_at).chain(races).collect()
    }
}

/// The place in an execution where its failure was decided.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "is")]
#[non_exhaustive]
pub enum DecisivePoint {
    /// The place is not known.
    #[default]
    Unknown,
    /// The critical transition: from this step on, an obligation stays pending for ever.
    #[non_exhaustive]
    Critical {
        /// The critical step.
        at: StepSummary,
        /// The continuations from before the step.
        before: ContinuationCounts,
        /// The continuations from after the step, none of which recovered.
        after: ContinuationCounts,
        /// The number of continuations from some of the later steps, none of which recovered either.
        later: u32,
        /// Recoveries with at least this chance would have been observed in 95 of 100 cases.
        missed: f64,
        /// The largest number of steps of a continuation.
        horizon: u64,
    },
    /// The chance to recover falls gradually, and no single step makes the difference.
    #[non_exhaustive]
    Fading {
        /// The continuations from the last step from which any recovered.
        last: ContinuationCounts,
        /// The continuations from after the step.
        after: ContinuationCounts,
        /// The largest number of steps of a continuation.
        horizon: u64,
    },
    /// A continuation from the last step recovered, but later than the search had waited.
    #[non_exhaustive]
    StillRecoverable {
        /// The last step.
        from: u64,
        /// The number of further steps until it recovered.
        after: u64,
    },
    /// No continuation recovered or escaped, not even those from the first step on.
    #[non_exhaustive]
    FromTheStart {
        /// The results of these continuations.
        share: ContinuationCounts,
        /// True if the program asked the system for random bytes, and every continuation got the same ones.
        #[serde(default)]
        same_bytes: bool,
    },
    /// Most executions fail in this way, whatever their first steps are.
    #[non_exhaustive]
    MostlyFromTheStart {
        /// The continuations from before the first step.
        share: ContinuationCounts,
    },
    /// Most continuations from before the step escaped, and most of those from after it failed again.
    #[non_exhaustive]
    Mostly {
        /// The decisive step.
        at: StepSummary,
        /// The continuations from before the step.
        before: ContinuationCounts,
        /// The continuations from after the step.
        after: ContinuationCounts,
    },
    /// Later continuations failed more often, and no two closer steps differ by more than chance.
    #[non_exhaustive]
    Between {
        /// The continuations from the earlier step.
        before: ContinuationCounts,
        /// The continuations from the later step.
        after: ContinuationCounts,
    },
    /// Most continuations escaped, even those from before the last step.
    #[non_exhaustive]
    ByTheLastStep {
        /// The last step.
        at: StepSummary,
        /// The continuations from before the step.
        before: ContinuationCounts,
    },
}

/// The results of the continuations from one step.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ContinuationCounts {
    /// The step after which the continuations begin.
    pub step: u64,
    /// The number of continuations that failed again with the same bug.
    pub failed: u32,
    /// The number of continuations that escaped: they recovered, or reached their horizon without the bug.
    pub escaped: u32,
    /// The number of all continuations. Those that neither failed nor escaped ended at another bug.
    pub of: u32,
}

/// A step, described in one line.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[non_exhaustive]
pub struct StepSummary {
    /// The number of the step.
    pub step: u64,
    /// The actor that took the step.
    pub actor: String,
    /// The action of the step, in words.
    pub what: String,
}

/// The races of an execution, and the results of reversing them.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[non_exhaustive]
pub struct RaceResults {
    /// The races that the bug needs, as far as was observed.
    pub needed: Vec<NeededRace>,
    /// The number of pairs of events that could have come in the other order.
    pub pairs: u32,
    /// The number of pairs that were reversed.
    #[serde(rename = "turned")]
    pub reversed: u32,
}

/// A race that the bug needs: two events to one inbox, whose reversal never led to a failure.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[non_exhaustive]
pub struct NeededRace {
    /// The earlier event.
    pub first: InboxArrival,
    /// The later event.
    pub second: InboxArrival,
    /// The actor that owns the inbox.
    pub at: String,
    /// The number of executions with the race reversed, none of which failed.
    pub reversed: u32,
    /// The number of executions from the same step on, in the same ways, that kept the order.
    pub kept: u32,
    /// The number of executions with the order kept that failed.
    pub kept_failed: u32,
    /// The largest number of steps of these executions, if limited: longer ones fail in either order.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub within: Option<u64>,
}

/// An event that reaches an inbox.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[non_exhaustive]
pub struct InboxArrival {
    /// The step in which the event arrives.
    pub step: u64,
    /// The printed event.
    pub event: String,
    /// The sender of the event; `timer` for a timer of the receiver.
    pub from: String,
}

/// A passing execution that agrees with the failing one on its first steps.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[non_exhaustive]
pub struct NearestPassing {
    /// The number of first steps that both executions share.
    pub shared: u64,
    /// The step that this execution takes next; `None` if it has ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub instead: Option<StepSummary>,
    /// The number of steps until this execution recovered or ended.
    pub steps: u64,
    /// The decisions of this execution, as in a [recording](crate::report::Recording).
    pub decisions: Vec<u32>,
    /// A hash of each question that the decisions answer.
    pub checks: Vec<u32>,
    /// The first steps that only this execution takes.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub then: Vec<StepSummary>,
    /// The whole story of this execution, if it is not too long.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub story: Option<Story>,
}
