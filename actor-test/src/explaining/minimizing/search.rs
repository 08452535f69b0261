//! The best execution so far, and trying to better it.

use crate::data::bug::Finding;
use crate::data::schedule::Schedule;
use crate::data::story::Story;
use crate::engine::{Decision, Engine, Outcome, Program, RunOptions, Watch, checks, chosen};
use crate::explaining::minimizing::candidate::Candidate;
use crate::report::facts::Recording;
use crate::report::minimized::Size;
use crate::strategy::{Execution, Fairness, Guided, Strategy};
use crate::trace::following::{Attempt, follow_by};
use crate::trace::replay::{fair_from, run_again_with};
use crate::trace::schedule;

/// Where executions are tried, as long as the budget lasts.
pub(super) struct Laboratory<'a> {
    pub(super) program: &'a dyn Program,
    pub(super) engine: Engine,
    budget: u64,
    pub(super) spent: u64,
    pub(super) executions: u64,
}

impl<'a> Laboratory<'a> {
    pub(super) fn new(program: &'a dyn Program, engine: Engine, budget: u64) -> Self {
        Self {
            program,
            engine,
            budget,
            spent: 0,
            executions: 0,
        }
    }

    /// Its seed has nothing to do with the test's, so that what comes out depends on the recorded
    /// execution alone.
    pub(super) fn execution(&self, seed: u64) -> Execution {
        Execution {
            seed,
            ..Execution::alone(u64::MAX)
        }
    }

    pub(super) fn spend(&mut self, outcome: &Outcome) {
        self.executions += 1;
        self.spent += outcome.cost();
    }

    /// The budget is spent.
    pub(super) fn is_over(&self) -> bool {
        self.spent >= self.budget
    }

    /// What is left of the budget.
    pub(super) fn left(&self) -> u64 {
        self.budget.saturating_sub(self.spent)
    }

    /// Follows a schedule.
    pub(super) fn follow(&mut self, guided: Guided, seed: u64) -> Attempt {
        let execution = self.execution(seed);
        let attempt = follow_by(&mut self.engine, self.program, &execution, guided, false);
        self.spend(&attempt.outcome);
        attempt
    }

    /// Runs decisions again, up to a step where one is given.
    pub(super) fn again(
        &mut self,
        decisions: &[Decision],
        fairness: Fairness,
        options: RunOptions,
    ) -> Outcome {
        let execution = self.execution(0);
        let (engine, program) = (&mut self.engine, self.program);
        let outcome = run_again_with(engine, program, &execution, fairness, decisions, options);
        self.spend(&outcome);
        outcome
    }

    /// Runs another strategy, perhaps to see whether something is paid; nothing of it is counted.
    pub(super) fn run(&mut self, strategy: Box<dyn Strategy>, watch: Option<Watch>) -> Outcome {
        let options = RunOptions {
            watch,
            expected: watch.is_none().then(Vec::new),
            ..RunOptions::default()
        };
        let execution = self.execution(0);
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
            tell: true,
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

/// An execution that ends in the bug, or that leads to where it is bound to happen.
#[derive(Clone, Debug)]
pub(super) struct Best {
    pub(super) schedule: Schedule,
    pub(super) decisions: Vec<Decision>,
    pub(super) finding: Finding,
    size: Size,
}

impl Best {
    pub(super) fn new(schedule: Schedule, decisions: Vec<Decision>, finding: Finding) -> Self {
        Self {
            size: Size::of(&schedule),
            schedule,
            decisions,
            finding,
        }
    }

    /// What is to become less: faults first, then steps, then switches, then actors, then what was chosen.
    pub(super) fn cost(&self) -> (u64, u64, u64, u64, u64) {
        let choices = self.schedule.iter().flat_map(|step| &step.choices);
        let chosen = choices.map(|choice| u64::from(choice.answer)).sum();
        (
            self.size.faults,
            self.size.steps,
            self.size.switches,
            self.size.actors,
            chosen,
        )
    }
}

/// Tells whether a candidate leads to the bug.
pub(super) trait Trial {
    /// What has become of the candidate, where it leads to the bug with at most as many steps as
    /// `limit`.
    fn attempt(
        &mut self,
        laboratory: &mut Laboratory<'_>,
        candidate: Candidate,
        limit: u64,
    ) -> Option<Best>;

    /// It is certain, before it takes the place of what was the best.
    fn is_confirmed(&mut self, laboratory: &mut Laboratory<'_>, better: &Best) -> bool;
}

/// The search for something shorter.
#[derive(Debug)]
pub(super) struct Search<T> {
    pub(super) trial: T,
    pub(super) best: Best,
    improved: bool,
}

impl<T: Trial> Search<T> {
    pub(super) fn new(trial: T, best: Best) -> Self {
        Self {
            trial,
            best,
            improved: false,
        }
    }

    /// There is a better one since this was asked last.
    pub(super) fn has_improved(&mut self) -> bool {
        std::mem::take(&mut self.improved)
    }

    /// Tries a candidate; tells whether it is the best now.
    pub(super) fn tries(&mut self, laboratory: &mut Laboratory<'_>, candidate: Candidate) -> bool {
        if laboratory.is_over() {
            return false;
        }
        let limit = self.best.schedule.len() as u64;
        let Some(better) = self.trial.attempt(laboratory, candidate, limit) else {
            return false;
        };
        let is_better = better.cost() < self.best.cost();
        if !is_better || !self.trial.is_confirmed(laboratory, &better) {
            return false;
        }
        self.best = better;
        self.improved = true;
        true
    }
}
