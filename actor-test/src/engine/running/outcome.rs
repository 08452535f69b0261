//! How an execution ended, and what it showed: [`Outcome`].

use actor_test_os::Asked;
use serde::{Deserialize, Serialize};

use crate::data::bug::Finding;
use crate::data::faults::FaultCounts;
use crate::data::leftovers::Leftovers;
use crate::data::records::Record;
use crate::engine::watching::landmarks::LandmarkReport;
use crate::engine::watching::specifications::PendingObligation;
use crate::engine::watching::suspicion::Suspicion;
use crate::engine::world::temperature::Obligation;
use crate::strategy::{Ending, Fairness};

/// Why an execution ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(crate) enum EndReason {
    /// Nothing was enabled, or nothing but periodic timers for three rounds.
    Quiescent,
    /// The program asked for the end, and nothing was hot.
    Finished,
    /// The bound on steps was reached.
    Bound,
    /// A bug was found.
    Bug,
    /// What was watched became cold.
    Recovered,
    /// The strategy declined to go on.
    Pruned,
    /// The strategy has nothing left to explore; nothing was run.
    Exhausted,
}

impl EndReason {
    /// How the execution ended, as its strategy hears it.
    pub(crate) fn ending(self) -> Ending {
        match self {
            Self::Quiescent | Self::Finished | Self::Recovered | Self::Exhausted => {
                Ending::Complete
            }
            Self::Bound => Ending::Bound,
            Self::Bug => Ending::Bug,
            Self::Pruned => Ending::Pruned,
        }
    }
}

/// What [`Asked`] has, which is of a package that serialises nothing.
#[derive(Serialize, Deserialize)]
#[serde(remote = "Asked")]
struct AskedFor {
    random: u64,
    clock: u64,
}

/// What one execution showed.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Outcome {
    pub(crate) end: EndReason,
    pub(crate) steps: u64,
    /// How many of them had an alternative.
    pub(crate) contended_steps: u64,
    pub(crate) fairness: Fairness,
    pub(crate) finding: Option<Finding>,
    /// What was suspected, but recovered in a fair continuation.
    pub(crate) transient: Option<Finding>,
    /// The hash of the behaviour: the same for executions that differ in the order of independent
    /// steps only.
    pub(crate) class: u64,
    /// What was owed when the bound was reached, so that its liveness stays undecided.
    pub(crate) undecided: Vec<PendingObligation>,
    /// Hot monitors or predicates to be met were registered.
    pub(crate) wants_liveness: bool,
    /// For how many steps something was owed at most that became cold in the end.
    pub(crate) owed_longest: u64,
    /// Why what is owed is believed to stay so for ever, where that is the finding.
    pub(crate) suspicion: Option<Suspicion>,
    /// What was still owed when nothing could run any more, and since when.
    pub(crate) unmet: Option<(Obligation, u64)>,
    /// What kept states from being compared, where something was owed at the end: `` `X` (actor) ``.
    pub(crate) opaque: Vec<String>,
    pub(crate) dead_letters: u64,
    /// A fair walk has taken the strategy's place, since the program asked for the end while
    /// something was hot.
    pub(crate) went_fair: bool,
    pub(crate) leftovers: Leftovers,
    pub(crate) faults: FaultCounts,
    /// Some clock was not right.
    pub(crate) clocks_apart: bool,
    pub(crate) told: LandmarkReport,
    /// The step of the first decision that differs from the expected ones.
    pub(crate) diverged_at: Option<u64>,
    /// A clock was read again, time might have passed, and nobody was to say whether it has.
    pub(crate) clock_stood: bool,
    /// The same in a program that has timers, which move its clock.
    pub(crate) only_timers_pass: bool,
    /// The step of the first decision that, after the same decisions as in the execution before, was another.
    pub(crate) strayed_at: Option<u64>,
    /// Where an ordering weaker than `SeqCst` was taken as that: `src/lib.rs:7:15`.
    pub(crate) weakened: Vec<String>,
    /// The program has started threads.
    pub(crate) has_threads: bool,
    /// Somebody has let others go first twice in a row, and waited for one that does.
    pub(crate) waited_for_a_step: bool,
    /// What happened, where that was recorded.
    #[serde(skip)]
    pub(crate) records: Vec<Record>,
    /// What the program asked the operating system for.
    #[serde(with = "AskedFor")]
    pub(crate) asked: Asked,
}

/// How many steps the start of an execution counts for: about as many as it takes the time of.
pub(crate) const START: u64 = 20;

/// How many steps a thread of its own counts for, which an execution has that asks for random bytes:
/// about as many as it takes the time of in a debug build, and a fifth of that in an optimised one.
pub(crate) const THREAD: u64 = 400;

impl Outcome {
    /// What it took, in steps.
    pub(crate) fn cost(&self) -> u64 {
        let thread = if self.asked.random > 0 { THREAD } else { 0 };
        (START + thread).saturating_add(self.steps)
    }

    /// Nothing was left to explore, by a strategy that is this fair, and nothing was run.
    pub(crate) fn exhausted(fairness: Fairness) -> Self {
        Self {
            end: EndReason::Exhausted,
            steps: 0,
            contended_steps: 0,
            fairness,
            finding: None,
            transient: None,
            class: 0,
            undecided: Vec::new(),
            wants_liveness: false,
            owed_longest: 0,
            suspicion: None,
            unmet: None,
            opaque: Vec::new(),
            dead_letters: 0,
            went_fair: false,
            leftovers: Leftovers::default(),
            faults: FaultCounts::default(),
            clocks_apart: false,
            told: LandmarkReport::default(),
            diverged_at: None,
            clock_stood: false,
            only_timers_pass: false,
            strayed_at: None,
            weakened: Vec::new(),
            has_threads: false,
            waited_for_a_step: false,
            records: Vec::new(),
            asked: Asked::default(),
        }
    }
}
