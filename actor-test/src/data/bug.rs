//! Bugs: what went wrong, in a sentence, and where.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::data::reasons;

/// What kind of bug an execution ended with.
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
    /// An event that its receiver's state neither handles, defers nor ignores.
    Unhandled,
    /// A handler's `Err` that nobody receives.
    UnreceivedError,
    /// A supervised actor has ended more often than it is brought back, and nobody is left to act.
    Exhausted,
    /// Nothing can run, and someone awaits.
    Deadlock,
    /// Nothing can run, and a deferred event was never handled.
    DeferredForever,
    /// An actor handled nothing but its own events, without an effect on anyone else.
    Spin,
    /// Two accesses to the same memory in no order, one of which writes.
    DataRace,
    /// The execution ended with something owed: a hot monitor or an unmet predicate.
    HotAtEnd,
    /// Something was owed for longer than the threshold.
    Liveness,
    /// More raised events and transitions in a row than allowed.
    EndlessChain,
    /// More than one of `goto`, `raise` and `halt` in one handler.
    TwoDecisions,
    /// A monitor sent, spawned or chose.
    MonitorActs,
    /// A handler that does not return.
    Hang,
    /// The process ended: an abort, a stack overflow or an exit.
    Crash,
    /// The same decisions led elsewhere.
    Nondeterminism,
    /// The strategy picked an operation, or answered a choice, that is not there.
    Strategy,
    /// A future waits on something that the tester does not control.
    OutsideWait,
    /// A reference from another execution was used.
    ForeignReference,
    /// An event or a reply that was sent to another node can't be encoded or decoded.
    CannotCross,
    /// A node that does not exist, or the name of another, was named.
    Node,
    /// Threads that the test started are still running after it.
    LeakedThreads,
    /// A predicate that could never be evaluated.
    Unevaluated,
    /// There were actors, and none of them took a step in any execution: nothing was tested.
    Idle,
    /// A specification that could not have failed, where that is [denied](crate::Deny).
    Vacuous,
    /// A state or a handler that no execution reached, where that is [denied](crate::Deny).
    Unreached,
}

impl BugKind {
    /// Something good does not happen, as opposed to something bad happening.
    pub const fn is_liveness(self) -> bool {
        matches!(self, Self::HotAtEnd | Self::Liveness | Self::Spin)
    }

    /// It is seen in all executions together, and in no single one.
    pub(crate) const fn concerns_all(self) -> bool {
        matches!(self, Self::Idle | Self::Vacuous | Self::Unreached)
    }

    /// The word that a report begins with.
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

/// A part of an execution that a fair schedule can repeat for ever: before its first step and after
/// its last the state is the same, and whoever could take a step all the time took one. No choice was
/// asked for; or, where a search of all states has found it, whatever is chosen, the schedule can come
/// back.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Cycle {
    /// The step after which it begins.
    pub from: u64,
    /// The step with which it ends.
    pub to: u64,
    /// Where a search of states has found it: what is owed, and what is demanded of a schedule.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) searched: Option<Searched>,
}

/// What a search of states has found to stay owed for ever.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(crate) struct Searched {
    /// The number of the specification in the thermometer.
    pub(crate) entry: u32,
    pub(crate) demand: Demand,
}

impl Cycle {
    /// One that was met on the way.
    pub(crate) fn met(from: u64, to: u64) -> Self {
        Self {
            from,
            to,
            searched: None,
        }
    }

    /// What stays owed, where a search of states has found it.
    pub(crate) fn entry(&self) -> Option<usize> {
        self.searched.map(|searched| searched.entry as usize)
    }

    /// A search of states has found it.
    pub(crate) fn is_searched(&self) -> bool {
        self.searched.is_some()
    }

    /// What is demanded of a schedule that can repeat it.
    pub fn demand(&self) -> Demand {
        self.searched
            .map_or(Demand::Weak, |searched| searched.demand)
    }
}

/// What is demanded of a schedule, so that what it never does counts against the program.
///
/// An *operation* is an actor, a timer, a link between nodes; it is enabled where it could take a step.
/// Whatever is chosen by `choose` is up to chance in all of these.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Demand {
    /// Nothing: any schedule will do.
    Nothing,
    /// Weak fairness: an operation that is enabled all the time takes a step.
    Weak,
    /// Strong fairness: an operation that is enabled again and again takes a step again and again.
    Strong,
    /// Every step that can be taken again and again is: as a random schedule does.
    Random,
}

impl Demand {
    /// All of them; what keeps to a later one keeps to those before.
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

/// Why an execution failed. Two that fail for the same reason have found one bug.
///
/// The reason is the kind of bug, the place in the source where there is one, and the message without
/// what is another in each execution: numbers, those by which actors of a type are told apart
/// included, how long a list of numbers is, the values that `assert_eq!` prints, how long something
/// was owed, and in which order several actors wait.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Reason {
    kind: BugKind,
    location: Option<String>,
    what: String,
}

/// What one execution found.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Finding {
    /// What kind.
    pub kind: BugKind,
    /// What, in a sentence.
    pub message: String,
    /// Where in the source, for a panic.
    pub location: Option<String>,
    /// After how many steps.
    pub step: u64,
}

impl Finding {
    /// The same bug: it failed for the same [reason](Reason).
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

    /// Why it failed, without what is another in each execution.
    pub fn reason(&self) -> Reason {
        Reason {
            kind: self.kind,
            location: self.location.clone(),
            what: reasons::what(self),
        }
    }

    /// The same bug in a program that was changed: of the same reason and in the same file, on whatever
    /// line that is now.
    pub fn is_still(&self, recorded: &Self) -> bool {
        let file = |finding: &Self| {
            let place = finding.location.as_deref()?;
            Some(place.split(':').next().unwrap_or(place).to_owned())
        };
        let is_there = self.kind == recorded.kind && file(self) == file(recorded);
        is_there && reasons::what(self) == reasons::what(recorded)
    }

    /// The same kind of bug at the same place in the source, whatever is said of it there; without a
    /// place, the same bug.
    pub(crate) fn is_at_the_place_of(&self, other: &Self) -> bool {
        let same_place = self.kind == other.kind && self.location == other.location;
        same_place && (self.location.is_some() || self.is_like(other))
    }

    /// What a second run of an execution found is what the first one did: of the same kind, from the
    /// same place, with messages that differ in numbers at most.
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
        // Whoever asks whether an execution fails there as well does not ask for the words.
        assert!(of("late").is_at_the_place_of(&of("early")));
        assert!(!found("late", None).is_at_the_place_of(&found("early", None)));
        // Lines move when a program is changed.
        assert!(of("late").is_still(&found("late", Some("src/lib.rs:9:9"))));
        assert!(!of("late").is_still(&found("late", Some("src/main.rs:1:2"))));
        assert!(!of("late").is_still(&of("early")));
        // A second run that says something else was another.
        assert!(!of("late").is_found_again(&of("early")));
        assert!(of("1 late").is_found_again(&of("2 late")));
    }
}
