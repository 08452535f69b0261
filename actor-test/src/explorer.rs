//! Exploring: iterations spread over workers, merged in their order.

use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::mpsc;
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::{Duration, Instant};

use crate::bug::{BugKind, Finding};
use crate::engine::{Decision, End, Engine, Observed, Outcome, Program, RunOptions};
use crate::hash::mix;
use crate::report::Report;
use crate::reproduction::{nondeterminism, run_again};
use crate::settings::Settings;
use crate::strategy::{Estimates, Execution, Fairness, Replay, Strategy, StrategySpec, Survey};
use crate::summary::Summary;

/// How many iterations a worker takes at a time.
const CHUNK: u64 = 32;

/// How many pilot executions there are.
const PILOTS: u64 = 10;

/// The stack of a worker's thread.
const STACK_BYTES: usize = 8 << 20;

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
    let mut first = Explorer::new(
        name,
        settings,
        specs.iter().map(StrategySpec::build).collect(),
    );
    let mut summary = Summary::new(name, settings, first.names());
    let memory = first
        .strategies
        .iter()
        .flatten()
        .any(|strategy| strategy.has_memory());
    let observed = if settings.workers <= 1 || memory {
        first.run_pilots(program);
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
                explorer.run_pilots(program);
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
    let all = observed
        .into_inner()
        .unwrap_or_else(PoisonError::into_inner);
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
pub(crate) struct Explorer<'a> {
    settings: &'a Settings,
    engine: Engine,
    pub(crate) strategies: Vec<Option<Box<dyn Strategy>>>,
    estimates: Arc<Estimates>,
    status: Arc<WorkerStatus>,
    begun: Instant,
}

impl<'a> Explorer<'a> {
    pub(crate) fn new(
        test: &str,
        settings: &'a Settings,
        strategies: Vec<Box<dyn Strategy>>,
    ) -> Self {
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
            estimates: Arc::default(),
            status,
            begun: crate::wall_clock::now(),
        }
    }

    pub(crate) fn names(&self) -> Vec<String> {
        self.strategies
            .iter()
            .flatten()
            .map(|strategy| strategy.name())
            .collect()
    }

    pub(crate) fn observed(&self) -> Vec<Observed> {
        self.engine.observed()
    }

    pub(crate) fn run_all(
        &mut self,
        program: &dyn Program,
        summary: &mut Summary,
        observer: &mut dyn Observer,
    ) {
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

    /// Measures how long executions are, where a strategy needs to know. The pilots have the seeds of
    /// the first iterations, so each worker, and the reproduction of a single iteration, finds the
    /// same. They are not counted, and a bug in one is left to the iterations to find.
    pub(crate) fn run_pilots(&mut self, program: &dyn Program) {
        let needed = self.strategies.iter().flatten();
        if !needed.clone().any(|strategy| strategy.needs_estimates()) {
            return;
        }
        let survey = Survey::new();
        let before = self.engine.set_strategy(Box::new(survey.clone()));
        for iteration in 0..PILOTS {
            let execution = self.execution(iteration);
            self.engine.run(program, &execution, RunOptions::default());
        }
        self.engine.set_strategy(before);
        self.estimates = Arc::new(survey.estimates());
    }

    fn execution(&self, iteration: u64) -> Execution {
        Execution {
            iteration,
            seed: execution_seed(self.settings.seed, iteration),
            max_steps: self.settings.bounds.unfair(),
            estimates: self.estimates.clone(),
        }
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
        let execution = self.execution(iteration);
        let strategy = self.strategies[number]
            .take()
            .expect("a strategy is back when it is due");
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
            seed: execution.seed,
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
