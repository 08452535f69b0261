//! One worker of an exploration: an engine with its strategies, which runs one execution at a time.

use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::data::bug::{BugKind, Finding};
use crate::data::coverage_claim::CoverageClaim;
use crate::data::extent::SizeEstimate;
use crate::engine::{
    EndReason, Engine, ObligationWatch, Observations, Outcome, Program, RecordLevel,
    RecordedDecision, RunOptions,
};
use crate::exploring::contribution::{Contribution, execution_seed};
use crate::hash::mix;
use crate::protocol::crash_marker;
use crate::replay::decision_log;
use crate::replay::{nondeterminism, replay_on};
use crate::report::words::{self, CommandContext};
use crate::settings::Settings;
use crate::settings::turn::StrategyTurn;
use crate::strategy::{
    Estimates, Execution, Needs, PILOTS, PilotWalk, Placed, Random, SearchStrategy, Source,
    Strategy,
};
use crate::worker_registry::{self, UNKNOWN, WorkerStatus};

/// A survey in progress, and the strategy that it replaces.
pub(crate) struct Pilots {
    survey: PilotWalk,
    replaced: Option<Source>,
}

/// The data to build another explorer in a thread of its own.
pub(crate) struct ExplorerSeed<'a> {
    test: String,
    settings: &'a Settings,
    names: Vec<String>,
    first: usize,
    begun: Instant,
}

impl<'a> ExplorerSeed<'a> {
    /// Returns true if the test's time is over.
    pub(crate) fn is_late(&self) -> bool {
        let limit = self.settings.time_limit;
        limit.is_some_and(|limit| self.begun.elapsed() >= limit)
    }

    /// Builds the explorer, whose strategy is to be [replaced](Explorer::replace).
    pub(crate) fn build(&self) -> Explorer<'a> {
        let strategies = vec![Source::new(Random::new())];
        Explorer {
            specs: self.names.clone(),
            // The last words would name an iteration.
            place: None,
            counts: false,
            begun: self.begun,
            first: self.first,
            ..Explorer::new(&self.test, self.settings, strategies)
        }
    }
}

/// One worker: an engine and its strategies.
pub(crate) struct Explorer<'a> {
    settings: &'a Settings,
    engine: Engine,
    strategies: Vec<Option<Source>>,
    /// The position of the first strategy among all that the test may be explored with.
    first: usize,
    estimates: Arc<Estimates>,
    pilots: u64,
    threshold: u64,
    status: Arc<WorkerStatus>,
    /// The context of printed commands, if last words are wanted.
    place: Option<CommandContext>,
    /// The names of the strategies, for last words.
    specs: Vec<String>,
    begun: Instant,
    /// True if the iterations of executions are known.
    counts: bool,
}

impl<'a> Explorer<'a> {
    pub(crate) fn new(test: &str, settings: &'a Settings, strategies: Vec<Source>) -> Self {
        let mut engine = Engine::idle(settings.bounds, settings.semantics, None);
        engine.set_lasso_detection(settings.lasso);
        engine.keep_view(settings.until_saturated);
        let status = worker_registry::register_worker(test, engine.heartbeat());
        let has_faults = !settings.semantics.faults.is_none();
        let placed = |source| match source {
            Source::Strategy(strategy) if has_faults && !strategy.needs().faults => {
                Source::new(Placed::new(strategy))
            }
            source => source,
        };
        Self {
            place: settings.last_words.then(CommandContext::of_shell),
            specs: strategies
                .iter()
                .map(|source| source.strategy().name())
                .collect(),
            settings,
            engine,
            strategies: strategies.into_iter().map(placed).map(Some).collect(),
            first: 0,
            estimates: Arc::default(),
            pilots: 0,
            threshold: settings.bounds.temperature(),
            status,
            counts: true,
            begun: crate::wall_clock::now(),
        }
    }

    /// Returns the data to build another explorer, for a worker that explores parts of a strategy's search.
    pub(crate) fn beside(&self) -> ExplorerSeed<'a> {
        ExplorerSeed {
            test: self.status.test.clone(),
            settings: self.settings,
            names: self.specs.clone(),
            first: self.first,
            begun: self.begun,
        }
    }

    /// Numbers its strategies after the first `first` ones of the test.
    pub(crate) fn after(self, first: usize) -> Self {
        Self { first, ..self }
    }

    pub(crate) fn names(&self) -> Vec<String> {
        self.strategies
            .iter()
            .flatten()
            .map(|source| source.strategy().name())
            .collect()
    }

    /// Returns the coverage claim of each strategy.
    pub(crate) fn covered(&self) -> Vec<CoverageClaim> {
        self.strategies
            .iter()
            .flatten()
            .map(|source| source.strategy().covered())
            .collect()
    }

    /// Returns the search, if the only strategy is one.
    pub(crate) fn search(&self) -> Option<&dyn SearchStrategy> {
        match &self.strategies[..] {
            [Some(only)] => only.search(),
            _ => None,
        }
    }

    pub(crate) fn search_mut(&mut self) -> Option<&mut dyn SearchStrategy> {
        match &mut self.strategies[..] {
            [Some(only)] => only.search_mut(),
            _ => None,
        }
    }

    /// Returns the estimated size of the search space, if the only strategy has an estimate.
    pub(crate) fn extent(&self) -> Option<SizeEstimate> {
        self.search()?.extent()
    }

    /// Replaces the first strategy, and returns the old one.
    pub(crate) fn replace(&mut self, strategy: Source) -> Source {
        let before = self.strategies[0].replace(strategy);
        before.expect("a strategy is back when it is due")
    }

    pub(crate) fn observed(&self) -> Observations {
        self.engine.observed()
    }

    /// Returns true if a strategy needs something.
    pub(crate) fn needs(&self, what: fn(&Needs) -> bool) -> bool {
        let mut sources = self.strategies.iter().flatten();
        sources.any(|source| what(&source.strategy().needs()))
    }

    /// Runs pilot executions to estimate the work of operations and the lengths, if a strategy needs them;
    /// returns the lengths. The pilots have the seeds of the first iterations, so that each process, and
    /// the reproduction of a single iteration, gets the same estimates. Pilots don't count, and the
    /// iterations will find any bug in them.
    pub(crate) fn run_pilots(&mut self, program: &dyn Program) -> Vec<u64> {
        let needed = self.needs(|needs| needs.estimates || needs.length);
        if !needed && self.settings.sample_part().is_none() {
            return Vec::new();
        }
        // A separate engine keeps the pilots' observations from being counted.
        let survey = PilotWalk::new();
        let strategies = vec![Source::new(survey.clone())];
        let mut scout = Self::new(&self.status.test, self.settings, strategies);
        let mut lengths = Vec::new();
        for iteration in 0..PILOTS {
            let outcome = scout
                .run_turn(program, StrategyTurn::of_first(iteration))
                .outcome;
            self.pilots = mix(self.pilots, mix(outcome.class, outcome.steps));
            lengths.push(outcome.contended_steps);
        }
        self.estimates = Arc::new(survey.estimates());
        lengths
    }

    /// Replaces the first strategy by a uniform walk that measures.
    pub(crate) fn begin_survey(&mut self) -> Pilots {
        let survey = PilotWalk::new();
        let replaced = self.strategies[0].replace(Source::new(survey.clone()));
        Pilots { survey, replaced }
    }

    /// Restores the strategy, and takes the measured estimates.
    pub(crate) fn end_survey(&mut self, pilots: Pilots) {
        self.strategies[0] = pilots.replaced;
        self.estimates = Arc::new(pilots.survey.estimates());
    }

    /// Returns a hash of the pilots, by which the parts of a search check that they test one program.
    pub(crate) fn pilots(&self) -> u64 {
        self.pilots
    }

    pub(crate) fn estimates(&self) -> Arc<Estimates> {
        self.estimates.clone()
    }

    pub(crate) fn set_estimates(&mut self, estimates: Arc<Estimates>) {
        self.estimates = estimates;
    }

    /// Sets the temperature above which an obligation is suspected.
    pub(crate) fn set_threshold(&mut self, threshold: u64) {
        self.threshold = threshold;
        let bounds = self.settings.bounds.with_temperature(threshold);
        self.engine.set_bounds(bounds);
    }

    /// Returns true if no execution after this one is needed.
    pub(crate) fn ends_with(&self, contribution: &Contribution) -> bool {
        contribution.outcome.finding.is_some() && !self.settings.keep_going
    }

    /// Returns whether receivers take what links deliver at once, as in every other execution of a portfolio: to
    /// a strategy, the delivery and the handling of one message are two steps with others between them.
    fn delivers_promptly(&self, seed: u64) -> bool {
        self.settings.is_portfolio() && mix(seed, 0x09_2031) & 1 == 0
    }

    fn execution(&self, turn: StrategyTurn) -> Execution {
        let StrategyTurn {
            iteration, length, ..
        } = turn;
        Execution {
            iteration,
            seed: execution_seed(self.settings.session(), iteration),
            max_steps: self.settings.bounds.unfair(),
            estimates: self.estimates.clone(),
            length,
            faults: self.settings.semantics.faults,
        }
    }

    /// Returns the seed of the operating system's answers. A strategy with a memory must see the same
    /// program in each execution.
    fn system_seed(&self, turn: StrategyTurn) -> u64 {
        let session = self.settings.session();
        let strategy = self.strategies[turn.strategy].as_ref();
        let of = match strategy.is_some_and(|source| source.strategy().needs().memory) {
            true => session,
            false => execution_seed(session, turn.iteration),
        };
        mix(of, 0x0505_07e3)
    }

    pub(crate) fn is_late(&self) -> bool {
        let limit = self.settings.time_limit;
        limit.is_some_and(|limit| self.begun.elapsed() >= limit)
    }

    /// Runs one execution.
    pub(crate) fn run_turn(&mut self, program: &dyn Program, turn: StrategyTurn) -> Contribution {
        let StrategyTurn {
            iteration,
            strategy: number,
            length,
        } = turn;
        let position = self.first + number;
        let known = if self.counts { iteration } else { UNKNOWN };
        self.status.begins(known, position, length);
        crash_marker::pin(StrategyTurn {
            strategy: position,
            ..turn
        });
        // Reading the clock twice takes almost as long as an empty execution.
        let begun = (self.strategies.len() > 1).then(crate::wall_clock::now);
        let execution = self.execution(turn);
        let system = self.system_seed(turn);
        self.engine.set_system(system);
        let strategy = self.strategies[number]
            .take()
            .expect("a strategy is back when it is due");
        let has_memory = strategy.strategy().needs().memory;
        let search = has_memory.then_some(number);
        let idle = self.engine.set_strategy(strategy);
        let decision_log = decision_log::of(
            iteration,
            self.settings.bounds,
            self.settings.semantics,
            system,
        );
        let options = RunOptions {
            record: match decision_log {
                Some(_) => RecordLevel::EventsAndLogs,
                None => RecordLevel::No,
            },
            decision_log,
            time_passes: true,
            is_prompt: search.is_none() && self.delivers_promptly(execution.seed),
            search,
            ..RunOptions::default()
        };
        let last_words = self.last_words(turn);
        let run = || self.engine.run(program, &execution, options);
        let mut outcome = match &last_words {
            Some((before, after)) => actor_test_os::with_exit_message(before, after, run),
            None => run(),
        };
        self.strategies[number] = Some(self.engine.set_strategy(idle));
        let mut decisions = Vec::new();
        if outcome.finding.is_some() {
            decisions = self.engine.decisions();
        } else if !matches!(outcome.end, EndReason::Exhausted | EndReason::Pruned)
            && self.is_checked(turn, outcome.class)
        {
            let taken = self.engine.decisions();
            if let Some(finding) = self.check(program, &execution, &outcome, &taken) {
                outcome.finding = Some(finding);
                outcome.end = EndReason::Bug;
                decisions = taken;
            }
        }
        self.status.ends();
        Contribution {
            iteration,
            strategy: number,
            length,
            seed: execution.seed,
            system,
            outcome,
            decisions,
            elapsed: begun.map_or(Duration::ZERO, |begun| begun.elapsed()),
            confirmation: None,
            threshold: self.threshold,
        }
    }

    /// Returns the last words for an execution that ends the process, if wanted.
    fn last_words(&self, turn: StrategyTurn) -> Option<(String, String)> {
        let place = self.place.as_ref()?;
        let bounds = &self.settings.bounds;
        let (test, iteration) = (&self.status.test, turn.iteration);
        let token = turn.token(&self.specs[turn.strategy], self.settings);
        Some(words::last_words(test, iteration, &token, bounds, place))
    }

    /// Continues a suspected execution under another strategy, and watches whether it recovers.
    pub(crate) fn run_watched(
        &mut self,
        program: &dyn Program,
        suspected: &Contribution,
        strategy: Box<dyn Strategy>,
        watch: ObligationWatch,
    ) -> Outcome {
        let turn = suspected.turn();
        let position = self.first + turn.strategy;
        self.status.begins(turn.iteration, position, turn.length);
        // The lasso is known already, and detecting one costs as much as the steps.
        self.engine.set_lasso_detection(false);
        let options = RunOptions {
            watch: Some(watch),
            ..RunOptions::default()
        };
        let execution = self.execution(turn);
        self.engine.set_system(suspected.system);
        let outcome = self
            .engine
            .run_under(strategy, program, &execution, options);
        self.status.ends();
        outcome
    }

    /// Selects a fraction of the executions. In a divided search the iteration may not be known yet, so
    /// that the behaviour decides.
    fn is_checked(&self, turn: StrategyTurn, class: u64) -> bool {
        let strategy = self.strategies[turn.strategy].as_ref();
        let has_memory = strategy.is_some_and(|source| source.strategy().needs().memory);
        let every = self.settings.check_every;
        match has_memory && turn.iteration > 0 {
            true => mix(class, 0xc4ec).checked_rem(every) == Some(0),
            false => turn.iteration.checked_rem(every) == Some(0),
        }
    }

    /// Re-executes a passing execution, to check for determinism.
    fn check(
        &mut self,
        program: &dyn Program,
        execution: &Execution,
        outcome: &Outcome,
        taken: &[RecordedDecision],
    ) -> Option<Finding> {
        let again = replay_on(
            &mut self.engine,
            program,
            execution,
            outcome.fairness,
            taken,
            RecordLevel::No,
        );
        let same = again.diverged_at.is_none()
            && again.steps == outcome.steps
            && again.class == outcome.class
            && again.finding.is_none();
        if same {
            return None;
        }
        // A reference that outlived its execution shows only in the next one.
        let foreign = |found: &Finding| found.kind == BugKind::ForeignReference;
        if let Some(finding) = again.finding.clone().filter(foreign) {
            return Some(finding);
        }
        let recorded = replay_on(
            &mut self.engine,
            program,
            execution,
            outcome.fairness,
            taken,
            RecordLevel::EventsAndLogs,
        );
        Some(nondeterminism(&again, &recorded))
    }
}
