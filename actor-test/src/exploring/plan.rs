//! The plan: which strategy each iteration runs under.

use std::sync::Arc;

use crate::exploring::bandit::Bandit;
use crate::exploring::explorer::execution_seed;
use crate::exploring::lengths::Lengths;
use crate::exploring::summary::Novelty;
use crate::settings::partition::Partition;
use crate::settings::token::{Named, token};
use crate::settings::{Search, Settings};
use crate::strategy::StrategySpec;

/// How many pilot executions there are.
pub(crate) const PILOTS: u64 = 5;

/// How many executions there are in the first epoch, where something is to be done between epochs though no
/// bandit learns; in those after it, as many as in all before.
const FIRST_EPOCH: u64 = 8;

/// Which strategy each iteration of a test runs under, epoch after epoch.
///
/// Within an epoch every iteration's strategy is fixed before the first of them runs, and what a
/// portfolio learns from an epoch changes only those after it. So the number of workers, and the
/// order in which they finish, change nothing.
#[derive(Debug)]
pub(crate) struct Plan {
    strategies: Vec<StrategySpec>,
    /// So many of them take turns, where no bandit chooses.
    taking_turns: usize,
    bandit: Option<Bandit>,
    /// There are several epochs: strategies are told how long executions are, or searches go on between.
    has_epochs: bool,
    /// Which strategies are to be told how long executions are.
    need_length: Arc<[bool]>,
    /// What is known of that.
    lengths: Lengths,
    session: u64,
    partition: Partition,
    /// How many executions this process is to run.
    count: u64,
    planned: u64,
}

/// A range of executions with their strategies. Executions are counted within the partition.
#[derive(Clone, Debug)]
pub(crate) struct Epoch {
    pub(crate) from: u64,
    pub(crate) to: u64,
    turns: Turns,
    need_length: Arc<[bool]>,
    /// What the epochs before have shown.
    lengths: Lengths,
    session: u64,
    partition: Partition,
}

#[derive(Clone, Debug)]
enum Turns {
    /// So many strategies take turns by iteration.
    Each(usize),
    /// The strategy of each execution.
    Assigned(Vec<usize>),
}

/// An iteration, its strategy, by position, and the length that it is told, if it is told any.
#[derive(Clone, Copy, Debug)]
pub struct Turn {
    /// Its number.
    pub iteration: u64,
    /// The position of its strategy.
    pub strategy: usize,
    /// What the strategy is told of the length of the execution.
    pub length: Option<u64>,
}

impl Turn {
    /// An iteration of the first strategy, which is told no length.
    pub fn of_first(iteration: u64) -> Self {
        Self {
            iteration,
            strategy: 0,
            length: None,
        }
    }

    /// The token of the execution; `strategy` is the strategy's name.
    pub(crate) fn token(&self, strategy: &str, settings: &Settings) -> String {
        token(Named {
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

impl Plan {
    pub(crate) fn new(settings: &Settings) -> Self {
        let bandit = match settings.search {
            Search::Portfolio | Search::FairPortfolio => Some(Bandit::of(settings)),
            _ => None,
        };
        let strategies = settings.strategies();
        let need_length = strategies.iter().map(|spec| spec.build().needs_length());
        let need_length: Arc<[bool]> = need_length.collect();
        let partition = settings.partition.unwrap_or_default();
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

    /// A plan for one strategy, whatever the settings say of strategies.
    pub(crate) fn of_one(settings: &Settings, needs_length: bool) -> Self {
        Self {
            bandit: None,
            taking_turns: 1,
            has_epochs: needs_length,
            need_length: Arc::new([needs_length]),
            ..Self::new(settings)
        }
    }

    /// All strategies that may have a turn.
    pub(crate) fn strategies(&self) -> &[StrategySpec] {
        &self.strategies
    }

    /// The pilots are iterations like others, and count. In a part of a search they don't, since all
    /// parts have the same.
    pub(crate) fn counts_pilots(&self) -> bool {
        self.bandit.is_some() && self.partition.is_whole()
    }

    /// The executions that can be planned now, `most` at the most; `None` when all are.
    pub(crate) fn next_epoch(&mut self, most: u64) -> Option<Epoch> {
        let from = self.planned;
        let left = (self.count - from).min(most);
        let (length, turns) = match &mut self.bandit {
            _ if left == 0 => return None,
            None if self.has_epochs => {
                let length = from.max(FIRST_EPOCH).min(left);
                (length, Turns::Each(self.taking_turns))
            }
            None => (left, Turns::Each(self.taking_turns)),
            Some(bandit) => {
                let assigned =
                    bandit.assign(left, |execution| self.partition.iteration(from + execution));
                (assigned.len() as u64, Turns::Assigned(assigned))
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

    /// So many executions were run before.
    pub(crate) fn go_on_after(&mut self, executions: u64) {
        self.planned = executions.min(self.count);
    }

    /// Takes note of how long an execution was.
    pub(crate) fn measure(&mut self, contended_steps: u64) {
        self.lengths.add(contended_steps);
    }

    /// Takes note of what an execution under a strategy showed.
    pub(crate) fn learn(&mut self, strategy: usize, novelty: &Novelty) {
        if let Some(bandit) = &mut self.bandit {
            bandit.learn(strategy, novelty);
        }
    }
}

impl Epoch {
    /// The turn of an execution of this epoch.
    pub(crate) fn turn(&self, execution: u64) -> Turn {
        let iteration = self.partition.iteration(execution);
        let strategy = match &self.turns {
            Turns::Each(strategies) => (iteration % *strategies as u64) as usize,
            Turns::Assigned(assigned) => assigned[(execution - self.from) as usize],
        };
        let needs_length = self.need_length[strategy];
        let seed = execution_seed(self.session, iteration);
        let length = needs_length.then(|| self.lengths.draw(seed)).flatten();
        Turn {
            iteration,
            strategy,
            length,
        }
    }

    /// The seed of a turn.
    pub(crate) fn seed(&self, turn: Turn) -> u64 {
        execution_seed(self.session, turn.iteration)
    }
}
