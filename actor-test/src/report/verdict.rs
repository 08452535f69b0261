//! What was searched, and what was left out: how much a clean report is worth.

use serde::{Deserialize, Serialize};

use crate::strategy::{Gap, Reduction, SizeEstimate};

/// What was searched, and what was left out.
///
/// A report says `exhaustive` where [`is_exhaustive`](Self::is_exhaustive) does, and nowhere else.
///
/// ```
/// use actor_test::strategy::{Reduction, StrategySpec};
/// use actor_test::{Searched, Tester};
///
/// let report = Tester::new().strategy(StrategySpec::Dfs(None)).run(|_| ());
/// assert!(report.verdict.is_exhaustive());
/// let dfs = Searched::Systematic { strategy: "dfs".into(), reduction: Reduction::None };
/// assert_eq!(report.verdict.searched, dfs);
/// ```
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Verdict {
    /// What was searched.
    pub searched: Searched,
    /// What was left out, and why. Nothing, where a systematic search came to its end.
    pub gaps: Vec<Gap>,
    /// How much there seems to be in all of what was searched, where a bound ended the search and it has an
    /// idea: behaviours, states or schedules.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub extent: Option<SizeEstimate>,
    /// What a search that came to its end has taken for granted of the program.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub assumptions: Vec<Assumption>,
}

/// What is taken for granted of a program, since the tester has no way to see it.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Assumption {
    /// Its [threads](actor_core::thread) share data by [`actor_core::sync`] alone. An access to an atomic or a
    /// lock of `std::sync` is no step: no other thread is ever in between.
    Threads,
    /// Time passes when a [timer](actor_core::Context::after) fires, and nowhere else: between two of them a
    /// clock stands still, however much is done.
    Timers,
    /// Who lets others go first twice in a row, by [`yield_now`](actor_core::task::yield_now) for instance, goes
    /// on when one has: so a loop that waits in this way has an end.
    Yields,
}

/// How far schedules deviate from the first one that a search runs.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[non_exhaustive]
pub enum Within {
    /// By at most so many delays of an explorer.
    Delays(u32),
    /// By at most so many preemptions.
    Preemptions(u32),
}

/// What was searched.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Searched {
    /// A sample of the schedules, drawn by these strategies.
    Sample {
        /// Their names, in the order of the report.
        strategies: Vec<String>,
    },
    /// One schedule after another by a system. Where other strategies took turns with it, they add
    /// nothing to what is said of it.
    Systematic {
        /// The strategy's name.
        strategy: String,
        /// Of which schedules one stood for others.
        reduction: Reduction,
    },
}

impl Default for Searched {
    fn default() -> Self {
        Self::Sample {
            strategies: Vec::new(),
        }
    }
}

impl Verdict {
    /// Every schedule was run, or one that stands for it, each to its end, with every answer to
    /// every choice. If a bug were in reach of any schedule, it was found.
    pub fn is_exhaustive(&self) -> bool {
        self.is_systematic() && self.gaps.is_empty()
    }

    /// Up to which bound every schedule was run, or one that comes to the same states: each to its end. It
    /// is no proof for the others.
    ///
    /// ```
    /// use actor_test::{Tester, Within};
    ///
    /// let tester = Tester::new().strategy("db:rr/1".parse()?);
    /// let report = tester.run(|sys| {
    ///     sys.always("true", |_| true);
    /// #   use actor_core::prelude::*;
    /// #   struct Idle;
    /// #   #[actor]
    /// #   impl Idle {
    /// #       #[start]
    /// #       fn start(&mut self) {}
    /// #   }
    ///     (0..3).for_each(|_| _ = sys.spawn(Idle));
    /// });
    /// assert!(!report.verdict.is_exhaustive());
    /// assert_eq!(report.verdict.within(), Some(Within::Delays(1)));
    /// # Ok::<(), actor_test::strategy::SpecError>(())
    /// ```
    pub fn within(&self) -> Option<Within> {
        match (self.is_systematic(), &self.gaps[..]) {
            (true, [Gap::Delays { bound }]) => Some(Within::Delays(*bound)),
            (true, [Gap::Preemptions { bound }]) => Some(Within::Preemptions(*bound)),
            _ => None,
        }
    }

    /// How many states a search of states has met.
    ///
    /// ```
    /// use actor_test::Tester;
    ///
    /// let report = Tester::new().strategy("states".parse()?).run(|_| ());
    /// // Before the set-up, and after it.
    /// assert_eq!(report.verdict.states(), Some(2));
    /// # Ok::<(), actor_test::strategy::SpecError>(())
    /// ```
    pub fn states(&self) -> Option<u64> {
        match &self.searched {
            Searched::Systematic {
                reduction: Reduction::States { states, .. },
                ..
            } => Some(*states),
            _ => None,
        }
    }

    /// How many behaviours a search of behaviours has looked at.
    ///
    /// ```
    /// use actor_test::Tester;
    ///
    /// let report = Tester::new().strategy("dpor".parse()?).run(|_| ());
    /// assert_eq!(report.verdict.behaviours(), Some(1));
    /// # Ok::<(), actor_test::strategy::SpecError>(())
    /// ```
    pub fn behaviours(&self) -> Option<u64> {
        match &self.searched {
            Searched::Systematic {
                reduction:
                    Reduction::Inboxes { behaviours, .. } | Reduction::Steps { behaviours, .. },
                ..
            } => Some(*behaviours),
            _ => None,
        }
    }

    /// Estimates that are made for samples say nothing here.
    pub(crate) fn is_systematic(&self) -> bool {
        matches!(self.searched, Searched::Systematic { .. })
    }
}
