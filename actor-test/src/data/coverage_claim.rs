//! Coverage claim of a strategy: what a search has explored, under which reduction, and its gaps.

use serde::{Deserialize, Serialize};

use crate::data::constructs::{Constructs, StepConstruct};

/// The coverage of a strategy so far: see [`Strategy::covered`](crate::strategy::Strategy::covered).
#[derive(Clone, PartialEq, Eq, Debug, Default)]
#[non_exhaustive]
pub enum CoverageClaim {
    /// A sample of the schedules; nothing is claimed about the others.
    #[default]
    Sample,
    /// A systematic search, which runs no schedule twice.
    Systematic {
        /// The reduction by which one schedule represents others.
        reduction: Reduction,
        /// True if nothing is left but the `gaps`.
        is_complete: bool,
        /// The parts of the search space that were left out.
        gaps: Vec<Gap>,
    },
}

/// The equivalence by which a systematic search explores one schedule for many.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Reduction {
    /// No reduction: every schedule is run.
    #[default]
    None,
    /// [Local steps](crate::strategy::Step#local-steps) run first, in one order, which nobody can observe.
    LocalFirst,
    /// The search continues once from each state, of all schedules that lead there.
    #[non_exhaustive]
    States {
        /// The number of states.
        states: u64,
        /// True if local steps ran first as well.
        local_first: bool,
        /// True if permutations of
        /// [interchangeable](trait@actor_core::Fingerprint#actors-that-are-interchangeable) actors count as
        /// one state.
        #[serde(default)]
        symmetric: bool,
    },
    /// The search continues once from prefixes that are the same up to the order of independent steps.
    #[non_exhaustive]
    Histories {
        /// The number of such prefixes.
        prefixes: u64,
    },
    /// One schedule represents all with the same order of events in each inbox, and the same answers.
    #[non_exhaustive]
    Inboxes {
        /// The number of such classes.
        behaviours: u64,
        /// True if behaviours also differ by the observations of monitors or predicates.
        observers: bool,
        /// True if other monitors, whose states are comparable, saw each behaviour in every order.
        orders: bool,
        /// True if a monitor's value can't be compared, so that each order of its observations counts.
        opaque: bool,
    },
    /// One schedule represents all that differ only in the order of independent steps.
    #[non_exhaustive]
    Steps {
        /// The number of schedules that were run; actors and observers may not distinguish all of them.
        behaviours: u64,
        /// Constructs taken as dependent on all other steps, as was the end of an actor.
        everywhere: Constructs,
    },
}

/// A property of infinite executions that was not judged.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Unjudged {
    /// An obligation may never be discharged. Not searched for with local steps in one order, or with
    /// interchangeable actors.
    PendingObligations,
    /// An actor may run for ever while it, or another one, defers an event.
    Deferred,
    /// An actor may handle only its own events for ever.
    Busy,
}

/// A part of the search space that a search left out, with the reason.
///
/// ```
/// use actor_test::Tester;
/// use actor_test::strategy::Gap;
///
/// let report = Tester::new().iterations(3).run(|_| ());
/// assert_eq!(report.verdict.gaps, [Gap::Executions { bound: 3 }]);
/// assert!(!report.verdict.is_exhaustive());
/// ```
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Gap {
    /// Steps beyond the bound, in the executions that were cut off there.
    Steps {
        /// The bound on steps.
        bound: u64,
        /// The number of executions that were cut off.
        executions: u64,
    },
    /// Executions beyond the number that the test, or the strategy, was given.
    Executions {
        /// The number of executions.
        bound: u64,
    },
    /// Executions beyond the [steps](crate::Tester::step_budget) that the test may spend.
    Budget {
        /// The number of steps.
        steps: u64,
    },
    /// The rest of a trial search that was stopped since it would have cost too much.
    TooMany {
        /// The estimated number of executions, which may be wrong by a factor.
        about: u64,
    },
    /// The rest of a trial search of states that was stopped since no end was in sight.
    NoEnd {
        /// The number of states met.
        states: u64,
    },
    /// Executions beyond the time limit of the test.
    Time,
    /// Orders of a monitor's observations, where there were more than were tried.
    Orders {
        /// The number of behaviours with too many orders.
        behaviours: u64,
    },
    /// Executions beyond the bug at which the search ended.
    Bug,
    /// Executions after the search seemed [saturated](crate::Tester::until_saturated).
    Saturated,
    /// The other parts of a divided search.
    Parts,
    /// Other seeds of `cx.rng()`: each generator got the same seed.
    Seeds {
        /// The number of executions that asked for a generator.
        executions: u64,
    },
    /// Other random bytes of the operating system: each request got the same ones.
    System {
        /// The number of executions that asked for random bytes.
        executions: u64,
    },
    /// The passing of time between two reads of the clock, in a program without a timer to move it.
    Clock {
        /// The number of executions with such reads.
        executions: u64,
    },
    /// Ticks of an actor beyond the bound, beside other steps: its periodic timers waited from then on until
    /// nothing else could happen.
    Ticks {
        /// The number of ticks of each actor before that.
        bound: u32,
        /// The number of executions in which more ticks may come before other steps.
        executions: u64,
    },
    /// Other waits of an operation that yielded twice in a row: it goes on after one step of another.
    Yields,
    /// Orders that only weak memory allows: accesses weaker than `SeqCst` were taken as `SeqCst`.
    Orderings {
        /// The places in the program, as `src/lib.rs:7:15`.
        places: Vec<String>,
    },
    /// States beyond the number that the search may store.
    States {
        /// The number of states.
        bound: u64,
    },
    /// Executions after the search has met as many histories of operations as it may store.
    Histories {
        /// The number of histories.
        bound: u64,
    },
    /// Schedules with more delays than the bound; see [`Verdict::within`](crate::report::Verdict::within).
    Delays {
        /// The bound on delays.
        bound: u32,
    },
    /// Schedules with more preemptions than the bound; see
    /// [`Verdict::within`](crate::report::Verdict::within).
    Preemptions {
        /// The bound on preemptions.
        bound: u32,
    },
    /// Schedules that an unsound explorer omits: its delays brought one operation to the front twice, and
    /// others not at all. The search ended there.
    UnsoundExplorer,
    /// Schedules that need fewer delays from a state than where it was met first: the explorer has no
    /// [state](crate::strategy::DelayingExplorer::state) to compare.
    ExplorerState,
    /// Faults that the explorer [held back](crate::strategy::FaultTiming::Later).
    HeldFaults {
        /// The number of executions with such faults.
        executions: u64,
    },
    /// Schedules that differ in the steps of the walk that came before the search.
    Prefixes {
        /// The number of those steps.
        steps: u64,
    },
    /// Schedules that are unfair to operations waiting while another one polls.
    Unfair,
    /// Infinite executions, of which a property was not judged.
    Cycles(Unjudged),
    /// Schedules behind executions that diverged: the program is not deterministic.
    Diverged {
        /// The number of such executions.
        executions: u64,
        /// The step of the first divergence, if it is known.
        step: Option<u64>,
    },
    /// Schedules after a step from which executions were left to a random walk.
    Suffixes {
        /// The number of such executions.
        executions: u64,
    },
    /// A construct that the search can't follow. The search ended there.
    Unsupported {
        /// The construct.
        what: StepConstruct,
        /// The name of the operation whose step it was, if it is known.
        who: Option<String>,
    },
    /// An actor behaved differently with the same events in the same order: actors share state unknown to
    /// the tester, or the program is not deterministic. The search ended there.
    Nondeterministic,
    /// An execution that was [drawn beside a proof](crate::Tester::samples_beside_proof) fails: actors
    /// share state unknown to the tester, or the program is not deterministic.
    Refuted,
    /// The strategy ended the search without a claim that nothing is left.
    NoClaim,
}
