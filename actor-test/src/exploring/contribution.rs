//! The data of one execution that leaves its explorer: its contribution to the report, and its novelty.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::engine::{Outcome, RecordedDecision};
use crate::hash::mix;
use crate::report::confirmation::Confirmation;
use crate::settings::turn::StrategyTurn;

/// The contribution of one execution to the report.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Contribution {
    pub(crate) iteration: u64,
    pub(crate) strategy: usize,
    /// The expected length given to the strategy.
    pub(crate) length: Option<u64>,
    pub(crate) seed: u64,
    /// The seed of the random bytes in place of the operating system's.
    pub(crate) system: u64,
    pub(crate) outcome: Outcome,
    /// The decisions, if a bug was found.
    pub(crate) decisions: Vec<RecordedDecision>,
    /// The duration, if several strategies are compared; else zero.
    pub(crate) elapsed: Duration,
    /// The result of fair continuations, for a suspected liveness bug.
    pub(crate) confirmation: Option<Confirmation>,
    /// The temperature above which an obligation is suspected.
    pub(crate) threshold: u64,
}

impl Contribution {
    /// Returns the turn of the execution.
    pub(crate) fn turn(&self) -> StrategyTurn {
        StrategyTurn {
            iteration: self.iteration,
            strategy: self.strategy,
            length: self.length,
        }
    }

    /// Renumbers the execution, once its turn is known.
    pub(crate) fn counted_as(self, turn: StrategyTurn, seed: u64) -> Self {
        Self {
            iteration: turn.iteration,
            strategy: turn.strategy,
            length: turn.length,
            seed,
            ..self
        }
    }

    /// Returns true if an obligation is suspected to stay pending for ever.
    pub(crate) fn is_suspected(&self) -> bool {
        self.outcome.finding.is_some() && self.outcome.suspicion.is_some()
    }

    /// Returns true if a state search has proved that the obligation can stay pending on some schedule.
    pub(crate) fn is_proved(&self) -> bool {
        let suspicion = self.outcome.suspicion;
        let cycle = suspicion.and_then(|suspicion| suspicion.cycle);
        cycle.is_some_and(|cycle| cycle.is_searched())
    }
}

/// Returns the seed of an iteration.
pub(crate) fn execution_seed(session: u64, iteration: u64) -> u64 {
    mix(mix(session, 0x5e55_1077), iteration)
}

/// The new discoveries of an execution.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Novelty {
    pub(crate) steps: u64,
    /// True if an obligation could be pending.
    pub(crate) wants_liveness: bool,
    /// One if the behaviour is new.
    pub(crate) behaviours: u32,
    /// The number of new combinations of monitor and actor states.
    pub(crate) combinations: u32,
    /// The number of predicates and labels reached for the first time.
    pub(crate) waypoints: u32,
}
