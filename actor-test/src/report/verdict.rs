//! The verdict of a report: the searched part, the gaps and the assumptions of a search.

use serde::{Deserialize, Serialize};

use crate::data::coverage_claim::{Gap, Reduction};
use crate::data::extent::SizeEstimate;

/// The verdict: how much was searched, and what was left out.
///
/// A report says `exhaustive` only if [`is_exhaustive`](Self::is_exhaustive) returns true.
///
/// ```
/// use actor_test::strategy::{Reduction, StrategySpec};
/// use actor_test::Tester;
/// use actor_test::report::SearchKind;
///
/// let report = Tester::new().strategy(StrategySpec::Dfs(None)).run(|_| ());
/// assert!(report.verdict.is_exhaustive());
/// let dfs = SearchKind::Systematic { strategy: "dfs".into(), reduction: Reduction::None };
/// assert_eq!(report.verdict.searched, dfs);
/// ```
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Verdict {
    /// The kind of search.
    pub searched: SearchKind,
    /// The gaps, with their reasons; empty if a systematic search completed.
    pub gaps: Vec<Gap>,
    /// The estimated size of the search space (behaviours, states or schedules), if a bound ended the search
    /// and an estimate is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub extent: Option<SizeEstimate>,
    /// The assumptions about the program on which a completed search relies.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub assumptions: Vec<Assumption>,
}

/// An assumption about a program that the tester can't check.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Assumption {
    /// The program's [threads](actor_core::thread) share data by [`actor_core::sync`] alone. An access to an
    /// atomic or a lock of `std::sync` is no step, so that no other thread ever runs between two of them.
    Threads,
    /// Time passes only when a [timer](actor_core::Context::after) fires. Between two timers a clock stands
    /// still, however much work is done.
    Timers,
    /// An operation that yields twice in a row, by [`yield_now`](actor_core::task::yield_now) for instance,
    /// continues once another one has taken a step. So a loop that waits in this way has an end.
    Yields,
}

/// A bound on how far schedules deviate from the first one of a search.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[non_exhaustive]
pub enum DeviationBound {
    /// The largest number of delays of an explorer.
    Delays(u32),
    /// The largest number of preemptions.
    Preemptions(u32),
}

/// The kind of a search.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum SearchKind {
    /// A random sample of the schedules, drawn by these strategies.
    Sample {
        /// The names of the strategies, in the order of the report.
        strategies: Vec<String>,
    },
    /// A systematic search. Other strategies that took turns with it add nothing to the verdict.
    Systematic {
        /// The name of the strategy.
        strategy: String,
        /// The partial-order or state reduction, by which one schedule stood for others.
        reduction: Reduction,
    },
}

impl Default for SearchKind {
    fn default() -> Self {
        Self::Sample {
            strategies: Vec::new(),
        }
    }
}

impl Verdict {
    /// Returns true if every schedule, or an equivalent one, was run to its end with every answer to every
    /// choice. A bug that any schedule leads to would have been found.
    pub fn is_exhaustive(&self) -> bool {
        self.is_systematic() && self.gaps.is_empty()
    }

    /// Returns the bound up to which every schedule, or one to the same states, was run to its end. Such a
    /// search is no proof for other schedules.
    ///
    /// ```
    /// use actor_test::Tester;
    /// use actor_test::report::DeviationBound;
    ///
    /// let tester = Tester::new().strategy("ses:rr/1/by=schedules".parse()?);
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
    /// assert_eq!(report.verdict.within(), Some(DeviationBound::Delays(1)));
    /// # Ok::<(), actor_test::strategy::SpecError>(())
    /// ```
    pub fn within(&self) -> Option<DeviationBound> {
        match (self.is_systematic(), &self.gaps[..]) {
            (true, [Gap::Delays { bound }]) => Some(DeviationBound::Delays(*bound)),
            (true, [Gap::Preemptions { bound }]) => Some(DeviationBound::Preemptions(*bound)),
            _ => None,
        }
    }

    /// Returns the number of states that a search of states has visited.
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
            SearchKind::Systematic {
                reduction: Reduction::States { states, .. },
                ..
            } => Some(*states),
            _ => None,
        }
    }

    /// Returns the number of behaviours that a search of behaviours has explored.
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
            SearchKind::Systematic {
                reduction:
                    Reduction::Inboxes { behaviours, .. } | Reduction::Steps { behaviours, .. },
                ..
            } => Some(*behaviours),
            _ => None,
        }
    }

    /// Returns true for a systematic search, for which the estimates for samples are meaningless.
    pub(crate) fn is_systematic(&self) -> bool {
        matches!(self.searched, SearchKind::Systematic { .. })
    }
}
