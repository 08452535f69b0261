//! Executions after which something is owed for ever.
//!
//! That something is owed for ever is no step. What is minimised is the way to a state from which no
//! fair continuation pays it (MaceMC, section 4). A few short continuations sort the candidates; what
//! is best in the end has to pass what the confirmation of a liveness bug asks for, with a risk of its
//! own that is spread over all that were put to the test. Last it is run once more to where
//! the bug is found as it was at first: too hot, or going round.

use crate::data::bug::{BugKind, Finding};
use crate::engine::{End, RunOptions, Suspicion, Watch, chosen};
use crate::explaining::minimizing::candidate::Candidate;
use crate::explaining::minimizing::laboratory::{Bench, Laboratory};
use crate::explaining::minimizing::search::{Best, Trial};
use crate::report::confirmation::Confirmation;
use crate::report::facts::{Bug, Recording};
use crate::strategy::{Continuation, Fairness};

/// How many continuations sort candidates, and for how many steps each.
const SORTING: u32 = 4;
const SORTING_STEPS: u64 = 2_000;

/// How many walks may find the bug as it was found at first.
const TAILS: u32 = 4;

/// A specification that stays owed.
#[derive(Debug)]
pub(super) struct Deadening<'a> {
    bug: &'a Bug,
    suspicion: Suspicion,
    horizon: u64,
    fairness: Fairness,
}

/// What was seen of an execution after which something is owed for ever.
#[derive(Debug)]
pub(super) struct Proof {
    pub(super) continuations: u32,
    pub(super) finding: Finding,
    pub(super) recording: Recording,
}

impl<'a> Deadening<'a> {
    pub(super) fn new(bug: &'a Bug, suspicion: Suspicion, horizon: u64) -> Self {
        Self {
            bug,
            suspicion,
            horizon,
            fairness: Fairness::FairFrom(bug.finding.step),
        }
    }

    /// What is owed is known by its name; who waits by its number, which another schedule may give to
    /// somebody else.
    pub(super) fn is_free(&self) -> bool {
        self.bug.kind() == BugKind::Liveness
    }

    /// The shortest prefix of what was found after which nothing recovers, as far as a few
    /// continuations tell.
    pub(super) fn shortest_prefix(
        &self,
        laboratory: &mut Laboratory<'_>,
        found: &Best,
    ) -> Option<Best> {
        let all = found.schedule.len();
        // Owed after this step, and dead after that one.
        let owed = usize::try_from(self.suspicion.since)
            .unwrap_or(all)
            .min(all);
        let strides = (3..).map(|power| 1 << power);
        let ends = strides.map(|stride: usize| (owed + stride - 8, owed + 2 * stride - 8));
        let ends = ends.take_while(|(_, end)| *end < all);
        let last = ends.clone().last();
        let dead = laboratory.first(ends, |bench, (low, high)| {
            let is_dead = self.is_dead(bench, &prefix(found, high));
            is_dead.then_some((low, high))
        });
        let (mut low, mut high) = dead.unwrap_or((last.map_or(owed, |(_, end)| end), all));
        while low < high && !laboratory.is_over() {
            let middle = low + (high - low) / 2;
            let half = prefix(found, middle);
            let owes = laboratory.alone(|bench| self.owes(bench, &half));
            if owes && self.stays_owed(laboratory, &half, SORTING, SORTING_STEPS) {
                high = middle;
            } else {
                low = middle + 1;
            }
        }
        (high < all).then(|| prefix(found, high))
    }

    /// It is owed after its last step, and a few continuations do not pay it.
    fn is_dead(&self, bench: &mut Bench<'_>, best: &Best) -> bool {
        if !self.owes(bench, best) {
            return false;
        }
        let mut numbers = 1..=SORTING;
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
        outcome.end == End::Bound && outcome.undecided.iter().any(|owed| is_it(&owed.what))
    }

    /// The continuation of that number pays what is owed.
    fn recovers(&self, bench: &mut Bench<'_>, best: &Best, number: u32, horizon: u64) -> bool {
        let from = best.schedule.len() as u64;
        let watch = Watch {
            entry: self.suspicion.entry,
            from,
            until: from.saturating_add(horizon),
        };
        let walk = Continuation::new(chosen(&best.decisions), from, number);
        let outcome = bench.watch(Box::new(walk), watch);
        // Another bug on the way is no sign of this one, but that one keeps itself busy at the end is
        // none of its own.
        let busy = outcome.finding.map(|found| found.kind) == Some(BugKind::Spin);
        outcome.end != End::Bound && !busy
    }

    /// All continuations were run, and none pays what is owed.
    fn stays_owed(
        &self,
        laboratory: &mut Laboratory<'_>,
        best: &Best,
        continuations: u32,
        horizon: u64,
    ) -> bool {
        let recovery = laboratory.first(1..=continuations, |bench, number| {
            let recovers = self.recovers(bench, best, number, horizon);
            recovers.then_some(number)
        });
        recovery.is_none() && !laboratory.is_over()
    }

    /// Puts a prefix to the test: it is the n-th.
    pub(super) fn prove(
        &self,
        laboratory: &mut Laboratory<'_>,
        best: &Best,
        number: u64,
    ) -> Option<Proof> {
        let continuations = Confirmation::continuations_of(number, 1);
        let from = best.schedule.len() as u64;
        let cost = u64::from(continuations) * (from + self.horizon);
        if cost > laboratory.left()
            || !self.stays_owed(laboratory, best, continuations, self.horizon)
        {
            return None;
        }
        laboratory.alone(|bench| {
            (1..=TAILS).find_map(|number| self.found_again(bench, best, number, continuations))
        })
    }

    /// Goes on until the bug is found as it was at first.
    fn found_again(
        &self,
        bench: &mut Bench<'_>,
        best: &Best,
        number: u32,
        continuations: u32,
    ) -> Option<Proof> {
        let from = best.schedule.len() as u64;
        let walk = Continuation::new(chosen(&best.decisions), from, number);
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
        Some(Proof {
            continuations,
            finding,
            recording: Recording { cycle, ..recording },
        })
    }
}

impl Trial for Deadening<'_> {
    fn attempt(&self, bench: &mut Bench<'_>, candidate: Candidate, limit: u64) -> Option<Best> {
        let seed = candidate.seed;
        let guided = candidate.guided(self.fairness, limit, None);
        let attempt = bench.follow(guided, seed);
        let is_over = attempt.outcome.finding.is_some() || attempt.outcome.end != End::Pruned;
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

/// The first steps of an execution.
fn prefix(found: &Best, steps: usize) -> Best {
    // The decisions of later steps do no harm: a continuation stops asking for them.
    Best::new(
        found.schedule[..steps].to_vec(),
        found.decisions.clone(),
        found.finding.clone(),
    )
}
