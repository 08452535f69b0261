//! What a search has covered, as a strategy says of itself, and what it left out.

use super::{Constructs, StepConstruct};
use serde::{Deserialize, Serialize};

/// What a strategy has covered so far: see [`Strategy::covered`](super::Strategy::covered).
#[derive(Clone, PartialEq, Eq, Debug, Default)]
#[non_exhaustive]
pub enum CoverageClaim {
    /// A sample of the schedules. Nothing is said of the others.
    #[default]
    Sample,
    /// One schedule after another by a system, none twice.
    Systematic {
        /// Of which schedules one stands for others.
        reduction: Reduction,
        /// There is nothing left but what `gaps` says.
        is_complete: bool,
        /// What was left out.
        gaps: Vec<Gap>,
    },
}

/// Of which schedules a systematic search takes one for all.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Reduction {
    /// Of none: every schedule is run.
    #[default]
    None,
    /// [Local steps](super::Step#local-steps) run first, in one order for all, which nobody can tell
    /// from the others.
    LocalFirst,
    /// Of those that come to the same state, one goes on from there.
    #[non_exhaustive]
    States {
        /// How many states there are.
        states: u64,
        /// Local steps ran first besides.
        local_first: bool,
        /// Of those that differ in who is who among
        /// [interchangeable](trait@actor_core::Fingerprint#actors-that-are-interchangeable) actors alone, one
        /// besides.
        #[serde(default)]
        symmetric: bool,
    },
    /// Of those whose beginnings are the same up to the order of independent steps, one goes on from there.
    #[non_exhaustive]
    Histories {
        /// How many such beginnings there are.
        prefixes: u64,
    },
    /// Of those in which events are taken from each inbox in the same order, and choices are answered
    /// alike, one is looked at.
    #[non_exhaustive]
    Inboxes {
        /// How many there are.
        behaviours: u64,
        /// Monitors or predicates look on: they are told apart by what those see as well.
        observers: bool,
        /// Other monitors, whose states can be compared, were shown each in every order in which they
        /// may see it.
        orders: bool,
        /// A monitor's value offers nothing to compare: each order in which it sees something is a
        /// behaviour.
        opaque: bool,
    },
    /// Of those that differ in the order of independent steps only, one is run.
    #[non_exhaustive]
    Steps {
        /// How many were run. Some of them may differ in nothing that an actor or onlooker can tell.
        behaviours: u64,
        /// Steps that do such things, or with which an actor ends, were taken as dependent on all others.
        everywhere: Constructs,
    },
}

/// What was not judged of executions that don't end.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Unjudged {
    /// What may stay owed: with local steps in one order that is not looked for.
    PendingObligations,
    /// An actor may go on for ever while another, or itself, defers an event.
    Deferred,
    /// An actor may handle nothing but its own events for ever.
    Busy,
}

/// What a search left out, and why.
///
/// ```
/// use actor_test::{Gap, Tester};
///
/// let report = Tester::new().iterations(3).run(|_| ());
/// assert_eq!(report.verdict.gaps, [Gap::Executions { bound: 3 }]);
/// assert!(!report.verdict.is_exhaustive());
/// ```
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Gap {
    /// What comes after the bound on steps, in the executions that were cut off there.
    Steps {
        /// The bound.
        bound: u64,
        /// How many were cut off.
        executions: u64,
    },
    /// What comes after as many executions as the test, or the strategy, was given.
    Executions {
        /// How many.
        bound: u64,
    },
    /// What comes after the [steps](crate::Settings::step_budget) that the test may spend.
    Budget {
        /// How many.
        steps: u64,
    },
    /// What comes after a search that was tried, and broken off since it would have cost too much.
    TooMany {
        /// How many executions it seemed to need, by an estimate that may be wrong by a factor.
        about: u64,
    },
    /// What comes after a search of states that was tried, and broken off since no end was in sight.
    NoEnd {
        /// How many states it had met.
        states: u64,
    },
    /// What comes after the time that the test was given.
    Time,
    /// Orders in which a monitor may see behaviours, of which there are more than were looked at.
    Orders {
        /// How often there were so many.
        behaviours: u64,
    },
    /// What comes after the bug at which the search ended.
    Bug,
    /// What comes after the search seemed
    /// [saturated](crate::Settings::until_saturated).
    Saturated,
    /// What the other parts of a divided search explore.
    Parts,
    /// Other seeds of `cx.rng()`: in so many executions a generator was asked for, and each had the
    /// same one.
    Seeds {
        /// In how many.
        executions: u64,
    },
    /// Other answers of the operating system where it was asked for random bytes: in so many executions
    /// it was, and each got the same ones, so that its hash maps have one order, for instance.
    System {
        /// In how many.
        executions: u64,
    },
    /// Time that passes between two reads of the clock though there is no timer: in so many executions an actor,
    /// task or thread has read a clock again, and the program has no timer that moves it.
    Clock {
        /// In how many.
        executions: u64,
    },
    /// Orders of steps that are told apart by a wait alone: somebody has yielded twice in a row, and goes on when
    /// another has taken a step, whatever it does.
    Yields,
    /// Orders that only weak memory has: an atomic was accessed with an ordering weaker than `SeqCst`, and
    /// taken as sequentially consistent.
    Orderings {
        /// Where in the program: `src/lib.rs:7:15`.
        places: Vec<String>,
    },
    /// What comes after as many states as the search was to know.
    States {
        /// How many.
        bound: u64,
    },
    /// What comes after a search has met as many histories of operations as it was to know.
    Histories {
        /// How many.
        bound: u64,
    },
    /// What takes more delays than that; see [`Verdict::within`](crate::Verdict::within).
    Delays {
        /// How many.
        bound: u32,
    },
    /// What takes more preemptions than that; see [`Verdict::within`](crate::Verdict::within).
    Preemptions {
        /// How many.
        bound: u32,
    },
    /// What an explorer does not come to: delays have brought one operation to the front twice, and others
    /// not at all. The search ended there.
    UnsoundExplorer,
    /// What takes fewer delays from a state than where it was met first: the explorer tells no
    /// [state](crate::strategy::DelayingExplorer::state).
    ExplorerState,
    /// Schedules that begin otherwise than with the steps that a walk has taken before the search began.
    Prefixes {
        /// How many steps.
        steps: u64,
    },
    /// Schedules that are unfair to those who wait while another polls.
    Unfair,
    /// What executions that don't end may do wrong for ever, and what was not judged of it.
    Cycles(Unjudged),
    /// What comes where so many executions went elsewhere than the same decisions had led before: the
    /// program is not deterministic.
    Diverged {
        /// How many.
        executions: u64,
        /// At which step the first did, where that is known.
        step: Option<u64>,
    },
    /// What comes after a step from which on so many executions were left to a random walk.
    Suffixes {
        /// How many.
        executions: u64,
    },
    /// Something that the search can't follow. It ended there.
    Unsupported {
        /// What it was.
        what: StepConstruct,
        /// Whose step it was, by name, where that is known.
        who: Option<String>,
    },
    /// An actor did something else although it was given the same events, in the same order: actors share
    /// something that the tester does not know of, or the program is not deterministic. The search ended
    /// there.
    Nondeterministic,
    /// An execution that was [drawn beside a proof](crate::Settings::samples_beside_proof) fails: actors
    /// share something that the tester does not know of, or the program is not deterministic.
    Refuted,
    /// The strategy ended the search without saying that nothing is left.
    NoClaim,
}
