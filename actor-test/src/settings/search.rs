//! The selection of strategies for a test: a portfolio, a proof, or a list.

use crate::settings::strategy::{StrategySpec, portfolio};

/// The strategies with which a test is explored.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Search {
    /// The default: several strategies; those that show new behaviour get more turns.
    Portfolio,
    /// The fair strategies of [`Portfolio`](Search::Portfolio).
    FairPortfolio,
    /// The strategies of the portfolio in fixed turns, as a baseline for comparison.
    RoundRobin,
    /// The strategies of Coyote's portfolio in fixed turns, as a baseline for comparison: a uniform walk, a
    /// probabilistic one, priorities with ten change points, and round robin with ten delays. The latter two
    /// have a fair suffix.
    Coyote,
    /// A proof. [`Dpor`](StrategySpec::Dpor) runs each behaviour once. If the program is outside its model,
    /// [`States`](StrategySpec::States) visits each state once. If that can't follow the program either,
    /// [`Portfolio`](Search::Portfolio) runs. If nothing is proved and no bug is found, the report is
    /// [unproved](crate::Report::is_unproved).
    Exhaustive,
    /// A proof by only this search.
    ExhaustiveBy(StrategySpec),
    /// The given strategies, in fixed turns.
    Strategies(Vec<StrategySpec>),
}

impl Search {
    /// Returns the strategies that may have a turn; for a proof, those that sample if it fails.
    pub fn strategies(&self) -> Vec<StrategySpec> {
        match self {
            Self::Portfolio | Self::Exhaustive => portfolio::strategies(false),
            Self::FairPortfolio => portfolio::strategies(true),
            Self::RoundRobin => portfolio::strategies(false),
            Self::Coyote => portfolio::coyote(),
            Self::ExhaustiveBy(spec) => vec![spec.clone()],
            Self::Strategies(specs) => specs.clone(),
        }
    }

    /// Returns the first search of a proof, or else all strategies.
    pub(crate) fn first(&self) -> Vec<StrategySpec> {
        match self {
            Self::Exhaustive => vec![StrategySpec::Dpor(None)],
            _ => self.strategies(),
        }
    }

    /// Returns true if a proof is required.
    pub(crate) fn wants_proof(&self) -> bool {
        matches!(self, Self::Exhaustive | Self::ExhaustiveBy(_))
    }
}
