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
use crate::explaining::minimizing::search::{Best, Laboratory, Trial};
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
        &mut self,
        laboratory: &mut Laboratory<'_>,
        found: &Best,
    ) -> Option<Best> {
        let all = found.schedule.len();
        // Owed after this step, and dead after that one.
        let owed = usize::try_from(self.suspicion.since)
            .unwrap_or(all)
            .min(all);
        let (mut low, mut high, mut stride) = (owed, all, 8);
        while low + stride < high {
            if self.is_dead(laboratory, &prefix(found, low + stride)) {
                high = low + stride;
                break;
            }
            low += stride;
            stride *= 2;
        }
        while low < high && !laboratory.is_over() {
            let middle = low + (high - low) / 2;
            if self.is_dead(laboratory, &prefix(found, middle)) {
                high = middle;
            } else {
                low = middle + 1;
            }
        }
        (high < all).then(|| prefix(found, high))
    }

    /// It is owed after its last step, and a few continuations do not pay it.
    fn is_dead(&self, laboratory: &mut Laboratory<'_>, best: &Best) -> bool {
        self.owes(laboratory, best) && self.stays_owed(laboratory, best, SORTING, SORTING_STEPS)
    }

    /// It is owed after the last step.
    fn owes(&self, laboratory: &mut Laboratory<'_>, best: &Best) -> bool {
        if !self.is_free() {
            return true;
        }
        let options = RunOptions {
            until: Some(best.schedule.len() as u64),
            ..RunOptions::default()
        };
        let outcome = laboratory.again(&best.decisions, Fairness::Unfair, options);
        let message = &self.bug.finding.message;
        let is_it = |what: &str| message.starts_with(what);
        outcome.end == End::Bound && outcome.undecided.iter().any(|owed| is_it(&owed.what))
    }

    /// No continuation pays what is owed.
    fn stays_owed(
        &self,
        laboratory: &mut Laboratory<'_>,
        best: &Best,
        continuations: u32,
        horizon: u64,
    ) -> bool {
        let from = best.schedule.len() as u64;
        let watch = Watch {
            entry: self.suspicion.entry,
            from,
            until: from.saturating_add(horizon),
        };
        let searches = laboratory.engine.looks_for_lassos(false);
        let recovers = |number: u32| {
            let walk = Continuation::new(chosen(&best.decisions), from, number);
            let outcome = laboratory.run(Box::new(walk), Some(watch));
            // Another bug on the way is no sign of this one, but that one keeps itself busy at the end is
            // none of its own.
            let busy = outcome.finding.map(|found| found.kind) == Some(BugKind::Spin);
            outcome.end != End::Bound && !busy
        };
        let stays = !(1..=continuations).any(recovers);
        laboratory.engine.look_for_lassos(searches);
        stays
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
        (1..=TAILS).find_map(|number| self.found_again(laboratory, best, number, continuations))
    }

    /// Goes on until the bug is found as it was at first.
    fn found_again(
        &self,
        laboratory: &mut Laboratory<'_>,
        best: &Best,
        number: u32,
        continuations: u32,
    ) -> Option<Proof> {
        let from = best.schedule.len() as u64;
        let walk = Continuation::new(chosen(&best.decisions), from, number);
        let outcome = laboratory.run(Box::new(walk), None);
        let finding = outcome.finding?;
        if !self.bug.finding.is_found_again(&finding) {
            return None;
        }
        let decisions = laboratory.engine.decisions();
        let whole = Best::new(best.schedule.clone(), decisions, finding);
        let fairness = Fairness::FairFrom(from);
        let again = laboratory.again(&whole.decisions, fairness, RunOptions::default());
        if again.diverged_at.is_some() || again.finding.as_ref() != Some(&whole.finding) {
            return None;
        }
        let story_ends = Some(from + 1);
        let like = &self.bug.trace;
        let (finding, recording) = laboratory.record(&whole, fairness, like, story_ends);
        let cycle = outcome.suspicion.and_then(|suspicion| suspicion.cycle);
        Some(Proof {
            continuations,
            finding,
            recording: Recording { cycle, ..recording },
        })
    }
}

impl Trial for Deadening<'_> {
    fn attempt(
        &mut self,
        laboratory: &mut Laboratory<'_>,
        candidate: Candidate,
        limit: u64,
    ) -> Option<Best> {
        let seed = candidate.seed;
        let guided = candidate.guided(self.fairness, limit, None);
        let attempt = laboratory.follow(guided, seed);
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

    fn is_confirmed(&mut self, laboratory: &mut Laboratory<'_>, better: &Best) -> bool {
        self.is_dead(laboratory, better)
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
