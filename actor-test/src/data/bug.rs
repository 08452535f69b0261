//! Bugs: the kinds of failure, findings, failure reasons (bug deduplication), and repeatable cycles.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::data::reasons;

/// The kind of bug that an execution ended with.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum BugKind {
    /// A handler, a hook or the test body panicked: a failed assertion, most often.
    Panic,
    /// A monitor's assertion failed.
    Monitor,
    /// An `always` predicate was false.
    Invariant,
    /// The receiver's state neither handles, defers nor ignores an event.
    Unhandled,
    /// A handler returned an `Err` that no caller receives.
    UnreceivedError,
    /// A supervised actor used up its restarts, and no supervisor is left to act.
    Exhausted,
    /// Nothing can run, and some operation still awaits.
    Deadlock,
    /// Nothing can run, and a deferred event was never handled.
    DeferredForever,
    /// An actor handled nothing but its own events, without an effect on any other actor.
    Spin,
    /// A data race: two unordered accesses to the same memory, at least one of them a write.
    DataRace,
    /// The execution ended with a pending obligation: a hot monitor or an unmet predicate.
    HotAtEnd,
    /// An obligation stayed pending for longer than the threshold.
    Liveness,
    /// A handler led to more raised events and transitions in a row than allowed.
    EndlessChain,
    /// A handler called more than one of `goto`, `raise` and `halt`.
    TwoDecisions,
    /// A monitor sent a message, spawned an actor or made a choice.
    MonitorActs,
    /// A handler does not return.
    Hang,
    /// The process ended: an abort, a stack overflow or an exit.
    Crash,
    /// The same decisions led to a different execution.
    Nondeterminism,
    /// The strategy picked an operation, or a choice answer, that does not exist.
    Strategy,
    /// A future waits on something that the tester does not control.
    OutsideWait,
    /// A reference from another execution was used.
    ForeignReference,
    /// An event or a reply that was sent to another node can't be encoded or decoded.
    CannotCross,
    /// The program named a node that does not exist, or used the name of another node.
    Node,
    /// Threads that the test started are still running after it.
    LeakedThreads,
    /// A predicate could never be evaluated.
    Unevaluated,
    /// There were actors, but none took a step in any execution: nothing was tested.
    Idle,
    /// A specification that could not have failed, if that is [denied](crate::settings::Deny).
    Vacuous,
    /// A state or a handler that no execution reached, if that is [denied](crate::settings::Deny).
    Unreached,
}

impl BugKind {
    /// Returns true for a liveness bug (something good does not happen), as opposed to a safety bug.
    pub const fn is_liveness(self) -> bool {
        matches!(self, Self::HotAtEnd | Self::Liveness | Self::Spin)
    }

    /// Returns true if only all executions together show the bug, and no single one does.
    pub(crate) const fn concerns_all(self) -> bool {
        matches!(self, Self::Idle | Self::Vacuous | Self::Unreached)
    }

    /// Returns the words with which a report of this kind begins.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Panic => "panic",
            Self::Monitor | Self::Invariant => "safety",
            Self::Unhandled => "unhandled event",
            Self::UnreceivedError => "unreceived error",
            Self::Exhausted => "restarts exhausted",
            Self::Deadlock => "deadlock",
            Self::DeferredForever => "deferred for ever",
            Self::Spin => "no progress",
            Self::DataRace => "data race",
            Self::HotAtEnd | Self::Liveness => "liveness",
            Self::EndlessChain => "endless chain",
            Self::TwoDecisions => "two decisions",
            Self::MonitorActs => "a monitor acts",
            Self::Hang => "hang",
            Self::Crash => "crash",
            Self::Nondeterminism => "nondeterminism",
            Self::Strategy => "bug of the strategy",
            Self::OutsideWait => "uncontrolled wait",
            Self::ForeignReference => "foreign reference",
            Self::CannotCross => "event can't cross",
            Self::Node => "node",
            Self::LeakedThreads => "leaked threads",
            Self::Unevaluated | Self::Idle | Self::Vacuous => "vacuous",
            Self::Unreached => "never reached",
        }
    }
}

/// A part of an execution that a fair schedule can repeat for ever. The states before the first step and
/// after the last are the same, and every operation that stayed enabled took a step. No choice was asked for;
/// or, in a cycle found by a state search, the schedule can come back whatever is chosen.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Cycle {
    /// The step after which the cycle begins.
    pub from: u64,
    /// The step with which the cycle ends.
    pub to: u64,
    /// The pending obligation and the fairness demanded of a schedule, if a state search found the cycle.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) searched: Option<SearchedCycle>,
}

/// An obligation that a state search found to stay pending for ever.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(crate) struct SearchedCycle {
    /// The index of the specification among the entries of the engine's temperatures.
    pub(crate) entry: u32,
    pub(crate) demand: Demand,
}

impl Cycle {
    /// Creates a cycle that one execution came by, without a state search.
    pub(crate) fn met(from: u64, to: u64) -> Self {
        Self {
            from,
            to,
            searched: None,
        }
    }

    /// Returns the index of the specification that stays pending, if a state search found the cycle.
    pub(crate) fn entry(&self) -> Option<usize> {
        self.searched.map(|searched| searched.entry as usize)
    }

    pub(crate) fn is_searched(&self) -> bool {
        self.searched.is_some()
    }

    /// Returns the fairness demanded of a schedule that can repeat the cycle.
    pub fn demand(&self) -> Demand {
        self.searched
            .map_or(Demand::Weak, |searched| searched.demand)
    }
}

/// The fairness demanded of a schedule, so that an operation which it never runs counts against the program.
///
/// An *operation* is an actor, a timer or a link between nodes; an operation is enabled while it could take a
/// step. The answers to `choose` are left to chance under all of these demands.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Demand {
    /// No demand: any schedule will do.
    Nothing,
    /// Weak fairness: an operation that is enabled all the time takes a step.
    Weak,
    /// Strong fairness: an operation that is enabled again and again takes a step again and again.
    Strong,
    /// The fairness of a random schedule: every step that can be taken again and again is taken.
    Random,
}

impl Demand {
    /// All demands; a schedule that meets a later one meets those before it.
    pub const ALL: [Self; 4] = [Self::Nothing, Self::Weak, Self::Strong, Self::Random];
}

impl fmt::Display for Cycle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { from, to, searched } = self;
        let length = to - from;
        let how = match searched.map(|searched| searched.demand) {
            None => "that a fair schedule can repeat for ever",
            Some(Demand::Nothing) => "that a schedule can repeat for ever",
            Some(Demand::Weak) => "that a weakly fair schedule can repeat for ever",
            Some(Demand::Strong) => "that a strongly fair schedule can repeat for ever",
            Some(Demand::Random) => "among states that no schedule leaves",
        };
        write!(f, "a cycle of {length} steps {how}: steps {from}..{to}")
    }
}

/// The reason why an execution failed; two executions that fail for the same reason have found one bug.
///
/// A reason consists of the kind of bug, the place in the source (if any), and the message without the parts
/// that vary between executions. These parts are numbers (with those that distinguish actors of a type),
/// lengths of lists of numbers, values printed by `assert_eq!`, durations of pending obligations, and the
/// order in which several actors wait.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Reason {
    kind: BugKind,
    location: Option<String>,
    what: String,
}

/// A bug that one execution found.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Finding {
    /// The kind of bug.
    pub kind: BugKind,
    /// The bug, described in a sentence.
    pub message: String,
    /// The place in the source, for a panic.
    pub location: Option<String>,
    /// The number of steps before the bug.
    pub step: u64,
}

impl Finding {
    /// Returns true for the same bug: both failed for the same [reason](Reason).
    ///
    /// ```
    /// use actor_test::{BugKind, Finding};
    ///
    /// let found = |message: &str| Finding {
    ///     kind: BugKind::Unhandled,
    ///     message: message.into(),
    ///     location: None,
    ///     step: 7,
    /// };
    /// let first = found("`Client#2` in state `Idle` neither handles, defers nor ignores `Pong`");
    /// assert!(first.is_like(&found("`Client` in state `Idle` neither handles, defers nor ignores `Pong`")));
    /// assert!(!first.is_like(&found("`Client` in state `Done` neither handles, defers nor ignores `Pong`")));
    /// ```
    pub fn is_like(&self, other: &Self) -> bool {
        self.reason() == other.reason()
    }

    /// Returns the reason for the failure, without the parts that vary between executions.
    pub fn reason(&self) -> Reason {
        Reason {
            kind: self.kind,
            location: self.location.clone(),
            what: reasons::normalised_message(self),
        }
    }

    /// Returns true for the same bug in an edited program: the same reason in the same file, on any line.
    pub fn is_same_bug(&self, recorded: &Self) -> bool {
        let file = |finding: &Self| {
            let place = finding.location.as_deref()?;
            Some(place.split(':').next().unwrap_or(place).to_owned())
        };
        let is_there = self.kind == recorded.kind && file(self) == file(recorded);
        is_there && reasons::normalised_message(self) == reasons::normalised_message(recorded)
    }

    /// Returns true for the same kind of bug at the same place in the source, whatever the message; findings
    /// without a place must be the same bug.
    pub(crate) fn is_at_the_place_of(&self, other: &Self) -> bool {
        let same_place = self.kind == other.kind && self.location == other.location;
        same_place && (self.location.is_some() || self.is_like(other))
    }

    /// Returns true if a second run found what the first one did: the same kind and place, and a message that
    /// differs in numbers at most.
    pub(crate) fn is_found_again(&self, again: &Self) -> bool {
        self.kind == again.kind && self.location == again.location && self.says_the_same(again)
    }

    fn says_the_same(&self, other: &Self) -> bool {
        without_numbers(&self.message).eq(without_numbers(&other.message))
    }
}

fn without_numbers(message: &str) -> impl Iterator<Item = char> + '_ {
    let letters = message.char_indices();
    let counts = move |(at, letter): &(usize, char)| match letter {
        '#' => !message[at + 1..].starts_with(|next: char| next.is_ascii_digit()),
        _ => !letter.is_ascii_digit(),
    };
    letters.filter(counts).map(|(_, letter)| letter)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(message: &str, location: Option<&str>) -> Finding {
        Finding {
            kind: BugKind::Panic,
            message: message.into(),
            location: location.map(str::to_owned),
            step: 1,
        }
    }

    #[test]
    fn one_bug_may_be_told_in_several_ways() {
        let here = Some("src/lib.rs:1:2");
        let of = |message: &str| found(message, here);
        assert!(of("`Kid` panicked: 1 late").is_like(&of("`Kid#2` panicked: 12 late")));
        assert!(!of("`Kid` panicked: late").is_like(&of("`Kid` panicked: early")));
        assert!(!of("`Kid` panicked: late").is_like(&of("`Cat` panicked: late")));
        assert!(!of("late").is_like(&found("late", Some("src/lib.rs:9:9"))));
        assert!(!of("late").is_like(&found("late", None)));
        // A comparison of the place alone ignores the message.
        assert!(of("late").is_at_the_place_of(&of("early")));
        assert!(!found("late", None).is_at_the_place_of(&found("early", None)));
        // Lines move when a program is edited.
        assert!(of("late").is_same_bug(&found("late", Some("src/lib.rs:9:9"))));
        assert!(!of("late").is_same_bug(&found("late", Some("src/main.rs:1:2"))));
        assert!(!of("late").is_same_bug(&of("early")));
        // A second run with another message is another failure.
        assert!(!of("late").is_found_again(&of("early")));
        assert!(of("1 late").is_found_again(&of("2 late")));
    }
}
