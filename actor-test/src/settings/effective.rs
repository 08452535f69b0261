//! The effective settings of a test, with their defaults.

use std::path::PathBuf;
use std::time::Duration;

use crate::hash::mix;
use crate::settings::strategy::{Placement, StrategySpec};
use crate::settings::{Bounds, Deny, Partition, Search, Semantics};

/// The settings by which a test is explored.
///
/// The method of [`Tester`](crate::Tester) with the name of a field documents the setting.
#[derive(Clone, PartialEq, Debug)]
#[non_exhaustive]
pub struct Settings {
    pub iterations: u64,
    pub seed: u64,
    pub search: Search,
    pub bounds: Bounds,
    pub calibrate: bool,
    pub semantics: Semantics,
    pub workers: usize,
    pub keep_going: bool,
    pub step_budget: Option<u64>,
    pub prove: u64,
    pub samples_beside_proof: u64,
    pub time_limit: Option<Duration>,
    pub until_saturated: bool,
    pub partition: Option<Partition>,
    pub search_dir: Option<PathBuf>,
    pub check_every: u64,
    pub lasso: bool,
    pub minimize: u64,
    pub explain: u64,
    pub expect_bug: Option<String>,
    pub deny: Deny,
    /// A number mixed into the seed, so that combinations of parameters have different schedules.
    pub(crate) salt: u64,
    /// True if an execution that ends the process prints the command that reproduces it.
    pub(crate) last_words: bool,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            iterations: 100,
            seed: 0,
            search: Search::Portfolio,
            bounds: Bounds::default(),
            calibrate: false,
            semantics: Semantics::default(),
            workers: 1,
            keep_going: false,
            step_budget: None,
            prove: 0,
            samples_beside_proof: 0,
            time_limit: None,
            until_saturated: false,
            partition: None,
            search_dir: None,
            check_every: 100,
            lasso: true,
            minimize: 0,
            explain: 0,
            expect_bug: None,
            deny: Deny::default(),
            salt: 0,
            last_words: false,
        }
    }
}

impl Settings {
    /// Returns these settings for a separate search of `iterations` executions: on one worker, undivided,
    /// without the other ends, proofs and denied conditions of the test's own search.
    pub(crate) fn for_side_search(&self, iterations: u64) -> Self {
        Self {
            iterations,
            step_budget: None,
            prove: 0,
            samples_beside_proof: 0,
            time_limit: None,
            until_saturated: false,
            calibrate: false,
            partition: None,
            search_dir: None,
            workers: 1,
            deny: Deny::default(),
            ..self.clone()
        }
    }

    /// Returns these settings for one search, which ends by itself.
    pub(crate) fn for_search(&self, spec: &StrategySpec) -> Self {
        Self {
            search: Search::Strategies(vec![spec.clone()]),
            step_budget: None,
            ..self.clone()
        }
    }

    /// Returns the number of this process among several that explore one search together.
    pub(crate) fn shard(&self) -> Option<Partition> {
        let part = self.partition.filter(|_| self.search_dir.is_some())?;
        match &self.search.first()[..] {
            [only] if only.is_divisible() => Some(part),
            _ => None,
        }
    }

    /// Returns the part of a sample, which no other process knows, for this process.
    pub(crate) fn sample_part(&self) -> Option<Partition> {
        self.partition.filter(|_| self.shard().is_none())
    }

    /// Returns true if failing executions are minimised or their causes searched for.
    pub(crate) fn postprocesses_bugs(&self) -> bool {
        self.minimize > 0 || self.explain > 0
    }

    /// Returns the strategies that may have a turn. If faults are enabled, a portfolio combines each of its
    /// strategies with each placement of faults: first all with the first placement.
    pub(crate) fn strategies(&self) -> Vec<StrategySpec> {
        let strategies = self.search.strategies();
        if !self.places_faults() {
            return strategies;
        }
        let placed = |placement| {
            let spec =
                move |spec: &StrategySpec| StrategySpec::Placed(placement, Box::new(spec.clone()));
            strategies.iter().map(spec)
        };
        Placement::ALL.into_iter().flat_map(placed).collect()
    }

    /// Returns the searches that may prove the test, in their order, apart from the strategies.
    pub(crate) fn searches(&self) -> Vec<StrategySpec> {
        match self.search {
            Search::Exhaustive => vec![StrategySpec::Dpor(None), StrategySpec::States(None)],
            Search::ExhaustiveBy(_) => Vec::new(),
            _ if self.prove == 0 || self.has_memory() => Vec::new(),
            _ => vec![StrategySpec::Dpor(None), StrategySpec::States(None)],
        }
    }

    /// Returns true if a strategy is an exhaustive search or learns from earlier executions.
    fn has_memory(&self) -> bool {
        let strategies = self.search.strategies();
        strategies.iter().any(|spec| spec.has_memory())
    }

    /// Returns the names of all strategies that may have a turn, then of the searches for a proof, then of
    /// the strategy that samples beside a proof.
    pub(crate) fn named_strategies(&self) -> Vec<String> {
        let sampler = (self.samples_beside_proof > 0).then_some(StrategySpec::Random);
        let all = self.strategies().into_iter().chain(self.searches());
        all.chain(sampler).map(|spec| spec.to_string()).collect()
    }

    /// Returns the settings of the first search of a proof, or else the same settings.
    pub(crate) fn first(&self) -> Self {
        Self {
            search: match self.search {
                Search::Exhaustive => Search::Strategies(self.search.first()),
                _ => self.search.clone(),
            },
            ..self.clone()
        }
    }

    /// Returns true if the executions that sample are those of a portfolio.
    pub(crate) fn is_portfolio(&self) -> bool {
        matches!(
            self.search,
            Search::Portfolio | Search::FairPortfolio | Search::Exhaustive
        )
    }

    /// Returns true if a bandit learns the best placement of faults, as portfolios do.
    pub(crate) fn places_faults(&self) -> bool {
        self.is_portfolio() && !self.semantics.faults.is_none()
    }

    /// Returns the seed of this combination's executions: the seed mixed with the salt.
    pub(crate) fn session(&self) -> u64 {
        match self.salt {
            0 => self.seed,
            salt => mix(self.seed, salt),
        }
    }
}
