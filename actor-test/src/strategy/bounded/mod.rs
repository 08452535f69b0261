//! Searches by how far schedules deviate from one: [`Bounded`].
//!
//! A [deviation](deviation) says which step comes first, and what it counts to take another: delays of an
//! explorer, or preemptions. The [search](strata) runs all schedules that take none, then those that take
//! one, and so on; its work items are decisions to be made before the first schedule goes on. An
//! [execution](run) notes what else might have been done.

mod bdfs;
mod deviation;
mod forecast;
mod known;
mod run;
mod strata;
#[cfg(test)]
mod tests;
mod yields;

pub use bdfs::Bdfs;
use deviation::{Deviation, Preemptions};
use strata::StratifiedSearch;

use super::delay::ExplorerDriver;
use super::search::SearchStrategy;
use super::{DelayingExplorer, Strategy};

/// Runs every schedule that deviates from a first one at most so often, the fewer deviations the sooner.
///
/// What counts as one is either a [delay](Self::delays) of a [`DelayingExplorer`] (Emmi, Qadeer and
/// Rakamaric, Delay-Bounded Scheduling, POPL 2011), or a [preemption](Self::preemptions) (Musuvathi and
/// Qadeer, Iterative Context Bounding, PLDI 2007): that the operation that took the last step could take
/// the next, and another does.
///
/// [By states](Self::by_states) it goes on once from each state only; with delays that is stratified
/// exhaustive search (SES; Desai, Qadeer and Seshia, ESEC/FSE 2015, section 3.1).
/// [By histories](Self::by_histories) it takes two states for the same where everybody has handled the
/// same events in the same order, without a look at them, as CHESS does (section 4.4.2).
///
/// Guarantee: a search that ends [within a bound](Self::at_most) has run every schedule with at most so
/// many deviations, or one that comes to the same states; one that ends without a bound has run all.
/// For that an explorer has to tell its [state](DelayingExplorer::state) where states are kept.
///
/// Unfair. Seeds of generators are not explored.
///
/// ```
/// use actor_test::strategy::{Bounded, RoundRobin};
/// use actor_test::{Tester, Within};
///
/// let search = Bounded::delays(RoundRobin::new()).by_states().at_most(2);
/// let report = Tester::new().run_with(search.build(), |sys| {
///     // sys.spawn(...)
/// #   let _ = sys;
/// });
/// // Nothing was left, not even with more delays.
/// assert!(report.verdict.is_exhaustive());
/// assert_eq!(report.verdict.within(), None);
/// # let _ = Within::Delays(2);
/// ```
#[derive(Debug)]
pub struct Bounded {
    deviation: Deviation,
    same: StateEquivalence,
    bound: Option<u32>,
    samples: bool,
}

/// Which states are the same, so that the search goes on from one of them only.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum StateEquivalence {
    /// None are, and nobody looks at them.
    Never,
    /// Where everybody has handled the same.
    Histories,
    /// Where everything in them is.
    States,
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

    /// Deviations are delays of an explorer; the nth answer to a choice takes n - 1 of them.
    pub fn delays(explorer: impl DelayingExplorer + 'static) -> Self {
        Self::from(Deviation::Delays(ExplorerDriver::new(Box::new(explorer))))
    }

    /// Deviations are preemptions; all answers to choices are tried.
    pub fn preemptions() -> Self {
        Self::from(Deviation::Preemptions(Preemptions::default()))
    }

    /// As [`preemptions`](Self::preemptions), without schedules in which one polls for ever while another
    /// waits: whoever handles an event of its own, or is a timer, comes after those who have waited for it
    /// (CHESS, section 4.3). So a program that polls has an end. It finds what any search does where
    /// nobody polls that could go on, and is never called exhaustive.
    pub fn fair_preemptions() -> Self {
        Self::from(Deviation::Preemptions(Preemptions::fair()))
    }

    /// Goes on once from all states that are the same.
    #[must_use]
    pub fn by(mut self, same: StateEquivalence) -> Self {
        self.same = same;
        self
    }

    /// Goes on from each state once. Not where schedules are to be [fair](Self::fair_preemptions): there
    /// it goes on from each that an execution comes to.
    #[must_use]
    pub fn by_states(self) -> Self {
        self.by(StateEquivalence::States)
    }

    /// Goes on once from all states in which everybody has handled the same, in the same order.
    #[must_use]
    pub fn by_histories(self) -> Self {
        self.by(StateEquivalence::Histories)
    }

    /// At most so many deviations.
    #[must_use]
    pub fn at_most(mut self, deviations: u32) -> Self {
        self.bound = Some(deviations);
        self
    }

    /// Behind the [bound](Self::at_most) it goes on from what it has left there, each time from another
    /// place drawn at random, and with a few delays more (section 6.1 of the paper). That has no end.
    #[must_use]
    pub fn then_sample(mut self) -> Self {
        self.samples = true;
        self
    }

    /// Makes a strategy of it.
    pub fn build(self) -> Box<dyn Strategy> {
        Box::new(SearchStrategy::new(StratifiedSearch::new(self)))
    }

    fn name(&self) -> String {
        let (base, first) = match (&self.deviation, self.same) {
            (Deviation::Delays(explorer), StateEquivalence::States) => match self.samples {
                true => ("ses-ss", Some(explorer.name())),
                false => ("ses", Some(explorer.name())),
            },
            (Deviation::Delays(explorer), StateEquivalence::Histories) => {
                ("db-hb", Some(explorer.name()))
            }
            (Deviation::Delays(explorer), StateEquivalence::Never) => ("db", Some(explorer.name())),
            (Deviation::Preemptions(_), _) if self.deviation.is_fair() => ("pb-fair", None),
            (Deviation::Preemptions(_), StateEquivalence::States) => ("pb-states", None),
            (Deviation::Preemptions(_), StateEquivalence::Histories) => ("pb-hb", None),
            (Deviation::Preemptions(_), StateEquivalence::Never) => ("pb", None),
            (Deviation::Nothing { .. }, _) => ("bdfs", None),
        };
        let first = first.filter(|explorer| explorer != "rtc");
        match (first, self.bound) {
            (None, None) => base.into(),
            (None, Some(bound)) => format!("{base}:{bound}"),
            (Some(explorer), None) => format!("{base}:{explorer}"),
            (Some(explorer), Some(bound)) => format!("{base}:{explorer}/{bound}"),
        }
    }
}
