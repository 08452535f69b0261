//! One recorded execution, continued otherwise from any of its steps: [`Forks`].

use std::sync::{Arc, PoisonError};

use crate::attendance::{self, WorkerStatus};
use crate::data::bug::{Cycle, Finding};
use crate::data::causes::Share;
use crate::data::schedule::Schedule;
use crate::engine::{Debt, Decision, End, Engine, Outcome, Program, RunOptions, Watch, chosen};
use crate::hash::mix;
use crate::report::facts::Recording;
use crate::settings::Bounds;
use crate::strategy::{Continuation, Execution, Fairness, Named, Replay, Strategy};
use crate::trace::replay::{fairness_of, taken};

/// So hot nothing ever is.
const NEVER: u64 = u64::MAX / 4;

/// What an execution failed with.
#[derive(Clone, Debug)]
pub(super) struct Failure {
    pub(super) finding: Finding,
    /// What was owed for ever, and since when.
    pub(super) debt: Option<(Debt, u64)>,
    /// Nothing could run any more when it was found, so that it can't be otherwise.
    pub(super) is_over: bool,
    /// After how many steps it was found.
    pub(super) steps: u64,
}

/// How a continuation went.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Fate {
    /// The same bug.
    Failed,
    /// It recovered, or went on without the bug.
    Escaped,
    /// It ended at another bug.
    Other,
}

/// A continuation by which it can be run again.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Fork {
    /// After which step it begins.
    pub(super) from: u64,
    pub(super) number: u32,
    pub(super) horizon: u64,
    /// How many steps it takes in all.
    pub(super) steps: u64,
}

/// A continuation that was run again, with records of what happened.
#[derive(Debug)]
pub(super) struct Retold {
    pub(super) outcome: Outcome,
    pub(super) decisions: Vec<Decision>,
    pub(super) schedule: Schedule,
}

/// How far an execution goes, and whether it is watched for being paid from some step on.
#[derive(Clone, Copy, Debug)]
pub(super) struct Course {
    pub(super) watch_from: Option<u64>,
    pub(super) until: u64,
    /// How long something may be owed, where that is not watched.
    pub(super) temperature: u64,
}

/// Runs one recorded execution again and again, each time otherwise from some step on, as long as its
/// budget of steps lasts.
pub(super) struct Forks<'a> {
    program: &'a dyn Program,
    engine: Engine,
    status: Arc<WorkerStatus>,
    execution: Execution,
    bounds: Bounds,
    fairness: Fairness,
    taken: Vec<Decision>,
    failure: Failure,
    budget: u64,
    spent: u64,
    /// The escape that begins last.
    nearest: Option<Fork>,
    /// How long anything took to recover, at most.
    recovery: u64,
}

impl<'a> Forks<'a> {
    pub(super) fn new(
        program: &'a dyn Program,
        test: &str,
        recording: &Recording,
        finding: &Finding,
        budget: u64,
    ) -> Self {
        let fairness = fairness_of(recording.fair_from);
        let engine = Engine::idle(recording.bounds, recording.semantics, recording.system);
        let status = attendance::attend(test, engine.heartbeat());
        let taken = taken(recording);
        // The same for who has the recording alone.
        let numbers = taken.iter().map(|decision| decision.chosen);
        let seed = numbers.fold(taken.len() as u64, |seed, chosen| {
            mix(seed, u64::from(chosen))
        });
        Self {
            program,
            engine,
            status,
            execution: Execution {
                seed,
                ..Execution::alone(recording.bounds.unfair())
            },
            bounds: recording.bounds,
            fairness,
            taken,
            failure: Failure {
                finding: finding.clone(),
                debt: None,
                is_over: false,
                steps: finding.step,
            },
            budget,
            spent: 0,
            nearest: None,
            recovery: 0,
        }
    }

    /// Runs the recording once more, as it was, under a strategy that replays it. Tells what happened,
    /// and takes note of what is owed; `None` where it does not fail as it did.
    pub(super) fn retrace(
        &mut self,
        strategy: Box<dyn Strategy>,
        cycle: Option<Cycle>,
    ) -> Option<Outcome> {
        self.engine.set_bounds(self.bounds);
        self.engine.look_for(cycle);
        let options = RunOptions {
            expected: Some(self.taken.clone()),
            tell: true,
            ..RunOptions::default()
        };
        let outcome = self.run(strategy, options);
        self.engine.look_for(None);
        let finding = outcome.finding.as_ref()?;
        let is_same = outcome.diverged_at.is_none() && self.failure.finding.is_found_again(finding);
        let suspected = outcome.suspicion.map(|why| (why.entry, why.since));
        self.failure.debt = suspected.or(outcome.unmet);
        self.failure.is_over = suspected.is_none();
        self.failure.steps = outcome.steps;
        is_same.then_some(outcome)
    }

    /// Replays the recording.
    pub(super) fn replay(&self) -> Replay {
        Replay::new(self.chosen(), self.fairness)
    }

    fn chosen(&self) -> Vec<u32> {
        chosen(&self.taken)
    }

    pub(super) fn failure(&self) -> &Failure {
        &self.failure
    }

    /// How many steps were taken.
    pub(super) fn spent(&self) -> u64 {
        self.spent
    }

    /// How many steps are left.
    pub(super) fn left(&self) -> u64 {
        self.budget.saturating_sub(self.spent)
    }

    /// Allows for so many steps more than those that were taken.
    pub(super) fn grant(&mut self, steps: u64) {
        self.budget = self.spent.saturating_add(steps);
    }

    /// The longest recovery that was seen.
    pub(super) fn recovery(&self) -> u64 {
        self.recovery
    }

    /// The escape that has most in common with what failed.
    pub(super) fn nearest(&self) -> Option<Fork> {
        self.nearest
    }

    /// How so many continuations from a step go, of at most `horizon` steps each; with
    /// `until_escape`, no more of them than it takes to see one escape. `None` where the budget does not
    /// last.
    pub(super) fn share(
        &mut self,
        from: u64,
        numbers: std::ops::Range<u32>,
        horizon: u64,
        until_escape: bool,
    ) -> Option<Share> {
        let mut share = Share {
            step: from,
            ..Share::default()
        };
        for number in numbers {
            if self.left() == 0 {
                return None;
            }
            share.of += 1;
            match self.walk(from, number, horizon) {
                Fate::Failed => share.failed += 1,
                Fate::Escaped => share.escaped += 1,
                Fate::Other => {}
            }
            if until_escape && share.escaped > 0 {
                break;
            }
        }
        Some(share)
    }

    fn walk(&mut self, from: u64, number: u32, horizon: u64) -> Fate {
        let strategy = Continuation::new(self.chosen(), from, number);
        let course = self.course(from, horizon);
        let outcome = self.go(Box::new(strategy), course, false);
        let fate = self.fate(&outcome);
        if fate == Fate::Escaped {
            // Who is not watched may have nothing to recover from when it begins.
            let recovery = match course.watch_from {
                Some(from) => outcome.steps.saturating_sub(from),
                None => outcome.owed_longest,
            };
            self.recovery = self.recovery.max(recovery);
            let fork = Fork {
                from,
                number,
                horizon,
                steps: outcome.steps,
            };
            let is_nearer = |known: Fork| {
                fork.from > known.from || fork.from == known.from && fork.steps < known.steps
            };
            if self.nearest.is_none_or(is_nearer) {
                self.nearest = Some(fork);
            }
        }
        fate
    }

    /// How far a continuation from a step goes, and what is looked for.
    pub(super) fn course(&self, from: u64, horizon: u64) -> Course {
        match self.failure.debt {
            Some((_, since)) if from >= since => Course {
                watch_from: Some(from),
                until: from.saturating_add(horizon),
                temperature: NEVER,
            },
            // Before it is owed it can't be seen to be paid, but seen not to be owed for long.
            Some((_, since)) => Course {
                watch_from: None,
                until: since.saturating_add(horizon.saturating_mul(2)),
                temperature: horizon,
            },
            None => Course {
                watch_from: None,
                until: from.saturating_add(horizon),
                temperature: NEVER,
            },
        }
    }

    /// Runs the continuation again.
    pub(super) fn retell(&mut self, fork: Fork) -> Retold {
        let strategy = Continuation::new(self.chosen(), fork.from, fork.number);
        let (named, written) = Named::new(Box::new(strategy));
        let course = self.course(fork.from, fork.horizon);
        let outcome = self.go(Box::new(named), course, true);
        let mut written = written.lock().unwrap_or_else(PoisonError::into_inner);
        Retold {
            outcome,
            decisions: self.engine.decisions(),
            schedule: std::mem::take(&mut written),
        }
    }

    /// Runs an execution under a strategy.
    pub(super) fn go(
        &mut self,
        strategy: Box<dyn Strategy>,
        course: Course,
        tell: bool,
    ) -> Outcome {
        let bounds = Bounds::new(course.until)
            .with_fair(course.until)
            .with_temperature(course.temperature);
        self.engine.set_bounds(bounds);
        let watch = course.watch_from.zip(self.failure.debt);
        let options = RunOptions {
            again: true,
            tell,
            watch: watch.map(|(from, (entry, _))| Watch {
                entry,
                from,
                until: course.until,
            }),
            ..RunOptions::default()
        };
        self.run(strategy, options)
    }

    fn run(&mut self, strategy: Box<dyn Strategy>, options: RunOptions) -> Outcome {
        self.status.begins(0, 0, None);
        let (engine, program) = (&mut self.engine, self.program);
        let outcome = engine.run_under(strategy, program, &self.execution, options);
        self.status.ends();
        self.spent = self.spent.saturating_add(outcome.cost());
        outcome
    }

    /// Whether an execution failed as the recorded one did.
    pub(super) fn fate(&self, outcome: &Outcome) -> Fate {
        let Some((debt, _)) = self.failure.debt else {
            return match &outcome.finding {
                Some(finding) if finding.is_at_the_place_of(&self.failure.finding) => Fate::Failed,
                Some(_) => Fate::Other,
                None => Fate::Escaped,
            };
        };
        let owes = outcome.suspicion.map(|why| why.entry);
        let owes = owes.or(outcome.unmet.map(|(entry, _)| entry));
        let is_cut_off = outcome.undecided.iter().any(|owed| owed.entry == debt);
        match outcome.end {
            End::Recovered => Fate::Escaped,
            _ if owes == Some(debt) || is_cut_off => Fate::Failed,
            End::Bug => match &outcome.finding {
                Some(finding) if finding.is_at_the_place_of(&self.failure.finding) => Fate::Failed,
                _ => Fate::Other,
            },
            // Waits are not judged where something is watched.
            End::Bound if !matches!(debt, Debt::Specification(_)) => Fate::Failed,
            _ => Fate::Escaped,
        }
    }
}
