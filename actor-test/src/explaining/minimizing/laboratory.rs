//! Where executions are tried: alone at a [`Bench`], or by all workers of a [`Laboratory`].

use std::any::Any;
use std::ops::ControlFlow;
use std::sync::Arc;

use crate::attendance::{self, WorkerStatus};
use crate::data::bug::Finding;
use crate::data::schedule::Schedule;
use crate::data::story::Story;
use crate::engine::{
    Engine, ObligationWatch, Outcome, Program, RecordedDecision, RunOptions, checks, chosen,
};
use crate::explaining::minimizing::search::Best;
use crate::in_order::in_order;
use crate::report::facts::{Bug, Recording};
use crate::strategy::{Execution, Fairness, Guided, Strategy};
use crate::trace::following::{Attempt, follow_by, name};
use crate::trace::replay::{fair_from, run_again_with, taken};
use crate::trace::schedule;

/// One worker is enough for so many steps: others would take longer to begin.
const ALONE: u64 = 20_000;

/// Something to try, and what comes of it, if anything.
type Job<'a> = Box<dyn FnOnce(&mut Bench<'_>) -> Option<Done> + 'a>;
type Done = Box<dyn Any + Send>;

/// What something has cost.
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

/// Where one worker tries executions, one after the other.
pub(super) struct Bench<'a> {
    program: &'a dyn Program,
    engine: Engine,
    status: Arc<WorkerStatus>,
    cost: Cost,
}

impl<'a> Bench<'a> {
    fn new(program: &'a dyn Program, test: &str, bug: &Bug) -> Self {
        let recording = &bug.trace;
        let mut engine = Engine::idle(recording.bounds, recording.semantics, recording.system);
        let status = attendance::attend(test, engine.heartbeat());
        status.begins(bug.iteration.saturating_sub(1), 0, None);
        engine.prepare_for_cycle(recording.cycle);
        Self {
            program,
            engine,
            status,
            cost: Cost::default(),
        }
    }

    /// Its seed has nothing to do with the test's, so that what comes out depends on the recorded
    /// execution alone.
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

    /// Runs what was recorded, and names its steps.
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

    /// Follows a schedule.
    pub(super) fn follow(&mut self, guided: Guided, seed: u64) -> Attempt {
        let execution = Self::execution(seed);
        let attempt = follow_by(&mut self.engine, self.program, &execution, guided, false);
        self.spend(&attempt.outcome);
        attempt
    }

    /// Runs decisions again, up to a step where one is given.
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

    /// Runs another strategy; nothing of it is counted.
    pub(super) fn run(&mut self, strategy: Box<dyn Strategy>) -> (Outcome, Vec<RecordedDecision>) {
        let options = RunOptions {
            expected: Some(Vec::new()),
            ..RunOptions::default()
        };
        let outcome = self.run_under(strategy, options);
        (outcome, self.engine.decisions())
    }

    /// Runs a strategy to see whether something is paid.
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

    /// Runs an execution with full recording; its story ends before the step `until`.
    pub(super) fn record(
        &mut self,
        best: &Best,
        fairness: Fairness,
        like: &Recording,
        until: Option<u64>,
    ) -> (Finding, Recording) {
        let told = RunOptions {
            record: true,
            until,
            ..RunOptions::default()
        };
        let told = self.again(&best.decisions, fairness, told);
        let mut story = Story::of(&told.records);
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

impl Drop for Bench<'_> {
    fn drop(&mut self) {
        self.status.ends();
    }
}

/// Where executions are tried, by as many workers as there are, as long as the budget lasts. What comes
/// out of it, and what is counted, is the same for any number of them.
pub(super) struct Laboratory<'a> {
    program: &'a dyn Program,
    test: &'a str,
    bug: &'a Bug,
    workers: usize,
    own: Bench<'a>,
    budget: u64,
    /// What of it is for later.
    reserve: u64,
    spent: Cost,
}

impl<'a> Laboratory<'a> {
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
            own: Bench::new(program, test, bug),
            budget,
            reserve: 0,
            spent: Cost::default(),
        }
    }

    /// What all that was tried has cost.
    pub(super) fn spent(&self) -> Cost {
        self.spent
    }

    /// The budget is spent.
    pub(super) fn is_over(&self) -> bool {
        self.left() == 0
    }

    /// How many steps are left.
    pub(super) fn left(&self) -> u64 {
        let spent = self.spent.steps.saturating_add(self.reserve);
        self.budget.saturating_sub(spent)
    }

    /// Keeps so many steps for later, in place of those that were kept before.
    pub(super) fn reserve(&mut self, steps: u64) {
        self.reserve = steps;
    }

    /// Has one worker do something.
    pub(super) fn alone<R>(&mut self, work: impl FnOnce(&mut Bench<'_>) -> R) -> R {
        let done = work(&mut self.own);
        self.spent.add(std::mem::take(&mut self.own.cost));
        done
    }

    /// What comes of the first of `jobs`, in their order, of which something comes, if the budget lasts
    /// for it. Those before it are paid for; others may be tried meanwhile, and are forgotten.
    pub(super) fn first<J, R: Send + 'static>(
        &mut self,
        jobs: impl Iterator<Item = J> + Send,
        run: impl Fn(&mut Bench<'_>, J) -> Option<R> + Sync,
    ) -> Option<R> {
        let run = &run;
        let mut jobs = jobs.map(|job| -> Job<'_> {
            Box::new(move |bench| run(bench, job).map(|done| -> Done { Box::new(done) }))
        });
        let done = self.first_of(&mut jobs)?;
        Some(*done.downcast().expect("it is what `run` returned"))
    }

    /// [`first`](Self::first) of jobs of any kind, so that it is compiled once.
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
            in_order(
                jobs,
                self.workers,
                &mut self.own,
                || Bench::new(program, test, bug),
                |bench, job| {
                    let done = job(bench);
                    (std::mem::take(&mut bench.cost), done)
                },
                |(cost, done)| {
                    spent.add(cost);
                    first = done;
                    match first.is_some() || spent.steps >= budget {
                        true => ControlFlow::Break(()),
                        false => ControlFlow::Continue(()),
                    }
                },
            );
        }
        self.spent = spent;
        first
    }
}
