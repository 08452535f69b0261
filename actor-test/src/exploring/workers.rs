//! Explores a program: distributes iterations over workers, and merges the results in order.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError, mpsc};

use crate::engine::{Observations, Program};
use crate::exploring::calibration::calibrate;
use crate::exploring::checkpoint::{CheckpointWriter, ExplorationState, InterruptedExploration};
use crate::exploring::confirmation::Judge;
use crate::exploring::contribution::Contribution;
use crate::exploring::explorer::Explorer;
use crate::exploring::plan::{Epoch, Plan};
use crate::exploring::progress::{ExplorationProgress, ProgressObserver, Silent};
use crate::exploring::prove::ProofSearches;
use crate::exploring::rounds::RoundWorkers;
use crate::exploring::summary::Summary;
use crate::exploring::work_queue::{CHUNK, Chunk, WorkQueue};
use crate::parallel::{lock, spawn_worker};
use crate::report::data::Report;
use crate::settings::Settings;
use crate::settings::strategy::StrategySpec;
use crate::strategy::{Estimates, SearchStrategy, Source};

/// Searches for a proof may spend one step for this many steps of samples, while samples are left.
const PROVING: u64 = 4;

/// Explores a program with the strategies of the settings.
pub(crate) fn sample(
    name: &str,
    program: &(dyn Program + Sync),
    settings: &Settings,
    observer: &mut dyn ProgressObserver,
    proving: Option<ProofSearches<'_>>,
) -> Report {
    let first = Explorer::new(name, settings, build(&settings.strategies()));
    explore_with(name, program, settings, observer, first, proving)
}

/// Explores a program with the strategies of the settings, already built in the explorer `first`, and with
/// searches for a proof beside them.
pub(crate) fn explore_with(
    name: &str,
    program: &(dyn Program + Sync),
    settings: &Settings,
    observer: &mut dyn ProgressObserver,
    mut first: Explorer<'_>,
    proving: Option<ProofSearches<'_>>,
) -> Report {
    let plan = Plan::new(settings);
    let mut exploration = Exploration {
        judge: Judge::new(name, program, settings, plan.strategies()),
        plan,
        summary: Summary::new(name, settings),
        observer,
        keeping: None,
        proving,
    };
    exploration.run_pilots(&mut first, program);
    exploration.judge.set_estimates(first.estimates());
    let observed = if settings.workers <= 1 || first.needs(|needs| needs.memory) {
        let mut crew = RoundWorkers::new(settings.workers, program);
        exploration.keep(name, settings, &mut first, &mut crew);
        exploration.run_with(&mut first, program, Some(&mut crew));
        exploration.summary.set_covered(first.covered());
        exploration.summary.set_extent(first.extent());
        let before = exploration.stop_keeping(&mut first, &crew);
        let observed = [before, first.observed()].into_iter();
        Observations::merge(observed.chain(crew.observed).collect())
    } else {
        let pilots = first.observed();
        let estimates = first.estimates();
        drop(first);
        exploration.run_in_parallel(name, program, settings, &estimates, pilots)
    };
    let report = exploration.summary.finish(program, &observed);
    match exploration.proving {
        Some(proving) => proving.conclude(report),
        None => report,
    }
}

/// Returns the settings, with bounds calibrated to the program if the settings ask for that.
pub(crate) fn calibrated(
    name: &str,
    program: &(dyn Program + Sync),
    settings: &Settings,
) -> Settings {
    let mut settings = settings.clone();
    if settings.calibrate {
        settings.bounds = calibrate(name, program, &settings);
    }
    settings
}

/// Explores a program with the strategies of one explorer, in turn.
pub(crate) fn explore_alone(
    mut explorer: Explorer<'_>,
    program: &(dyn Program + Sync),
    settings: &Settings,
    name: &str,
) -> Report {
    let lengths = explorer.run_pilots(program);
    let mut exploration = Exploration {
        // A custom strategy can't be built again.
        judge: Judge::new(name, program, settings, &[]),
        plan: Plan::of_one(settings, explorer.needs(|needs| needs.length)),
        summary: Summary::new(name, settings),
        observer: &mut Silent,
        keeping: None,
        proving: None,
    };
    exploration.measure(&lengths);
    exploration.summary.name_strategies(explorer.names());
    exploration.run_alone(&mut explorer, program);
    exploration.summary.set_covered(explorer.covered());
    exploration.summary.set_extent(explorer.extent());
    exploration.summary.finish(program, &explorer.observed())
}

fn build(strategies: &[StrategySpec]) -> Vec<Source> {
    strategies.iter().map(StrategySpec::source).collect()
}

/// An exploration in progress: its plan and its results so far.
pub(crate) struct Exploration<'a> {
    pub(crate) judge: Judge<'a>,
    pub(crate) plan: Plan,
    pub(crate) summary: Summary,
    pub(crate) observer: &'a mut dyn ProgressObserver,
    /// The writer of checkpoints, if wanted.
    pub(crate) keeping: Option<CheckpointState>,
    /// The searches for a proof, which run between epochs.
    pub(crate) proving: Option<ProofSearches<'a>>,
}

/// The checkpoints of an exploration.
pub(crate) struct CheckpointState {
    keeper: CheckpointWriter,
    /// The observations before the checkpoint from which the exploration was resumed.
    before: Observations,
}

impl Exploration<'_> {
    /// Runs the pilots, as the first iterations if they count.
    fn run_pilots(&mut self, first: &mut Explorer<'_>, program: &dyn Program) {
        if !self.plan.counts_pilots() {
            let lengths = first.run_pilots(program);
            self.measure(&lengths);
            self.summary.pilots = first.pilots();
            return;
        }
        let Some(epoch) = self.next_epoch() else {
            return;
        };
        let survey = first.begin_survey();
        self.run_epoch(first, program, &epoch, None);
        first.end_survey(survey);
    }

    /// Begins checkpointing, and resumes from the last checkpoint, if the search directory has one.
    fn keep(
        &mut self,
        name: &str,
        settings: &Settings,
        explorer: &mut Explorer<'_>,
        crew: &mut RoundWorkers<'_>,
    ) {
        // The caller has checked that the checkpoint is usable.
        let kept = CheckpointWriter::of(name, settings).unwrap_or_else(|error| panic!("{error}"));
        let Some((keeper, resumed)) = kept else {
            return;
        };
        let mut before = Observations::default();
        let mut rounds = 0;
        if let Some(InterruptedExploration { known, search }) = resumed {
            let only = explorer.search_mut().expect("only a search is saved");
            let restored = only.restore(&search);
            restored.unwrap_or_else(|why| panic!("a checkpoint can't be gone on with: {why}"));
            self.summary = known.summary.resumed(settings, known.elapsed);
            self.judge.go_on(known.judged);
            self.plan.go_on_after(self.summary.executions());
            before = known.observed;
            rounds = known.rounds;
        }
        crew.share(keeper.shard(), rounds);
        self.keeping = Some(CheckpointState { keeper, before });
    }

    /// Writes a checkpoint if it is time for one.
    fn keep_now(&mut self, explorer: &mut Explorer<'_>, crew: &RoundWorkers<'_>) {
        if self.keeping.as_ref().is_some_and(|now| now.keeper.is_due()) {
            self.keep_all(explorer, crew);
        }
    }

    /// Writes a checkpoint if the strategy can be saved now.
    fn keep_all(&mut self, explorer: &mut Explorer<'_>, crew: &RoundWorkers<'_>) {
        let Some(CheckpointState { keeper, before }) = &mut self.keeping else {
            return;
        };
        let begun = crate::wall_clock::now();
        let Some(search) = explorer.search_mut().and_then(SearchStrategy::save) else {
            return;
        };
        let seen = [before.clone(), explorer.observed()].into_iter();
        let observed = Observations::merge(seen.chain(crew.observed.iter().cloned()).collect());
        let known = ExplorationState {
            summary: &self.summary,
            elapsed: self.summary.elapsed(),
            judged: self.judge.judged(),
            observed: &observed,
            rounds: crew.rounds,
        };
        keeper.keep(&known, &search, begun);
    }

    /// Ends checkpointing; returns the observations before the checkpoint that was resumed.
    fn stop_keeping(
        &mut self,
        explorer: &mut Explorer<'_>,
        crew: &RoundWorkers<'_>,
    ) -> Observations {
        let keeps = self.keeping.as_ref().is_some_and(|now| now.keeper.keeps());
        if keeps && !self.summary.is_over() {
            self.keep_all(explorer, crew);
        }
        let Some(CheckpointState { keeper, before }) = self.keeping.take() else {
            return Observations::default();
        };
        let kept = keeper.finish(self.summary.is_over());
        self.summary.set_kept(kept);
        before
    }

    fn measure(&mut self, lengths: &[u64]) {
        lengths.iter().for_each(|length| self.plan.measure(*length));
    }

    /// Runs all epochs on one worker.
    pub(crate) fn run_alone(&mut self, explorer: &mut Explorer<'_>, program: &dyn Program) {
        self.run_with(explorer, program, None);
    }

    /// Runs all epochs on one worker, except for the parts of a divided search, which a crew explores.
    fn run_with(
        &mut self,
        explorer: &mut Explorer<'_>,
        program: &dyn Program,
        mut crew: Option<&mut RoundWorkers<'_>>,
    ) {
        while let Some(epoch) = self.next_epoch() {
            if !self.run_epoch(explorer, program, &epoch, crew.as_deref_mut()) {
                break;
            }
        }
    }

    /// Runs an epoch on one worker; returns `false` if the exploration is over.
    fn run_epoch(
        &mut self,
        explorer: &mut Explorer<'_>,
        program: &dyn Program,
        epoch: &Epoch,
        mut crew: Option<&mut RoundWorkers<'_>>,
    ) -> bool {
        let mut execution = epoch.from;
        while execution < epoch.to {
            if self.summary.is_over() || explorer.is_late() {
                return false;
            }
            if let Some(crew) = &mut crew {
                self.keep_now(explorer, crew);
                let parts = crew.divide(explorer, epoch.to - execution);
                if !parts.is_empty() {
                    execution = self.run_round(explorer, epoch, execution, crew, parts);
                    continue;
                }
            }
            self.add(explorer.run_turn(program, epoch.turn(execution)));
            if execution.is_multiple_of(CHUNK) {
                self.report_progress(explorer);
            }
            execution += 1;
        }
        self.observer.progress(&self.summary.progress());
        !self.summary.is_over()
    }

    /// Explores the parts of a search from an execution on; returns the execution after them.
    fn run_round(
        &mut self,
        explorer: &mut Explorer<'_>,
        epoch: &Epoch,
        mut execution: u64,
        crew: &mut RoundWorkers<'_>,
        parts: Vec<Box<dyn SearchStrategy>>,
    ) -> u64 {
        let beside = explorer.beside();
        crew.run(parts, &beside, &mut |explored| {
            for contribution in explored.contributions {
                if execution == epoch.to || self.summary.is_over() {
                    return false;
                }
                let turn = epoch.turn(execution);
                self.add(contribution.counted_as(turn, epoch.seed(turn)));
                execution += 1;
            }
            self.report_progress(explorer);
            !self.summary.is_over()
                && explorer
                    .search_mut()
                    .is_some_and(|search| search.unite(explored.part))
        });
        execution
    }

    /// Reports progress, if due.
    fn report_progress(&mut self, explorer: &Explorer<'_>) {
        if !self.observer.is_due() {
            return;
        }
        self.observer.progress(&ExplorationProgress {
            extent: explorer.extent(),
            ..self.summary.progress()
        });
    }

    /// Plans the next epoch, if executions are left and affordable.
    fn next_epoch(&mut self) -> Option<Epoch> {
        if self.summary.is_over() {
            return None;
        }
        let Some(proving) = &mut self.proving else {
            return self.plan.next_epoch(self.summary.affordable());
        };
        proving.go_on(self.summary.spent() / PROVING);
        loop {
            self.summary.set_beside(proving.cost());
            let most = match proving.samples() {
                Some(samples) => samples.saturating_sub(self.summary.executions()),
                None => self.summary.affordable(),
            };
            let epoch = self.plan.next_epoch(most);
            if epoch.is_some() || proving.is_over() {
                return epoch;
            }
            proving.go_on(u64::MAX);
        }
    }

    fn add(&mut self, mut contribution: Contribution) {
        self.judge.judge(&mut contribution);
        let strategy = contribution.strategy;
        self.plan.measure(contribution.outcome.contended_steps);
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
        let Some(epoch) = self.next_epoch() else {
            return pilots;
        };
        let desk = WorkQueue::new(epoch, settings.workers);
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
                    while let Some((epoch, mut left)) = desk.take() {
                        while !left.is_empty() {
                            desk.wait(left.start);
                            let chunk = desk.run(&mut explorer, program, &epoch, left.clone());
                            left.start = chunk.to;
                            if chunks.send(chunk).is_err() {
                                return;
                            }
                        }
                    }
                    lock(&observed).push(explorer.observed());
                };
                spawn_worker(scope, work);
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

    /// Merges the chunks in order, so that the report is that of one worker.
    fn merge(&mut self, done: mpsc::Receiver<Chunk>, desk: &WorkQueue) {
        let mut waiting = BTreeMap::new();
        let (mut next, mut epoch_end) = desk.bounds();
        for chunk in done {
            waiting.insert(chunk.from, chunk);
            while let Some(chunk) = waiting.remove(&next) {
                next = chunk.to;
                for (execution, contribution) in (chunk.from..).zip(chunk.contributions) {
                    if self.summary.is_over() {
                        break;
                    }
                    let is_suspected = contribution.is_suspected();
                    self.add(contribution);
                    if is_suspected && !self.summary.is_over() {
                        desk.clear(execution);
                    }
                }
                self.observer.progress(&self.summary.progress());
                if chunk.is_last || self.summary.is_over() {
                    desk.close();
                } else if next == epoch_end {
                    match self.next_epoch() {
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
