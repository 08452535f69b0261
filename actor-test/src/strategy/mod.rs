//! Strategies: the schedulers of the tester, which pick the next step and answer choices.
//!
//! A [`Strategy`] sees operations and choices, never the types of the program under test. Each enabled
//! operation has a pending step ([`Pending`]) with its kind, the inbox concerned, the sender and the type
//! of the event. That is enough for any scheduler of the literature; see the trait's example for a custom
//! one.

mod branch;
mod changes;
mod continuation;
mod enabled;
mod estimates;
mod fair_suffix;
mod fault_placement;
mod fault_timing;
mod footprint;
mod guided;
mod live_prefix;
mod naming;
mod per_operation;
mod progress;
mod replay;
mod schedulers;
mod script;
mod search;
mod states;
mod steady;
mod tick_bound;
mod tree;

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
pub(crate) use branch::BranchedReplay;
pub(crate) use changes::Changes;
pub(crate) use continuation::Continuation;
pub(crate) use enabled::{Details, Recurrence, StateComponents};
pub use enabled::{Enabled, EventId, OperationId, Pending, StateView, Step};
pub use estimates::{Effort, Estimates};
pub(crate) use estimates::{PILOTS, PilotWalk};
pub use fair_suffix::FairSuffix;
pub(crate) use fault_placement::Placed;
pub use fault_timing::{FaultTiming, PossibleFault};
pub(crate) use footprint::{
    DeferredEvents, MonitorTransition, NameUses, ObserverSet, PredicateRead, PredicateScope,
    SilentEffect, StepEffect,
};
pub(crate) use guided::{Guided, GuidedResult};
pub use live_prefix::LivePrefix;
pub(crate) use naming::{ExecutionRecorder, Named, ScheduleRecorder};
pub(crate) use progress::StepAnswers;
pub(crate) use replay::FaultDecision;
pub use replay::Replay;
pub use schedulers::*;
pub(crate) use script::{ScriptReplay, ScriptStep, Wording, parse};
pub(crate) use search::{ROUND_MAX, SearchBudget, SearchStrategy, Source, budgeted_search};
pub use states::States;
pub(crate) use steady::Steady;

/// A scheduler: picks the operation of the next step. A strategy lives across executions, so it can learn.
///
/// # Order of calls
///
/// For each execution: [`begin`](Self::begin), and unless that ends the test, [`needs`](Self::needs). Then
/// for each step [`pick`](Self::pick), [`choose`](Self::choose) for each choice in the step, and
/// [`observe`](Self::observe), if the strategy needs steps. At last [`observe`](Self::observe) with the end.
///
/// Executions that check, confirm or narrate an earlier one run under other strategies.
///
/// # Example
///
/// A custom strategy, which always picks the operation that was created last:
///
/// ```
/// use actor_test::strategy::{Enabled, Execution, Fairness, Pruned, Strategy};
///
/// #[derive(Debug)]
/// struct Youngest;
///
/// impl Strategy for Youngest {
///     fn name(&self) -> String {
///         "youngest".into()
///     }
///     fn begin(&mut self, _: &Execution) -> Option<Fairness> {
///         Some(Fairness::Unfair)
///     }
///     fn pick(&mut self, enabled: &Enabled<'_>) -> Result<usize, Pruned> {
///         let youngest = enabled.iter().enumerate().max_by_key(|(_, pending)| pending.operation);
///         youngest.map(|(position, _)| position).ok_or(Pruned::new())
///     }
/// }
/// # let _ = Youngest;
/// ```
pub trait Strategy: fmt::Debug + Send {
    /// The name and parameters, in the form of `-s`.
    fn name(&self) -> String;

    /// Returns the needs of the strategy: nothing by default, since most of them cost time.
    ///
    /// A wrapper passes on the needs of the strategy that it wraps.
    fn needs(&self) -> Needs {
        Needs::default()
    }

    /// Starts an execution, and returns its fairness: liveness is checked only where it is fair. `None`
    /// ends the test: nothing is left to explore.
    fn begin(&mut self, execution: &Execution) -> Option<Fairness>;

    /// Picks a position in `enabled`, which is never empty.
    ///
    /// A position out of range is reported as a bug of the strategy.
    ///
    /// # Errors
    ///
    /// Returns [`Pruned`] if nothing that may follow is worth exploring, for instance since it was explored
    /// before. Then the execution ends here.
    fn pick(&mut self, enabled: &Enabled<'_>) -> Result<usize, Pruned>;

    /// Answers a choice with a number below its [bound](Choice::bound). `None` leaves the answer to the
    /// tester: zero, or a draw if [time may pass](Choice::Passing).
    ///
    /// A number out of range is reported as a bug of the strategy; it counts as zero if time may pass.
    fn choose(&mut self, _choice: Choice<'_>) -> Option<u32> {
        None
    }

    /// The time of a fault that the tester places for the strategy. Asked for every possible fault before each
    /// step, and for each within it, if the strategy [times faults](Needs::fault_timing).
    ///
    /// A wrapper passes this on, as it does the needs.
    fn fault_timing(&self, _fault: PossibleFault<'_>) -> FaultTiming {
        FaultTiming::Placed
    }

    /// Notifies the strategy of an event of the execution.
    fn observe(&mut self, _event: StrategyEvent<'_>) {}

    /// The coverage claim up to now, asked when the search is over. A systematic search names its gaps
    /// here; only then is it called exhaustive after [`begin`](Self::begin) returned `None`.
    fn covered(&self) -> CoverageClaim {
        CoverageClaim::Sample
    }
}

/// The needs of a [`Strategy`], which the tester meets.
///
/// `steps`, `states` and `histories` hold for the execution that was begun last; the others never change.
///
/// ```
/// use actor_test::strategy::{Needs, Pct, Strategy};
///
/// let needs = Needs {
///     length: true,
///     ..Needs::default()
/// };
/// assert_eq!(Pct::new().needs(), needs);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Needs {
    /// [`StrategyEvent::Stepped`] after each step. Finding the details of a step costs a little.
    pub steps: bool,
    /// [`Enabled::state`]. A fingerprint of the state costs more than the step.
    pub states: bool,
    /// States that are compared by histories: two are the same if each operation has handled the same
    /// events in the same order, and the same is under way. This is right if actors share nothing.
    pub histories: bool,
    /// [`Execution::estimates`], so that pilot executions run first.
    pub estimates: bool,
    /// [`Execution::length`], which is measured in earlier executions.
    pub length: bool,
    /// The choices of [faults](Choice::FaultWithin), which the tester places for other strategies.
    pub faults: bool,
    /// [`Strategy::fault_timing`], with which the strategy holds back or injects faults, while the tester
    /// places the others. Of no effect if the strategy places all [faults](Self::faults).
    pub fault_timing: bool,
    /// The choices of [passing time](Choice::Passing). For other strategies, the tester lets time pass in
    /// some executions, and in none of a strategy with memory.
    pub time: bool,
    /// The executions before. Then the test runs on one worker, except for independent parts of an
    /// exhaustive search, and a single iteration can't be run by itself.
    pub memory: bool,
}

/// An execution that ends since the strategy declined to pick. Such an execution is counted separately; its
/// liveness is not judged, and it is no behaviour.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Pruned {
    /// A cycle that a fair schedule can repeat for ever while an obligation is pending: a liveness bug.
    pub(crate) fair_cycle: Option<Box<Cycle>>,
}

impl Needs {
    /// The needs of a strategy that answers all choices itself, as one does that follows a recorded schedule.
    pub(crate) fn all_choices() -> Self {
        Self {
            faults: true,
            time: true,
            ..Self::default()
        }
    }
}

impl Pruned {
    /// An execution that is not worth to be continued.
    pub const fn new() -> Self {
        Self { fair_cycle: None }
    }

    /// An execution that came back to a state, perhaps by a cycle that is a liveness bug.
    pub(crate) fn by(fair_cycle: Option<Cycle>) -> Self {
        Self {
            fair_cycle: fair_cycle.map(Box::new),
        }
    }
}

/// An event of which a strategy is [notified](Strategy::observe).
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub enum StrategyEvent<'a> {
    /// The picked step is over: operations that it woke are enabled, and predicates were evaluated. Also
    /// reported if the step found a bug. The next [`pick`](Strategy::pick), if there is one, sees the newly
    /// enabled operations. Only reported to a strategy that [needs steps](Needs::steps).
    Stepped(&'a Step<'a>),
    /// A fault was the step: one that the strategy chose, or the end of all that were left. The number
    /// identifies the fault in every execution.
    Struck(u64),
    /// The execution is over.
    Ended(&'a Ended),
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
    /// The final state, if the strategy [needs](Needs::states) states; none if the last step failed.
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
    /// [needs](Needs::estimates) it; else empty.
    pub estimates: Arc<Estimates>,
    /// The expected number of steps with an alternative, if a strategy [needs](Needs::length)
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

/// A question that the strategy answers with a number.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub enum Choice<'a> {
    /// `choose(bound)` of the program, or the like: a number below the bound, which is at least one.
    Below(u32, ChoicePurpose),
    /// The seed of a generator: any number. A systematic strategy always answers with the same one.
    Seed,
    /// The time that passes at a read of a clock, since the previous read by the same actor, task or thread:
    /// zero for no time, else the number of one of so many ways. Only asked if the strategy
    /// [needs time](Needs::time).
    Passing(u32),
    /// A fault at a place within a step: zero for none, else the number of one of the
    /// [ways](FaultSite::ways). Only asked if the strategy [places faults](Needs::faults), and while faults
    /// of that kind are left.
    FaultWithin(&'a FaultSite),
    /// A fault between two steps, or the end of one, among all that are possible now: zero for none, else
    /// its number, from one; or [`END_FAULTS`](Self::END_FAULTS). Asked before each step while faults may
    /// come, even if nothing is enabled, if the strategy [places faults](Needs::faults).
    FaultBetween(&'a Enabled<'a>, &'a [Fault]),
}

impl Choice<'_> {
    /// The answer to [`FaultBetween`](Self::FaultBetween) that ends all faults: no more are to come.
    pub const END_FAULTS: u32 = u32::MAX;

    /// The number of possible answers.
    pub fn bound(self) -> u64 {
        match self {
            Self::Below(bound, _) => u64::from(bound),
            Self::Seed => 1 << 32,
            Self::Passing(ways) => u64::from(ways) + 1,
            Self::FaultWithin(site) => u64::from(site.ways) + 1,
            Self::FaultBetween(_, faults) => faults.len() as u64 + 1,
        }
    }

    /// The purpose of a choice within a step.
    pub(crate) fn purpose(self) -> ChoicePurpose {
        match self {
            Self::Below(_, purpose) => purpose,
            Self::Seed => ChoicePurpose::Rng,
            Self::Passing(_) => ChoicePurpose::Passing,
            Self::FaultWithin(_) | Self::FaultBetween(..) => ChoicePurpose::Unknown,
        }
    }

    /// Asks a strategy, unless it leaves questions of this kind to the tester.
    pub(crate) fn put_to(self, strategy: &mut (impl Strategy + ?Sized)) -> Option<u32> {
        let is_asked = match self {
            Self::Below(..) | Self::Seed => true,
            Self::Passing(_) => strategy.needs().time,
            Self::FaultWithin(_) | Self::FaultBetween(..) => strategy.needs().faults,
        };
        is_asked.then(|| strategy.choose(self)).flatten()
    }
}
