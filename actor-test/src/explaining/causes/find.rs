//! The search for the causes of a bug, one kind after another: [`explain`].

use std::sync::{Arc, PoisonError};

use crate::data::bug::BugKind;
use crate::data::causes::{Causes, ContinuationCounts, DecisivePoint, NearestPassing, StepSummary};
use crate::data::schedule::{Schedule, has_timers};
use crate::data::story::Story;
use crate::engine::{Outcome, Program, checks, chosen};
use crate::explaining::causes::continuations::{Continuations, RecordedContinuation};
use crate::explaining::causes::curve::{EACH, around, curve, turn};
use crate::explaining::causes::order::HappensBefore;
use crate::explaining::causes::race_reversal::ReplayPlan;
use crate::explaining::causes::races;
use crate::explaining::causes::transition::{self, ContinuationProbe, TransitionResult};
use crate::report::confirmation::Confirmation;
use crate::report::data::Bug;
use crate::report::words;
use crate::strategy::Named;

/// The factor on the horizon for recoveries from the last step.
const LONG_HORIZON_FACTOR: u64 = 10;

/// The number of these long continuations.
const LONG_CONTINUATIONS: u32 = 4;

/// The number of steps of the nearest passing execution that are kept as lines.
const THEN: usize = 6;

/// The factor on the length of the failing execution within which another one fails soon.
const SOON: u64 = 4;

/// An execution of at most this many steps keeps its whole story.
const WHOLE: u64 = 2_000;

/// Searches for the causes of bugs within `budget` steps for all of them. The number of workers does not
/// change the result. The causes are added to the bugs, which go to `keep`. A bug gets no causes if no single
/// execution shows it, or if its recording does not reproduce it.
pub(crate) fn explain<'a>(
    program: &dyn Program,
    test: &str,
    bugs: impl Iterator<Item = &'a mut Bug>,
    budget: u64,
    workers: usize,
    mut keep: impl FnMut(&Bug),
) {
    let mut left = budget;
    // A cycle found by a state search is its own cause; other continuations may leave it.
    let is_searched = |bug: &Bug| bug.trace.cycle.is_some_and(|cycle| cycle.is_searched());
    for bug in bugs.filter(|bug| is_explained(bug.kind()) && !is_searched(bug)) {
        if let Some(causes) = find(program, test, bug, left, workers) {
            left = left.saturating_sub(causes.steps);
            bug.trace.story.critical = causes.critical();
            bug.causes = Some(causes);
            keep(bug);
        }
    }
}

fn find(
    program: &dyn Program,
    test: &str,
    bug: &Bug,
    budget: u64,
    workers: usize,
) -> Option<Causes> {
    if budget == 0 {
        return None;
    }
    let (recording, finding) = (&bug.trace, &bug.finding);
    let mut continuations = Continuations::new(program, test, recording, finding, budget, workers);
    let (named, written) = Named::new(Box::new(continuations.replay()));
    let outcome = continuations.retrace(Box::new(named), recording.cycle)?;
    let mut written = written.lock().unwrap_or_else(PoisonError::into_inner);
    let mut search = CauseSearch {
        story: Story::of(&outcome.records),
        schedule: std::mem::take(&mut written),
        outcome,
        horizon: bug
            .confirmation
            .map_or(0, |confirmation| confirmation.horizon)
            .max(Confirmation::HORIZON_MIN),
        continuations,
        causes: Causes::default(),
    };
    search.run(budget);
    let mut causes = search.causes;
    causes.steps = search.continuations.spent();
    Some(causes)
}

/// Returns true if a schedule can be the cause of such a bug.
fn is_explained(kind: BugKind) -> bool {
    matches!(
        kind,
        BugKind::Panic
            | BugKind::Monitor
            | BugKind::Invariant
            | BugKind::Unhandled
            | BugKind::UnreceivedError
            | BugKind::Exhausted
            | BugKind::Deadlock
            | BugKind::DeferredForever
            | BugKind::HotAtEnd
            | BugKind::Liveness
            | BugKind::EndlessChain
            | BugKind::TwoDecisions
    )
}

struct CauseSearch<'a> {
    continuations: Continuations<'a>,
    outcome: Outcome,
    schedule: Schedule,
    story: Story,
    /// The number of steps of a continuation.
    horizon: u64,
    causes: Causes,
}

impl CauseSearch<'_> {
    fn run(&mut self, budget: u64) {
        // Long continuations distinguish an obligation that stays pending from one discharged late.
        let first = match self.continuations.failure().obligation {
            Some(_) => budget / 3 * 2,
            None => budget / 2,
        };
        self.continuations.grant(first);
        match self.continuations.failure().obligation {
            Some((_, since)) => self.find_transition(since),
            None => self.measure_curve(),
        }
        self.record_nearest();
        self.continuations.grant(budget - first);
        self.find_races();
    }

    /// Searches for the critical transition, after which the obligation stays pending.
    fn find_transition(&mut self, since: u64) {
        let last = self.continuations.failure().steps;
        let decided = self.transition(since, last);
        self.causes.cut_short |= decided.is_none();
        self.causes.decided = decided.unwrap_or_default();
    }

    fn transition(&mut self, since: u64, last: u64) -> Option<DecisivePoint> {
        if has_timers(&self.schedule) {
            self.continuations
                .calm_down(last, LONG_CONTINUATIONS, Confirmation::HORIZON_MIN)?;
        }
        if let Some(after) = self.recovers_in_the_end(last)? {
            return Some(DecisivePoint::StillRecoverable { from: last, after });
        }
        // A program that recovers at once, if at all, needs shorter continuations.
        let mut probes = self
            .continuations
            .share(since, 0..10, self.horizon, false)?;
        if probes.escaped == 0 && since > 0 {
            probes = self
                .continuations
                .share(0, 0..LONG_CONTINUATIONS, self.horizon, false)?;
        }
        if probes.escaped > 0 {
            let longest = Confirmation::RECOVERIES.saturating_mul(self.continuations.recovery());
            self.horizon = longest.clamp(Confirmation::HORIZON_MIN, self.horizon);
        }
        let horizon = self.horizon;
        let mut found = transition::search(&mut Walks::of(self), since, last)?;
        if matches!(found, TransitionResult::Dead(_)) && since > 0 {
            // The transition lies before the obligation arose.
            found = transition::search(&mut Walks::of(self), 0, since)?;
        }
        Some(match found {
            TransitionResult::Dead(share) => self.since_the_start(share),
            TransitionResult::Fading { before, after } => DecisivePoint::Fading {
                last: before,
                after,
                horizon,
            },
            TransitionResult::Transition {
                before,
                after,
                later,
                missed,
            } => DecisivePoint::Critical {
                at: self.step_summary(after.step),
                before,
                after,
                later,
                missed,
                horizon,
            },
        })
    }

    /// Returns the length of a recovery after the last step, in longer continuations.
    #[expect(
        clippy::option_option,
        reason = "the outer one says that the budget did not last"
    )]
    fn recovers_in_the_end(&mut self, last: u64) -> Option<Option<u64>> {
        if self.continuations.failure().is_over {
            return Some(None);
        }
        let farther = self.horizon.saturating_mul(LONG_HORIZON_FACTOR);
        // The search would take all of the budget, so it is skipped.
        if farther.saturating_mul(u64::from(LONG_CONTINUATIONS)) > self.continuations.left() / 2 {
            return Some(None);
        }
        let share = self
            .continuations
            .share(last, 0..LONG_CONTINUATIONS, farther, true)?;
        Some((share.escaped > 0).then(|| self.continuations.recovery()))
    }

    /// Searches for the step from which on a failure is more likely than not.
    fn measure_curve(&mut self) {
        let steps = self.continuations.failure().steps;
        self.horizon = self.horizon.max(steps.saturating_mul(2));
        let (continuations, horizon) = (&mut self.continuations, self.horizon);
        let (shares, is_cut_short) = curve(steps, |step| {
            continuations.share(step, 0..EACH, horizon, false)
        });
        self.causes.cut_short |= is_cut_short;
        if !is_cut_short {
            self.causes.decided = self.turning(&shares, steps);
        }
        self.causes.curve = shares;
    }

    fn turning(&self, shares: &[ContinuationCounts], steps: u64) -> DecisivePoint {
        match turn(shares) {
            None => match shares.first().copied() {
                None => DecisivePoint::Unknown,
                Some(share) if share.failed == share.of => self.since_the_start(share),
                Some(share) => DecisivePoint::MostlyFromTheStart { share },
            },
            Some((before, after)) if after == shares.len() => DecisivePoint::ByTheLastStep {
                at: self.step_summary(steps),
                before: shares[before],
            },
            Some(turn) => {
                let (one, other) = around(shares, turn);
                let (before, after) = (shares[one], shares[other]);
                if before.step + 1 == after.step {
                    let at = self.step_summary(after.step);
                    DecisivePoint::Mostly { at, before, after }
                } else {
                    DecisivePoint::Between { before, after }
                }
            }
        }
    }

    fn since_the_start(&self, share: ContinuationCounts) -> DecisivePoint {
        let same_bytes = self.continuations.has_fixed_bytes();
        DecisivePoint::FromTheStart { share, same_bytes }
    }

    fn step_summary(&self, step: u64) -> StepSummary {
        step_summary(&self.story, step)
    }

    fn record_nearest(&mut self) {
        let Some(continuation) = self.continuations.nearest() else {
            return;
        };
        let RecordedContinuation {
            outcome,
            decisions,
            schedule,
        } = self.continuations.reexecute(continuation);
        let story = Story::of(&outcome.records);
        let pairs = self.schedule.iter().zip(&schedule);
        let shared = pairs.take_while(|(one, other)| one == other).count() as u64;
        let then = (shared + 1..=outcome.steps).take(THEN);
        self.causes.nearest = Some(NearestPassing {
            shared,
            instead: (shared < outcome.steps).then(|| step_summary(&story, shared + 1)),
            steps: outcome.steps,
            decisions: chosen(&decisions),
            checks: checks(&decisions),
            then: then.map(|step| step_summary(&story, step)).collect(),
            story: (outcome.steps <= WHOLE).then_some(story),
        });
    }

    fn find_races(&mut self) {
        let steps = self.continuations.failure().steps;
        let to = match (
            &self.causes.decided,
            self.continuations.failure().obligation,
        ) {
            (DecisivePoint::Critical { at, .. }, _) => at.step,
            // Without a critical step, no part of the execution was needed.
            (_, Some(_)) => return,
            (_, None) => steps,
        };
        let mut schedule = std::mem::take(&mut self.schedule);
        schedule.truncate(to as usize);
        let order = HappensBefore::of(&self.outcome.records);
        let mut search = races::RaceSearch {
            plan: Arc::new(ReplayPlan::new(schedule)),
            continuations: &mut self.continuations,
            order: &order,
            // The limit is twice the plan and twice the horizon.
            until: (2 * to).saturating_add(self.horizon.saturating_mul(2)),
            story: &self.story,
        };
        let (mut races, mut is_cut_short) = search.run();
        // A long execution may fail in the same way again, whatever the first order was.
        if races.needed.is_empty()
            && !is_cut_short
            && search.continuations.failure().obligation.is_none()
        {
            search.until = SOON * to;
            (races, is_cut_short) = search.run();
            let within = Some(search.until);
            races
                .needed
                .iter_mut()
                .for_each(|race| race.within = within);
        }
        self.causes.races = races;
        self.causes.cut_short |= is_cut_short;
    }
}

/// Continuations with a common horizon.
struct Walks<'a, 'b> {
    continuations: &'a mut Continuations<'b>,
    horizon: u64,
}

impl<'a, 'b> Walks<'a, 'b> {
    fn of(search: &'a mut CauseSearch<'b>) -> Self {
        Self {
            horizon: search.horizon,
            continuations: &mut search.continuations,
        }
    }
}

impl ContinuationProbe for Walks<'_, '_> {
    fn share(
        &mut self,
        from: u64,
        numbers: std::ops::Range<u32>,
        until_escape: bool,
    ) -> Option<ContinuationCounts> {
        self.continuations
            .share(from, numbers, self.horizon, until_escape)
    }

    fn affordable(&self, from: u64) -> u64 {
        let each = from.saturating_add(self.horizon).max(1);
        self.continuations.left() / 4 / each
    }
}

fn step_summary(story: &Story, step: u64) -> StepSummary {
    match story.step(step) {
        Some(found) => words::step_summary(story, found),
        None => StepSummary {
            step,
            ..StepSummary::default()
        },
    }
}
