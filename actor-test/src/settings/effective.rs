//! The settings of a test as they hold, with their defaults.

use std::path::PathBuf;
use std::time::Duration;

use crate::hash::mix;
use crate::settings::{Bounds, Deny, Partition, Search, Semantics};
use crate::strategy::{Placement, StrategySpec};

/// How a test is explored. Every field has a default; see each.
#[derive(Clone, PartialEq, Debug)]
#[non_exhaustive]
pub struct Settings {
    /// How many executions. Default 100.
    pub iterations: u64,
    /// From which every execution's seed is derived. Default 0, so that a run without settings
    /// does the same today and tomorrow; another seed explores other schedules.
    pub seed: u64,
    /// Which strategies take turns. Default [`Search::Portfolio`].
    pub search: Search,
    /// How far an execution goes, and what is too hot.
    pub bounds: Bounds,
    /// Find bounds that fit the program instead: 200 uniform walks come first, and what they show
    /// takes the place of `bounds`. Default no.
    pub calibrate: bool,
    /// How actors behave where the framework leaves a choice.
    pub semantics: Semantics,
    /// How many threads explore; the result is the same for any number. Default 1.
    pub workers: usize,
    /// Go on after the first bug, and collect those that differ. Default no.
    pub keep_going: bool,
    /// Stop where the executions together have taken so many steps, after 100 executions at least: the
    /// same on every machine, and for any number of workers. Twenty more are counted for the
    /// start of each execution. With several executions planned at a time, the last of them may go a
    /// little beyond. Default: no such end. A test marked `#[actor_test]` that names no end has one, of
    /// about two seconds of one core in `cargo actor-test` and a fifth of that under `cargo test`.
    pub step_budget: Option<u64>,
    /// Try whether an exhaustive search proves the test, [by behaviours](StrategySpec::Dpor) or
    /// [by states](StrategySpec::States), for so many steps at the most: where one ends within them, what it
    /// says is the result. Samples come first, and as long as there are any, the searches may have a quarter
    /// of the steps that these have had. Where none ends, they leave no trace but the steps that they have
    /// spent of `step_budget`. What they compute between executions counts as well, so that they end at the
    /// same place on every machine. Default 0: don't. A test marked `#[actor_test]` that names neither an end
    /// nor strategies has a quarter of its budget for it. Where `search` names such a search, no other is
    /// tried.
    ///
    /// Under [`Search::Exhaustive`] it is what the search by states is worth: it is given up where it
    /// seems to need eight times as many steps, and where no end is in sight after four times as many.
    /// Default 0: it goes on as long as it can. A test marked `#[actor_test]` has its budget for it.
    pub prove: u64,
    /// How many executions are drawn at random besides, where an exhaustive search ends with a proof that
    /// supposes that actors share nothing but what the tester knows of. Where one of them fails, that is
    /// reported, and nothing is proved. Default 0. A test marked `#[actor_test]` has 100.
    pub samples_beside_proof: u64,
    /// Start no execution after so long. Default: no limit.
    pub time_limit: Option<Duration>,
    /// Stop when the search seems saturated: after at least 1000 executions, the later half of which
    /// has shown no new behaviour. Default no.
    pub until_saturated: bool,
    /// Which part of the search this process does. Default: all of it. The report of a part can be
    /// [merged](crate::Report::merge) with those of the others.
    pub partition: Option<Partition>,
    /// Write into this directory, now and then, from where an interrupted search can go on: one by
    /// `dpor`, as soon as it has become long. A fiftieth of the time may be spent on it. What the search
    /// does is the same. Default: don't.
    pub checkpoint: Option<PathBuf>,
    /// Which of several processes this is that explore one such search together: they share that
    /// directory, each explores its share of the parts of a round, and each ends with the result of the
    /// whole. Default: there are no others.
    pub shard: Option<Partition>,
    /// Go on from what such a search has left in that directory. It is to be of the same executable and
    /// settings; how many workers there are, and when it ends, may be another. Default no.
    pub resume: bool,
    /// Run one execution in so many twice, to find out whether it is deterministic; the first is
    /// always. Zero: never. Default 100.
    pub check_every: u64,
    /// Look for lassos: a state that repeats while something is owed is a liveness bug long before it
    /// would be too hot, where no schedule leads out of it. Default yes.
    pub lasso: bool,
    /// For how many steps a failing execution is run again to find what of it the bug can do without;
    /// zero leaves it as it was found. The steps are the same on every machine. Default 0. A test
    /// marked `#[actor_test]` has a budget if it names none: 20 million in `cargo actor-test`, which is
    /// about two seconds of one core, and 5 million under `cargo test`.
    pub minimize: u64,
    /// Look for the [causes](crate::causes) of the bugs that are found, in so many steps of further
    /// executions for all of them together, so that what is found is the same on every machine.
    /// Default 0: don't. A test marked `#[actor_test]` has four million, unless it expects a bug or
    /// nothing is to be minimised.
    pub explain: u64,
    /// The bug that the test is expected to have: a part of its message or kind.
    pub expect_bug: Option<String>,
    /// What fails the test though no execution failed. Default: nothing.
    pub deny: Deny,
    /// Mixed into the seed: combinations of parameters differ in their schedules too.
    pub(crate) salt: u64,
    /// An execution that ends the process says so, with the command that has it again.
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
    /// The same for a search of so many executions beside the test's own: on one worker, whole, and
    /// without what the test's search ends by or has to reach.
    pub(crate) fn beside(&self, iterations: u64) -> Self {
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

    /// What has failed is to be minimised, or its causes to be found.
    pub(crate) fn looks_again(&self) -> bool {
        self.minimize > 0 || self.explain > 0
    }

    /// The strategies that may have a turn. Where faults are asked for, a portfolio has each of its
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

    /// The searches for a proof, beside the strategies: the first of them first.
    pub(crate) fn searches(&self) -> Vec<StrategySpec> {
        match self.search {
            Search::Exhaustive => vec![StrategySpec::Dpor(None), StrategySpec::States(None)],
            Search::ExhaustiveBy(_) => Vec::new(),
            _ if self.prove == 0 || self.has_memory() => Vec::new(),
            _ => vec![StrategySpec::Dpor(None), StrategySpec::States(None)],
        }
    }

    /// A search was asked for by its name.
    fn has_memory(&self) -> bool {
        let strategies = self.search.strategies();
        strategies.iter().any(|spec| spec.build().has_memory())
    }

    /// The names of all strategies that may have a turn, after them the searches for a proof, and at last
    /// what a proof is doubted with.
    pub(crate) fn named_strategies(&self) -> Vec<String> {
        let doubt = (self.samples_beside_proof > 0).then_some(StrategySpec::Random);
        let all = self.strategies().into_iter().chain(self.searches());
        all.chain(doubt).map(|spec| spec.to_string()).collect()
    }

    /// The same for what begins: of a proof the first search, and else all.
    pub(crate) fn first(&self) -> Self {
        Self {
            search: match self.search {
                Search::Exhaustive => Search::Strategies(self.search.first()),
                _ => self.search.clone(),
            },
            ..self.clone()
        }
    }

    /// A portfolio has a bandit that learns where faults strike best.
    pub(crate) fn places_faults(&self) -> bool {
        let learns = matches!(
            self.search,
            Search::Portfolio | Search::FairPortfolio | Search::Exhaustive
        );
        learns && !self.semantics.faults.is_none()
    }

    /// What the executions of this test derive from.
    pub(crate) fn session(&self) -> u64 {
        match self.salt {
            0 => self.seed,
            salt => mix(self.seed, salt),
        }
    }
}
