//! Exploring a test: iterations, workers, and the report that does not depend on either.

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::mpsc;
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::{Duration, Instant};

use actor_core::System;

use crate::attribute::TestBody;
use crate::bug::{BugKind, Finding};
use crate::engine::{Decision, End, Engine, Observed, Outcome, Program, RunOptions};
use crate::hash::mix;
use crate::report::{Recording, Report};
use crate::settings::{Bounds, Search, Semantics, Settings};
use crate::story::StoryStep;
use crate::strategy::{Execution, Fairness, Replay, Strategy, StrategySpec};
use crate::summary::Summary;

/// How many iterations a worker takes at a time.
const CHUNK: u64 = 32;

/// The stack of a worker's thread.
const STACK_BYTES: usize = 8 << 20;

/// The tester as a library: explores a closure and returns a [`Report`].
///
/// ```
/// use actor_core::prelude::*;
/// use actor_test::Tester;
///
/// #[derive(Debug)]
/// struct Go;
///
/// #[derive(Default)]
/// struct Light {
///     green: bool,
/// }
///
/// #[actor]
/// impl Light {
///     #[on]
///     fn go(&mut self, _: Go) {
///         self.green = true;
///     }
/// }
/// # use actor_core::actor;
///
/// let report = Tester::new().iterations(10).run(|sys| {
///     let light = sys.spawn(Light::default());
///     light.tell(Go);
///     sys.eventually("the light is green", move |w| w.get(&light).is_some_and(|l| l.green));
/// });
/// report.assert_clean();
/// assert_eq!(report.executions, 10);
/// ```
#[derive(Clone, Debug)]
#[must_use = "a tester does nothing until `run`"]
pub struct Tester {
    name: String,
    settings: Settings,
}

impl Default for Tester {
    fn default() -> Self {
        Self::new()
    }
}

impl Tester {
    /// A tester with the default [`Settings`].
    pub fn new() -> Self {
        Self::with(Settings::default())
    }

    /// A tester with settings of one's own.
    pub fn with(settings: Settings) -> Self {
        Self {
            name: "test".into(),
            settings,
        }
    }

    /// The name in reports. Default `test`.
    pub fn name(mut self, name: impl Into<String>) -> Self {
        self.name = name.into();
        self
    }

    /// How many executions; see [`Settings::iterations`].
    pub fn iterations(mut self, iterations: u64) -> Self {
        self.settings.iterations = iterations;
        self
    }

    /// The seed; see [`Settings::seed`].
    pub fn seed(mut self, seed: u64) -> Self {
        self.settings.seed = seed;
        self
    }

    /// The bounds; see [`Settings::bounds`].
    pub fn bounds(mut self, bounds: Bounds) -> Self {
        self.settings.bounds = bounds;
        self
    }

    /// The bound on steps, N; see [`Bounds::new`].
    pub fn max_steps(self, steps: u64) -> Self {
        self.bounds(Bounds::new(steps))
    }

    /// The semantics; see [`Settings::semantics`].
    pub fn semantics(mut self, semantics: Semantics) -> Self {
        self.settings.semantics = semantics;
        self
    }

    /// One strategy instead of the portfolio.
    pub fn strategy(mut self, strategy: StrategySpec) -> Self {
        self.settings.search = Search::Strategies(vec![strategy]);
        self
    }

    /// The default portfolio of strategies.
    pub fn portfolio(mut self) -> Self {
        self.settings.search = Search::Portfolio;
        self
    }

    /// How many threads explore; see [`Settings::workers`].
    pub fn workers(mut self, workers: usize) -> Self {
        self.settings.workers = workers;
        self
    }

    /// Goes on after the first bug; see [`Settings::keep_going`].
    pub fn keep_going(mut self) -> Self {
        self.settings.keep_going = true;
        self
    }

    /// Explores `body`, which is run anew in each execution.
    pub fn run(&self, body: impl Fn(&System) + Sync) -> Report {
        explore(&self.name, &SyncBody(body), &self.settings, &mut Silent)
    }

    /// Explores an async body, which may `ask` actors and assert on their replies.
    pub fn run_async<F>(&self, body: impl Fn(System) -> F + Sync) -> Report
    where
        F: Future<Output = ()> + 'static,
    {
        explore(&self.name, &AsyncBody(body), &self.settings, &mut Silent)
    }

    /// Explores `body` under a strategy of one's own, on one worker.
    pub fn run_with(&self, strategy: Box<dyn Strategy>, body: impl Fn(&System) + Sync) -> Report {
        let program = SyncBody(body);
        let mut explorer = Explorer::new(&self.name, &self.settings, vec![strategy]);
        let mut summary = Summary::new(&self.name, &self.settings, explorer.names());
        explorer.run_all(&program, &mut summary, &mut Silent);
        summary.finish(&program, &explorer.observed())
    }
}

struct SyncBody<F>(F);

impl<F: Fn(&System)> Program for SyncBody<F> {
    fn start(&self) -> Option<Pin<Box<dyn Future<Output = ()>>>> {
        (self.0)(&System::controlled());
        None
    }
}

struct AsyncBody<B>(B);

impl<B: Fn(System) -> F, F: Future<Output = ()> + 'static> Program for AsyncBody<B> {
    fn start(&self) -> Option<Pin<Box<dyn Future<Output = ()>>>> {
        Some(Box::pin((self.0)(System::controlled())))
    }
}

impl Program for TestBody {
    fn start(&self) -> Option<Pin<Box<dyn Future<Output = ()>>>> {
        match *self {
            Self::Sync(body) => {
                body(&System::controlled());
                None
            }
            Self::Async(body) => Some(Box::pin(async move {
                let system = System::controlled();
                body(&system).await;
            })),
        }
    }
}

/// Hears of progress.
pub(crate) trait Observer {
    /// Some more iterations are done.
    fn progress(&mut self, progress: &Progress);
}

/// How far a test has come.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Progress {
    pub(crate) executions: u64,
    pub(crate) of: u64,
    pub(crate) steps: u64,
    pub(crate) bugs: usize,
}

/// Hears nothing.
pub(crate) struct Silent;

impl Observer for Silent {
    fn progress(&mut self, _: &Progress) {}
}

/// What a worker is doing, for the watchdog.
#[derive(Debug)]
pub(crate) struct WorkerStatus {
    /// Goes up while the worker makes progress.
    pub(crate) heartbeat: Arc<AtomicU64>,
    /// The iteration in progress.
    pub(crate) iteration: AtomicU64,
    /// Its strategy, by position.
    pub(crate) strategy: AtomicUsize,
    /// The test.
    pub(crate) test: String,
    /// An execution is in progress: the heartbeat counts.
    pub(crate) busy: AtomicBool,
}

static WORKERS: Mutex<Vec<Weak<WorkerStatus>>> = Mutex::new(Vec::new());

/// The workers of this process that explore now.
pub(crate) fn active_workers() -> Vec<Arc<WorkerStatus>> {
    let mut workers = WORKERS.lock().unwrap_or_else(PoisonError::into_inner);
    workers.retain(|worker| worker.strong_count() > 0);
    workers.iter().filter_map(Weak::upgrade).collect()
}

/// What one execution contributes to the report.
#[derive(Clone, Debug)]
pub(crate) struct Contribution {
    pub(crate) iteration: u64,
    pub(crate) strategy: usize,
    pub(crate) seed: u64,
    pub(crate) outcome: Outcome,
    /// The decisions, where a bug was found.
    pub(crate) decisions: Vec<Decision>,
}

/// The seed of an execution.
pub(crate) fn execution_seed(session: u64, iteration: u64) -> u64 {
    mix(mix(session, 0x5e55_1077), iteration)
}

/// Explores a program.
pub(crate) fn explore(
    name: &str,
    program: &(dyn Program + Sync),
    settings: &Settings,
    observer: &mut dyn Observer,
) -> Report {
    let specs = settings.search.strategies();
    let mut first = Explorer::new(name, settings, specs.iter().map(StrategySpec::build).collect());
    let mut summary = Summary::new(name, settings, first.names());
    let memory = first.strategies.iter().flatten().any(|strategy| strategy.has_memory());
    let observed = if settings.workers <= 1 || memory {
        first.run_all(program, &mut summary, observer);
        first.observed()
    } else {
        drop(first);
        explore_in_parallel(name, program, settings, &specs, &mut summary, observer)
    };
    summary.finish(program, &observed)
}

fn explore_in_parallel(
    name: &str,
    program: &(dyn Program + Sync),
    settings: &Settings,
    specs: &[StrategySpec],
    summary: &mut Summary,
    observer: &mut dyn Observer,
) -> Vec<Observed> {
    let next_chunk = AtomicU64::new(0);
    // Iterations from here on are not needed: an earlier one ended the test.
    let needless = AtomicU64::new(settings.iterations);
    let (chunks, done) = mpsc::sync_channel::<(u64, Vec<Contribution>)>(settings.workers * 4);
    let observed = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..settings.workers {
            let chunks = chunks.clone();
            let work = || {
                let chunks = chunks;
                let strategies = specs.iter().map(StrategySpec::build).collect();
                let mut explorer = Explorer::new(name, settings, strategies);
                loop {
                    let chunk = next_chunk.fetch_add(1, Ordering::Relaxed);
                    let from = chunk * CHUNK;
                    if from >= needless.load(Ordering::Relaxed) {
                        break;
                    }
                    let done = explorer.run_chunk(program, from, &needless);
                    if chunks.send((chunk, done)).is_err() {
                        break;
                    }
                }
                let mut all = observed.lock().unwrap_or_else(PoisonError::into_inner);
                all.push(explorer.observed());
            };
            let thread = std::thread::Builder::new().stack_size(STACK_BYTES);
            thread
                .name("actor-test worker".into())
                .spawn_scoped(scope, work)
                .expect("the system has a thread to spare");
        }
        drop(chunks);
        merge(done, summary, observer, &needless);
    });
    let all = observed.into_inner().unwrap_or_else(PoisonError::into_inner);
    Observed::merge(all)
}

/// Takes the chunks in order, so that the report is that of one worker.
fn merge(
    done: mpsc::Receiver<(u64, Vec<Contribution>)>,
    summary: &mut Summary,
    observer: &mut dyn Observer,
    needless: &AtomicU64,
) {
    let mut waiting = std::collections::BTreeMap::new();
    let mut next = 0;
    for (chunk, contributions) in done {
        waiting.insert(chunk, contributions);
        while let Some(contributions) = waiting.remove(&next) {
            next += 1;
            for contribution in contributions {
                if summary.is_over() {
                    break;
                }
                summary.add(contribution);
            }
            if summary.is_over() {
                needless.store(0, Ordering::Relaxed);
            }
            observer.progress(&summary.progress());
        }
    }
}

/// One worker: an engine and its strategies.
struct Explorer<'a> {
    settings: &'a Settings,
    engine: Engine,
    strategies: Vec<Option<Box<dyn Strategy>>>,
    status: Arc<WorkerStatus>,
    begun: Instant,
}

impl<'a> Explorer<'a> {
    fn new(test: &str, settings: &'a Settings, strategies: Vec<Box<dyn Strategy>>) -> Self {
        let idle = Box::new(Replay::new(Vec::new(), Fairness::Fair));
        let engine = Engine::new(idle, settings.bounds, settings.semantics);
        let status = Arc::new(WorkerStatus {
            heartbeat: engine.heartbeat(),
            iteration: AtomicU64::new(0),
            strategy: AtomicUsize::new(0),
            test: test.into(),
            busy: AtomicBool::new(false),
        });
        let mut workers = WORKERS.lock().unwrap_or_else(PoisonError::into_inner);
        workers.push(Arc::downgrade(&status));
        Self {
            settings,
            engine,
            strategies: strategies.into_iter().map(Some).collect(),
            status,
            begun: Instant::now(),
        }
    }

    fn names(&self) -> Vec<String> {
        self.strategies.iter().flatten().map(|strategy| strategy.name()).collect()
    }

    fn observed(&self) -> Vec<Observed> {
        self.engine.observed()
    }

    fn run_all(&mut self, program: &dyn Program, summary: &mut Summary, observer: &mut dyn Observer) {
        for iteration in 0..self.settings.iterations {
            if summary.is_over() || self.is_late() {
                break;
            }
            summary.add(self.run_one(program, iteration));
            if iteration.is_multiple_of(CHUNK) {
                observer.progress(&summary.progress());
            }
        }
        observer.progress(&summary.progress());
    }

    fn is_late(&self) -> bool {
        let limit = self.settings.time_limit;
        limit.is_some_and(|limit| self.begun.elapsed() >= limit)
    }

    fn run_chunk(
        &mut self,
        program: &dyn Program,
        from: u64,
        needless: &AtomicU64,
    ) -> Vec<Contribution> {
        let to = (from + CHUNK).min(self.settings.iterations);
        let mut contributions = Vec::with_capacity(CHUNK as usize);
        for iteration in from..to {
            if iteration >= needless.load(Ordering::Relaxed) || self.is_late() {
                needless.fetch_min(iteration, Ordering::Relaxed);
                break;
            }
            let contribution = self.run_one(program, iteration);
            if contribution.outcome.finding.is_some() && !self.settings.keep_going {
                needless.fetch_min(iteration + 1, Ordering::Relaxed);
            }
            contributions.push(contribution);
        }
        contributions
    }

    fn run_one(&mut self, program: &dyn Program, iteration: u64) -> Contribution {
        let number = (iteration % self.strategies.len() as u64) as usize;
        self.status.strategy.store(number, Ordering::Relaxed);
        self.status.iteration.store(iteration, Ordering::Relaxed);
        self.status.heartbeat.fetch_add(1, Ordering::Relaxed);
        self.status.busy.store(true, Ordering::Relaxed);
        crate::watchdog::pin(iteration);
        let seed = execution_seed(self.settings.seed, iteration);
        let execution = Execution {
            iteration,
            seed,
            max_steps: self.settings.bounds.unfair(),
        };
        let strategy = self.strategies[number].take().expect("a strategy is back when it is due");
        let idle = self.engine.set_strategy(strategy);
        let mut outcome = self.engine.run(program, &execution, RunOptions::default());
        self.strategies[number] = Some(self.engine.set_strategy(idle));
        let mut decisions = Vec::new();
        if outcome.finding.is_some() {
            decisions = self.engine.decisions();
        } else if outcome.end != End::Exhausted && self.is_checked(iteration) {
            let taken = self.engine.decisions();
            if let Some(finding) = self.check(program, &execution, &outcome, &taken) {
                outcome.finding = Some(finding);
                outcome.end = End::Bug;
                decisions = taken;
            }
        }
        self.status.busy.store(false, Ordering::Relaxed);
        Contribution {
            iteration,
            strategy: number,
            seed,
            outcome,
            decisions,
        }
    }

    fn is_checked(&self, iteration: u64) -> bool {
        let every = self.settings.check_every;
        every > 0 && iteration.is_multiple_of(every)
    }

    /// Runs a passing execution again, to see whether it does the same.
    fn check(
        &mut self,
        program: &dyn Program,
        execution: &Execution,
        outcome: &Outcome,
        taken: &[Decision],
    ) -> Option<Finding> {
        let again = run_again(&mut self.engine, program, execution, outcome.fairness, taken, false);
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
        let told = run_again(&mut self.engine, program, execution, outcome.fairness, taken, true);
        Some(nondeterminism(&again, &told))
    }
}

/// Runs recorded decisions on an engine, whose strategy is back afterwards.
fn run_again(
    engine: &mut Engine,
    program: &dyn Program,
    execution: &Execution,
    fairness: Fairness,
    taken: &[Decision],
    tell: bool,
) -> Outcome {
    let chosen = taken.iter().map(|decision| decision.chosen).collect();
    let before = engine.set_strategy(Box::new(Replay::new(chosen, fairness)));
    let options = RunOptions {
        expected: Some(taken.to_vec()),
        tell,
    };
    let outcome = engine.run(program, execution, options);
    engine.set_strategy(before);
    outcome
}

/// The finding for an execution that did not do the same twice.
fn nondeterminism(again: &Outcome, told: &Outcome) -> Finding {
    let diverged = told.diverged_at.or(again.diverged_at);
    let step = diverged.unwrap_or(again.steps);
    let at = match told.story.get((step as usize).saturating_sub(1)) {
        Some(told) if diverged.is_some() => format!("at step {step}, where {}", describe(told)),
        _ => format!("after {step} steps, with nothing else to see"),
    };
    let message = format!(
        "the same decisions led elsewhere: the run and its replay differ {at}; the usual causes are \
         iterating over a HashMap or HashSet, randomness other than cx.rng(), the system's clock, a \
         static, or a thread"
    );
    Finding {
        kind: BugKind::Nondeterminism,
        message,
        location: None,
        step,
    }
}

fn describe(step: &StoryStep) -> String {
    format!("`{}` {}", step.actor, crate::words::what(step))
}

/// What a replay showed.
#[derive(Clone, Debug)]
pub(crate) struct Replayed {
    pub(crate) finding: Option<Finding>,
    pub(crate) story: Vec<StoryStep>,
    pub(crate) diverged: Option<Divergence>,
}

/// Where a replay left its recording.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Divergence {
    /// The step.
    pub(crate) step: u64,
    /// What was recorded, and what happened.
    pub(crate) message: String,
}

impl fmt::Display for Divergence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "step {}: {}", self.step, self.message)
    }
}

/// Runs a recording, and tells its story.
pub(crate) fn replay(program: &(dyn Program + Sync), recording: &Recording) -> Replayed {
    let fairness = match recording.fair_from {
        None => Fairness::Unfair,
        Some(0) => Fairness::Fair,
        Some(step) => Fairness::FairFrom(step),
    };
    let idle = Box::new(Replay::new(Vec::new(), fairness));
    let mut engine = Engine::new(idle, recording.bounds, recording.semantics);
    let checks = recording.checks.iter().copied();
    let taken: Vec<Decision> = recording
        .decisions
        .iter()
        .zip(checks)
        .map(|(chosen, check)| Decision { chosen: *chosen, check })
        .collect();
    let execution = Execution {
        iteration: 0,
        seed: 0,
        max_steps: recording.bounds.unfair(),
    };
    let outcome = run_again(&mut engine, program, &execution, fairness, &taken, true);
    let diverged = divergence(&recording.story, &outcome);
    Replayed {
        finding: outcome.finding,
        story: outcome.story,
        diverged,
    }
}

/// The first step at which two stories differ, or at which the decisions did.
fn divergence(recorded: &[StoryStep], outcome: &Outcome) -> Option<Divergence> {
    let differ = |(recorded, told): &(&StoryStep, &StoryStep)| recorded != told;
    let pairs = recorded.iter().zip(&outcome.story);
    if let Some((recorded, told)) = pairs.clone().find(differ) {
        return Some(Divergence {
            step: told.step,
            message: format!("as recorded, {}; now, {}", describe(recorded), describe(told)),
        });
    }
    let at = outcome.diverged_at?;
    Some(Divergence {
        step: at,
        message: "other operations are enabled than when it was recorded".into(),
    })
}

/// Why a token reproduces nothing.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum TokenError {
    /// It is not of the form that reports print.
    #[error("malformed token `{0}`; the form is STRATEGY@SEED, as a report prints it")]
    Malformed(String),
    /// The strategy is not known.
    #[error(transparent)]
    Strategy(#[from] crate::strategy::SpecError),
    /// The strategy learns from earlier executions.
    #[error("`{0}` depends on the executions before; run the whole test with its seed instead")]
    HasMemory(String),
}

/// The token of an execution.
pub(crate) fn token(strategy: &str, seed: u64) -> String {
    format!("{strategy}@{seed:x}")
}

/// Runs the one execution that a token names.
pub(crate) fn reproduce(
    name: &str,
    program: &(dyn Program + Sync),
    settings: &Settings,
    token: &str,
) -> Result<Report, TokenError> {
    let malformed = || TokenError::Malformed(token.into());
    let (strategy, seed) = token.rsplit_once('@').ok_or_else(malformed)?;
    let seed = u64::from_str_radix(seed, 16).map_err(|_| malformed())?;
    let strategy = strategy.parse::<StrategySpec>()?.build();
    if strategy.has_memory() {
        return Err(TokenError::HasMemory(strategy.name()));
    }
    let settings = Settings {
        iterations: 1,
        check_every: 1,
        ..settings.clone()
    };
    let mut explorer = Explorer::new(name, &settings, vec![strategy]);
    let mut summary = Summary::new(name, &settings, explorer.names());
    let strategy = Seeded {
        strategy: explorer.strategies[0].take().expect("the strategy was just given"),
        seed,
    };
    explorer.strategies[0] = Some(Box::new(strategy));
    explorer.run_all(program, &mut summary, &mut Silent);
    Ok(summary.finish(program, &explorer.observed()))
}

/// A strategy with the seed of one execution.
#[derive(Debug)]
struct Seeded {
    strategy: Box<dyn Strategy>,
    seed: u64,
}

impl Strategy for Seeded {
    fn name(&self) -> String {
        self.strategy.name()
    }
    fn fairness(&self) -> Fairness {
        self.strategy.fairness()
    }
    fn begin(&mut self, execution: &Execution) -> bool {
        self.strategy.begin(&Execution {
            seed: self.seed,
            ..*execution
        })
    }
    fn pick(&mut self, enabled: &crate::strategy::Enabled<'_>) -> usize {
        self.strategy.pick(enabled)
    }
    fn choose(&mut self, choice: crate::strategy::Choice) -> u32 {
        self.strategy.choose(choice)
    }
}

/// Runs a failing execution again with full recording. The finding is replaced where the replay
/// does not find the same.
pub(crate) fn record(
    program: &dyn Program,
    settings: &Settings,
    contribution: &Contribution,
    finding: Finding,
) -> (Finding, Recording) {
    let fairness = contribution.outcome.fairness;
    let idle = Box::new(Replay::new(Vec::new(), fairness));
    let mut engine = Engine::new(idle, settings.bounds, settings.semantics);
    let execution = Execution {
        iteration: contribution.iteration,
        seed: contribution.seed,
        max_steps: settings.bounds.unfair(),
    };
    let taken = &contribution.decisions;
    let told = run_again(&mut engine, program, &execution, fairness, taken, true);
    let same = told.diverged_at.is_none()
        && told.finding.as_ref().is_some_and(|again| again.is_like(&finding));
    let is_check = finding.kind == BugKind::Nondeterminism;
    let judged = if same || is_check {
        finding
    } else {
        let mut judged = nondeterminism(&told, &told);
        judged.message = format!("{} (at first it was: {})", judged.message, finding.message);
        judged
    };
    let recording = Recording {
        decisions: taken.iter().map(|decision| decision.chosen).collect(),
        checks: taken.iter().map(|decision| decision.check).collect(),
        fair_from: match fairness {
            Fairness::Unfair => None,
            Fairness::Fair => Some(0),
            Fairness::FairFrom(step) => Some(step),
        },
        bounds: settings.bounds,
        semantics: settings.semantics,
        story: told.story,
    };
    (judged, recording)
}

/// The time that a test has taken.
pub(crate) fn seconds(begun: Instant) -> f64 {
    let elapsed: Duration = begun.elapsed();
    elapsed.as_secs_f64()
}
