//! Leaving out what the bug can do without.

use std::collections::BTreeSet;

use crate::data::schedule::{NamedStep, Schedule};
use crate::explaining::minimizing::candidate::Candidate;
use crate::explaining::minimizing::search::{Laboratory, Search, Trial};
use crate::report::minimized::faults as faults_of;
use crate::strategy::{Delayed, FairSuffix, Random, RunToCompletion, Steady, Strategy};

/// How many walks without a plan are tried.
const WALKS: u64 = 12;

/// Tries to come by the bug without any plan: where most schedules have it, the shortest are found at
/// once.
pub(super) fn from_nothing<T: Trial>(search: &mut Search<T>, laboratory: &mut Laboratory<'_>) {
    search.tries(laboratory, nothing_then(Box::new(Steady::default())));
    let chains = Delayed::new(RunToCompletion::new(), 0);
    search.tries(laboratory, nothing_then(Box::new(chains)));
    for number in 0..WALKS {
        let walk = FairSuffix::at(0, Box::new(Random::new()));
        search.tries(laboratory, nothing_then(Box::new(walk)).seeded(number));
    }
}

fn nothing_then(completion: Box<dyn Strategy>) -> Candidate {
    Candidate::new(Vec::new()).then(completion)
}

/// Leaves out faults: all of them, else one after the other, the last first.
pub(super) fn faults<T: Trial>(search: &mut Search<T>, laboratory: &mut Laboratory<'_>) {
    let count = |schedule: &Schedule| -> usize {
        let counts = schedule.iter().map(faults_of);
        counts.sum::<u64>() as usize
    };
    if count(&search.best.schedule) == 0 || tries_without_faults(search, laboratory, |_| true) {
        return;
    }
    let mut next = count(&search.best.schedule);
    while next > 0 && !laboratory.is_over() {
        next -= 1;
        tries_without_faults(search, laboratory, |number| number == next);
        next = next.min(count(&search.best.schedule));
    }
}

/// Tries without the faults of those numbers.
fn tries_without_faults<T: Trial>(
    search: &mut Search<T>,
    laboratory: &mut Laboratory<'_>,
    is_out: impl Fn(usize) -> bool,
) -> bool {
    let mut schedule = search.best.schedule.clone();
    let mut number = 0;
    schedule.retain_mut(|step| {
        step.strikes.retain(|_| {
            number += 1;
            !is_out(number - 1)
        });
        let is_fault = faults_of(step) > step.strikes.len() as u64;
        number += usize::from(is_fault);
        !(is_fault && is_out(number - 1))
    });
    search.tries(laboratory, Candidate::new(schedule.clone()))
        || search.tries(laboratory, Candidate::new(schedule).by_sort())
}

/// Leaves out actors, half of them first, then fewer: they are never scheduled.
pub(super) fn operations<T: Trial>(search: &mut Search<T>, laboratory: &mut Laboratory<'_>) {
    let mut size = everyone(&search.best.schedule).len() / 2;
    while size > 0 && !laboratory.is_over() {
        let mut from = 0;
        loop {
            let all = everyone(&search.best.schedule);
            if from >= all.len() {
                break;
            }
            let out: BTreeSet<u64> = all.iter().skip(from).take(size).copied().collect();
            let left = |step: &&NamedStep| !out.contains(&step.name.who);
            let schedule = search.best.schedule.iter().filter(left).cloned().collect();
            if !search.tries(laboratory, Candidate::new(schedule)) {
                from += size;
            }
        }
        size /= 2;
    }
}

/// Everyone who takes a step, in the order of their first.
fn everyone(schedule: &Schedule) -> Vec<u64> {
    let mut known = BTreeSet::new();
    let who = schedule.iter().map(|step| step.name.who);
    who.filter(|who| known.insert(*who)).collect()
}

/// Leaves out steps: parts of the schedule, large ones first, from the end to the beginning. What an
/// actor can't do any more keeps it waiting; where later messages can stand for those that were left
/// out, a whole round of a protocol may go.
pub(super) fn steps<T: Trial>(search: &mut Search<T>, laboratory: &mut Laboratory<'_>) {
    let mut size = search.best.schedule.len() / 2;
    while size > 0 && !laboratory.is_over() {
        let mut end = search.best.schedule.len();
        while end > 0 && !laboratory.is_over() {
            let from = end.saturating_sub(size);
            let left_out = without(&search.best.schedule, from, end);
            let by_sort = Candidate::new(left_out.clone()).by_sort();
            if search.tries(laboratory, by_sort)
                || search.tries(laboratory, Candidate::new(left_out))
            {
                end = end.min(search.best.schedule.len());
            } else {
                end = from;
            }
        }
        size /= 2;
    }
    tails(search, laboratory);
}

fn without(schedule: &Schedule, from: usize, to: usize) -> Schedule {
    let (before, after) = (&schedule[..from], &schedule[to..]);
    before.iter().chain(after).cloned().collect()
}

/// Has each actor stop sooner.
fn tails<T: Trial>(search: &mut Search<T>, laboratory: &mut Laboratory<'_>) {
    for who in everyone(&search.best.schedule) {
        let count =
            |schedule: &Schedule| schedule.iter().filter(|step| step.name.who == who).count();
        let mut size = count(&search.best.schedule);
        while size > 0 && !laboratory.is_over() {
            let kept = count(&search.best.schedule).saturating_sub(size);
            let mut taken = 0;
            let stays = |step: &&NamedStep| {
                taken += usize::from(step.name.who == who);
                step.name.who != who || taken <= kept
            };
            let schedule = search.best.schedule.iter().filter(stays).cloned().collect();
            if !search.tries(laboratory, Candidate::new(schedule)) {
                size /= 2;
            }
        }
    }
}
