//! One worker of an exploration: an engine and its strategies.

use std::sync::Arc;
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

use crate::attendance::{self, UNKNOWN, WorkerStatus};
use crate::data::bug::{BugKind, Finding};
use crate::engine::{
    EndReason, Engine, ObligationWatch, Observations, Outcome, Program, RecordedDecision,
    RunOptions,
};
use crate::exploring::pin;
use crate::exploring::plan::{PILOTS, Turn};
use crate::hash::mix;
use crate::report::confirmation::Confirmation;
use crate::report::words::{self, Place};
use crate::settings::Settings;
use crate::strategy::{
    CoverageClaim, Estimates, Execution, PilotWalk, Placed, Random, SizeEstimate, Strategy,
};
use crate::trace::replay::{nondeterminism, run_again};
use crate::trace::witness;

/// What one execution contributes to the report.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Contribution {
    pub(crate) iteration: u64,
    pub(crate) strategy: usize,
    /// The length that the strategy was told.
    pub(crate) length: Option<u64>,
    pub(crate) seed: u64,
    /// The seed of what the operating system was asked for.
    pub(crate) system: u64,
    pub(crate) outcome: Outcome,
    /// The decisions, where a bug was found.
    pub(crate) decisions: Vec<RecordedDecision>,
    /// How long it took, where several strategies are compared; else nothing.
    pub(crate) elapsed: Duration,
    /// What fair continuations showed, where something was owed for too long.
    pub(crate) confirmation: Option<Confirmation>,
    /// The temperature above which something was owed for too long.
    pub(crate) threshold: u64,
}

impl Contribution {
    /// Which turn it was.
    pub(crate) fn turn(&self) -> Turn {
        Turn {
            iteration: self.iteration,
            strategy: self.strategy,
            length: self.length,
        }
    }

    /// The same as that turn, where it became known later which it was.
    pub(crate) fn counted_as(self, turn: Turn, seed: u64) -> Self {
        Self {
            iteration: turn.iteration,
            strategy: turn.strategy,
            length: turn.length,
            seed,
            ..self
        }
    }

    /// Something is owed for too long, and it is to be seen whether for ever.
    pub(crate) fn is_suspected(&self) -> bool {
        self.outcome.finding.is_some() && self.outcome.suspicion.is_some()
    }

    /// A search of all states has found that it can stay so. Others may pay what is owed.
    pub(crate) fn is_proved(&self) -> bool {
        let suspicion = self.outcome.suspicion;
        let cycle = suspicion.and_then(|suspicion| suspicion.cycle);
        cycle.is_some_and(|cycle| cycle.is_searched())
    }
}

/// The seed of an execution.
pub(crate) fn execution_seed(session: u64, iteration: u64) -> u64 {
    mix(mix(session, 0x5e55_1077), iteration)
}

/// A survey in progress, and the strategy whose place it takes.
pub(crate) struct Pilots {
    survey: PilotWalk,
    replaced: Option<Box<dyn Strategy>>,
}

/// What it takes to build another explorer, in a thread of its own.
pub(crate) struct Beside<'a> {
    test: String,
    settings: &'a Settings,
    names: Vec<String>,
    first: usize,
    begun: Instant,
}

impl<'a> Beside<'a> {
    /// The test has had its time.
    pub(crate) fn is_late(&self) -> bool {
        let limit = self.settings.time_limit;
        limit.is_some_and(|limit| self.begun.elapsed() >= limit)
    }

    /// Builds it. Its strategy is to be [replaced](Explorer::replace).
    pub(crate) fn build(&self) -> Explorer<'a> {
        let strategies: Vec<Box<dyn Strategy>> = vec![Box::new(Random::new())];
        Explorer {
            specs: self.names.clone(),
            // Its last words would name an iteration.
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
    strategies: Vec<Option<Box<dyn Strategy>>>,
    /// The position of the first of them among all that the test may be explored with.
    first: usize,
    estimates: Arc<Estimates>,
    pilots: u64,
    threshold: u64,
    status: Arc<WorkerStatus>,
    /// From where its commands are to be typed, where last words are wanted.
    place: Option<Place>,
    /// The strategies' names, for the same.
    specs: Vec<String>,
    begun: Instant,
    /// It knows which iteration an execution is.
    counts: bool,
}

impl<'a> Explorer<'a> {
    pub(crate) fn new(
        test: &str,
        settings: &'a Settings,
        strategies: Vec<Box<dyn Strategy>>,
    ) -> Self {
        let mut engine = Engine::idle(settings.bounds, settings.semantics, None);
        engine.set_lasso_detection(settings.lasso);
        engine.keep_view(settings.until_saturated);
        let status = attendance::attend(test, engine.heartbeat());
        let has_faults = !settings.semantics.faults.is_none();
        let placed = |strategy: Box<dyn Strategy>| match has_faults && !strategy.places_faults() {
            true => Box::new(Placed::new(strategy)) as Box<dyn Strategy>,
            false => strategy,
        };
        Self {
            place: settings.last_words.then(Place::of_shell),
            specs: strategies.iter().map(|strategy| strategy.name()).collect(),
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

    /// What it takes to build another one, for a worker of its own, which runs parts of what a strategy
    /// explores.
    pub(crate) fn beside(&self) -> Beside<'a> {
        Beside {
            test: self.status.test.clone(),
            settings: self.settings,
            names: self.specs.clone(),
            first: self.first,
            begun: self.begun,
        }
    }

    /// Has its strategies told apart from the first so many of the test.
    pub(crate) fn after(self, first: usize) -> Self {
        Self { first, ..self }
    }

    pub(crate) fn names(&self) -> Vec<String> {
        self.strategies
            .iter()
            .flatten()
            .map(|strategy| strategy.name())
            .collect()
    }

    /// What each strategy has covered.
    pub(crate) fn covered(&self) -> Vec<CoverageClaim> {
        self.strategies
            .iter()
            .flatten()
            .map(|strategy| strategy.covered())
            .collect()
    }

    /// How much there seems to be in all, where the only strategy has an idea.
    pub(crate) fn extent(&self) -> Option<SizeEstimate> {
        match &self.strategies[..] {
            [Some(only)] => only.extent(),
            _ => None,
        }
    }

    /// Parts of what is left to explore for the only strategy, where it can be divided now.
    pub(crate) fn divide(&mut self) -> Vec<Box<dyn Strategy>> {
        match &mut self.strategies[..] {
            [Some(only)] => only.divide(),
            _ => Vec::new(),
        }
    }

    /// A part is back; `false` where those after it are not needed.
    pub(crate) fn unite(&mut self, part: Box<dyn Strategy>) -> bool {
        match &mut self.strategies[..] {
            [Some(only)] => only.unite(part),
            _ => false,
        }
    }

    /// What the only strategy goes on from in another process, where that can be told now.
    pub(crate) fn save(&mut self) -> Option<Vec<u8>> {
        match &mut self.strategies[..] {
            [Some(only)] => only.save(),
            _ => None,
        }
    }

    /// Has the only strategy go on from what was saved.
    pub(crate) fn restore(&mut self, saved: &[u8]) -> Result<(), String> {
        match &mut self.strategies[..] {
            [Some(only)] => only.restore(saved),
            _ => Err("there are several strategies".into()),
        }
    }

    /// Has another first strategy; tells which it was.
    pub(crate) fn replace(&mut self, strategy: Box<dyn Strategy>) -> Box<dyn Strategy> {
        let before = self.strategies[0].replace(strategy);
        before.expect("a strategy is back when it is due")
    }

    pub(crate) fn observed(&self) -> Observations {
        self.engine.observed()
    }

    /// Whether what an execution does depends on those before it.
    pub(crate) fn has_memory(&self) -> bool {
        let mut strategies = self.strategies.iter().flatten();
        strategies.any(|strategy| strategy.has_memory())
    }

    /// Whether a strategy is to be told who does how much.
    pub(crate) fn needs_estimates(&self) -> bool {
        let mut strategies = self.strategies.iter().flatten();
        strategies.any(|strategy| strategy.needs_estimates())
    }

    /// Whether a strategy is to be told how long executions are.
    pub(crate) fn needs_length(&self) -> bool {
        let mut strategies = self.strategies.iter().flatten();
        strategies.any(|strategy| strategy.needs_length())
    }

    /// Measures who does how much in executions, and how long they are, where a strategy needs to
    /// know; returns the lengths. The pilots have the seeds of the first iterations, so each process,
    /// and the reproduction of a single iteration, finds the same. They are not counted, and a bug in
    /// one is left to the iterations to find.
    pub(crate) fn run_pilots(&mut self, program: &dyn Program) -> Vec<u64> {
        let needed = self.needs_estimates() || self.needs_length();
        if !needed && self.settings.partition.is_none() {
            return Vec::new();
        }
        // With an engine of their own, so that what they see is not counted either.
        let survey = PilotWalk::new();
        let strategies: Vec<Box<dyn Strategy>> = vec![Box::new(survey.clone())];
        let mut scout = Self::new(&self.status.test, self.settings, strategies);
        let mut lengths = Vec::new();
        for iteration in 0..PILOTS {
            let outcome = scout.run_turn(program, Turn::of_first(iteration)).outcome;
            self.pilots = mix(self.pilots, mix(outcome.class, outcome.steps));
            lengths.push(outcome.contended_steps);
        }
        self.estimates = Arc::new(survey.estimates());
        lengths
    }

    /// Has the first strategy replaced by a uniform walk that measures.
    pub(crate) fn begin_survey(&mut self) -> Pilots {
        let survey = PilotWalk::new();
        let replaced = self.strategies[0].replace(Box::new(survey.clone()));
        Pilots { survey, replaced }
    }

    /// Takes what was measured for the estimates of the executions to come.
    pub(crate) fn end_survey(&mut self, pilots: Pilots) {
        self.strategies[0] = pilots.replaced;
        self.estimates = Arc::new(pilots.survey.estimates());
    }

    /// A hash of what the pilots did, by which the parts of a search know that they are of one
    /// program.
    pub(crate) fn pilots(&self) -> u64 {
        self.pilots
    }

    pub(crate) fn estimates(&self) -> Arc<Estimates> {
        self.estimates.clone()
    }

    pub(crate) fn set_estimates(&mut self, estimates: Arc<Estimates>) {
        self.estimates = estimates;
    }

    /// The temperature above which something is owed for too long.
    pub(crate) fn set_threshold(&mut self, threshold: u64) {
        self.threshold = threshold;
        let bounds = self.settings.bounds.with_temperature(threshold);
        self.engine.set_bounds(bounds);
    }

    /// Whether nothing after this execution is needed.
    pub(crate) fn ends_with(&self, contribution: &Contribution) -> bool {
        contribution.outcome.finding.is_some() && !self.settings.keep_going
    }

    fn execution(&self, turn: Turn) -> Execution {
        let Turn {
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

    /// The seed of what the operating system is asked for. A strategy that goes on from what executions
    /// before have shown has to see the same program again.
    fn system_seed(&self, turn: Turn) -> u64 {
        let session = self.settings.session();
        let strategy = self.strategies[turn.strategy].as_ref();
        let of = match strategy.is_some_and(|strategy| strategy.has_memory()) {
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
    pub(crate) fn run_turn(&mut self, program: &dyn Program, turn: Turn) -> Contribution {
        let Turn {
            iteration,
            strategy: number,
            length,
        } = turn;
        let position = self.first + number;
        let known = if self.counts { iteration } else { UNKNOWN };
        self.status.begins(known, position, length);
        pin::pin(Turn {
            strategy: position,
            ..turn
        });
        // An empty execution takes little longer than two looks at the clock.
        let begun = (self.strategies.len() > 1).then(crate::wall_clock::now);
        let execution = self.execution(turn);
        let system = self.system_seed(turn);
        self.engine.set_system(system);
        let strategy = self.strategies[number]
            .take()
            .expect("a strategy is back when it is due");
        let search = strategy.has_memory().then_some(number);
        let idle = self.engine.set_strategy(strategy);
        let witness = witness::of(
            iteration,
            self.settings.bounds,
            self.settings.semantics,
            system,
        );
        let options = RunOptions {
            record: witness.is_some(),
            witness,
            time_passes: true,
            search,
            ..RunOptions::default()
        };
        let last_words = self.last_words(turn);
        let run = || self.engine.run(program, &execution, options);
        let mut outcome = match &last_words {
            Some((before, after)) => actor_test_os::with_last_words(before, after, run),
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

    /// What is said where an execution ends the process, where that is wanted.
    fn last_words(&self, turn: Turn) -> Option<(String, String)> {
        let place = self.place.as_ref()?;
        let bounds = &self.settings.bounds;
        let (test, iteration) = (&self.status.test, turn.iteration);
        let token = turn.token(&self.specs[turn.strategy], self.settings);
        Some(words::last_words(test, iteration, &token, bounds, place))
    }

    /// Runs an execution again under another strategy, and watches whether what it is suspected of
    /// is cured.
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
        // What a lasso would show is known already, and looking for one costs as much as the steps.
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

    /// One in so many is. Which iteration an execution of a divided search is may not be known yet, so
    /// that it is chosen by what it did.
    fn is_checked(&self, turn: Turn, class: u64) -> bool {
        let strategy = self.strategies[turn.strategy].as_ref();
        let has_memory = strategy.is_some_and(|strategy| strategy.has_memory());
        let every = self.settings.check_every;
        match has_memory && turn.iteration > 0 {
            true => mix(class, 0xc4ec).checked_rem(every) == Some(0),
            false => turn.iteration.checked_rem(every) == Some(0),
        }
    }

    /// Runs a passing execution again, to see whether it does the same.
    fn check(
        &mut self,
        program: &dyn Program,
        execution: &Execution,
        outcome: &Outcome,
        taken: &[RecordedDecision],
    ) -> Option<Finding> {
        let again = run_again(
            &mut self.engine,
            program,
            execution,
            outcome.fairness,
            taken,
            false,
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
        let told = run_again(
            &mut self.engine,
            program,
            execution,
            outcome.fairness,
            taken,
            true,
        );
        Some(nondeterminism(&again, &told))
    }
}

/// The time that a test has taken.
pub(crate) fn seconds(begun: Instant) -> f64 {
    let elapsed: Duration = begun.elapsed();
    elapsed.as_secs_f64()
}
