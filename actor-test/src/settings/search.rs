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
    /// These, in turn.
    Strategies(Vec<StrategySpec>),
}

impl Search {
    /// The strategies that may have a turn.
    pub fn strategies(&self) -> Vec<StrategySpec> {
        match self {
            Self::Portfolio => portfolio::strategies(false),
            Self::FairPortfolio => portfolio::strategies(true),
            Self::RoundRobin => portfolio::strategies(false),
            Self::Coyote => portfolio::coyote(),
            Self::Strategies(specs) => specs.clone(),
        }
    }
}
