//! Continuations of a recorded execution from any of its steps, within a budget: [`Continuations`].

use std::sync::{Arc, PoisonError};

use crate::data::bug::{Cycle, Finding};
use crate::data::causes::ContinuationCounts;
use crate::data::schedule::Schedule;
use crate::engine::{
    EndReason, Engine, Obligation, ObligationWatch, Outcome, Program, RecordLevel,
    RecordedDecision, RunOptions, chosen,
};
use crate::hash::mix;
use crate::parallel::map_ordered;
use crate::replay::{fairness_of, taken};
use crate::report::data::Recording;
use crate::settings::Bounds;
use crate::strategy::{BranchedReplay, Continuation, Execution, Fairness, Named, Replay, Strategy};
use crate::worker_registry::{self, WorkerStatus};

/// A temperature that no obligation reaches.
const NEVER: u64 = u64::MAX / 4;

/// The factor on the length of the failing execution before which periodic timers alone keep an execution
/// going: one that ended sooner might fail later, after more ticks.
const IDLES: u64 = 2;

/// The number of steps that one worker runs alone, since others would take longer to start.
const ALONE: u64 = 20_000;

/// The failure of the recorded execution.
#[derive(Clone, Debug)]
pub(super) struct RecordedFailure {
    pub(super) finding: Finding,
    /// The obligation that stayed pending, and the step at which it arose.
    pub(super) obligation: Option<(Obligation, u64)>,
    /// True if nothing could run any more at the bug, so that waiting can't avoid the bug.
    pub(super) is_over: bool,
    /// The number of steps before the bug.
    pub(super) steps: u64,
}

/// The result of a continuation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum ContinuationResult {
    /// The same bug.
    Failed,
    /// A recovery, or no bug up to the end.
    Escaped,
    /// Another bug.
    Other,
}

/// The data to re-execute a continuation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct ContinuationId {
    /// The step after which the continuation begins.
    pub(super) from: u64,
    pub(super) number: u32,
    pub(super) horizon: u64,
    /// The number of all its steps.
    pub(super) steps: u64,
}

/// A re-executed continuation with its records.
#[derive(Debug)]
pub(super) struct RecordedContinuation {
    pub(super) outcome: Outcome,
    pub(super) decisions: Vec<RecordedDecision>,
    pub(super) schedule: Schedule,
}

/// The limit of an execution, and the step from which on its obligation is watched.
#[derive(Clone, Copy, Debug)]
pub(super) struct RunLimits {
    pub(super) watch_from: Option<u64>,
    pub(super) until: u64,
    /// The temperature limit of an obligation that is not watched.
    pub(super) temperature: u64,
}

/// The recorded execution that is continued.
pub(super) struct RecordedExecution<'a> {
    program: &'a dyn Program,
    test: &'a str,
    recording: &'a Recording,
    execution: Execution,
    fairness: Fairness,
    taken: Vec<RecordedDecision>,
    failure: RecordedFailure,
    /// True if some continuations are calm: they let timers fire rarely.
    is_calm: bool,
}

/// The engine of one worker.
pub(super) struct ContinuationWorker {
    engine: Engine,
    status: Arc<WorkerStatus>,
    spent: u64,
}

/// Runs continuations of one recorded execution while the budget of steps lasts. The results are the same
/// for any number of workers.
pub(super) struct Continuations<'a> {
    trunk: RecordedExecution<'a>,
    own: ContinuationWorker,
    workers: usize,
    budget: u64,
    spent: u64,
    /// The escape that begins last.
    nearest: Option<ContinuationId>,
    /// The longest recovery.
    recovery: u64,
}

impl<'a> Continuations<'a> {
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
        // The seed depends on the recording alone.
        let numbers = taken.iter().map(|decision| decision.chosen);
        let seed = numbers.fold(taken.len() as u64, |seed, chosen| {
            mix(seed, u64::from(chosen))
        });
        let trunk = RecordedExecution {
            program,
            test,
            recording,
            execution: Execution {
                seed,
                ..Execution::alone(recording.bounds.unfair())
            },
            fairness,
            taken,
            failure: RecordedFailure {
                finding: finding.clone(),
                obligation: None,
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

    /// Re-executes the recording under a strategy that replays it, and notes the pending obligation.
    /// Returns the outcome with records, or `None` if the execution does not fail as recorded.
    pub(super) fn retrace(
        &mut self,
        strategy: Box<dyn Strategy>,
        cycle: Option<Cycle>,
    ) -> Option<Outcome> {
        self.own.engine.set_bounds(self.trunk.recording.bounds);
        self.own.engine.prepare_for_cycle(cycle);
        let options = RunOptions {
            expected: Some(self.trunk.taken.clone()),
            record: RecordLevel::EventsAndLogs,
            ..RunOptions::default()
        };
        let outcome = self.trunk.run(&mut self.own, strategy, options);
        self.pay();
        self.own.engine.prepare_for_cycle(None);
        let failure = &mut self.trunk.failure;
        let finding = outcome.finding.as_ref()?;
        let is_same = outcome.diverged_at.is_none() && failure.finding.is_found_again(finding);
        let suspected = outcome.suspicion.map(|why| (why.entry, why.since));
        failure.obligation = suspected.or(outcome.unmet);
        failure.is_over = suspected.is_none();
        failure.steps = outcome.steps;
        is_same.then_some(outcome)
    }

    pub(super) fn replay(&self) -> Replay {
        Replay::new(chosen(&self.trunk.taken), self.trunk.fairness)
    }

    pub(super) fn failure(&self) -> &RecordedFailure {
        &self.trunk.failure
    }

    /// Only the executed steps count.
    fn pay(&mut self) {
        self.spent = self.spent.saturating_add(self.own.pay());
    }

    /// Returns true if each continuation gets the random bytes of the failing execution.
    pub(super) fn has_fixed_bytes(&self) -> bool {
        self.trunk.recording.system.is_some()
    }

    pub(super) fn spent(&self) -> u64 {
        self.spent
    }

    pub(super) fn left(&self) -> u64 {
        self.budget.saturating_sub(self.spent)
    }

    /// Sets the budget to this many steps beyond those spent.
    pub(super) fn grant(&mut self, steps: u64) {
        self.budget = self.spent.saturating_add(steps);
    }

    /// Enables calm continuations, unless one of `count` from that step escapes; `None` if the budget ends.
    /// If early timers prevent any recovery, the steps before them seem dead to walks in which timers fire
    /// as often as anything else.
    pub(super) fn calm_down(&mut self, from: u64, count: u32, horizon: u64) -> Option<()> {
        self.trunk.is_calm = true;
        let calm = (1..=count).map(|number| 2 * number);
        if self.share(from, calm, horizon, true)?.escaped > 0 {
            self.trunk.is_calm = false;
            (self.nearest, self.recovery) = (None, 0);
        }
        Some(())
    }

    pub(super) fn recovery(&self) -> u64 {
        self.recovery
    }

    /// Returns the escape that shares the most steps with the failing execution.
    pub(super) fn nearest(&self) -> Option<ContinuationId> {
        self.nearest
    }

    /// Runs continuations from a step, of at most `horizon` steps each, and counts the results. With
    /// `until_escape`, the first escape ends the series. `None` if the budget ends.
    pub(super) fn share(
        &mut self,
        from: u64,
        numbers: impl Iterator<Item = u32> + Send,
        horizon: u64,
        until_escape: bool,
    ) -> Option<ContinuationCounts> {
        let mut share = ContinuationCounts {
            step: from,
            ..ContinuationCounts::default()
        };
        let mut walks = Vec::new();
        let lasts = self.each(
            numbers,
            |trunk, track, number| trunk.walk(track, from, number, horizon),
            |walk| {
                share.of += 1;
                match walk.fate {
                    ContinuationResult::Failed => share.failed += 1,
                    ContinuationResult::Escaped => share.escaped += 1,
                    ContinuationResult::Other => {}
                }
                walks.push(walk);
                !until_escape || share.escaped == 0
            },
        );
        walks.into_iter().for_each(|walk| self.note(walk));
        lasts.then_some(share)
    }

    fn note(&mut self, walk: ContinuationRun) {
        if walk.fate != ContinuationResult::Escaped {
            return;
        }
        self.recovery = self.recovery.max(walk.recovery);
        let continuation = walk.continuation;
        let is_nearer = |known: ContinuationId| {
            continuation.from > known.from
                || continuation.from == known.from && continuation.steps < known.steps
        };
        if self.nearest.is_none_or(is_nearer) {
            self.nearest = Some(continuation);
        }
    }

    /// Runs `jobs` and hands their results to `take` in order while `take` returns true. Later jobs may have run
    /// meanwhile; their results are dropped. Returns false if the budget ended.
    pub(super) fn each<J: Send, R: Send>(
        &mut self,
        jobs: impl Iterator<Item = J> + Send,
        run: impl Fn(&RecordedExecution<'a>, &mut ContinuationWorker, J) -> R + Sync,
        mut take: impl FnMut(R) -> bool + Send,
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
            if !take(done) {
                return true;
            }
        }
        if jobs.peek().is_none() {
            return true;
        }
        let (trunk, budget) = (&self.trunk, self.budget);
        let (mut spent, mut lasts) = (self.spent, true);
        map_ordered(
            jobs,
            self.workers,
            &mut self.own,
            || trunk.track(),
            |track, job| {
                let done = run(trunk, track, job);
                (track.pay(), done)
            },
            |(cost, done)| {
                // A single worker also checks the budget before each job.
                if spent >= budget {
                    lasts = false;
                    return false;
                }
                spent = spent.saturating_add(cost);
                take(done)
            },
        );
        self.spent = spent;
        lasts
    }

    /// Re-executes a continuation with records.
    pub(super) fn reexecute(&mut self, continuation: ContinuationId) -> RecordedContinuation {
        let strategy = self
            .trunk
            .continuation(continuation.from, continuation.number);
        let (named, written) = Named::new(Box::new(strategy));
        let course = self.trunk.course(continuation.from, continuation.horizon);
        let outcome = self.trunk.go(
            &mut self.own,
            Box::new(named),
            course,
            RecordLevel::EventsAndLogs,
        );
        self.pay();
        let mut written = written.lock().unwrap_or_else(PoisonError::into_inner);
        RecordedContinuation {
            outcome,
            decisions: self.own.engine.decisions(),
            schedule: std::mem::take(&mut written),
        }
    }
}

/// A continuation and its result.
struct ContinuationRun {
    continuation: ContinuationId,
    fate: ContinuationResult,
    /// The number of steps until it recovered.
    recovery: u64,
}

impl ContinuationWorker {
    /// Returns the steps since the last call.
    fn pay(&mut self) -> u64 {
        std::mem::take(&mut self.spent)
    }
}

impl RecordedExecution<'_> {
    fn track(&self) -> ContinuationWorker {
        let Recording {
            bounds,
            semantics,
            system,
            ..
        } = *self.recording;
        let engine = Engine::idle(bounds, semantics, system);
        let status = worker_registry::register_worker(self.test, engine.heartbeat());
        ContinuationWorker {
            engine,
            status,
            spent: 0,
        }
    }

    fn continuation(&self, from: u64, number: u32) -> BranchedReplay {
        let walk = Continuation::new(from, number).calm_if(self.is_calm);
        walk.behind(chosen(&self.taken))
    }

    fn walk(
        &self,
        track: &mut ContinuationWorker,
        from: u64,
        number: u32,
        horizon: u64,
    ) -> ContinuationRun {
        let strategy = self.continuation(from, number);
        let course = self.course(from, horizon);
        let outcome = self.go(track, Box::new(strategy), course, RecordLevel::No);
        ContinuationRun {
            continuation: ContinuationId {
                from,
                number,
                horizon,
                steps: outcome.steps,
            },
            fate: self.fate(&outcome),
            // An unwatched continuation may begin without a pending obligation.
            recovery: match course.watch_from {
                Some(from) => outcome.steps.saturating_sub(from),
                None => outcome.longest_pending,
            },
        }
    }

    /// Returns the limit and the watch of a continuation from a step.
    fn course(&self, from: u64, horizon: u64) -> RunLimits {
        match self.failure.obligation {
            Some((_, since)) if from >= since => RunLimits {
                watch_from: Some(from),
                until: from.saturating_add(horizon),
                temperature: NEVER,
            },
            // Before the obligation arises, only its absence can be observed, not its discharge.
            Some((_, since)) => RunLimits {
                watch_from: None,
                until: since.saturating_add(horizon.saturating_mul(2)),
                temperature: horizon,
            },
            None => RunLimits {
                watch_from: None,
                until: from.saturating_add(horizon),
                temperature: NEVER,
            },
        }
    }

    /// Runs an execution under a strategy.
    pub(super) fn go(
        &self,
        track: &mut ContinuationWorker,
        strategy: Box<dyn Strategy>,
        course: RunLimits,
        record: RecordLevel,
    ) -> Outcome {
        let bounds = Bounds::new(course.until)
            .with_fair(course.until)
            .with_temperature(course.temperature);
        track.engine.set_bounds(bounds);
        let watch = course.watch_from.zip(self.failure.obligation);
        let options = RunOptions {
            is_counted: true,
            record,
            watch: watch.map(|(from, (entry, _))| ObligationWatch {
                entry,
                from,
                until: course.until,
            }),
            // An execution with a pending obligation never ends by idle periodic timers.
            idles_from: match self.failure.obligation {
                Some(_) => 0,
                None => self.failure.steps.saturating_mul(IDLES),
            },
            ..RunOptions::default()
        };
        self.run(track, strategy, options)
    }

    fn run(
        &self,
        track: &mut ContinuationWorker,
        strategy: Box<dyn Strategy>,
        options: RunOptions,
    ) -> Outcome {
        track.status.begins(0, 0, None);
        let engine = &mut track.engine;
        let outcome = engine.run_under(strategy, self.program, &self.execution, options);
        track.status.ends();
        track.spent = track.spent.saturating_add(outcome.cost());
        outcome
    }

    /// Compares an execution with the recorded failure.
    pub(super) fn fate(&self, outcome: &Outcome) -> ContinuationResult {
        let Some((obligation, _)) = self.failure.obligation else {
            return match &outcome.finding {
                Some(finding) if finding.is_at_the_place_of(&self.failure.finding) => {
                    ContinuationResult::Failed
                }
                Some(_) => ContinuationResult::Other,
                None => ContinuationResult::Escaped,
            };
        };
        let found = outcome.suspicion.map(|why| why.entry);
        let found = found.or(outcome.unmet.map(|(entry, _)| entry));
        let is_cut_off = outcome
            .undecided
            .iter()
            .any(|pending| pending.entry == obligation);
        match outcome.end {
            EndReason::Recovered => ContinuationResult::Escaped,
            _ if found == Some(obligation) || is_cut_off => ContinuationResult::Failed,
            EndReason::Bug => match &outcome.finding {
                Some(finding) if finding.is_at_the_place_of(&self.failure.finding) => {
                    ContinuationResult::Failed
                }
                _ => ContinuationResult::Other,
            },
            // A watched execution does not judge waits.
            EndReason::Bound if !matches!(obligation, Obligation::Specification(_)) => {
                ContinuationResult::Failed
            }
            _ => ContinuationResult::Escaped,
        }
    }
}
