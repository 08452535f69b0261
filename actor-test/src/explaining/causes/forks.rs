//! One recorded execution, continued otherwise from any of its steps: [`Forks`].

use std::ops::ControlFlow;
use std::sync::{Arc, PoisonError};

use crate::attendance::{self, WorkerStatus};
use crate::data::bug::{Cycle, Finding};
use crate::data::causes::Share;
use crate::data::schedule::Schedule;
use crate::engine::{
    EndReason, Engine, Obligation, ObligationWatch, Outcome, Program, RecordedDecision, RunOptions,
    chosen,
};
use crate::hash::mix;
use crate::in_order::in_order;
use crate::report::facts::Recording;
use crate::settings::Bounds;
use crate::strategy::{Continuation, Execution, Fairness, Named, Replay, Strategy};
use crate::trace::replay::{fairness_of, taken};

/// So hot nothing ever is.
const NEVER: u64 = u64::MAX / 4;

/// How many times as long as the execution that failed one is that is over with nothing but periodic timers
/// left: one that ends sooner may fail later, when they have fired more often.
const IDLES: u64 = 2;

/// One worker is enough for so many steps: others would take longer to begin.
const ALONE: u64 = 20_000;

/// What an execution failed with.
#[derive(Clone, Debug)]
pub(super) struct Failure {
    pub(super) finding: Finding,
    /// What was owed for ever, and since when.
    pub(super) debt: Option<(Obligation, u64)>,
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
    pub(super) decisions: Vec<RecordedDecision>,
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

/// The recorded execution, of which all the others are made.
pub(super) struct Trunk<'a> {
    program: &'a dyn Program,
    test: &'a str,
    recording: &'a Recording,
    execution: Execution,
    fairness: Fairness,
    taken: Vec<RecordedDecision>,
    failure: Failure,
    /// Calm continuations are among them.
    is_calm: bool,
}

/// Where one worker runs executions, one after the other.
pub(super) struct Track {
    engine: Engine,
    status: Arc<WorkerStatus>,
    /// The steps that were taken.
    spent: u64,
}

/// Runs one recorded execution again and again, each time otherwise from some step on, as long as its
/// budget of steps lasts. What comes out of it is the same for any number of workers.
pub(super) struct Forks<'a> {
    trunk: Trunk<'a>,
    own: Track,
    workers: usize,
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
        test: &'a str,
        recording: &'a Recording,
        finding: &Finding,
        budget: u64,
        workers: usize,
    ) -> Self {
        let fairness = fairness_of(recording.fair_from);
        let taken = taken(recording);
        // The same for who has the recording alone.
        let numbers = taken.iter().map(|decision| decision.chosen);
        let seed = numbers.fold(taken.len() as u64, |seed, chosen| {
            mix(seed, u64::from(chosen))
        });
        let trunk = Trunk {
            program,
            test,
            recording,
            execution: Execution {
                seed,
                ..Execution::alone(recording.bounds.unfair())
            },
            fairness,
            taken,
            failure: Failure {
                finding: finding.clone(),
                debt: None,
                is_over: false,
                steps: finding.step,
            },
            is_calm: false,
        };
        Self {
            own: trunk.track(),
            trunk,
            workers,
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
        self.own.engine.set_bounds(self.trunk.recording.bounds);
        self.own.engine.prepare_for_cycle(cycle);
        let options = RunOptions {
            expected: Some(self.trunk.taken.clone()),
            record: true,
            ..RunOptions::default()
        };
        let outcome = self.trunk.run(&mut self.own, strategy, options);
        self.pay();
        self.own.engine.prepare_for_cycle(None);
        let failure = &mut self.trunk.failure;
        let finding = outcome.finding.as_ref()?;
        let is_same = outcome.diverged_at.is_none() && failure.finding.is_found_again(finding);
        let suspected = outcome.suspicion.map(|why| (why.entry, why.since));
        failure.debt = suspected.or(outcome.unmet);
        failure.is_over = suspected.is_none();
        failure.steps = outcome.steps;
        is_same.then_some(outcome)
    }

    /// Replays the recording.
    pub(super) fn replay(&self) -> Replay {
        Replay::new(chosen(&self.trunk.taken), self.trunk.fairness)
    }

    pub(super) fn failure(&self) -> &Failure {
        &self.trunk.failure
    }

    /// What was taken alone counts.
    fn pay(&mut self) {
        self.spent = self.spent.saturating_add(self.own.pay());
    }

    /// Each continuation is given the random bytes that the failure was given.
    pub(super) fn has_fixed_bytes(&self) -> bool {
        self.trunk.recording.system.is_some()
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

    /// Has calm continuations among them, unless one of so many from that step escapes; `None` where the
    /// budget does not last. Where timers that fire early are what nothing recovers from, all that comes
    /// before them seems lost to walks that let them fire as often as anything else.
    pub(super) fn calm_down(&mut self, from: u64, count: u32, horizon: u64) -> Option<()> {
        self.trunk.is_calm = true;
        let calm = (1..=count).map(|number| 2 * number);
        if self.share(from, calm, horizon, true)?.escaped > 0 {
            self.trunk.is_calm = false;
            (self.nearest, self.recovery) = (None, 0);
        }
        Some(())
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
        numbers: impl Iterator<Item = u32> + Send,
        horizon: u64,
        until_escape: bool,
    ) -> Option<Share> {
        let mut share = Share {
            step: from,
            ..Share::default()
        };
        let mut walks = Vec::new();
        let lasts = self.each(
            numbers,
            |trunk, track, number| trunk.walk(track, from, number, horizon),
            |walk| {
                share.of += 1;
                match walk.fate {
                    Fate::Failed => share.failed += 1,
                    Fate::Escaped => share.escaped += 1,
                    Fate::Other => {}
                }
                walks.push(walk);
                match until_escape && share.escaped > 0 {
                    true => ControlFlow::Break(()),
                    false => ControlFlow::Continue(()),
                }
            },
        );
        walks.into_iter().for_each(|walk| self.note(walk));
        lasts.then_some(share)
    }

    fn note(&mut self, walk: Walk) {
        if walk.fate != Fate::Escaped {
            return;
        }
        self.recovery = self.recovery.max(walk.recovery);
        let fork = walk.fork;
        let is_nearer = |known: Fork| {
            fork.from > known.from || fork.from == known.from && fork.steps < known.steps
        };
        if self.nearest.is_none_or(is_nearer) {
            self.nearest = Some(fork);
        }
    }

    /// Does `jobs`, in their order, and hands what comes of each to `take` until that breaks; those after
    /// it may be tried meanwhile, and are forgotten. Tells whether the budget lasted.
    pub(super) fn each<J: Send, R: Send>(
        &mut self,
        jobs: impl Iterator<Item = J> + Send,
        run: impl Fn(&Trunk<'a>, &mut Track, J) -> R + Sync,
        mut take: impl FnMut(R) -> ControlFlow<()> + Send,
    ) -> bool {
        let mut jobs = jobs.peekable();
        let begun = self.spent;
        while jobs.peek().is_some() {
            if self.left() == 0 {
                return false;
            }
            if self.workers > 1 && self.spent - begun >= ALONE {
                break;
            }
            let Some(job) = jobs.next() else { break };
            let done = run(&self.trunk, &mut self.own, job);
            self.pay();
            if take(done).is_break() {
                return true;
            }
        }
        if jobs.peek().is_none() {
            return true;
        }
        let (trunk, budget) = (&self.trunk, self.budget);
        let (mut spent, mut lasts) = (self.spent, true);
        in_order(
            jobs,
            self.workers,
            &mut self.own,
            || trunk.track(),
            |track, job| {
                let done = run(trunk, track, job);
                (track.pay(), done)
            },
            |(cost, done)| {
                // As one worker, which looks at what is left before it begins.
                if spent >= budget {
                    lasts = false;
                    return ControlFlow::Break(());
                }
                spent = spent.saturating_add(cost);
                take(done)
            },
        );
        self.spent = spent;
        lasts
    }

    /// Runs the continuation again.
    pub(super) fn retell(&mut self, fork: Fork) -> Retold {
        let strategy = self.trunk.continuation(fork.from, fork.number);
        let (named, written) = Named::new(Box::new(strategy));
        let course = self.trunk.course(fork.from, fork.horizon);
        let outcome = self.trunk.go(&mut self.own, Box::new(named), course, true);
        self.pay();
        let mut written = written.lock().unwrap_or_else(PoisonError::into_inner);
        Retold {
            outcome,
            decisions: self.own.engine.decisions(),
            schedule: std::mem::take(&mut written),
        }
    }
}

/// A continuation, and how it went.
struct Walk {
    fork: Fork,
    fate: Fate,
    /// How long it took to recover.
    recovery: u64,
}

impl Track {
    /// The steps that were taken since this was asked last.
    fn pay(&mut self) -> u64 {
        std::mem::take(&mut self.spent)
    }
}

impl Trunk<'_> {
    fn track(&self) -> Track {
        let Recording {
            bounds,
            semantics,
            system,
            ..
        } = *self.recording;
        let engine = Engine::idle(bounds, semantics, system);
        let status = attendance::attend(self.test, engine.heartbeat());
        Track {
            engine,
            status,
            spent: 0,
        }
    }

    fn continuation(&self, from: u64, number: u32) -> Continuation {
        Continuation::new(chosen(&self.taken), from, number).calm_if(self.is_calm)
    }

    fn walk(&self, track: &mut Track, from: u64, number: u32, horizon: u64) -> Walk {
        let strategy = self.continuation(from, number);
        let course = self.course(from, horizon);
        let outcome = self.go(track, Box::new(strategy), course, false);
        Walk {
            fork: Fork {
                from,
                number,
                horizon,
                steps: outcome.steps,
            },
            fate: self.fate(&outcome),
            // Who is not watched may have nothing to recover from when it begins.
            recovery: match course.watch_from {
                Some(from) => outcome.steps.saturating_sub(from),
                None => outcome.owed_longest,
            },
        }
    }

    /// How far a continuation from a step goes, and what is looked for.
    fn course(&self, from: u64, horizon: u64) -> Course {
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

    /// Runs an execution under a strategy.
    pub(super) fn go(
        &self,
        track: &mut Track,
        strategy: Box<dyn Strategy>,
        course: Course,
        tell: bool,
    ) -> Outcome {
        let bounds = Bounds::new(course.until)
            .with_fair(course.until)
            .with_temperature(course.temperature);
        track.engine.set_bounds(bounds);
        let watch = course.watch_from.zip(self.failure.debt);
        let options = RunOptions {
            is_counted: true,
            record: tell,
            watch: watch.map(|(from, (entry, _))| ObligationWatch {
                entry,
                from,
                until: course.until,
            }),
            // As long as something is owed no execution is over with periodic timers left.
            idles_from: match self.failure.debt {
                Some(_) => 0,
                None => self.failure.steps.saturating_mul(IDLES),
            },
            ..RunOptions::default()
        };
        self.run(track, strategy, options)
    }

    fn run(&self, track: &mut Track, strategy: Box<dyn Strategy>, options: RunOptions) -> Outcome {
        track.status.begins(0, 0, None);
        let engine = &mut track.engine;
        let outcome = engine.run_under(strategy, self.program, &self.execution, options);
        track.status.ends();
        track.spent = track.spent.saturating_add(outcome.cost());
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
            EndReason::Recovered => Fate::Escaped,
            _ if owes == Some(debt) || is_cut_off => Fate::Failed,
            EndReason::Bug => match &outcome.finding {
                Some(finding) if finding.is_at_the_place_of(&self.failure.finding) => Fate::Failed,
                _ => Fate::Other,
            },
            // Waits are not judged where something is watched.
            EndReason::Bound if !matches!(debt, Obligation::Specification(_)) => Fate::Failed,
            _ => Fate::Escaped,
        }
    }
}
