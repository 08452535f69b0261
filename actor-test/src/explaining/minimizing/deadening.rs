//! Executions after which something is owed for ever.
//!
//! That something is owed for ever is no step. What is minimised is the way to a state from which no
//! fair continuation pays it (MaceMC, section 4). A few short continuations sort the candidates; what
//! is best in the end has to pass what the confirmation of a liveness bug asks for, with a risk of its
//! own that is spread over all that were put to the test, and that of short ones in which some have to
//! wait at first: what is all but lost is shorter than what is lost, and lacks the step that decides.
//! Where it does not pass, more continuations sort from then on. Last it is run once more to where the
//! bug is found as it was at first: too hot, or going round.

use std::ops::RangeInclusive;

use crate::data::bug::{BugKind, Finding};
use crate::data::schedule::has_timers;
use crate::engine::{EndReason, ObligationWatch, RunOptions, Suspicion, chosen};
use crate::explaining::minimizing::candidate::Candidate;
use crate::explaining::minimizing::laboratory::{Bench, Laboratory};
use crate::explaining::minimizing::search::{Best, Trial};
use crate::report::confirmation::Confirmation;
use crate::report::facts::{Bug, Recording};
use crate::strategy::{Continuation, Fairness};

/// How many continuations sort candidates, and for how many steps each.
const SORTING: u32 = 4;
const SORTING_STEPS: u64 = 2_000;

/// How many tell whether a step is dead where some of them are calm.
const SURE: u32 = 40;

/// How many short ones there are in the end in which some have to wait at first.
const MANY: u64 = 200;

/// For so many of them something is left, if that takes a quarter of it at most.
const FEW: u64 = 50;

/// What a continuation costs besides its steps.
const START: u64 = 50;

/// Continuations that are shorter than they should be go on for a multiple of this.
const THOUSAND: u64 = 1_000;

/// They have numbers from here on.
const DELAYING: u32 = 1 << 20;

/// How many times as many sort after one has passed that is not dead.
const STRICTER: u32 = 8;

/// How many walks may find the bug as it was found at first.
const TAILS: u32 = 4;

/// A specification that stays owed.
#[derive(Debug)]
pub(super) struct Deadening<'a> {
    bug: &'a Bug,
    suspicion: Suspicion,
    /// For how many steps continuations should go on, and what is too little to count.
    horizon: u64,
    least: u64,
    fairness: Fairness,
    /// Calm continuations don't pay it either, so they are among those that tell what is dead.
    is_calm: bool,
    /// Nor do those in which some have to wait at first.
    has_delays: bool,
    /// How many continuations sort candidates.
    sorting: u32,
}

/// What proves that something is owed for ever.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Terms {
    pub(super) continuations: u32,
    pub(super) horizon: u64,
    /// How many short ones in which some have to wait at first.
    pub(super) delayed: u32,
}

/// What was seen of an execution after which something is owed for ever.
#[derive(Debug)]
pub(super) struct Proof {
    pub(super) terms: Terms,
    pub(super) finding: Finding,
    pub(super) recording: Recording,
}

impl<'a> Deadening<'a> {
    pub(super) fn new(bug: &'a Bug, suspicion: Suspicion) -> Self {
        // A trace does not say how long the continuations were that have confirmed it.
        let heat = bug.trace.bounds.temperature();
        let heat = heat.max(Confirmation::HORIZON_MIN);
        let confirmed = bug.confirmation.as_ref();
        let horizon = confirmed.map_or(heat, |confirmation| confirmation.horizon);
        Self {
            bug,
            suspicion,
            horizon,
            // Whoever was seen to recover late would not have recovered by then.
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

    /// Has calm continuations, and delaying ones, among those that tell what is dead, where they tell
    /// that of the execution that was found. Where timers that fire early are what nothing recovers from,
    /// all that comes before them seems dead to walks that let them fire as often as anything else; and
    /// what takes one to wait until many others are done hardly ever comes about by chance.
    pub(super) fn attuned(self, laboratory: &mut Laboratory<'_>, found: &Best) -> Self {
        let calm = Self {
            is_calm: true,
            ..self
        };
        let numbers = (1..=SORTING).map(|number| 2 * number);
        let is_calm = has_timers(&found.schedule)
            && calm.stays_owed(laboratory, found, numbers, SORTING_STEPS);
        let calm = Self { is_calm, ..calm };
        let has_delays = calm.stays_owed(laboratory, found, delaying(SORTING), SORTING_STEPS);
        Self {
            has_delays,
            sorting: if is_calm { 2 * SORTING } else { SORTING },
            ..calm
        }
    }

    /// The numbers of the continuations that sort candidates.
    fn sorting(&self) -> impl Iterator<Item = u32> + Send + use<> {
        let delays = if self.has_delays { self.sorting / 2 } else { 0 };
        (1..=self.sorting).chain(delaying(delays))
    }

    /// Has more continuations sort candidates, unless there are enough of them.
    pub(super) fn is_stricter(&mut self) -> bool {
        let before = self.sorting;
        self.sorting = (MANY as u32).min(before * STRICTER);
        self.sorting > before
    }

    /// So many continuations as sort candidates do not pay it.
    pub(super) fn seems_dead(&self, laboratory: &mut Laboratory<'_>, best: &Best) -> bool {
        self.stays_owed(laboratory, best, self.sorting(), SORTING_STEPS)
    }

    /// What is owed is known by its name; who waits by its number, which another schedule may give to
    /// somebody else.
    pub(super) fn is_free(&self) -> bool {
        self.bug.kind() == BugKind::Liveness
    }

    /// The shortest prefix of what was found, of more than so many steps, after which nothing recovers,
    /// as far as a few continuations tell.
    pub(super) fn shortest_prefix(
        &self,
        laboratory: &mut Laboratory<'_>,
        found: &Best,
        more_than: usize,
    ) -> Option<Best> {
        let all = found.schedule.len();
        // Owed after this step.
        let owed = usize::try_from(self.suspicion.since).unwrap_or(all);
        let from = owed.max(more_than + 1).min(all);
        let mut dead = self.first_dead(laboratory, found, from);
        // Few calm continuations recover where all the others don't, so a few may all be those.
        while self.is_calm && dead < all && !self.is_sure(laboratory, &prefix(found, dead)) {
            dead = self.first_dead(laboratory, found, dead + 1);
        }
        (dead < all).then(|| prefix(found, dead))
    }

    /// Many continuations don't pay it, or as many as an eighth of what is left pays for: each costs the
    /// way there as well.
    fn is_sure(&self, laboratory: &mut Laboratory<'_>, best: &Best) -> bool {
        let payable = laboratory.left() / 8 / cost(best, SORTING_STEPS);
        let numbers = 1..=(payable as u32).min(SURE);
        self.stays_owed(laboratory, best, numbers, SORTING_STEPS)
    }

    /// The first step, from that one on, after which a few continuations do not pay what is owed.
    fn first_dead(&self, laboratory: &mut Laboratory<'_>, found: &Best, from: usize) -> usize {
        let all = found.schedule.len();
        let strides = (3..).map(|power| 1 << power);
        let ends = strides.map(|stride: usize| (from + stride - 8, from + 2 * stride - 8));
        let ends = ends.take_while(|(_, end)| *end < all);
        let last = ends.clone().last();
        let dead = laboratory.first(ends, |bench, (low, high)| {
            let is_dead = self.is_dead(bench, &prefix(found, high));
            is_dead.then_some((low, high))
        });
        let (mut low, mut high) = dead.unwrap_or((last.map_or(from, |(_, end)| end), all));
        while low < high && !laboratory.is_over() {
            let middle = low + (high - low) / 2;
            let half = prefix(found, middle);
            let owes = laboratory.alone(|bench| self.owes(bench, &half));
            if owes && self.seems_dead(laboratory, &half) {
                high = middle;
            } else {
                low = middle + 1;
            }
        }
        high
    }

    /// It is owed after its last step, and a few continuations do not pay it.
    fn is_dead(&self, bench: &mut Bench<'_>, best: &Best) -> bool {
        if !self.owes(bench, best) {
            return false;
        }
        let mut numbers = self.sorting();
        !numbers.any(|number| self.recovers(bench, best, number, SORTING_STEPS))
    }

    /// It is owed after the last step.
    fn owes(&self, bench: &mut Bench<'_>, best: &Best) -> bool {
        if !self.is_free() {
            return true;
        }
        let options = RunOptions {
            until: Some(best.schedule.len() as u64),
            ..RunOptions::default()
        };
        let outcome = bench.again(&best.decisions, Fairness::Unfair, options);
        let message = &self.bug.finding.message;
        let is_it = |what: &str| message.starts_with(what);
        outcome.end == EndReason::Bound && outcome.undecided.iter().any(|owed| is_it(&owed.what))
    }

    /// The continuation of that number pays what is owed.
    fn recovers(&self, bench: &mut Bench<'_>, best: &Best, number: u32, horizon: u64) -> bool {
        let from = best.schedule.len() as u64;
        let watch = ObligationWatch {
            entry: self.suspicion.entry,
            from,
            until: from.saturating_add(horizon),
        };
        let walk = Continuation::new(chosen(&best.decisions), from, number);
        let walk = match number > DELAYING {
            true => walk.delaying(self.is_calm),
            false => walk.calm_if(self.is_calm),
        };
        let outcome = bench.watch(Box::new(walk), watch);
        // Another bug on the way is no sign of this one, but that one keeps itself busy at the end is
        // none of its own.
        let busy = outcome.finding.map(|found| found.kind) == Some(BugKind::Spin);
        outcome.end != EndReason::Bound && !busy
    }

    /// All continuations were run, and none pays what is owed.
    fn stays_owed(
        &self,
        laboratory: &mut Laboratory<'_>,
        best: &Best,
        continuations: impl Iterator<Item = u32> + Send,
        horizon: u64,
    ) -> bool {
        let recovery = laboratory.first(continuations, |bench, number| {
            let recovers = self.recovers(bench, best, number, horizon);
            recovers.then_some(number)
        });
        recovery.is_none() && !laboratory.is_over()
    }

    /// What is kept for the proof of a prefix, the n-th that is put to the test, while something shorter
    /// is looked for: half of what there was before. That is less where the whole proof costs less, and
    /// more where the least that counts costs more.
    pub(super) fn reserve(&self, best: &Best, number: u64, before: u64) -> u64 {
        let continuations = u64::from(Confirmation::continuations_of(number, 1));
        let least = continuations * cost(best, self.least);
        let delayed = if self.has_delays { FEW } else { 0 };
        let most = continuations * cost(best, self.horizon) + delayed * cost(best, SORTING_STEPS);
        let half = before / 2;
        // Where not even the least can be paid, it has to become shorter first.
        let least = if least < before { least } else { half };
        // What is tried last may cost more than there is.
        let last = 2 * u64::from(self.sorting) * cost(best, SORTING_STEPS);
        half.max(least + last).min(most + last)
    }

    /// What proves a prefix, the n-th that is put to the test, and is paid by so many steps. Continuations
    /// can't be fewer, or more would pass that recovers, so where there is little they are shorter.
    pub(super) fn payable(&self, best: &Best, number: u64, steps: u64) -> Option<Terms> {
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

    /// Puts a prefix to the test.
    pub(super) fn prove(
        &self,
        laboratory: &mut Laboratory<'_>,
        best: &Best,
        terms: Terms,
    ) -> Option<Proof> {
        let (all, horizon) = (1..=terms.continuations, terms.horizon);
        if !self.stays_owed(laboratory, best, delaying(terms.delayed), SORTING_STEPS)
            || !self.stays_owed(laboratory, best, all, horizon)
        {
            return None;
        }
        let (finding, recording) = laboratory
            .alone(|bench| (1..=TAILS).find_map(|number| self.found_again(bench, best, number)))?;
        Some(Proof {
            terms,
            finding,
            recording,
        })
    }

    /// Goes on until the bug is found as it was at first.
    fn found_again(
        &self,
        bench: &mut Bench<'_>,
        best: &Best,
        number: u32,
    ) -> Option<(Finding, Recording)> {
        let from = best.schedule.len() as u64;
        let walk = Continuation::new(chosen(&best.decisions), from, number).calm_if(self.is_calm);
        let (outcome, decisions) = bench.run(Box::new(walk));
        let finding = outcome.finding?;
        if !self.bug.finding.is_found_again(&finding) {
            return None;
        }
        let whole = Best::new(best.schedule.clone(), decisions, finding);
        let fairness = Fairness::FairFrom(from);
        let again = bench.again(&whole.decisions, fairness, RunOptions::default());
        if again.diverged_at.is_some() || again.finding.as_ref() != Some(&whole.finding) {
            return None;
        }
        let story_ends = Some(from + 1);
        let like = &self.bug.trace;
        let (finding, recording) = bench.record(&whole, fairness, like, story_ends);
        let cycle = outcome.suspicion.and_then(|suspicion| suspicion.cycle);
        Some((finding, Recording { cycle, ..recording }))
    }
}

impl Trial for Deadening<'_> {
    fn attempt(&self, bench: &mut Bench<'_>, candidate: Candidate, limit: u64) -> Option<Best> {
        let seed = candidate.seed;
        let guided = candidate.guided(self.fairness, limit, None);
        let attempt = bench.follow(guided, seed);
        let is_over = attempt.outcome.finding.is_some() || attempt.outcome.end != EndReason::Pruned;
        if is_over || attempt.followed.schedule.is_empty() {
            return None;
        }
        let finding = self.bug.finding.clone();
        Some(Best::new(
            attempt.followed.schedule,
            attempt.decisions,
            finding,
        ))
    }

    fn is_confirmed(&self, bench: &mut Bench<'_>, better: &Best) -> bool {
        self.is_dead(bench, better)
    }
}

/// The numbers of so many continuations in which some have to wait at first.
fn delaying(count: u32) -> RangeInclusive<u32> {
    DELAYING + 1..=DELAYING + count
}

/// What a continuation costs at most.
fn cost(best: &Best, horizon: u64) -> u64 {
    START + best.schedule.len() as u64 + horizon
}

/// The first steps of an execution.
fn prefix(found: &Best, steps: usize) -> Best {
    // The decisions of later steps do no harm: a continuation stops asking for them.
    Best::new(
        found.schedule[..steps].to_vec(),
        found.decisions.clone(),
        found.finding.clone(),
    )
}
