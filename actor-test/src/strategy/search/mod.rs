//! Searches: strategies with a frontier of work, explored in rounds or in parts.
//!
//! A [`SearchStrategy`] is a strategy that remembers, and that may be divided and saved.
//!
//! A [`Frontier`] owns the work items and asks for executions; the strategy of an item decides within one.
//! The items of a round are independent, and their results are taken back in the order of the round. So the
//! result is the same whichever worker runs an item, and whenever. A long search can also be divided into
//! independent parts, each of which is a frontier. [`FrontierSearch`] runs one item after another.

mod behaviours;
mod budget;
mod dpor;
mod frontier_search;
mod source_dpor;
mod try_prove;

use std::any::Any;
use std::fmt;

use super::{CoverageClaim, Enabled, Ended, Pending, SizeEstimate, Strategy};
use crate::codec::DecodeError;

pub(super) use behaviours::BehaviourSearch;
pub(super) use budget::EXECUTION;
pub(crate) use budget::SearchBudget;
pub(super) use dpor::Dpor;
pub(super) use frontier_search::FrontierSearch;
pub(crate) use try_prove::budgeted_search;

/// The maximal number of executions of all parts of one round together.
pub(crate) const ROUND_MAX: u64 = 1 << 16;

/// A strategy that explores a space, of which it estimates the size. Some can be divided or saved.
pub(crate) trait SearchStrategy: Strategy + Any {
    /// The estimated size of the search space, if there is an estimate. The value is only shown to users,
    /// as progress or in reports of unfinished searches.
    fn extent(&self) -> Option<SizeEstimate>;

    /// Divides the rest of the search into independent parts for several workers; none if it can't be
    /// divided now. If this isn't called, the search explores the parts itself, one after another.
    fn divide(&mut self) -> Vec<Box<dyn SearchStrategy>> {
        Vec::new()
    }

    /// Takes a finished part back, in the order of the parts; `false` if those after it are not needed.
    fn unite(&mut self, _part: Box<dyn SearchStrategy>) -> bool {
        false
    }

    /// Saves what another process needs to continue, if that is possible now; called between executions.
    fn save(&mut self) -> Option<Vec<u8>> {
        None
    }

    /// Restores what was [saved](Self::save), before the first execution.
    fn restore(&mut self, _saved: &[u8]) -> Result<(), DecodeError> {
        Err(not_saved())
    }
}

/// The error of a search that is never saved.
pub(super) fn not_saved() -> DecodeError {
    DecodeError("nothing was saved".into())
}

/// The strategy of an explorer: a search by itself, or any strategy.
#[derive(Debug)]
pub(crate) enum Source {
    Strategy(Box<dyn Strategy>),
    Search(Box<dyn SearchStrategy>),
}

impl Source {
    /// Explores by a strategy that is no search.
    pub(crate) fn new(strategy: impl Strategy + 'static) -> Self {
        Self::Strategy(Box::new(strategy))
    }

    /// Explores by a search.
    pub(crate) fn by(search: impl SearchStrategy) -> Self {
        Self::Search(Box::new(search))
    }

    pub(crate) fn into_strategy(self) -> Box<dyn Strategy> {
        match self {
            Self::Strategy(strategy) => strategy,
            Self::Search(search) => search,
        }
    }

    pub(crate) fn strategy(&self) -> &dyn Strategy {
        match self {
            Self::Strategy(strategy) => &**strategy,
            Self::Search(search) => &**search,
        }
    }

    #[inline]
    pub(crate) fn strategy_mut(&mut self) -> &mut dyn Strategy {
        match self {
            Self::Strategy(strategy) => &mut **strategy,
            Self::Search(search) => &mut **search,
        }
    }

    pub(crate) fn search(&self) -> Option<&dyn SearchStrategy> {
        match self {
            Self::Strategy(_) => None,
            Self::Search(search) => Some(&**search),
        }
    }

    pub(crate) fn search_mut(&mut self) -> Option<&mut dyn SearchStrategy> {
        match self {
            Self::Strategy(_) => None,
            Self::Search(search) => Some(&mut **search),
        }
    }
}

/// Returns the path of an operation; a timer is identified by the event that it will send.
fn path(enabled: &Enabled<'_>, pending: &Pending) -> u64 {
    match pending.message {
        Some(message) if pending.operation.is_timer() => message.number(),
        _ => enabled.path(pending.operation),
    }
}

/// A frontier of work items.
pub(super) trait Frontier: fmt::Debug + Send + Sized + 'static {
    /// A work item: the strategy of one execution, which records what it observes.
    type Item: Strategy;

    /// The name and parameters, as `-s` takes them.
    fn name(&self) -> String;

    /// Returns the items of the next round, which are independent of each other. Their number depends only on
    /// the items taken back so far. The round is empty if nothing is left to explore, or if the search is to
    /// be [divided](Self::divide).
    fn round(&mut self) -> Vec<Self::Item>;

    /// Takes back an item after its execution; called in the order of the round.
    fn take(&mut self, item: Self::Item, ended: &Ended);

    /// Divides what is left to explore into independent parts, each of which ends soon; empty if the search
    /// is not to be divided now. The parts depend only on the items taken back so far.
    fn divide(&mut self) -> Vec<Self> {
        Vec::new()
    }

    /// Takes back a part, in the order of the parts; returns `false` if the parts after it are not needed.
    fn unite(&mut self, _part: Self) -> bool {
        false
    }

    /// Returns the state from which another process can continue, if the search can be saved now.
    fn save(&self) -> Option<Vec<u8>> {
        None
    }

    /// Continues from a saved state.
    fn restore(&mut self, _bytes: &[u8]) -> Result<(), DecodeError> {
        Err(not_saved())
    }

    /// Estimates the total number of behaviours: see [`SearchStrategy::extent`].
    fn extent(&self) -> Option<SizeEstimate>;

    /// Reports the coverage so far: see [`Strategy::covered`](crate::strategy::Strategy::covered).
    fn covered(&self) -> CoverageClaim;
}
