//! Exploring a program: iterations spread over workers, merged in their order.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, mpsc};

use crate::engine::{Observations, Program};
use crate::exploring::calibration::calibrate;
use crate::exploring::explorer::{Contribution, Explorer};
use crate::exploring::plan::{Epoch, Plan};
use crate::exploring::summary::Summary;
use crate::report::facts::Report;
use crate::settings::Settings;
use crate::strategy::{Estimates, StrategySpec};

/// How many iterations a worker takes at a time, at most.
const CHUNK: u64 = 32;

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

/// Explores a program.
pub(crate) fn explore(
    name: &str,
    program: &(dyn Program + Sync),
    settings: &Settings,
    observer: &mut dyn Observer,
) -> Report {
    let settings = &calibrated(name, program, settings);
    let mut exploration = Exploration {
        plan: Plan::new(settings),
        summary: Summary::new(name, settings),
        observer,
    };
    let mut first = Explorer::new(name, settings, build(exploration.plan.strategies()));
    exploration.run_pilots(&mut first, program);
    let observed = if settings.workers <= 1 || first.has_memory() {
        exploration.run_alone(&mut first, program);
        exploration.summary.set_covered(first.covered());
        first.observed()
    } else {
        let pilots = first.observed();
        let estimates = first.estimates();
        drop(first);
        exploration.run_in_parallel(name, program, settings, &estimates, pilots)
    };
    exploration.summary.finish(program, &observed)
}

/// The settings with bounds that fit the program, where they are to be found.
fn calibrated(name: &str, program: &dyn Program, settings: &Settings) -> Settings {
    let mut settings = settings.clone();
    if settings.calibrate {
        settings.bounds = calibrate(name, program, &settings);
    }
    settings
}

/// Explores a program with the strategies of one explorer, in turn.
pub(crate) fn explore_alone(
    mut explorer: Explorer<'_>,
    program: &dyn Program,
    settings: &Settings,
    name: &str,
) -> Report {
    explorer.run_pilots(program);
    let mut exploration = Exploration {
        plan: Plan::of_one(settings),
        summary: Summary::new(name, settings),
        observer: &mut Silent,
    };
    exploration.summary.name_strategies(explorer.names());
    exploration.run_alone(&mut explorer, program);
    exploration.summary.set_covered(explorer.covered());
    exploration.summary.finish(program, &explorer.observed())
}

fn build(strategies: &[StrategySpec]) -> Vec<Box<dyn crate::strategy::Strategy>> {
    strategies.iter().map(StrategySpec::build).collect()
}

/// An exploration in progress: what is planned, and what is known.
struct Exploration<'a> {
    plan: Plan,
    summary: Summary,
    observer: &'a mut dyn Observer,
}

impl Exploration<'_> {
    /// Runs the pilots, as the first iterations where they count.
    fn run_pilots(&mut self, first: &mut Explorer<'_>, program: &dyn Program) {
        if !self.plan.counts_pilots() {
            first.run_pilots(program);
            self.summary.pilots = first.pilots();
            return;
        }
        let Some(epoch) = self.plan.next_epoch() else {
            return;
        };
        let survey = first.begin_survey();
        self.run_epoch(first, program, &epoch);
        first.end_survey(survey);
    }

    fn run_alone(&mut self, explorer: &mut Explorer<'_>, program: &dyn Program) {
        while let Some(epoch) = self.plan.next_epoch() {
            if !self.run_epoch(explorer, program, &epoch) {
                break;
            }
        }
    }

    /// Runs an epoch on one worker; `false` where the exploration is over.
    fn run_epoch(
        &mut self,
        explorer: &mut Explorer<'_>,
        program: &dyn Program,
        epoch: &Epoch,
    ) -> bool {
        for execution in epoch.from..epoch.to {
            if self.summary.is_over() || explorer.is_late() {
                return false;
            }
            self.add(explorer.run_turn(program, epoch.turn(execution)));
            if execution.is_multiple_of(CHUNK) {
                self.observer.progress(&self.summary.progress());
            }
        }
        self.observer.progress(&self.summary.progress());
        !self.summary.is_over()
    }

    fn add(&mut self, contribution: Contribution) {
        let strategy = contribution.strategy;
        let novelty = self.summary.add(contribution);
        self.plan.learn(strategy, &novelty);
    }

    fn run_in_parallel(
        &mut self,
        name: &str,
        program: &(dyn Program + Sync),
        settings: &Settings,
        estimates: &Arc<Estimates>,
        pilots: Observations,
    ) -> Observations {
        let Some(epoch) = self.plan.next_epoch().filter(|_| !self.summary.is_over()) else {
            return pilots;
        };
        let desk = Desk::new(epoch, settings.workers);
        let (chunks, done) = mpsc::sync_channel(settings.workers * 4);
        let observed = Mutex::new(vec![pilots]);
        let strategies = self.plan.strategies().to_vec();
        std::thread::scope(|scope| {
            for _ in 0..settings.workers {
                let chunks = chunks.clone();
                let work = || {
                    let chunks = chunks;
                    let mut explorer = Explorer::new(name, settings, build(&strategies));
                    explorer.set_estimates(estimates.clone());
                    while let Some((epoch, from)) = desk.take() {
                        let chunk = desk.run(&mut explorer, program, &epoch, from);
                        if chunks.send(chunk).is_err() {
                            break;
                        }
                    }
                    lock(&observed).push(explorer.observed());
                };
                let thread = std::thread::Builder::new().stack_size(STACK_BYTES);
                thread
                    .name("actor-test worker".into())
                    .spawn_scoped(scope, work)
                    .expect("the system has a thread to spare");
            }
            drop(chunks);
            self.merge(done, &desk);
        });
        Observations::merge(
            observed
                .into_inner()
                .unwrap_or_else(PoisonError::into_inner),
        )
    }

    /// Takes the chunks in order, so that the report is that of one worker.
    fn merge(&mut self, done: mpsc::Receiver<Chunk>, desk: &Desk) {
        let mut waiting = BTreeMap::new();
        let (mut next, mut epoch_end) = desk.bounds();
        for chunk in done {
            waiting.insert(chunk.from, chunk);
            while let Some(chunk) = waiting.remove(&next) {
                next = chunk.to;
                for contribution in chunk.contributions {
                    if self.summary.is_over() {
                        break;
                    }
                    self.add(contribution);
                }
                self.observer.progress(&self.summary.progress());
                if chunk.is_last || self.summary.is_over() {
                    desk.close();
                } else if next == epoch_end {
                    match self.plan.next_epoch() {
                        None => desk.close(),
                        Some(epoch) => {
                            epoch_end = epoch.to;
                            desk.open(epoch);
                        }
                    }
                }
            }
        }
    }
}

/// Executions that one worker has run.
struct Chunk {
    from: u64,
    to: u64,
    contributions: Vec<Contribution>,
    /// The worker stopped: it was late, or what follows is not needed.
    is_last: bool,
}

/// Where workers fetch their executions.
struct Desk {
    workers: u64,
    state: Mutex<DeskState>,
    changed: Condvar,
    /// Executions from here on are not needed: an earlier one ended the test.
    needless: AtomicU64,
}

struct DeskState {
    epoch: Arc<Epoch>,
    next: u64,
    closed: bool,
}

impl Desk {
    fn new(epoch: Epoch, workers: usize) -> Self {
        Self {
            workers: workers as u64,
            state: Mutex::new(DeskState {
                next: epoch.from,
                epoch: Arc::new(epoch),
                closed: false,
            }),
            changed: Condvar::new(),
            needless: AtomicU64::new(u64::MAX),
        }
    }

    /// The first execution of the epoch, and the one after its last.
    fn bounds(&self) -> (u64, u64) {
        let state = lock(&self.state);
        (state.epoch.from, state.epoch.to)
    }

    fn open(&self, epoch: Epoch) {
        let mut state = lock(&self.state);
        state.next = epoch.from;
        state.epoch = Arc::new(epoch);
        self.changed.notify_all();
    }

    fn close(&self) {
        lock(&self.state).closed = true;
        self.changed.notify_all();
    }

    /// The epoch and the first execution of a worker's next chunk; waits for the next epoch where
    /// this one is given out.
    fn take(&self) -> Option<(Arc<Epoch>, u64)> {
        let mut state = lock(&self.state);
        loop {
            if state.closed || state.next >= self.needless.load(Ordering::Relaxed) {
                return None;
            }
            if state.next < state.epoch.to {
                let from = state.next;
                state.next = self.end_of_chunk(&state.epoch, from);
                return Some((state.epoch.clone(), from));
            }
            state = self
                .changed
                .wait(state)
                .unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Chunks are small where an epoch is short, so that all workers have their part of it.
    fn end_of_chunk(&self, epoch: &Epoch, from: u64) -> u64 {
        let share = (epoch.to - epoch.from) / (4 * self.workers);
        (from + share.clamp(1, CHUNK)).min(epoch.to)
    }

    fn run(
        &self,
        explorer: &mut Explorer<'_>,
        program: &dyn Program,
        epoch: &Epoch,
        from: u64,
    ) -> Chunk {
        let to = self.end_of_chunk(epoch, from);
        let mut chunk = Chunk {
            from,
            to,
            contributions: Vec::with_capacity((to - from) as usize),
            is_last: false,
        };
        for execution in from..to {
            if execution >= self.needless.load(Ordering::Relaxed) || explorer.is_late() {
                self.needless.fetch_min(execution, Ordering::Relaxed);
                chunk.is_last = true;
                break;
            }
            let contribution = explorer.run_turn(program, epoch.turn(execution));
            if explorer.ends_with(&contribution) {
                self.needless.fetch_min(execution + 1, Ordering::Relaxed);
            }
            chunk.contributions.push(contribution);
        }
        chunk
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
