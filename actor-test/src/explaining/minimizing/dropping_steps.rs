//! Minimisation passes that drop faults, actors and steps.

use std::collections::BTreeSet;
use std::iter::successors;
use std::sync::Arc;

use crate::data::schedule::{NamedStep, Schedule};
use crate::explaining::minimizing::candidate::Candidate;
use crate::explaining::minimizing::search::{CandidateTrial, MinimizingSearch};
use crate::explaining::minimizing::trials::Trials;
use crate::report::minimized::faults as faults_of;
use crate::strategy::{Delayed, FairSuffix, Random, RunToCompletion, Steady, Strategy};

/// The number of random walks without a plan.
const WALKS: u64 = 12;

/// Tries to find the bug without any plan: if most schedules have the bug, this finds the shortest at once.
pub(super) fn from_nothing<T: CandidateTrial>(
    search: &mut MinimizingSearch<T>,
    trials: &mut Trials<'_>,
) {
    let mut from = 0;
    loop {
        let candidates = (from..WALKS + 2).map(|number| (number, unplanned(number)));
        match search.tries_each(trials, candidates) {
            Some(at) => from = at + 1,
            None => return,
        }
    }
}

/// Returns the n-th candidate without a plan: a steady one, a run-to-completion one, then random walks.
fn unplanned(number: u64) -> Candidate {
    match number {
        0 => nothing_then(Box::new(Steady::default())),
        1 => nothing_then(Box::new(Delayed::new(RunToCompletion::new(), 0))),
        _ => {
            let walk = FairSuffix::at(0, Box::new(Random::new()));
            nothing_then(Box::new(walk)).seeded(number - 2)
        }
    }
}

fn nothing_then(completion: Box<dyn Strategy>) -> Candidate {
    Candidate::new(Vec::new()).then(completion)
}

/// Drops faults: all at once, else one by one, the last first.
pub(super) fn faults<T: CandidateTrial>(search: &mut MinimizingSearch<T>, trials: &mut Trials<'_>) {
    let count = |schedule: &Schedule| -> usize {
        let counts = schedule.iter().map(faults_of);
        counts.sum::<u64>() as usize
    };
    let mut left = count(&search.best.schedule);
    let none = without_faults(&search.best.schedule, |_| true);
    if left == 0
        || search
            .tries_each(trials, none.map(|candidate| ((), candidate)).into_iter())
            .is_some()
    {
        return;
    }
    loop {
        let best = Arc::clone(&search.best);
        let candidates = (0..left).rev().flat_map(|out| {
            let without = without_faults(&best.schedule, |number| number == out);
            without.map(|candidate| (out, candidate))
        });
        match search.tries_each(trials, candidates) {
            Some(out) => left = out.min(count(&search.best.schedule)),
            None => return,
        }
    }
}

/// Returns candidates without the faults of those numbers.
fn without_faults(schedule: &Schedule, is_out: impl Fn(usize) -> bool) -> [Candidate; 2] {
    let mut schedule = schedule.clone();
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
    let by_sort = Candidate::new(schedule.clone()).by_sort();
    [Candidate::new(schedule), by_sort]
}

/// Drops actors, half of them first, then fewer: they are never scheduled.
pub(super) fn operations<T: CandidateTrial>(
    search: &mut MinimizingSearch<T>,
    trials: &mut Trials<'_>,
) {
    let (mut size, mut from) = (everyone(&search.best.schedule).len() / 2, 0);
    loop {
        let best = Arc::clone(&search.best);
        let all = everyone(&best.schedule);
        let candidates = groups(size, from, all.len()).map(|(size, from)| {
            let out: BTreeSet<u64> = all.iter().skip(from).take(size).copied().collect();
            let left = |step: &&NamedStep| !out.contains(&step.name.who);
            let schedule = best.schedule.iter().filter(left).cloned().collect();
            ((size, from), Candidate::new(schedule))
        });
        match search.tries_each(trials, candidates) {
            Some(place) => (size, from) = place,
            None => return,
        }
    }
}

/// Returns groups of `size` out of `all` from `from` on, then of half the size, and so on.
fn groups(size: usize, from: usize, all: usize) -> impl Iterator<Item = (usize, usize)> + Send {
    halves(size).flat_map(move |part| {
        let from = if part == size { from } else { 0 };
        (from..all).step_by(part).map(move |from| (part, from))
    })
}

/// Returns a size, half of it, and so on, down to one.
fn halves(size: usize) -> impl Iterator<Item = usize> + Send {
    successors(Some(size), |size| Some(size / 2)).take_while(|size| *size > 0)
}

/// Returns the operations that take a step, in the order of their first step.
fn everyone(schedule: &Schedule) -> Vec<u64> {
    let mut known = BTreeSet::new();
    let who = schedule.iter().map(|step| step.name.who);
    who.filter(|who| known.insert(*who)).collect()
}

/// Drops steps: large parts of the schedule first, from the end to the beginning. An actor waits if its
/// step is dropped. If later messages may replace the dropped ones, a whole round of a protocol may go.
pub(super) fn steps<T: CandidateTrial>(search: &mut MinimizingSearch<T>, trials: &mut Trials<'_>) {
    let steps = search.best.schedule.len();
    let (mut size, mut end) = (steps / 2, steps);
    loop {
        let best = Arc::clone(&search.best);
        let steps = best.schedule.len();
        let candidates = parts(size, end.min(steps), steps).flat_map(|(size, end)| {
            let left_out = without(&best.schedule, end.saturating_sub(size), end);
            let by_sort = Candidate::new(left_out.clone()).by_sort();
            [by_sort, Candidate::new(left_out)].map(|candidate| ((size, end), candidate))
        });
        match search.tries_each(trials, candidates) {
            Some(place) => (size, end) = place,
            None => break,
        }
    }
    tails(search, trials);
}

/// Returns parts of `size` out of `all` from `end` backwards, then of half the size, and so on.
fn parts(size: usize, end: usize, all: usize) -> impl Iterator<Item = (usize, usize)> + Send {
    halves(size).flat_map(move |part| {
        let end = if part == size { end } else { all };
        let ends = successors(Some(end), move |end| end.checked_sub(part));
        ends.take_while(|end| *end > 0).map(move |end| (part, end))
    })
}

fn without(schedule: &Schedule, from: usize, to: usize) -> Schedule {
    let (before, after) = (&schedule[..from], &schedule[to..]);
    before.iter().chain(after).cloned().collect()
}

/// Has each actor stop sooner.
fn tails<T: CandidateTrial>(search: &mut MinimizingSearch<T>, trials: &mut Trials<'_>) {
    let all = everyone(&search.best.schedule);
    let (mut from, mut size) = (0, None);
    loop {
        let best = Arc::clone(&search.best);
        let candidates = all.iter().enumerate().skip(from).flat_map(|(at, who)| {
            let best = &best;
            let own = best.schedule.iter().filter(|step| step.name.who == *who);
            let own = own.count();
            let first = size.filter(|_| at == from).unwrap_or(own);
            halves(first).map(move |size| {
                let kept = own.saturating_sub(size);
                (
                    (at, size),
                    Candidate::new(shortened(&best.schedule, *who, kept)),
                )
            })
        });
        match search.tries_each(trials, candidates) {
            Some((at, left)) => (from, size) = (at, Some(left)),
            None => return,
        }
    }
}

/// Returns a schedule in which one operation takes at most `kept` steps.
fn shortened(schedule: &Schedule, who: u64, kept: usize) -> Schedule {
    let mut taken = 0;
    let stays = |step: &&NamedStep| {
        taken += usize::from(step.name.who == who);
        step.name.who != who || taken <= kept
    };
    schedule.iter().filter(stays).cloned().collect()
}

#[cfg(test)]
mod tests {
    use super::{groups, parts};

    #[test]
    fn groups_are_gone_through_and_halved() {
        let of = |size, from, all| groups(size, from, all).collect::<Vec<_>>();
        assert_eq!(of(0, 0, 1), []);
        assert_eq!(
            of(2, 2, 5),
            [(2, 2), (2, 4), (1, 0), (1, 1), (1, 2), (1, 3), (1, 4)]
        );
        assert_eq!(of(2, 6, 2), [(1, 0), (1, 1)]);
    }

    #[test]
    fn parts_go_from_the_end_to_the_beginning_and_are_halved() {
        let of = |size, end, all| parts(size, end, all).collect::<Vec<_>>();
        assert_eq!(of(0, 1, 1), []);
        assert_eq!(
            of(2, 3, 5),
            [(2, 3), (2, 1), (1, 5), (1, 4), (1, 3), (1, 2), (1, 1)]
        );
        assert_eq!(of(2, 0, 2), [(1, 2), (1, 1)]);
    }
}
