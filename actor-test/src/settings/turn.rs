//! Turns of an exploration: [`StrategyTurn`].

use crate::settings::Settings;
use crate::settings::token::{ParsedToken, token};

/// A turn: an iteration, its strategy by position, and the expected length, if the strategy needs it.
#[derive(Clone, Copy, Debug)]
pub struct StrategyTurn {
    /// The number of the iteration.
    pub iteration: u64,
    /// The position of the strategy.
    pub strategy: usize,
    /// The expected length of the execution, as given to the strategy.
    pub length: Option<u64>,
}

impl StrategyTurn {
    /// Creates a turn of the first strategy without an expected length.
    pub fn of_first(iteration: u64) -> Self {
        Self {
            iteration,
            strategy: 0,
            length: None,
        }
    }

    /// Returns the token of the execution; `strategy` is the strategy's name.
    pub(crate) fn token(&self, strategy: &str, settings: &Settings) -> String {
        token(ParsedToken {
            strategy,
            seed: settings.seed,
            iteration: self.iteration,
            length: self.length,
            faults: settings.semantics.faults,
            delivery: settings.semantics.delivery,
            clocks: settings.semantics.clocks,
        })
    }
}
