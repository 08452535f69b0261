//! Runs trial executions: one worker at a [`TrialWorker`], or all workers of a [`Trials`].

use std::any::Any;
use std::sync::Arc;

use crate::data::bug::Finding;
use crate::data::causes::StepSummary;
use crate::data::schedule::Schedule;
use crate::data::story::{Repetition, Story};
use crate::engine::{
    Engine, ObligationWatch, Outcome, Program, RecordLevel, RecordedDecision, RunOptions, checks,
    chosen,
};
use crate::explaining::minimizing::search::BestExecution;
use crate::parallel::map_ordered;
use crate::replay::following::{FollowedRun, follow_by, name};
use crate::replay::{fair_from, run_again_with, taken};
use crate::report::data::{Bug, Recording};
use crate::report::words;
use crate::strategy::{BranchedReplay, Delayed, Execution, Fairness, Guided, RoundRobin, Strategy};
use crate::trace::schedule;
use crate::worker_registry::{self, WorkerStatus};

/// The number of steps behind an execution among which a round is sought that repeats itself.
const ROUND_SOUGHT: u64 = 400;

/// The number of steps that one worker runs alone, since others would take longer to start.
const ALONE: u64 = 20_000;

/// A trial, and its result if it succeeds.
type Job<'a> = Box<dyn FnOnce(&mut TrialWorker<'_>) -> Option<Done> + 'a>;
type Done = Box<dyn Any + Send>;

/// The cost of trials.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct Cost {
    pub(super) executions: u64,
    pub(super) steps: u64,
}

impl Cost {
    fn add(&mut self, other: Self) {
        self.executions += other.executions;
        self.steps += other.steps;
    }
}

/// The engine of one worker, which runs trials one after the other.
pub(super) struct TrialWorker<'a> {
    program: &'a dyn Program,
    engine: Engine,
    status: Arc<WorkerStatus>,
    cost: Cost,
}

impl<'a> TrialWorker<'a> {
    fn new(program: &'a dyn Program, test: &str, bug: &Bug) -> Self {
        let recording = &bug.trace;
        let mut engine = Engine::idle(recording.bounds, recording.semantics, recording.system);
        let status = worker_registry::register_worker(test, engine.heartbeat());
        status.begins(bug.iteration.saturating_sub(1), 0, None);
        engine.prepare_for_cycle(recording.cycle);
        Self {
            program,
            engine,
            status,
            cost: Cost::default(),
        }
    }

    /// The seed is independent of the test's seed, so that results depend on the recorded execution alone.
    fn execution(seed: u64) -> Execution {
        Execution {
            seed,
            ..Execution::alone(u64::MAX)
        }
    }

    fn spend(&mut self, outcome: &Outcome) {
        self.cost.add(Cost {
            executions: 1,
            steps: outcome.cost(),
        });
    }

    /// Re-executes a recording, and returns its named steps.
    pub(super) fn retrace(
        &mut self,
        recording: &Recording,
        fairness: Fairness,
    ) -> (Outcome, Schedule) {
        let (engine, options) = (&mut self.engine, RunOptions::default());
        let (execution, decisions) = (Self::execution(0), taken(recording));
        let (outcome, schedule) = name(
            engine,
            self.program,
            &execution,
            fairness,
            &decisions,
            options,
        );
        self.spend(&outcome);
        (outcome, schedule)
    }

    pub(super) fn follow(&mut self, guided: Guided, seed: u64) -> FollowedRun {
        let execution = Self::execution(seed);
        let attempt = follow_by(&mut self.engine, self.program, &execution, guided);
        self.spend(&attempt.outcome);
        attempt
    }

    /// Re-executes decisions, up to a step if `options` sets one.
    pub(super) fn again(
        &mut self,
        decisions: &[RecordedDecision],
        fairness: Fairness,
        options: RunOptions,
    ) -> Outcome {
        let execution = Self::execution(0);
        let (engine, program) = (&mut self.engine, self.program);
        let outcome = run_again_with(engine, program, &execution, fairness, decisions, options);
        self.spend(&outcome);
        outcome
    }

    /// Runs another strategy, and returns its decisions.
    pub(super) fn run(&mut self, strategy: Box<dyn Strategy>) -> (Outcome, Vec<RecordedDecision>) {
        let options = RunOptions {
            expected: Some(Vec::new()),
            ..RunOptions::default()
        };
        let outcome = self.run_under(strategy, options);
        (outcome, self.engine.decisions())
    }

    /// Runs a strategy to observe whether the watched obligation is discharged.
    pub(super) fn watch(&mut self, strategy: Box<dyn Strategy>, watch: ObligationWatch) -> Outcome {
        let searches = self.engine.replace_lasso_detection(false);
        let options = RunOptions {
            watch: Some(watch),
            ..RunOptions::default()
        };
        let outcome = self.run_under(strategy, options);
        self.engine.set_lasso_detection(searches);
        outcome
    }

    fn run_under(&mut self, strategy: Box<dyn Strategy>, options: RunOptions) -> Outcome {
        let execution = Self::execution(0);
        let (engine, program) = (&mut self.engine, self.program);
        let outcome = engine.run_under(strategy, program, &execution, options);
        self.spend(&outcome);
        outcome
    }

    /// Returns one round of the steps that repeat each other behind an execution, while the operations take
    /// turns.
    pub(super) fn round_behind(&mut self, best: &BestExecution) -> Vec<StepSummary> {
        let from = best.schedule.len() as u64;
        let turns = Box::new(Delayed::new(RoundRobin::new(), 0));
        let turns = BranchedReplay::new(chosen(&best.decisions), from, turns);
        let options = RunOptions {
            record: RecordLevel::Events,
            until: Some(from + ROUND_SOUGHT),
            ..RunOptions::default()
        };
        let story = Story::of(&self.run_under(Box::new(turns), options).records);
        let repetitions = Repetition::all(&story);
        let lasts =
            |last: &&Repetition| story.steps[last.first].number > from && last.lasts(&story);
        let round = repetitions.last().filter(lasts).map(|last| {
            let steps = &story.steps[last.round()];
            let summary = |step| StepSummary {
                what: words::action_and_changes(&story, step),
                ..words::step_summary(&story, step)
            };
            steps.iter().map(summary).collect()
        });
        round.unwrap_or_default()
    }

    /// Runs an execution with full recording; its story ends before the step `until`.
    pub(super) fn record(
        &mut self,
        best: &BestExecution,
        fairness: Fairness,
        like: &Recording,
        until: Option<u64>,
    ) -> (Finding, Recording) {
        let options = RunOptions {
            record: RecordLevel::EventsAndLogs,
            until,
            ..RunOptions::default()
        };
        let recorded = self.again(&best.decisions, fairness, options);
        let mut story = Story::of(&recorded.records);
        if let Some(until) = until {
            story.truncate(until.saturating_sub(1));
        }
        let recording = Recording {
            decisions: chosen(&best.decisions),
            checks: checks(&best.decisions),
            schedule: schedule::write(&best.schedule),
            fair_from: fair_from(fairness),
            cycle: None,
            story,
            ..like.clone()
        };
        (best.finding.clone(), recording)
    }
}

impl Drop for TrialWorker<'_> {
    fn drop(&mut self) {
        self.status.ends();
    }
}

/// Runs trials by all workers while the budget lasts. Results and costs do not depend on their number.
pub(super) struct Trials<'a> {
    program: &'a dyn Program,
    test: &'a str,
    bug: &'a Bug,
    workers: usize,
    own: TrialWorker<'a>,
    budget: u64,
    /// The part of the budget that is reserved for later.
    reserve: u64,
    spent: Cost,
}

impl<'a> Trials<'a> {
    pub(super) fn new(
        program: &'a dyn Program,
        test: &'a str,
        bug: &'a Bug,
        budget: u64,
        workers: usize,
    ) -> Self {
        Self {
            program,
            test,
            bug,
            workers,
            own: TrialWorker::new(program, test, bug),
            budget,
            reserve: 0,
            spent: Cost::default(),
        }
    }

    pub(super) fn spent(&self) -> Cost {
        self.spent
    }

    pub(super) fn is_over(&self) -> bool {
        self.left() == 0
    }

    /// Returns the remaining steps, without the reserve.
    pub(super) fn left(&self) -> u64 {
        let spent = self.spent.steps.saturating_add(self.reserve);
        self.budget.saturating_sub(spent)
    }

    /// Replaces the reserve.
    pub(super) fn reserve(&mut self, steps: u64) {
        self.reserve = steps;
    }

    /// Runs work at the first worker's bench.
    pub(super) fn alone<R>(&mut self, work: impl FnOnce(&mut TrialWorker<'_>) -> R) -> R {
        let done = work(&mut self.own);
        self.spent.add(std::mem::take(&mut self.own.cost));
        done
    }

    /// Returns the first result of `jobs`, in their order, if the budget lasts for it. The jobs up to that
    /// one are paid for; later ones may have run meanwhile, and are dropped.
    pub(super) fn first<J, R: Send + 'static>(
        &mut self,
        jobs: impl Iterator<Item = J> + Send,
        run: impl Fn(&mut TrialWorker<'_>, J) -> Option<R> + Sync,
    ) -> Option<R> {
        let run = &run;
        let mut jobs = jobs.map(|job| -> Job<'_> {
            Box::new(move |worker| run(worker, job).map(|done| -> Done { Box::new(done) }))
        });
        let done = self.first_of(&mut jobs)?;
        Some(*done.downcast().expect("it is what `run` returned"))
    }

    /// Implements [`first`](Self::first) for boxed jobs, so that the code is compiled once.
    fn first_of(&mut self, jobs: &mut (dyn Iterator<Item = Job<'_>> + Send)) -> Option<Done> {
        let mut jobs = jobs.fuse();
        let begun = self.spent.steps;
        while self.workers <= 1 || self.spent.steps - begun < ALONE {
            if self.is_over() {
                return None;
            }
            let job = jobs.next()?;
            let done = self.alone(job);
            if done.is_some() {
                return done;
            }
        }
        let (mut first, mut spent) = (None, self.spent);
        let (program, test, bug) = (self.program, self.test, self.bug);
        let budget = self.budget.saturating_sub(self.reserve);
        if spent.steps < budget {
            map_ordered(
                jobs,
                self.workers,
                &mut self.own,
                || TrialWorker::new(program, test, bug),
                |worker, job| {
                    let done = job(worker);
                    (std::mem::take(&mut worker.cost), done)
                },
                |(cost, done)| {
                    spent.add(cost);
                    first = done;
                    first.is_none() && spent.steps < budget
                },
            );
        }
        self.spent = spent;
        first
    }
}
