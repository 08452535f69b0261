//! Searches: who owns what is still to be explored.
//!
//! A [`Search`] owns a frontier of work items and asks for executions; the strategy of an item decides
//! within one. Items are handed out in rounds: those of a round don't depend on each other, and what
//! became of them is taken back in their order, so that it does not matter who runs them, and when.
//! A search that has become long may be divided besides: each of its parts is a search, which needs none
//! of the others.
//!
//! [`InTurn`] makes a strategy of a search, which runs one item after another. `StrategySpec::build`
//! calls it, and what explores, reports and records needs to know of nothing else.

mod attempt;
mod behaviours;
mod dpor;
mod search_strategy;
mod source_dpor;

use std::fmt;

use super::{CoverageClaim, Ended, SizeEstimate, Strategy};
use crate::codec::Damaged;

pub(crate) use attempt::{SearchBudget, budgeted_search};
pub(super) use behaviours::BehaviourSearch;
pub(super) use dpor::{Dpor, EXECUTION, RANDOM_JUMP_INTERVAL};
pub(super) use search_strategy::SearchStrategy;

/// The parts of one round have together no more executions than that.
pub(crate) const ROUND_MAX: u64 = 1 << 16;

/// Owns what is still to be explored.
pub(super) trait ExhaustiveSearch: fmt::Debug + Send + Sized + 'static {
    /// A work item: the strategy of one execution, which keeps what it has seen.
    type Item: Strategy;

    /// It can be [saved](Self::save) now and then.
    const IS_SAVED: bool = false;

    /// Into how many parts it can be [divided](Self::divide).
    const PARTS_MAX: usize = 0;

    /// The name and parameters, as `-s` takes them.
    fn name(&self) -> String;

    /// The items of the next round, which don't depend on each other. How many there are depends on
    /// what was taken back, and on nothing else. None, where nothing is left to explore, or where it is
    /// to be [divided](Self::divide).
    fn round(&mut self) -> Vec<Self::Item>;

    /// An item is back, in the order of its round.
    fn take(&mut self, item: Self::Item, ended: &Ended);

    /// Parts of what is left to explore, which don't depend on each other; none where it is not to be
    /// divided now. Each is a search that comes to an end soon. What they are depends on what was taken
    /// back, and on nothing else.
    fn divide(&mut self) -> Vec<Self> {
        Vec::new()
    }

    /// A part is back, in the order of the parts; `false` where those after it are not needed.
    fn unite(&mut self, _part: Self) -> bool {
        true
    }

    /// What another process needs to go on from here, where it can be told now.
    fn save(&self) -> Option<Vec<u8>> {
        None
    }

    /// Goes on from what was saved.
    fn restore(&mut self, _bytes: &[u8]) -> Result<(), Damaged> {
        Err(Damaged("nothing was saved".into()))
    }

    /// How much there seems to be in all: see [`Strategy::extent`].
    fn extent(&self) -> Option<SizeEstimate>;

    /// What was covered up to now: see [`Strategy::covered`].
    fn covered(&self) -> CoverageClaim;
}
