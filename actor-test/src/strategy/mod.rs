//! Strategies: who takes the next step, and how choices are answered.
//!
//! A [`Strategy`] sees operations and choices, never the types of the program under test. For each
//! enabled operation it sees what comes next ([`Pending`]): the kind of step, the inbox concerned,
//! who sent the event and of which type it is. That is enough to write any scheduler of the
//! literature, a custom one included; see the trait's example.

mod bounded;
mod branch;
mod changes;
mod continuation;
mod covered;
mod delay;
mod dfs;
mod enabled;
mod estimates;
mod extent;
mod fair_suffix;
mod footprint;
mod guided;
mod live_prefix;
mod naming;
mod pct;
mod per_operation;
mod pinned;
mod placed;
pub(crate) mod portfolio;
mod pos;
mod probabilistic;
mod random;
mod replay;
mod search;
mod spec;
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
use crate::data::story::Asked;

pub use bounded::{Bdfs, Bounded, StateEquivalence};
pub(crate) use branch::BranchedReplay;
pub(crate) use changes::Changes;
pub(crate) use continuation::Continuation;
pub use covered::{CoverageClaim, Gap, Reduction, Unjudged};
pub use delay::{Delayed, DelayingExplorer, RoundRobin, RunToCompletion};
pub use dfs::Dfs;
pub(crate) use enabled::{Details, StateComponents};
pub use enabled::{Enabled, EventId, MessageId, OperationId, Pending, StateView, Step, StepKind};
pub(crate) use estimates::PilotWalk;
pub use estimates::{Effort, Estimates};
pub use extent::SizeEstimate;
pub use fair_suffix::FairSuffix;
pub(crate) use footprint::{
    ConstructSet, DeferredEvents, MonitorTransition, ObserverSet, PredicateRead, PredicateScope,
    SilentEffect, StepEffect,
};
pub use footprint::{Constructs, StepConstruct};
pub(crate) use guided::{Guided, GuidedResult};
pub use live_prefix::LivePrefix;
pub(crate) use naming::{ExecutionRecorder, Named, ScheduleRecorder};
pub use pct::Pct;
pub(crate) use pinned::{PinnedReplay, PinnedStep, Wording, parse};
pub(crate) use placed::Placed;
pub use placed::Placement;
pub use pos::Pos;
pub use probabilistic::Probabilistic;
pub use random::Random;
pub(crate) use random::{below, generator};
pub(crate) use replay::FaultDecision;
pub use replay::Replay;
pub(crate) use search::{ROUND_MAX, SearchBudget, budgeted_search};
pub(crate) use spec::split_placement;
pub use spec::{ExplorerKind, SpecError, StrategySpec};
pub use states::{StateLimit, States};
pub(crate) use steady::Steady;
pub use surw::Surw;
pub use urw::Urw;
pub use weighted::{Weighted, Weights};

/// Decides which operation takes the next step. Lives across executions, so it can learn.
///
/// # What is called when
///
/// For each execution: [`begin`](Self::begin), and where that is not the end of the test,
/// [`fairness`](Self::fairness) and [`hears_steps`](Self::hears_steps). Then for each step
/// [`pick`](Self::pick), [`choose`](Self::choose) as often as the step asks, and
/// [`stepped`](Self::stepped) where it is wanted. At last [`ended`](Self::ended).
///
/// What is run again to be checked, confirmed or told is run by another strategy; this one hears
/// nothing of it.
///
/// # Example
///
/// A strategy of one's own: always the operation that was created last.
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
    /// The name and parameters, as `-s` takes them.
    fn name(&self) -> String;

    /// Whether the execution that was begun last is scheduled fairly; liveness is checked only
    /// where it is.
    fn fairness(&self) -> Fairness;

    /// Starts an execution. `false` ends the test: there is nothing left to explore.
    fn begin(&mut self, execution: &Execution) -> bool;

    /// Picks a position in `enabled`, which is never empty; or declines with `None`: nothing that may
    /// follow is worth a look, for instance since it was explored before. Then the execution ends
    /// here, as [pruned](Ending::Pruned). It is counted apart, its liveness is not judged, and what it
    /// did is no behaviour of the program.
    ///
    /// A position that is not there is a bug of the strategy, and reported as one.
    fn pick(&mut self, enabled: &Enabled<'_>) -> Option<usize>;

    /// What the choice is for that is asked next; nobody needs to know.
    fn next_choice_purpose(&mut self, _asked: Asked) {}

    /// Answers a choice with a number below its bound. A number that is not is a bug of the strategy,
    /// and reported as one.
    fn choose(&mut self, choice: Choice) -> u32;

    /// Whether time has passed at a read of a clock, since its actor, task or thread has read one before:
    /// zero where none has, else one of so many ways, from one. A way that is not possible counts as zero.
    /// `None` leaves it to the tester, which has time pass in some executions of a strategy without
    /// [memory](Self::has_memory), and in none of one that has it.
    fn time_passes(&mut self, _ways: u32) -> Option<u32> {
        None
    }

    /// Whether a fault strikes where one may, within a step: zero where none does, else one of the
    /// [ways](Offer::ways), from one. Not asked where the faults of that kind are spent, or over.
    ///
    /// Where a test asks for faults, they are placed for a strategy that does not do so
    /// [itself](Self::places_faults).
    fn fault_within_step(&mut self, _offer: &FaultSite) -> u32 {
        0
    }

    /// Whether a fault strikes between two steps, or is undone: a position in `faults`, which are those
    /// that are possible now. Asked before each step while faults may come, also where nothing is
    /// enabled any more.
    fn fault_between_steps(&mut self, _enabled: &Enabled<'_>, _faults: &[Fault]) -> Option<usize> {
        None
    }

    /// A fault was the step: one that this strategy asked for, or, with the last of them, everything
    /// that was left to be undone.
    fn fault_struck(&mut self, _key: u64) {}

    /// Whether no more faults are to come; asked before each step while some may.
    fn ends_faults(&mut self, _enabled: &Enabled<'_>) -> bool {
        false
    }

    /// It says itself where faults strike.
    fn places_faults(&self) -> bool {
        false
    }

    /// Whether [`stepped`](Self::stepped) is called in the execution that was begun last. Not so
    /// unless this says so: to find out what a step was costs a little.
    fn wants_steps(&self) -> bool {
        false
    }

    /// The step that was picked is over: whoever it has woken is enabled, and predicates were
    /// evaluated. Also called where it has found a bug. What it has enabled is seen by the next
    /// [`pick`](Self::pick), if there is one.
    fn stepped(&mut self, _step: &Step<'_>) {}

    /// Whether [`Enabled::state`] is there in the execution that was begun last. Not so unless this says
    /// so: to look at the state after each step costs more than the step.
    fn wants_states(&self) -> bool {
        false
    }

    /// Whether the states that it sees are to be compared without a look at what actors and events are: two
    /// in which everybody has handled the same events, each in the same order, and the same is under way,
    /// are the same. So they are, where actors share nothing.
    fn compares_histories(&self) -> bool {
        false
    }

    /// Whether it declined to pick because the execution has come round: from the first of these steps
    /// to the last, which leads to the same state, something is owed all the time, and a schedule that
    /// is as fair as that can go round for ever. Then that is a liveness bug.
    fn fair_cycle(&self) -> Option<Cycle> {
        None
    }

    /// The execution is over; nothing of it is left.
    fn ended(&mut self, _ended: &Ended) {}

    /// What an execution does depends on those before it: the test runs on one worker, but for parts of
    /// an exhaustive search that don't depend on each other, and a single iteration can't be run by itself.
    fn has_memory(&self) -> bool {
        false
    }

    /// What it has covered up to now, asked when the search is over. A systematic search says here
    /// what it left out; only then is it called exhaustive where [`begin`](Self::begin) had nothing
    /// left to explore.
    fn covered(&self) -> CoverageClaim {
        CoverageClaim::Sample
    }

    /// Parts of what is left to explore, which don't depend on each other, for several workers; none
    /// where it is not to be divided now. Where they are not asked for, it explores them itself, one
    /// after another.
    #[doc(hidden)]
    fn divide(&mut self) -> Vec<Box<dyn Strategy>> {
        Vec::new()
    }

    /// Into how many parts it can be [divided](Self::divide), of which each can be [saved](Self::save).
    #[doc(hidden)]
    fn parts_max(&self) -> usize {
        0
    }

    /// A part is back, which has come to its end, in the order of the parts; `false` where those after it
    /// are not needed.
    #[doc(hidden)]
    fn unite(&mut self, _part: Box<dyn Strategy>) -> bool {
        false
    }

    /// Itself, where it is part of another, which takes it back.
    #[doc(hidden)]
    fn into_any(self: Box<Self>) -> Option<Box<dyn Any>> {
        None
    }

    /// What another process needs to go on from here, where it can be told now; asked between executions.
    #[doc(hidden)]
    fn save(&mut self) -> Option<Vec<u8>> {
        None
    }

    /// Goes on from what was [saved](Self::save), before the first execution.
    ///
    /// # Errors
    ///
    /// Says what is wrong with it.
    #[doc(hidden)]
    fn restore(&mut self, _saved: &[u8]) -> Result<(), String> {
        Err("nothing was saved".into())
    }

    /// What it does can be [saved](Self::save) now and then.
    #[doc(hidden)]
    fn can_be_saved(&self) -> bool {
        false
    }

    /// How much there seems to be in all of what it counts, where it has an idea. Progress is shown by it,
    /// and how far a search came that has no end; nothing depends on it.
    fn extent(&self) -> Option<SizeEstimate> {
        None
    }

    /// It needs [`Execution::estimates`]: pilot executions are run first.
    fn needs_estimates(&self) -> bool {
        false
    }

    /// It needs [`Execution::length`]: what executions come to is measured, and told to those after
    /// them.
    fn needs_length(&self) -> bool {
        false
    }
}

/// Whether a schedule lets everyone run again and again.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Fairness {
    /// From the first step: liveness is checked throughout.
    Fair,
    /// Never: the execution stops after the unfair bound, and its liveness is not judged.
    Unfair,
    /// From this step on: liveness is checked from there, with every temperature at zero.
    FairFrom(u64),
}

/// An execution that is over.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Ended {
    /// How it ended.
    pub ending: Ending,
    /// How many steps it took.
    pub steps: u64,
    /// A hash of what it did, the same for executions that differ in the order of independent steps
    /// only.
    pub behaviour: u64,
    /// The state in which it ended, where the strategy [sees](Strategy::sees_states) states; none where
    /// the last step failed.
    pub state: Option<StateView>,
}

/// How an execution ended.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub enum Ending {
    /// By itself: nothing was left to do, or the test had ended it.
    Complete,
    /// At the bound on steps.
    Bound,
    /// At a bug.
    Bug,
    /// The strategy declined to pick.
    Pruned,
}

/// The execution that begins.
#[derive(Clone, Debug)]
pub struct Execution {
    /// Its number within the test, from zero.
    pub iteration: u64,
    /// Its seed, derived from the session's seed and the iteration.
    pub seed: u64,
    /// The bound on steps of an unfair execution.
    pub max_steps: u64,
    /// Who does how much in executions of this test, where a strategy
    /// [asked](Strategy::needs_estimates) for it; else nothing is known.
    pub estimates: Arc<Estimates>,
    /// How many steps with an alternative to expect, where a strategy
    /// [asked](Strategy::needs_length) for it. Half of the executions are told as many as nineteen of
    /// twenty before them did not exceed, the others as many as one of those had, drawn at random.
    pub length: Option<u64>,
    /// How many faults of each kind there may be.
    pub faults: FaultBudgets,
}

impl Execution {
    /// One that belongs to no exploration.
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

    /// How many steps with an alternative to expect, at most as many as the bound allows: the
    /// [length](Self::length) or, where none was asked for, what the pilots showed.
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
    /// Of which kind.
    pub kind: FaultKind,
    /// What it would concern: a hash of a call's name, or of who owns a mailbox. The same in every
    /// execution.
    pub what: u64,
    /// In how many ways it may strike; at least one.
    pub ways: u32,
    /// Whose step it is.
    pub who: OperationId,
    /// Which nodes it concerns, a bit for each, as in [`Fault::nodes`]: where that one is, or both ends
    /// of a link.
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
    /// The seed of a generator: any number. A systematic strategy answers with one and the same.
    Seed,
}

impl Choice {
    /// How many answers there are.
    pub fn bound(self) -> u64 {
        match self {
            Self::Below(bound) => u64::from(bound),
            Self::Seed => 1 << 32,
        }
    }
}
