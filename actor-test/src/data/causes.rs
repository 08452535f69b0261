//! Why an execution failed: the step that decided it, the races that it needs, and the nearest
//! execution that does not.

use serde::{Deserialize, Serialize};

use crate::data::story::Story;

/// Why an execution failed, as far as running it otherwise shows.
///
/// Everything in here was seen in executions, so many as the numbers say, and nothing is claimed
/// beyond them. Steps are those of the recorded execution.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Causes {
    /// Where it was decided.
    pub decided: Decided,
    /// How often it failed again, continued at random from some of its steps.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub curve: Vec<Share>,
    /// The orders of events that it needs.
    #[serde(default)]
    pub races: Races,
    /// The execution that does as this one did for longest, and does not fail.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub nearest: Option<Nearest>,
    /// How many steps it took to find all this out.
    #[serde(default)]
    pub steps: u64,
    /// There was more to find out than the budget of steps paid for.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub cut_short: bool,
}

impl Causes {
    /// The step from which on something is owed for ever, where one was found.
    pub fn critical(&self) -> Option<u64> {
        match &self.decided {
            Decided::Critical { at, .. } => Some(at.step),
            _ => None,
        }
    }

    /// The steps that are named where this is told, the same step perhaps twice.
    pub(crate) fn named(&self) -> Vec<u64> {
        let (from, to) = match &self.decided {
            Decided::Critical { at, .. }
            | Decided::Mostly { at, .. }
            | Decided::ByTheLastStep { at, .. } => (at.step, None),
            Decided::Fading { last, .. } => (last.step, None),
            Decided::Between { before, after } => (before.step, Some(after.step)),
            _ => (0, None),
        };
        let races = self.races.needed.iter();
        let races = races.flat_map(|race| [race.first.step, race.second.step]);
        let fork = self.nearest.iter().map(|nearest| nearest.shared + 1);
        let decided = std::iter::once(from).chain(to);
        decided.chain(fork).chain(races).collect()
    }
}

/// Where a failure was decided.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "is")]
#[non_exhaustive]
pub enum Decided {
    /// It is not known.
    #[default]
    Unknown,
    /// Something is owed for ever from this step on: the critical transition.
    #[non_exhaustive]
    Critical {
        /// The step.
        at: Told,
        /// Continuations from before it.
        before: Share,
        /// Continuations from after it, none of which recovered.
        after: Share,
        /// Continuations from some of the steps that follow, none of which recovered either.
        later: u32,
        /// What recovers from after the step with this chance, or a greater one, would have been seen
        /// to in 95 of 100 cases.
        missed: f64,
        /// For how many steps a continuation went on, at most.
        horizon: u64,
    },
    /// The chance to recover gets less and less, and no step alone makes the difference.
    #[non_exhaustive]
    Fading {
        /// Continuations from the last step from which any recovered.
        last: Share,
        /// Continuations from after it.
        after: Share,
        /// For how many steps a continuation went on, at most.
        horizon: u64,
    },
    /// It is not too late even after the last step: a continuation recovered, only later than the
    /// search had waited for.
    #[non_exhaustive]
    StillRecoverable {
        /// The last step.
        from: u64,
        /// After how many more steps it recovered.
        after: u64,
    },
    /// No continuation recovered, or escaped, not even those from the first step on.
    #[non_exhaustive]
    FromTheStart {
        /// What they did.
        share: Share,
        /// The program asked the system for random bytes, and each of them was given the same.
        #[serde(default)]
        same_bytes: bool,
    },
    /// Most executions fail in this way, whatever the first steps are.
    #[non_exhaustive]
    MostlyFromTheStart {
        /// Those that begin with the first step.
        share: Share,
    },
    /// Most continuations from before the step escaped, and most of those from after it failed again.
    #[non_exhaustive]
    Mostly {
        /// The step.
        at: Told,
        /// Continuations from before it.
        before: Share,
        /// Continuations from after it.
        after: Share,
    },
    /// Continuations from the later step failed more often, and no two steps nearer to each other
    /// differ by more than chance.
    #[non_exhaustive]
    Between {
        /// Continuations from the earlier step.
        before: Share,
        /// Continuations from the later one.
        after: Share,
    },
    /// Most continuations escaped, even those from before the last step.
    #[non_exhaustive]
    ByTheLastStep {
        /// The step.
        at: Told,
        /// Continuations from before it.
        before: Share,
    },
}

/// How continuations from one step went.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Share {
    /// After which step they begin.
    pub step: u64,
    /// How many failed again, with the same bug.
    pub failed: u32,
    /// How many escaped: they recovered, or went on to the end of their horizon without the bug.
    pub escaped: u32,
    /// How many there were. What neither failed nor escaped ended at another bug.
    pub of: u32,
}

/// A step, told in a line.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Told {
    /// Its number.
    pub step: u64,
    /// Who took it.
    pub actor: String,
    /// What it did.
    pub what: String,
}

/// The races of an execution, and what came of turning them round.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Races {
    /// Those that the bug can't do without, as far as was seen.
    pub needed: Vec<NeededRace>,
    /// How many pairs could have come in the other order.
    pub pairs: u32,
    /// How many of them were turned round.
    pub turned: u32,
}

/// Two events that reach one inbox, in an order that the bug needs: in none of the executions in
/// which they came the other way round did it fail.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[non_exhaustive]
pub struct NeededRace {
    /// What came first.
    pub first: Arrival,
    /// What came after it.
    pub second: Arrival,
    /// Whose inbox it is.
    pub at: String,
    /// How many executions were run with the two the other way round; none of them failed.
    pub reversed: u32,
    /// How many executions were run from the same step on in the same ways, but with the two as they
    /// were.
    pub kept: u32,
    /// How many of these failed.
    pub kept_failed: u32,
    /// For how many steps all these executions went on at most, where that is said: those that go on
    /// for longer fail in either order.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub within: Option<u64>,
}

/// An event that reaches an inbox.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Arrival {
    /// In which step.
    pub step: u64,
    /// The event, printed.
    pub event: String,
    /// Who sent it; `timer` for a timer of the receiver's.
    pub from: String,
}

/// An execution that does as another one did for a while, and does not fail.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Nearest {
    /// For how many steps the two do the same.
    pub shared: u64,
    /// What this one does next; `None` where it has ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub instead: Option<Told>,
    /// How many steps it takes, up to where it has recovered or is at its end.
    pub steps: u64,
    /// Its decisions, as a [recording](crate::Recording) has them.
    pub decisions: Vec<u32>,
    /// A hash of each question that they answer.
    pub checks: Vec<u32>,
    /// The first steps that only this one takes.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub then: Vec<Told>,
    /// All of it, where it is not too long.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub story: Option<Story>,
}
