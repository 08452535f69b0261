//! Bounded search by the number of deviations from a default schedule: [`Bounded`].
//!
//! A [deviation](deviation) defines the first step to try, and the cost of each other one: delays of an
//! explorer, or preemptions. The [search](strata) runs all schedules without a deviation, then those with
//! one, and so on. An [execution](run) begins with the decisions of a work item, and notes alternatives.

mod bdfs;
mod deviation;
mod forecast;
mod run;
mod strata;
#[cfg(test)]
mod tests;
mod visited;
mod yields;

pub use bdfs::Bdfs;
use deviation::{Deviation, Preemptions};
use strata::StratifiedSearch;

use super::delay::ExplorerDriver;
use super::{DelayingExplorer, Strategy};
use crate::settings::strategy::StateEquivalence;
use crate::settings::strategy::named;
use crate::strategy::search::{FrontierSearch, Source};

/// Runs all schedules within a number of deviations from a default one, those with fewer first.
///
/// A deviation is either a [delay](Self::delays) of a [`DelayingExplorer`] (Emmi, Qadeer and Rakamaric,
/// Delay-Bounded Scheduling, POPL 2011), or a [preemption](Self::preemptions) (Musuvathi and Qadeer,
/// Iterative Context Bounding, PLDI 2007): another operation takes a step though the last one is enabled.
///
/// [By states](Self::by_states), the search continues from each state once; with delays this is stratified
/// exhaustive search (SES; Desai, Qadeer and Seshia, ESEC/FSE 2015, section 3.1). [By
/// histories](Self::by_histories), two states are the same if each operation has handled the same events in
/// the same order, as in CHESS (section 4.4.2); no fingerprints are needed.
///
/// Guarantee: a search that ends [within a bound](Self::at_most) has run every schedule with at most that
/// many deviations, or one that leads to the same states. A search that ends without a bound has run all
/// schedules. If states are kept, this needs the explorer's [state](DelayingExplorer::state).
///
/// Unfair. Seeds of generators are not explored.
///
/// ```
/// use actor_test::strategy::{Bounded, RoundRobin};
/// use actor_test::Tester;
/// use actor_test::report::DeviationBound;
///
/// let search = Bounded::delays(RoundRobin::new()).by_states().at_most(2);
/// let report = Tester::new().custom_strategy(search.build()).run(|sys| {
///     // sys.spawn(...)
/// #   let _ = sys;
/// });
/// // Nothing was left, not even with more delays.
/// assert!(report.verdict.is_exhaustive());
/// assert_eq!(report.verdict.within(), None);
/// # let _ = DeviationBound::Delays(2);
/// ```
#[derive(Debug)]
pub struct Bounded {
    deviation: Deviation,
    same: StateEquivalence,
    bound: Option<u32>,
    samples: bool,
}

impl Bounded {
    fn from(deviation: Deviation) -> Self {
        Self {
            deviation,
            same: StateEquivalence::Never,
            bound: None,
            samples: false,
        }
    }

    /// Counts delays of an explorer; the n-th answer to a choice costs n - 1 of them.
    pub fn delays(explorer: impl DelayingExplorer + 'static) -> Self {
        Self::from(Deviation::Delays(ExplorerDriver::new(Box::new(explorer))))
    }

    /// Counts preemptions; all answers to choices are free.
    pub fn preemptions() -> Self {
        Self::from(Deviation::Preemptions(Preemptions::default()))
    }

    /// As [`preemptions`](Self::preemptions), without schedules in which one operation polls for ever while
    /// another waits: an operation that handles an event of its own, or a timer, comes after those that
    /// have waited for it (CHESS, section 4.3). So a program that polls has an end. The search finds what
    /// `preemptions` finds where no operation polls, and is never called exhaustive.
    pub fn fair_preemptions() -> Self {
        Self::from(Deviation::Preemptions(Preemptions::fair()))
    }

    /// Continues once from each class of equivalent states.
    #[must_use]
    pub fn by(mut self, same: StateEquivalence) -> Self {
        self.same = same;
        self
    }

    /// Continues from each state once; ignored by a [fair](Self::fair_preemptions) search.
    #[must_use]
    pub fn by_states(self) -> Self {
        self.by(StateEquivalence::States)
    }

    /// Continues once from states in which each operation has handled the same events in the same order.
    #[must_use]
    pub fn by_histories(self) -> Self {
        self.by(StateEquivalence::Histories)
    }

    /// Bounds the number of deviations.
    #[must_use]
    pub fn at_most(mut self, deviations: u32) -> Self {
        self.bound = Some(deviations);
        self
    }

    /// Samples behind the [bound](Self::at_most): each execution continues from a random one of the items
    /// that exceed it, with a few more delays (section 6.1 of the paper). This has no end.
    #[must_use]
    pub fn then_sample(mut self) -> Self {
        self.samples = true;
        self
    }

    /// Builds the strategy.
    pub fn build(self) -> Box<dyn Strategy> {
        self.source().into_strategy()
    }

    pub(super) fn source(self) -> Source {
        Source::by(FrontierSearch::new(StratifiedSearch::new(self)))
    }

    fn name(&self) -> String {
        let mut parameters = Vec::new();
        let (base, default) = match &self.deviation {
            Deviation::Delays(explorer) => {
                parameters.push(explorer.name());
                ("ses", StateEquivalence::States)
            }
            Deviation::Preemptions(_) => ("pb", StateEquivalence::Never),
            Deviation::Nothing { .. } => ("bdfs", self.same),
        };
        parameters.retain(|explorer| explorer != "rtc");
        parameters.extend(self.bound.map(|bound| bound.to_string()));
        parameters.extend(self.same.unless(default));
        if self.deviation.is_fair() {
            parameters.push("fair".into());
        }
        if self.samples {
            parameters.push("then=ss".into());
        }
        named(base, &parameters)
    }
}
