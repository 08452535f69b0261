//! Minimisation of liveness bugs: the shortest way to a dead state.
//!
//! No single step shows that an obligation stays pending for ever. So minimisation looks for the shortest
//! prefix to a state from which no fair continuation discharges the obligation (MaceMC, section 4). A few
//! short continuations screen the candidates. The best one must pass the continuations that confirm a
//! liveness bug, whose risk is spread over all candidates tested in this way. Short continuations in which
//! some operations are delayed first must not recover either: an almost dead execution is shorter than a
//! dead one, and lacks the decisive step. After a failed test, more continuations screen from then on.
//! Finally the execution runs on to where the bug is found as at first: by its temperature, or by a cycle.

use std::ops::RangeInclusive;

use crate::data::bug::{BugKind, Finding};
use crate::data::schedule::has_timers;
use crate::engine::{EndReason, ObligationWatch, RunOptions, Suspicion, chosen};
use crate::explaining::minimizing::candidate::Candidate;
use crate::explaining::minimizing::search::{BestExecution, CandidateTrial};
use crate::explaining::minimizing::trials::{TrialWorker, Trials};
use crate::report::confirmation::Confirmation;
use crate::report::data::{Bug, Recording};
use crate::strategy::{Continuation, Fairness};

/// The number of continuations that screen candidates, and the steps of each.
const SORTING: u32 = 4;
const SORTING_STEPS: u64 = 2_000;

/// The number of continuations that decide whether a step is dead, if some of them are calm.
const SURE: u32 = 40;

/// The number of short continuations with delays in the final test.
const MANY: u64 = 200;

/// The number of these for which budget is reserved, if a quarter of it suffices.
const FEW: u64 = 50;

/// The fixed cost of a continuation in steps.
const START: u64 = 50;

/// The granularity of shortened continuations.
const THOUSAND: u64 = 1_000;

/// The numbers of continuations with delays begin here.
const DELAYING: u32 = 1 << 20;

/// The factor on the screening continuations after a candidate that was not dead passed.
const STRICTER: u32 = 8;

/// The number of walks that may find the bug as at first.
const TAILS: u32 = 4;

/// The trial for a specification whose obligation stays pending.
#[derive(Debug)]
pub(super) struct LivenessTrial<'a> {
    bug: &'a Bug,
    suspicion: Suspicion,
    /// The number of steps that continuations should take, and the least number that counts.
    horizon: u64,
    least: u64,
    fairness: Fairness,
    /// True if calm continuations don't discharge the obligation either, so that they help to screen.
    is_calm: bool,
    /// True if continuations with delays don't discharge the obligation either.
    has_delays: bool,
    /// The number of continuations that screen candidates.
    sorting: u32,
}

/// The size of the test that proves an execution dead.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Terms {
    pub(super) continuations: u32,
    pub(super) horizon: u64,
    /// The number of short continuations with delays.
    pub(super) delayed: u32,
}

/// The result of the test of a dead execution.
#[derive(Debug)]
pub(super) struct Proof {
    pub(super) terms: Terms,
    pub(super) finding: Finding,
    pub(super) recording: Recording,
}

impl<'a> LivenessTrial<'a> {
    pub(super) fn new(bug: &'a Bug, suspicion: Suspicion) -> Self {
        // A trace does not contain the length of the continuations that confirmed it.
        let heat = bug.trace.bounds.temperature();
        let heat = heat.max(Confirmation::HORIZON_MIN);
        let confirmed = bug.confirmation.as_ref();
        let horizon = confirmed.map_or(heat, |confirmation| confirmation.horizon);
        Self {
            bug,
            suspicion,
            horizon,
            // A late recovery in this test sets the horizon, and shorter continuations would miss it.
            least: match horizon > heat {
                true => horizon,
                false => horizon.min(Confirmation::HORIZON_MIN),
            },
            fairness: Fairness::FairFrom(bug.finding.step),
            is_calm: false,
            has_delays: false,
            sorting: SORTING,
        }
    }

    /// Adds calm continuations, and those with delays, to the screening if they don't recover from the
    /// original execution. If early timers prevent any recovery, all steps before them seem dead to walks
    /// in which timers fire as often as anything else. Long delays of one operation hardly ever come about
    /// by chance.
    pub(super) fn attuned(self, trials: &mut Trials<'_>, found: &BestExecution) -> Self {
        let calm = Self {
            is_calm: true,
            ..self
        };
        let numbers = (1..=SORTING).map(|number| 2 * number);
        let is_calm = has_timers(&found.schedule)
            && calm.stays_pending(trials, found, numbers, SORTING_STEPS);
        let calm = Self { is_calm, ..calm };
        let has_delays = calm.stays_pending(trials, found, delaying(SORTING), SORTING_STEPS);
        Self {
            has_delays,
            sorting: if is_calm { 2 * SORTING } else { SORTING },
            ..calm
        }
    }

    /// Returns the numbers of the continuations that screen candidates.
    fn sorting(&self) -> impl Iterator<Item = u32> + Send + use<> {
        let delays = if self.has_delays { self.sorting / 2 } else { 0 };
        (1..=self.sorting).chain(delaying(delays))
    }

    /// Raises the number of screening continuations; returns false if it is at its limit.
    pub(super) fn is_stricter(&mut self) -> bool {
        let before = self.sorting;
        self.sorting = (MANY as u32).min(before * STRICTER);
        self.sorting > before
    }

    /// Returns true if no screening continuation discharges the obligation.
    pub(super) fn seems_dead(&self, trials: &mut Trials<'_>, best: &BestExecution) -> bool {
        self.stays_pending(trials, best, self.sorting(), SORTING_STEPS)
    }

    /// Returns true if steps may be dropped: a specification has a name, but a waiting operation has a
    /// number that another schedule may give to another operation.
    pub(super) fn is_free(&self) -> bool {
        self.bug.kind() == BugKind::Liveness
    }

    /// Returns the shortest prefix of more than `more_than` steps that seems dead, by a few continuations.
    pub(super) fn shortest_prefix(
        &self,
        trials: &mut Trials<'_>,
        found: &BestExecution,
        more_than: usize,
    ) -> Option<BestExecution> {
        let all = found.schedule.len();
        // The obligation is pending after this step.
        let pending = usize::try_from(self.suspicion.since).unwrap_or(all);
        let from = pending.max(more_than + 1).min(all);
        let mut dead = self.first_dead(trials, found, from);
        // Few calm continuations recover where all others don't, so that a few may miss a recovery.
        while self.is_calm && dead < all && !self.is_sure(trials, &prefix(found, dead)) {
            dead = self.first_dead(trials, found, dead + 1);
        }
        (dead < all).then(|| prefix(found, dead))
    }

    /// Runs many continuations, or as many as an eighth of the budget allows, since each also replays the
    /// prefix. Returns true if none discharges the obligation.
    fn is_sure(&self, trials: &mut Trials<'_>, best: &BestExecution) -> bool {
        let payable = trials.left() / 8 / cost(best, SORTING_STEPS);
        let numbers = 1..=(payable as u32).min(SURE);
        self.stays_pending(trials, best, numbers, SORTING_STEPS)
    }

    /// Returns the first step, from `from` on, after which a few continuations do not recover.
    fn first_dead(&self, trials: &mut Trials<'_>, found: &BestExecution, from: usize) -> usize {
        let all = found.schedule.len();
        let strides = (3..).map(|power| 1 << power);
        let ends = strides.map(|stride: usize| (from + stride - 8, from + 2 * stride - 8));
        let ends = ends.take_while(|(_, end)| *end < all);
        let last = ends.clone().last();
        let dead = trials.first(ends, |worker, (low, high)| {
            let is_dead = self.is_dead(worker, &prefix(found, high));
            is_dead.then_some((low, high))
        });
        let (mut low, mut high) = dead.unwrap_or((last.map_or(from, |(_, end)| end), all));
        while low < high && !trials.is_over() {
            let middle = low + (high - low) / 2;
            let half = prefix(found, middle);
            let is_pending = trials.alone(|worker| self.is_pending(worker, &half));
            if is_pending && self.seems_dead(trials, &half) {
                high = middle;
            } else {
                low = middle + 1;
            }
        }
        high
    }

    /// Returns true if the obligation is pending at the end, and screening continuations do not recover.
    fn is_dead(&self, worker: &mut TrialWorker<'_>, best: &BestExecution) -> bool {
        if !self.is_pending(worker, best) {
            return false;
        }
        let mut numbers = self.sorting();
        !numbers.any(|number| self.recovers(worker, best, number, SORTING_STEPS))
    }

    /// Returns true if the obligation is pending after the last step.
    fn is_pending(&self, worker: &mut TrialWorker<'_>, best: &BestExecution) -> bool {
        if !self.is_free() {
            return true;
        }
        let options = RunOptions {
            until: Some(best.schedule.len() as u64),
            ..RunOptions::default()
        };
        let outcome = worker.again(&best.decisions, Fairness::Unfair, options);
        let message = &self.bug.finding.message;
        let is_it = |what: &str| message.starts_with(what);
        outcome.end == EndReason::Bound
            && outcome
                .undecided
                .iter()
                .any(|pending| is_it(&pending.obligation.to_string()))
    }

    /// Runs the continuation with that number, and returns true if it discharges the obligation.
    fn recovers(
        &self,
        worker: &mut TrialWorker<'_>,
        best: &BestExecution,
        number: u32,
        horizon: u64,
    ) -> bool {
        let from = best.schedule.len() as u64;
        let watch = ObligationWatch {
            entry: self.suspicion.entry,
            from,
            until: from.saturating_add(horizon),
        };
        let walk = Continuation::new(from, number);
        let walk = match number > DELAYING {
            true => walk.delaying(self.is_calm),
            false => walk.calm_if(self.is_calm),
        };
        let outcome = worker.watch(Box::new(walk.behind(chosen(&best.decisions))), watch);
        // Another bug on the way does not count as this one, but a spin at the end does.
        let busy = outcome.finding.map(|found| found.kind) == Some(BugKind::Spin);
        outcome.end != EndReason::Bound && !busy
    }

    /// Returns true if all continuations ran and none discharges the obligation.
    fn stays_pending(
        &self,
        trials: &mut Trials<'_>,
        best: &BestExecution,
        continuations: impl Iterator<Item = u32> + Send,
        horizon: u64,
    ) -> bool {
        let recovery = trials.first(continuations, |worker, number| {
            let recovers = self.recovers(worker, best, number, horizon);
            recovers.then_some(number)
        });
        recovery.is_none() && !trials.is_over()
    }

    /// Returns the steps to reserve for the test of a prefix, the n-th one, while shorter ones are
    /// searched: half of the earlier budget. The reserve is less if the whole test costs less, and more if
    /// the least test that counts costs more.
    pub(super) fn reserve(&self, best: &BestExecution, number: u64, before: u64) -> u64 {
        let continuations = u64::from(Confirmation::continuations_of(number, 1));
        let least = continuations * cost(best, self.least);
        let delayed = if self.has_delays { FEW } else { 0 };
        let most = continuations * cost(best, self.horizon) + delayed * cost(best, SORTING_STEPS);
        let half = before / 2;
        // If not even the least test is affordable, the prefix must become shorter first.
        let least = if least < before { least } else { half };
        // The candidate in progress at the end may exceed the budget.
        let last = 2 * u64::from(self.sorting) * cost(best, SORTING_STEPS);
        half.max(least + last).min(most + last)
    }

    /// Returns the test of a prefix, the n-th one, that `steps` can pay for. Fewer continuations would
    /// accept more executions that recover, so a small budget shortens them instead.
    pub(super) fn payable(&self, best: &BestExecution, number: u64, steps: u64) -> Option<Terms> {
        let continuations = Confirmation::continuations_of(number, 1);
        let each = u64::from(continuations);
        let spare = steps.checked_sub(each * cost(best, self.least))?;
        let waiting = cost(best, SORTING_STEPS);
        let most = if self.has_delays { MANY } else { 0 };
        let first = most.min(FEW).min(spare.min(steps / 4) / waiting);
        let left = steps - first * waiting;
        let horizon = left / each - cost(best, 0);
        let horizon = match horizon >= self.horizon {
            true => self.horizon,
            false => self.least.max(horizon / THOUSAND * THOUSAND),
        };
        let others = (left - each * cost(best, horizon)) / waiting;
        Some(Terms {
            continuations,
            horizon,
            delayed: most.min(first + others) as u32,
        })
    }

    /// Tests a prefix.
    pub(super) fn prove(
        &self,
        trials: &mut Trials<'_>,
        best: &BestExecution,
        terms: Terms,
    ) -> Option<Proof> {
        let (all, horizon) = (1..=terms.continuations, terms.horizon);
        if !self.stays_pending(trials, best, delaying(terms.delayed), SORTING_STEPS)
            || !self.stays_pending(trials, best, all, horizon)
        {
            return None;
        }
        let (finding, recording) = trials.alone(|worker| {
            (1..=TAILS).find_map(|number| self.found_again(worker, best, number))
        })?;
        Some(Proof {
            terms,
            finding,
            recording,
        })
    }

    /// Continues until the bug is found as at first.
    fn found_again(
        &self,
        worker: &mut TrialWorker<'_>,
        best: &BestExecution,
        number: u32,
    ) -> Option<(Finding, Recording)> {
        let from = best.schedule.len() as u64;
        let walk = Continuation::new(from, number).calm_if(self.is_calm);
        let (outcome, decisions) = worker.run(Box::new(walk.behind(chosen(&best.decisions))));
        let finding = outcome.finding?;
        if !self.bug.finding.is_found_again(&finding) {
            return None;
        }
        let whole = BestExecution::new(best.schedule.clone(), decisions, finding);
        let fairness = Fairness::FairFrom(from);
        let again = worker.again(&whole.decisions, fairness, RunOptions::default());
        if again.diverged_at.is_some() || again.finding.as_ref() != Some(&whole.finding) {
            return None;
        }
        let story_ends = Some(from + 1);
        let like = &self.bug.trace;
        let (finding, recording) = worker.record(&whole, fairness, like, story_ends);
        let cycle = outcome.suspicion.and_then(|suspicion| suspicion.cycle);
        Some((finding, Recording { cycle, ..recording }))
    }
}

impl CandidateTrial for LivenessTrial<'_> {
    fn attempt(
        &self,
        worker: &mut TrialWorker<'_>,
        candidate: Candidate,
        limit: u64,
    ) -> Option<BestExecution> {
        let seed = candidate.seed;
        let guided = candidate.guided(self.fairness, limit, None);
        let attempt = worker.follow(guided, seed);
        let is_over = attempt.outcome.finding.is_some() || attempt.outcome.end != EndReason::Pruned;
        if is_over || attempt.followed.schedule.is_empty() {
            return None;
        }
        let finding = self.bug.finding.clone();
        Some(BestExecution::new(
            attempt.followed.schedule,
            attempt.decisions,
            finding,
        ))
    }

    fn is_confirmed(&self, worker: &mut TrialWorker<'_>, better: &BestExecution) -> bool {
        self.is_dead(worker, better)
    }
}

/// Returns the numbers of `count` continuations with delays.
fn delaying(count: u32) -> RangeInclusive<u32> {
    DELAYING + 1..=DELAYING + count
}

/// Returns the largest cost of a continuation.
fn cost(best: &BestExecution, horizon: u64) -> u64 {
    START + best.schedule.len() as u64 + horizon
}

fn prefix(found: &BestExecution, steps: usize) -> BestExecution {
    // The decisions of later steps do no harm, since a continuation ignores them.
    BestExecution::new(
        found.schedule[..steps].to_vec(),
        found.decisions.clone(),
        found.finding.clone(),
    )
}
