//! The effective settings of a test, with their defaults.

use std::path::PathBuf;
use std::time::Duration;

use crate::hash::mix;
use crate::settings::{Bounds, Deny, Partition, Search, Semantics};
use crate::strategy::{Placement, StrategySpec};

/// The settings by which a test is explored. Every field has a default; see each.
#[derive(Clone, PartialEq, Debug)]
#[non_exhaustive]
pub struct Settings {
    /// The number of executions. Default 100.
    pub iterations: u64,
    /// The seed from which the seed of every execution is derived. Default 0, so that a run without settings
    /// always does the same; another seed explores other schedules.
    pub seed: u64,
    /// The strategies that take turns. Default [`Search::Portfolio`].
    pub search: Search,
    /// The bounds on steps and temperature of an execution.
    pub bounds: Bounds,
    /// True if bounds that fit the program replace `bounds`; they are estimated from 200 uniform random walks
    /// that run first. Default false.
    pub calibrate: bool,
    /// The behaviour of actors where the framework leaves a choice.
    pub semantics: Semantics,
    /// The number of threads that explore; the result is the same for any number. Default 1.
    pub workers: usize,
    /// True if exploring continues after the first bug, to collect different bugs. Default false.
    pub keep_going: bool,
    /// The total number of steps of all executions after which exploring stops, after at least 100
    /// executions. The end is the same on every machine and for any number of workers. The start of each
    /// execution counts as 20 more steps. If several executions are planned at a time, the last of them may
    /// exceed the budget a little. Default: no budget. A test marked `#[actor_test]` without another end has
    /// a budget of about two seconds of one core in `cargo actor-test`, and a fifth of that under
    /// `cargo test`.
    pub step_budget: Option<u64>,
    /// The maximum number of steps for exhaustive searches that may prove the test,
    /// [by behaviours](StrategySpec::Dpor) or [by states](StrategySpec::States). If one ends within them, its
    /// result is the result. Samples run first; while there are any, the searches may take a quarter of the
    /// samples' steps. If none ends, the only effect is the steps spent of `step_budget`. Computation between
    /// executions counts as steps as well, so that a search ends at the same place on every machine. Default
    /// 0: no such search. A test marked `#[actor_test]` with neither an end nor strategies uses a quarter of
    /// its budget. If `search` names such a search, no other is tried.
    ///
    /// Under [`Search::Exhaustive`], the number limits the search by states instead: the search is abandoned
    /// if its estimate exceeds eight times as many steps, or if no end is in sight after four times as many.
    /// Default 0: no limit. A test marked `#[actor_test]` uses its budget.
    pub prove: u64,
    /// The number of random executions run in addition if an exhaustive search ends with a proof that assumes
    /// that actors share only what the tester observes. If one of them fails, its bug is reported, and
    /// nothing is proved. Default 0. A test marked `#[actor_test]` has 100.
    pub samples_beside_proof: u64,
    /// The time after which no execution starts. Default: no limit.
    pub time_limit: Option<Duration>,
    /// True if exploring stops when the search seems saturated: after at least 1000 executions, the later
    /// half of which showed no new behaviour. Default false.
    pub until_saturated: bool,
    /// The part of the search for this process. Default: the whole search. The report of a part can be
    /// [merged](crate::Report::merge) with those of the others.
    pub partition: Option<Partition>,
    /// The directory for checkpoints, from which an interrupted search by `dpor` or `dfs` can resume.
    /// Checkpoints begin once the search has become long, take at most a fiftieth of the time, and do not
    /// change the search. Default: none.
    pub checkpoint: Option<PathBuf>,
    /// The number of this process among several that explore one such search together. They share the
    /// checkpoint directory, each explores its share of the parts of a round, and each ends with the result
    /// of the whole. Default: one process.
    pub shard: Option<Partition>,
    /// True if such a search resumes from the checkpoint in that directory. The executable and the settings
    /// must be the same, except for the number of workers and the end. Default false.
    pub resume: bool,
    /// The interval of executions that run twice, the first included, to detect nondeterminism. Zero: none.
    /// Default 100.
    pub check_every: u64,
    /// True if lassos are detected: a state that repeats with a pending obligation is a liveness bug long
    /// before the temperature is exceeded, if no schedule leaves the cycle. Default true.
    pub lasso: bool,
    /// The budget in steps for re-executing a failing execution to minimise it; zero disables it. Steps give
    /// the same result on every machine. Default 0. A test marked `#[actor_test]` that sets none has 20
    /// million in `cargo actor-test`, about two seconds of one core, and 5 million under `cargo test`.
    pub minimize: u64,
    /// The budget in steps for executions that search for the [causes](crate::causes) of all bugs together.
    /// Steps give the same result on every machine. Default 0: no search. A test marked `#[actor_test]` has
    /// four million, unless it expects a bug or minimising is disabled.
    pub explain: u64,
    /// The bug that the test is expected to have: a part of its message or kind.
    pub expect_bug: Option<String>,
    /// The conditions that fail the test though no execution failed. Default: none.
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
            checkpoint: None,
            shard: None,
            resume: false,
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
            checkpoint: None,
            shard: None,
            resume: false,
            workers: 1,
            deny: Deny::default(),
            ..self.clone()
        }
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
        strategies.iter().any(|spec| spec.build().has_memory())
    }

    /// Returns the names of all strategies that may have a turn, then of the searches for a proof, then of
    /// the strategy that samples beside a proof.
    pub(crate) fn named_strategies(&self) -> Vec<String> {
        let doubt = (self.samples_beside_proof > 0).then_some(StrategySpec::Random);
        let all = self.strategies().into_iter().chain(self.searches());
        all.chain(doubt).map(|spec| spec.to_string()).collect()
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

    /// Returns true if a bandit learns the best placement of faults, as portfolios do.
    pub(crate) fn places_faults(&self) -> bool {
        let learns = matches!(
            self.search,
            Search::Portfolio | Search::FairPortfolio | Search::Exhaustive
        );
        learns && !self.semantics.faults.is_none()
    }

    /// Returns the seed of this combination's executions: the seed mixed with the salt.
    pub(crate) fn session(&self) -> u64 {
        match self.salt {
            0 => self.seed,
            salt => mix(self.seed, salt),
        }
    }
}
