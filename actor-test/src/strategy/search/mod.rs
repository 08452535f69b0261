//! Exhaustive searches with a frontier of work items, explored in rounds or in parts.
//!
//! A [`ExhaustiveSearch`] owns the frontier and asks for executions; the strategy of an item decides within one. The
//! items of a round are independent, and their results are taken back in the order of the round. So the
//! result is the same whichever worker runs an item, and whenever. A long search can also be divided into
//! independent parts, each of which is a search.
//!
//! [`SearchStrategy`] turns a search into a strategy that runs one item after another. `StrategySpec::build` calls
//! `SearchStrategy`, and the exploring and reporting code only sees that strategy.

mod behaviours;
mod dpor;
mod search_strategy;
mod source_dpor;
mod try_prove;

use std::fmt;

use super::{CoverageClaim, Ended, SizeEstimate, Strategy};
use crate::codec::DecodeError;

pub(super) use behaviours::BehaviourSearch;
pub(super) use dpor::{Dpor, EXECUTION};
pub(super) use search_strategy::SearchStrategy;
pub(crate) use try_prove::{SearchBudget, budgeted_search};

/// The maximal number of executions of all parts of one round together.
pub(crate) const ROUND_MAX: u64 = 1 << 16;

/// A search that owns a frontier of work items.
pub(super) trait ExhaustiveSearch: fmt::Debug + Send + Sized + 'static {
    /// A work item: the strategy of one execution, which records what it observes.
    type Item: Strategy;

    /// True if the search supports [`save`](Self::save).
    const IS_SAVED: bool = false;

    /// The number of parts into which the search can be [divided](Self::divide).
    const PARTS_MAX: usize = 0;

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
        true
    }

    /// Returns the state from which another process can continue, if the search can be saved now.
    fn save(&self) -> Option<Vec<u8>> {
        None
    }

    /// Continues from a saved state.
    fn restore(&mut self, _bytes: &[u8]) -> Result<(), DecodeError> {
        Err(DecodeError("nothing was saved".into()))
    }

    /// Estimates the total number of behaviours: see [`Strategy::extent`].
    fn extent(&self) -> Option<SizeEstimate>;

    /// Reports the coverage so far: see [`Strategy::covered`].
    fn covered(&self) -> CoverageClaim;
}
