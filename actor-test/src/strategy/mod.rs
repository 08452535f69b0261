//! Strategies: the schedulers of the tester, which pick the next step and answer choices.
//!
//! A [`Strategy`] sees operations and choices, never the types of the program under test. Each enabled
//! operation has a pending step ([`Pending`]) with its kind, the inbox concerned, the sender and the type
//! of the event. That is enough for any scheduler of the literature; see the trait's example for a custom
//! one.

mod bounded;
mod branch;
mod build;
mod changes;
mod continuation;
mod delay;
mod dfs;
mod enabled;
mod estimates;
mod fair_suffix;
mod fault_placement;
mod footprint;
mod guided;
mod live_prefix;
mod naming;
mod pct;
mod per_operation;
mod pos;
mod probabilistic;
mod random;
mod replay;
mod script;
mod search;
mod states;
mod steady;
mod surw;
mod tree;
mod urw;
mod weighted;

use std::any::Any;
use std::fmt;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::data::bug::Cycle;
use crate::data::faults::{Fault, FaultBudgets, FaultKind};
use crate::data::story::ChoicePurpose;

pub(crate) use crate::data::constructs::ConstructSet;
pub use crate::data::constructs::{Constructs, StepConstruct};
pub use crate::data::coverage_claim::{CoverageClaim, Gap, Reduction, Unjudged};
pub use crate::data::extent::SizeEstimate;
pub use crate::data::step::{MessageId, StepKind};
pub use crate::settings::strategy::{
    ExplorerKind, Placement, SpecError, StateEquivalence, StateLimit, StrategySpec, Weights,
};
pub use bounded::{Bdfs, Bounded};
pub(crate) use branch::BranchedReplay;
pub(crate) use changes::Changes;
pub(crate) use continuation::Continuation;
pub use delay::{Delayed, DelayingExplorer, RoundRobin, RunToCompletion};
pub use dfs::Dfs;
pub(crate) use enabled::{Details, StateComponents};
pub use enabled::{Enabled, EventId, OperationId, Pending, StateView, Step};
pub(crate) use estimates::PilotWalk;
pub use estimates::{Effort, Estimates};
pub use fair_suffix::FairSuffix;
pub(crate) use fault_placement::Placed;
pub(crate) use footprint::{
    DeferredEvents, MonitorTransition, ObserverSet, PredicateRead, PredicateScope, SilentEffect,
    StepEffect,
};
pub(crate) use guided::{Guided, GuidedResult};
pub use live_prefix::LivePrefix;
pub(crate) use naming::{ExecutionRecorder, Named, ScheduleRecorder};
pub use pct::Pct;
pub use pos::Pos;
pub use probabilistic::Probabilistic;
pub use random::Random;
pub(crate) use random::{below, generator};
pub(crate) use replay::FaultDecision;
pub use replay::Replay;
pub(crate) use script::{ScriptReplay, ScriptStep, Wording, parse};
pub(crate) use search::{ROUND_MAX, SearchBudget, budgeted_search};
pub use states::States;
pub(crate) use steady::Steady;
pub use surw::Surw;
pub use urw::Urw;
pub use weighted::Weighted;

/// A scheduler: picks the operation of the next step. A strategy lives across executions, so it can learn.
///
/// # Order of calls
///
/// For each execution: [`begin`](Self::begin), and unless that ends the test, [`fairness`](Self::fairness)
/// and [`wants_steps`](Self::wants_steps). Then for each step [`pick`](Self::pick),
/// [`choose`](Self::choose) for each choice in the step, and [`stepped`](Self::stepped) if wanted. At last
/// [`ended`](Self::ended).
///
/// Executions that check, confirm or narrate an earlier one run under other strategies.
///
/// # Example
///
/// A custom strategy, which always picks the operation that was created last:
///
/// ```
/// use actor_test::strategy::{Choice, Enabled, Execution, Fairness, Strategy};
///
/// #[derive(Debug)]
/// struct Youngest;
///
/// impl Strategy for Youngest {
///     fn name(&self) -> String {
///         "youngest".into()
///     }
///     fn fairness(&self) -> Fairness {
///         Fairness::Unfair
///     }
///     fn begin(&mut self, _: &Execution) -> bool {
///         true
///     }
///     fn pick(&mut self, enabled: &Enabled<'_>) -> Option<usize> {
///         let youngest = enabled.iter().enumerate().max_by_key(|(_, pending)| pending.operation);
///         youngest.map(|(position, _)| position)
///     }
///     fn choose(&mut self, _: Choice) -> u32 {
///         0
///     }
/// }
/// # let _ = Youngest;
/// ```
pub trait Strategy: fmt::Debug + Send {
    /// The name and parameters, in the form of `-s`.
    fn name(&self) -> String;

    /// The fairness of the execution that was begun last; liveness is checked only where it is fair.
    fn fairness(&self) -> Fairness;

    /// Starts an execution. `false` ends the test: nothing is left to explore.
    fn begin(&mut self, execution: &Execution) -> bool;

    /// Picks a position in `enabled`, which is never empty, or declines with `None` because nothing that
    /// may follow is worth exploring, for instance since it was explored before. Then the execution ends
    /// here, as [pruned](Ending::Pruned), and is counted separately; its liveness is not judged, and it is
    /// no behaviour.
    ///
    /// A position out of range is reported as a bug of the strategy.
    fn pick(&mut self, enabled: &Enabled<'_>) -> Option<usize>;

    /// Notifies the strategy of the purpose of the next choice.
    fn next_choice_purpose(&mut self, _asked: ChoicePurpose) {}

    /// Answers a choice with a number below its bound; another one is reported as a bug of the strategy.
    fn choose(&mut self, choice: Choice) -> u32;

    /// Decides if time passes at a read of a clock, since the previous read by the same actor, task or
    /// thread: zero for no time, else the number of a way, up to `ways`. A number out of range counts as
    /// zero. `None` leaves the decision to the tester, which lets time pass in some executions of a
    /// strategy without [memory](Self::has_memory), and in none of one with memory.
    fn time_passes(&mut self, _ways: u32) -> Option<u32> {
        None
    }

    /// Decides if a fault strikes at a place within a step: zero for none, else the number of one of the
    /// [ways](FaultSite::ways). Not called once the faults of that kind are used up or over.
    ///
    /// The tester places faults for a strategy that doesn't [place them](Self::places_faults) itself.
    fn fault_within_step(&mut self, _offer: &FaultSite) -> u32 {
        0
    }

    /// Picks a fault between two steps, or the end of one, as a position in `faults`, which lists all that
    /// are possible now. Called before each step while faults may come, even if nothing is enabled.
    fn fault_between_steps(&mut self, _enabled: &Enabled<'_>, _faults: &[Fault]) -> Option<usize> {
        None
    }

    /// Notifies the strategy that a fault was the step: one that it picked, or the end of all that were
    /// left.
    fn fault_struck(&mut self, _key: u64) {}

    /// True if no more faults are to come; asked before each step while some may.
    fn ends_faults(&mut self, _enabled: &Enabled<'_>) -> bool {
        false
    }

    /// True if the strategy places faults itself.
    fn places_faults(&self) -> bool {
        false
    }

    /// True if [`stepped`](Self::stepped) is called in the execution that was begun last. False by default,
    /// since finding the details of a step costs a little.
    fn wants_steps(&self) -> bool {
        false
    }

    /// Notifies the strategy that the picked step is over: operations that it woke are enabled, and
    /// predicates were evaluated. Also called if the step found a bug. The next [`pick`](Self::pick), if
    /// there is one, sees the newly enabled operations.
    fn stepped(&mut self, _step: &Step<'_>) {}

    /// True if [`Enabled::state`] is set in the execution that was begun last. False by default, since a
    /// fingerprint of the state costs more than the step.
    fn wants_states(&self) -> bool {
        false
    }

    /// True if states are compared by histories: two are the same if each operation has handled the same
    /// events in the same order, and the same is under way. This is right if actors share nothing.
    fn compares_histories(&self) -> bool {
        false
    }

    /// A fair cycle, if `pick` declined because the execution came back to a state: an obligation is
    /// pending on the whole cycle, and a schedule with the given fairness can repeat it for ever: a
    /// liveness bug.
    fn fair_cycle(&self) -> Option<Cycle> {
        None
    }

    /// Notifies the strategy that the execution is over.
    fn ended(&mut self, _ended: &Ended) {}

    /// True if an execution depends on those before it. Then the test runs on one worker, except for
    /// independent parts of an exhaustive search, and a single iteration can't be run by itself.
    fn has_memory(&self) -> bool {
        false
    }

    /// The coverage claim up to now, asked when the search is over. A systematic search names its gaps
    /// here; only then is it called exhaustive after [`begin`](Self::begin) returned `false`.
    fn covered(&self) -> CoverageClaim {
        CoverageClaim::Sample
    }

    /// Divides the rest of the search into independent parts for several workers; none if it can't be
    /// divided now. If this isn't called, the strategy explores the parts itself, one after another.
    #[doc(hidden)]
    fn divide(&mut self) -> Vec<Box<dyn Strategy>> {
        Vec::new()
    }

    /// The most [parts](Self::divide) of a division; each part can be [saved](Self::save).
    #[doc(hidden)]
    fn parts_max(&self) -> usize {
        0
    }

    /// Takes a finished part back, in the order of the parts; `false` if those after it are not needed.
    #[doc(hidden)]
    fn unite(&mut self, _part: Box<dyn Strategy>) -> bool {
        false
    }

    /// The strategy as `Any`, if it is a part that another one takes back.
    #[doc(hidden)]
    fn into_any(self: Box<Self>) -> Option<Box<dyn Any>> {
        None
    }

    /// Saves what another process needs to continue, if that is possible now; called between executions.
    #[doc(hidden)]
    fn save(&mut self) -> Option<Vec<u8>> {
        None
    }

    /// Restores what was [saved](Self::save), before the first execution.
    ///
    /// # Errors
    ///
    /// Returns an error that names the defect of the saved bytes.
    #[doc(hidden)]
    fn restore(&mut self, _saved: &[u8]) -> Result<(), String> {
        Err("nothing was saved".into())
    }

    /// True if the strategy can be [saved](Self::save) now and then.
    #[doc(hidden)]
    fn can_be_saved(&self) -> bool {
        false
    }

    /// The estimated size of the search space, if there is an estimate. The value is only shown to users,
    /// as progress or in reports of unfinished searches.
    fn extent(&self) -> Option<SizeEstimate> {
        None
    }

    /// True if the strategy needs [`Execution::estimates`], so that pilot executions run first.
    fn needs_estimates(&self) -> bool {
        false
    }

    /// True if the strategy needs [`Execution::length`], which is measured in earlier executions.
    fn needs_length(&self) -> bool {
        false
    }
}

/// The fairness of a schedule: a fair one lets every operation run again and again.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Fairness {
    /// Fair from the first step: liveness is checked throughout.
    Fair,
    /// Never fair: the execution stops at the unfair bound, and its liveness is not judged.
    Unfair,
    /// Fair from this step on: liveness is checked from there, with every temperature at zero.
    FairFrom(u64),
}

/// The end of an execution.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Ended {
    /// The reason why it ended.
    pub ending: Ending,
    /// The number of steps.
    pub steps: u64,
    /// A hash of the behaviour, the same for executions that differ only in the order of independent steps.
    pub behaviour: u64,
    /// The final state, if the strategy [sees](Strategy::wants_states) states; none if the last step failed.
    pub state: Option<StateView>,
}

/// The reason for the end of an execution.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub enum Ending {
    /// Nothing was left to do, or the test ended the execution.
    Complete,
    /// The execution came to the bound on steps.
    Bound,
    /// A step found a bug.
    Bug,
    /// The strategy declined to pick.
    Pruned,
}

/// The parameters of an execution that begins.
#[derive(Clone, Debug)]
pub struct Execution {
    /// The number of the execution within the test, from zero.
    pub iteration: u64,
    /// The seed, derived from the session's seed and the iteration.
    pub seed: u64,
    /// The bound on steps of an unfair execution.
    pub max_steps: u64,
    /// The work of each operation in executions of this test, if a strategy
    /// [asked](Strategy::needs_estimates) for it; else empty.
    pub estimates: Arc<Estimates>,
    /// The expected number of steps with an alternative, if a strategy [asked](Strategy::needs_length) for
    /// it. In half of the executions it is the 95th percentile of earlier ones, in the others the value of
    /// a random one.
    pub length: Option<u64>,
    /// The largest number of faults of each kind.
    pub faults: FaultBudgets,
}

impl Execution {
    /// An execution outside of any exploration.
    pub(crate) fn alone(max_steps: u64) -> Self {
        Self {
            iteration: 0,
            seed: 0,
            max_steps,
            estimates: Arc::default(),
            length: None,
            faults: FaultBudgets::none(),
        }
    }

    /// The expected number of steps with an alternative, at most the bound: the [length](Self::length), or
    /// the estimate of the pilots if no length was asked for.
    pub fn contended_steps(&self) -> u64 {
        let estimated = || match self.estimates.executions() {
            0 => self.max_steps,
            _ => self.estimates.contended_steps(),
        };
        self.length.unwrap_or_else(estimated).min(self.max_steps)
    }
}

/// A place within a step where a fault may strike.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct FaultSite {
    /// The kind of the fault.
    pub kind: FaultKind,
    /// A hash of the call's name, the mailbox's owner or the like; the same in every execution.
    pub what: u64,
    /// The number of ways in which it may strike; at least one.
    pub ways: u32,
    /// The operation that takes the step.
    pub who: OperationId,
    /// The nodes concerned, a bit for each, as in [`Fault::nodes`]: the operation's, or both ends of a
    /// link.
    pub nodes: u64,
    /// The step, from one.
    pub step: u64,
}

/// A question of the program that the strategy answers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Choice {
    /// `choose(bound)`: a number below `bound`, which is at least one.
    Below(u32),
    /// The seed of a generator: any number. A systematic strategy always answers with the same one.
    Seed,
}

impl Choice {
    /// The number of possible answers.
    pub fn bound(self) -> u64 {
        match self {
            Self::Below(bound) => u64::from(bound),
            Self::Seed => 1 << 32,
        }
    }
}
