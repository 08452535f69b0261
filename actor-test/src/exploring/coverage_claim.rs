//! The coverage claim of a search: turns the course of a search into its verdict.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use crate::data::coverage_claim::{CoverageClaim, Gap, Reduction};
use crate::data::extent::SizeEstimate;
use crate::report::verdict::{Assumption, SearchKind, Verdict};
use crate::settings::Bounds;

/// The course of a search: its executions, and how it ended.
#[derive(Clone, Debug, Default)]
pub(crate) struct SearchCourse {
    /// The executions of each strategy, in the order of the report.
    pub(crate) turns: Vec<StrategyTurns>,
    /// The position of the strategy that had nothing left to run.
    pub(crate) ended_by: Option<usize>,
    /// The reason why the search ended, if no strategy ended it.
    pub(crate) stopped: Option<Gap>,
    /// True if this process ran one part of the search.
    pub(crate) is_part: bool,
    /// The estimated size of the search space.
    pub(crate) extent: Option<SizeEstimate>,
}

/// The executions of a strategy.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct StrategyTurns {
    pub(crate) name: String,
    #[serde(skip)]
    pub(crate) covered: CoverageClaim,
    pub(crate) executions: u64,
    /// The number of unfair executions that were cut off at their bound.
    pub(crate) unfair_at_bound: u64,
    /// The number of fair executions that were cut off at their bound.
    pub(crate) fair_at_bound: u64,
    /// The number of executions suspected of a liveness bug that recovered.
    pub(crate) transient: u64,
    /// The number of executions that a fair walk ended, after the program asked for the end.
    pub(crate) went_fair: u64,
    /// The number of executions that asked the operating system for random bytes.
    pub(crate) asked: u64,
    /// The number of executions in which a clock was read again without a change.
    pub(crate) clock_stood: u64,
    /// True if a clock was read again in a program with timers, and only their firing moved the clock.
    pub(crate) only_timers_pass: bool,
    /// The number of executions that strayed from the same decisions before, and the first deviating step.
    pub(crate) strayed: Option<(u64, u64)>,
    /// The places at which an ordering weaker than `SeqCst` was treated as `SeqCst`.
    pub(crate) weakened: BTreeSet<String>,
    /// True if the program has started threads.
    pub(crate) has_threads: bool,
    /// True if an operation yielded twice in a row, and had to wait for a step of another one.
    pub(crate) waited_for_a_step: bool,
}

impl SearchCourse {
    /// Returns the verdict: the strongest claim that the course supports.
    pub(crate) fn verdict(&self, bounds: &Bounds) -> Verdict {
        let only = (self.turns.len() == 1).then_some(0);
        let systematic = self.ended_by.or(only).and_then(|number| {
            let turns = self.turns.get(number)?;
            match &turns.covered {
                CoverageClaim::Systematic {
                    reduction,
                    is_complete,
                    gaps,
                } => Some((turns, *reduction, *is_complete, gaps.clone())),
                CoverageClaim::Sample => None,
            }
        });
        let Some((turns, reduction, is_complete, mut gaps)) = systematic else {
            return self.sample(bounds);
        };
        gaps.extend(at_bounds([turns], bounds));
        let executions = turns.went_fair;
        gaps.extend((executions > 0).then_some(Gap::Suffixes { executions }));
        let executions = turns.asked;
        gaps.extend((executions > 0).then_some(Gap::System { executions }));
        let executions = turns.clock_stood;
        gaps.extend((executions > 0).then_some(Gap::Clock { executions }));
        if let Some((executions, step)) = turns.strayed {
            // The search itself may have reported strayed executions.
            let seen = |gap: &Gap| matches!(gap, Gap::Diverged { step: Some(_), .. });
            if !gaps.iter().any(seen) {
                gaps.retain(|gap| !matches!(gap, Gap::Diverged { .. }));
                let step = Some(step);
                gaps.push(Gap::Diverged { executions, step });
            }
        }
        let places: Vec<String> = turns.weakened.iter().cloned().collect();
        gaps.extend((!places.is_empty()).then_some(Gap::Orderings { places }));
        let counts_steps = match reduction {
            Reduction::LocalFirst | Reduction::Histories { .. } => false,
            Reduction::States { local_first, .. } => !local_first,
            _ => true,
        };
        gaps.extend((turns.waited_for_a_step && !counts_steps).then_some(Gap::Yields));
        gaps.extend(self.stopped.clone());
        if self.is_part {
            gaps.push(Gap::Parts);
        }
        // The strategy may have ended for one of these reasons.
        gaps.dedup();
        let is_complete = is_complete && turns.executions > 0;
        if !is_complete && gaps.is_empty() {
            gaps.push(Gap::NoClaim);
        }
        let is_bound = |gap: &Gap| {
            let bounds = matches!(gap, Gap::Executions { .. } | Gap::Time | Gap::Budget { .. });
            bounds || matches!(gap, Gap::States { .. } | Gap::Histories { .. })
        };
        // No estimate covers steps outside of the search, or behind a bug.
        let is_stopped = !gaps.is_empty() && gaps.iter().all(is_bound);
        Verdict {
            searched: SearchKind::Systematic {
                strategy: turns.name.clone(),
                reduction,
            },
            extent: self.extent.filter(|_| is_stopped && !is_complete),
            gaps,
            assumptions: [
                (turns.has_threads, Assumption::Threads),
                (turns.only_timers_pass, Assumption::Timers),
                (turns.waited_for_a_step, Assumption::Yields),
            ]
            .into_iter()
            .filter_map(|(is_made, assumption)| is_made.then_some(assumption))
            .collect(),
        }
    }

    fn sample(&self, bounds: &Bounds) -> Verdict {
        let mut gaps: Vec<Gap> = at_bounds(&self.turns, bounds).collect();
        gaps.extend(self.stopped.clone());
        gaps.extend(self.ended_by.map(|_| Gap::NoClaim));
        if self.is_part {
            gaps.push(Gap::Parts);
        }
        let names = self.turns.iter().map(|turns| turns.name.clone());
        Verdict {
            searched: SearchKind::Sample {
                strategies: names.collect(),
            },
            extent: None,
            gaps,
            assumptions: Vec::new(),
        }
    }
}

/// Returns the bounds on steps at which executions were cut off.
fn at_bounds<'a>(
    turns: impl IntoIterator<Item = &'a StrategyTurns>,
    bounds: &Bounds,
) -> impl Iterator<Item = Gap> {
    let mut cut = [
        (bounds.unfair(), 0),
        (bounds.fair(), 0),
        (bounds.temperature(), 0),
    ];
    for turns in turns {
        cut[0].1 += turns.unfair_at_bound;
        cut[1].1 += turns.fair_at_bound;
        cut[2].1 += turns.transient;
    }
    let were_cut = cut.into_iter().filter(|(_, executions)| *executions > 0);
    were_cut.map(|(bound, executions)| Gap::Steps { bound, executions })
}
