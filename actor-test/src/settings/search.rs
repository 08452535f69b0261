//! Which strategies a test is explored with.

use crate::strategy::{StrategySpec, portfolio};

/// Which strategies a test is explored with.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Search {
    /// The default: several strategies, of which those that show what is new have more turns.
    Portfolio,
    /// As [`Portfolio`](Search::Portfolio), fair strategies only.
    FairPortfolio,
    /// The strategies of the portfolio in turn, whatever they show: to compare with.
    RoundRobin,
    /// What Coyote's portfolio is made of, in turn: to compare with. A uniform walk, a probabilistic
    /// one, priorities with ten change points, and round robin with ten delays, each of the latter
    /// two with a fair suffix.
    Coyote,
    /// A proof: each behaviour once, by [`Dpor`](StrategySpec::Dpor); where that can't follow the
    /// program, each state once, by [`States`](StrategySpec::States); and where that can't either, as
    /// [`Portfolio`](Search::Portfolio). Where nothing is proved, and no bug is found, the report is
    /// [unproved](crate::Report::is_unproved).
    Exhaustive,
    /// The same by this search alone.
    ExhaustiveBy(StrategySpec),
    /// These, in turn.
    Strategies(Vec<StrategySpec>),
}

impl Search {
    /// The strategies that may have a turn; of a proof, those that take samples in the end.
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

    /// What begins: of a proof the first search, and else all strategies.
    pub(crate) fn first(&self) -> Vec<StrategySpec> {
        match self {
            Self::Exhaustive => vec![StrategySpec::Dpor(None)],
            _ => self.strategies(),
        }
    }

    /// Nothing less than a proof is wanted.
    pub(crate) fn wants_proof(&self) -> bool {
        matches!(self, Self::Exhaustive | Self::ExhaustiveBy(_))
    }
}
