//! Strategies: who takes the next step, and how choices are answered.
//!
//! A [`Strategy`] sees operations and choices, never the types of the program under test. For each
//! enabled operation it sees what comes next ([`Pending`]): the kind of step, the inbox concerned,
//! who sent the event and of which type it is. That is enough to write any scheduler of the
//! literature, a custom one included; see the trait's example.

mod changes;
mod covered;
mod delay;
mod dfs;
mod estimates;
mod fair_suffix;
mod pct;
mod per_operation;
pub(crate) mod portfolio;
mod pos;
mod probabilistic;
mod random;
mod replay;
mod spec;
mod surw;
mod tree;
mod urw;
mod weighted;

use std::fmt;
use std::num::NonZeroU32;
use std::sync::Arc;

pub(crate) use changes::Changes;
pub use covered::{Covered, Gap, Reduction};
pub use delay::{Delayed, DelayingExplorer, RoundRobin, RunToCompletion};
pub use dfs::Dfs;
pub(crate) use estimates::Survey;
pub use estimates::{Effort, Estimates};
pub use fair_suffix::FairSuffix;
pub use pct::Pct;
pub use pos::Pos;
pub use probabilistic::Probabilistic;
pub use random::Random;
pub(crate) use random::{below, generator};
pub use replay::Replay;
pub use spec::{ExplorerKind, SpecError, StrategySpec};
pub use surw::Surw;
pub use urw::Urw;
pub use weighted::{Weighted, Weights};

/// Decides which operation takes the next step. Lives across executions, so it can learn.
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
///     fn pick(&mut self, enabled: &Enabled<'_>) -> usize {
///         let youngest = enabled.iter().enumerate().max_by_key(|(_, pending)| pending.operation);
///         youngest.map_or(0, |(index, _)| index)
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

    /// Picks a position in `enabled`, which is never empty.
    fn pick(&mut self, enabled: &Enabled<'_>) -> usize;

    /// Answers a choice with a number below its bound.
    fn choose(&mut self, choice: Choice) -> u32;

    /// What an execution does depends on those before it: the test runs on one worker, and a
    /// single iteration can't be run by itself.
    fn has_memory(&self) -> bool {
        false
    }

    /// What it has covered up to now, asked when the search is over. A systematic search says here
    /// what it left out; only then is it called exhaustive where [`begin`](Self::begin) had nothing
    /// left to explore.
    fn covered(&self) -> Covered {
        Covered::Sample
    }

    /// It needs [`Execution::estimates`]: pilot executions are run first.
    fn needs_estimates(&self) -> bool {
        false
    }
}

/// Whether a schedule lets everyone run again and again.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Fairness {
    /// From the first step: liveness is checked throughout.
    Fair,
    /// Never: the execution stops after the unfair bound, and its liveness is not judged.
    Unfair,
    /// From this step on: liveness is checked from there, with every temperature at zero.
    FairFrom(u64),
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
    /// How long executions of this test are, where a strategy asked for it; else nothing is known.
    pub estimates: Arc<Estimates>,
}

impl Execution {
    /// How many steps with an alternative to expect: what pilot executions showed, or as many as the
    /// bound allows where there were none.
    pub fn contended_steps(&self) -> u64 {
        match self.estimates.executions() {
            0 => self.max_steps,
            _ => self.estimates.contended_steps(),
        }
    }
}

/// An operation of an execution: an actor, the test body, a piped future or a timer.
///
/// Numbers are given in order of creation and are the same whenever the same schedule runs; the
/// test body is number zero.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct OperationId(NonZeroU32);

impl OperationId {
    const TIMER: u32 = 1 << 31;

    #[inline]
    pub(crate) const fn actor(index: u32) -> Self {
        // Never zero, so that an `Option` takes no more room. No execution has 2^31 operations.
        match NonZeroU32::new(index.wrapping_add(1)) {
            Some(bits) => Self(bits),
            None => Self(NonZeroU32::MAX),
        }
    }

    pub(crate) const fn timer(index: u32) -> Self {
        Self::actor(Self::TIMER | index)
    }

    /// The operation is a timer; a timer's number is used again when the timer is over.
    #[inline]
    pub const fn is_timer(self) -> bool {
        self.bits() & Self::TIMER != 0
    }

    /// The number, counted apart for timers.
    #[inline]
    pub const fn index(self) -> usize {
        (self.bits() & !Self::TIMER) as usize
    }

    #[inline]
    pub(crate) const fn bits(self) -> u32 {
        self.0.get() - 1
    }
}

/// The kind of step that an operation would take.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[repr(u8)]
pub enum StepKind {
    /// Runs the test body or the hooks with which an actor starts.
    Start,
    /// Handles, or ignores, the first event that is not deferred.
    Handle,
    /// Carries out the next effect of the outbox.
    Flush,
    /// Polls a suspended handler whose wake-up is due.
    Resume,
    /// Fires a timer.
    Timer,
    /// Injects a fault.
    Fault,
    /// Stops, or ends, ahead of what is in the inbox: its supervisor says so, or somebody kills it.
    Stop,
}

/// What an enabled operation would do.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Pending {
    /// Who.
    pub operation: OperationId,
    /// What kind of step.
    pub kind: StepKind,
    /// Whose inbox it reads or appends to, if any. Two steps can only be dependent where this is
    /// the same; two flushes into the same inbox are the race that matters.
    pub inbox: Option<OperationId>,
    /// Who sent the event concerned, if any.
    pub sender: Option<OperationId>,
    /// The type of the event concerned, if any.
    pub event: Option<EventId>,
}

/// An event type of an actor type: a hash of their names, the same on every machine.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct EventId(pub(crate) NonZeroU32);

/// The enabled operations, in an order that is the same whenever the same schedule runs.
#[derive(Clone, Copy, Debug)]
pub struct Enabled<'a> {
    pub(crate) pending: &'a [Pending],
    pub(crate) paths: &'a [u64],
    pub(crate) changes: &'a Changes,
    pub(crate) step: u64,
    pub(crate) last: OperationId,
}

impl<'a> Enabled<'a> {
    /// How many; at least one.
    #[expect(clippy::len_without_is_empty, reason = "it is never empty")]
    pub fn len(&self) -> usize {
        self.pending.len()
    }

    /// Each with what it would do.
    pub fn iter(&self) -> std::slice::Iter<'a, Pending> {
        self.pending.iter()
    }

    /// How many steps the execution has taken.
    pub fn step(&self) -> u64 {
        self.step
    }

    /// Who took the last step.
    pub fn last(&self) -> OperationId {
        self.last
    }

    /// Names an operation across executions: a hash of who created it, and of how many that one had
    /// created before. Unlike its number it does not depend on the order in which others were
    /// created. A timer is named by its number.
    pub fn path(&self, operation: OperationId) -> u64 {
        if operation.is_timer() {
            return u64::from(operation.bits());
        }
        self.paths.get(operation.index()).copied().unwrap_or(0)
    }
}

impl std::ops::Index<usize> for Enabled<'_> {
    type Output = Pending;

    fn index(&self, index: usize) -> &Pending {
        &self.pending[index]
    }
}

/// A question of the program that the strategy answers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
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
