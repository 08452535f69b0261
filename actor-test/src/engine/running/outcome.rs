//! The outcome of one execution: its end, its finding and its counts.

use actor_test_os::RequestCounts;
use serde::{Deserialize, Serialize};

use crate::data::bug::Finding;
use crate::data::end_state::EndState;
use crate::data::faults::FaultCounts;
use crate::engine::specs::landmarks::LandmarkReport;
use crate::engine::specs::specifications::PendingObligation;
use crate::engine::specs::suspicion::Suspicion;
use crate::engine::world::temperature::Obligation;
use crate::records::Record;
use crate::strategy::{Ending, Fairness};

/// The reason why an execution ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(crate) enum EndReason {
    /// Nothing was enabled, or nothing but periodic timers for three rounds.
    Quiescent,
    /// The program asked for the end, and nothing was hot.
    Finished,
    /// The bound on steps was reached.
    Bound,
    Bug,
    /// The obligation under watch was discharged.
    Recovered,
    /// The strategy declined to go on.
    Pruned,
    /// The strategy has nothing left to explore; nothing was run.
    Exhausted,
}

impl EndReason {
    /// Returns the end as the strategy is notified of it.
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

/// The fields of [`RequestCounts`] for serde, since that package serialises nothing.
#[derive(Serialize, Deserialize)]
#[serde(remote = "RequestCounts")]
struct RequestCountFields {
    random: u64,
    clock: u64,
}

/// The results of one execution.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Outcome {
    pub(crate) end: EndReason,
    pub(crate) steps: u64,
    /// The number of steps that had an alternative.
    pub(crate) contended_steps: u64,
    pub(crate) fairness: Fairness,
    pub(crate) finding: Option<Finding>,
    /// The suspicion that a fair continuation has refuted.
    pub(crate) transient: Option<Finding>,
    /// The hash of the behaviour: the same for executions that differ in the order of independent steps only.
    pub(crate) class: u64,
    /// The obligations that were pending at the bound, whose liveness stays undecided.
    pub(crate) undecided: Vec<PendingObligation>,
    /// True if hot monitors or predicates to be met were registered.
    pub(crate) wants_liveness: bool,
    /// The maximum number of steps for which an obligation was pending before it was discharged.
    pub(crate) longest_pending: u64,
    /// The reason why the pending obligation of the finding may stay so for ever.
    pub(crate) suspicion: Option<Suspicion>,
    /// The obligation that was pending when nothing could run any more, and the step at which it arose.
    pub(crate) unmet: Option<(Obligation, u64)>,
    /// The types that kept states from being compared, if that mattered at the end: `` `X` (actor) ``.
    pub(crate) opaque: Vec<String>,
    pub(crate) dead_letters: u64,
    /// True if a fair random walk has replaced the strategy, as the program wanted to end while something was
    /// hot.
    pub(crate) went_fair: bool,
    pub(crate) end_state: EndState,
    pub(crate) faults: FaultCounts,
    /// True if some clock was wrong.
    pub(crate) clocks_apart: bool,
    pub(crate) landmarks: LandmarkReport,
    /// The step of the first decision that differs from the expected ones.
    pub(crate) diverged_at: Option<u64>,
    /// True if a clock was read again before the program had timers, while no time could pass.
    pub(crate) clock_stood: bool,
    /// True if a clock was read again in a program with timers, while time passed by these alone.
    pub(crate) only_timers_pass: bool,
    /// The step of the first decision with another check than in the execution before, after the same
    /// choices.
    pub(crate) strayed_at: Option<u64>,
    /// The places at which an ordering weaker than `SeqCst` was treated as `SeqCst`: `src/lib.rs:7:15`.
    pub(crate) weakened: Vec<String>,
    pub(crate) has_threads: bool,
    /// True if an operation yielded twice in a row, and waited for another one that yields.
    pub(crate) waited_for_a_step: bool,
    /// The records of the execution, if it was recorded.
    #[serde(skip)]
    pub(crate) records: Vec<Record>,
    /// The program's requests to the operating system.
    #[serde(with = "RequestCountFields")]
    pub(crate) asked: RequestCounts,
}

/// The cost of starting an execution, as a number of steps that take the same time.
pub(crate) const START: u64 = 20;

/// The cost of a thread of its own, which an execution needs that asks for random bytes: the number of
/// steps that take the same time in a debug build, and a fifth of that in an optimised one.
pub(crate) const THREAD: u64 = 400;

impl Outcome {
    /// Returns the cost of the execution in steps.
    pub(crate) fn cost(&self) -> u64 {
        let thread = if self.asked.random > 0 { THREAD } else { 0 };
        (START + thread).saturating_add(self.steps)
    }

    /// Returns the outcome for a strategy that has nothing left to explore; nothing was run.
    pub(crate) fn exhausted() -> Self {
        Self {
            end: EndReason::Exhausted,
            steps: 0,
            contended_steps: 0,
            fairness: Fairness::Unfair,
            finding: None,
            transient: None,
            class: 0,
            undecided: Vec::new(),
            wants_liveness: false,
            longest_pending: 0,
            suspicion: None,
            unmet: None,
            opaque: Vec::new(),
            dead_letters: 0,
            went_fair: false,
            end_state: EndState::default(),
            faults: FaultCounts::default(),
            clocks_apart: false,
            landmarks: LandmarkReport::default(),
            diverged_at: None,
            clock_stood: false,
            only_timers_pass: false,
            strayed_at: None,
            weakened: Vec::new(),
            has_threads: false,
            waited_for_a_step: false,
            records: Vec::new(),
            asked: RequestCounts::default(),
        }
    }
}
