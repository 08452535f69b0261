//! The plan of an exploration: the strategy of each iteration, epoch by epoch.

use std::sync::Arc;

use crate::exploring::bandit::Bandit;
use crate::exploring::contribution::{Novelty, execution_seed};
use crate::exploring::lengths::Lengths;
use crate::settings::partition::Partition;
use crate::settings::strategy::StrategySpec;
use crate::settings::turn::StrategyTurn;
use crate::settings::{Search, Settings};

/// The length of the first epoch, if epochs are needed without a bandit; later epochs double the total.
const FIRST_EPOCH: u64 = 8;

/// The plan: assigns a strategy to each iteration, epoch by epoch.
///
/// Within an epoch the strategies are fixed before the first iteration runs, and a portfolio learns from an
/// epoch only for later ones. So the number of workers, and the order in which they finish, do not matter.
#[derive(Debug)]
pub(crate) struct Plan {
    strategies: Vec<StrategySpec>,
    /// The number of strategies that take turns, if no bandit draws them.
    taking_turns: usize,
    bandit: Option<Bandit>,
    /// True if there are several epochs: strategies need lengths, or searches run between epochs.
    has_epochs: bool,
    /// The flags of the strategies that need the expected length of executions.
    need_length: Arc<[bool]>,
    /// The lengths so far.
    lengths: Lengths,
    session: u64,
    partition: Partition,
    /// The number of executions of this process.
    count: u64,
    planned: u64,
}

/// A range of executions with their strategies. Executions are counted within the partition.
#[derive(Clone, Debug)]
pub(crate) struct Epoch {
    pub(crate) from: u64,
    pub(crate) to: u64,
    turns: TurnAssignment,
    need_length: Arc<[bool]>,
    /// The lengths in the earlier epochs.
    lengths: Lengths,
    session: u64,
    partition: Partition,
}

#[derive(Clone, Debug)]
enum TurnAssignment {
    /// The number of strategies that take turns by iteration.
    Each(usize),
    /// The strategy of each execution.
    Assigned(Vec<usize>),
}

impl Plan {
    pub(crate) fn new(settings: &Settings) -> Self {
        let bandit = match settings.search {
            Search::Portfolio | Search::FairPortfolio => Some(Bandit::of(settings)),
            _ => None,
        };
        let strategies = settings.strategies();
        let need_length = strategies.iter().map(|spec| spec.build().needs().length);
        let need_length: Arc<[bool]> = need_length.collect();
        let partition = settings.sample_part().unwrap_or_default();
        Self {
            taking_turns: strategies.len(),
            has_epochs: need_length.contains(&true) || !settings.searches().is_empty(),
            need_length,
            lengths: Lengths::default(),
            session: settings.session(),
            strategies,
            bandit,
            partition,
            count: partition.count(settings.iterations),
            planned: 0,
        }
    }

    /// Creates a plan for one strategy, whatever strategies the settings name.
    pub(crate) fn of_one(settings: &Settings, needs_length: bool) -> Self {
        Self {
            bandit: None,
            taking_turns: 1,
            has_epochs: needs_length,
            need_length: Arc::new([needs_length]),
            ..Self::new(settings)
        }
    }

    pub(crate) fn strategies(&self) -> &[StrategySpec] {
        &self.strategies
    }

    /// Returns true if pilots count as iterations; in a part of a search they don't, as all parts share
    /// them.
    pub(crate) fn counts_pilots(&self) -> bool {
        self.bandit.is_some() && self.partition.is_whole()
    }

    /// Plans the next epoch of at most `most` executions; `None` if none are left.
    pub(crate) fn next_epoch(&mut self, most: u64) -> Option<Epoch> {
        let from = self.planned;
        let left = (self.count - from).min(most);
        let (length, turns) = match &mut self.bandit {
            _ if left == 0 => return None,
            None if self.has_epochs => {
                let length = from.max(FIRST_EPOCH).min(left);
                (length, TurnAssignment::Each(self.taking_turns))
            }
            None => (left, TurnAssignment::Each(self.taking_turns)),
            Some(bandit) => {
                let assigned =
                    bandit.assign(left, |execution| self.partition.iteration(from + execution));
                (assigned.len() as u64, TurnAssignment::Assigned(assigned))
            }
        };
        self.planned += length;
        Some(Epoch {
            from,
            to: from + length,
            turns,
            need_length: self.need_length.clone(),
            lengths: self.lengths.clone(),
            session: self.session,
            partition: self.partition,
        })
    }

    /// Resumes the plan after that many executions.
    pub(crate) fn go_on_after(&mut self, executions: u64) {
        self.planned = executions.min(self.count);
    }

    /// Records the length of an execution.
    pub(crate) fn measure(&mut self, contended_steps: u64) {
        self.lengths.add(contended_steps);
    }

    /// Records what an execution under a strategy showed.
    pub(crate) fn learn(&mut self, strategy: usize, novelty: &Novelty) {
        if let Some(bandit) = &mut self.bandit {
            bandit.learn(strategy, novelty);
        }
    }
}

impl Epoch {
    pub(crate) fn turn(&self, execution: u64) -> StrategyTurn {
        let iteration = self.partition.iteration(execution);
        let strategy = match &self.turns {
            TurnAssignment::Each(strategies) => (iteration % *strategies as u64) as usize,
            TurnAssignment::Assigned(assigned) => assigned[(execution - self.from) as usize],
        };
        let needs_length = self.need_length[strategy];
        let seed = execution_seed(self.session, iteration);
        let length = needs_length.then(|| self.lengths.draw(seed)).flatten();
        StrategyTurn {
            iteration,
            strategy,
            length,
        }
    }

    pub(crate) fn seed(&self, turn: StrategyTurn) -> u64 {
        execution_seed(self.session, turn.iteration)
    }
}
