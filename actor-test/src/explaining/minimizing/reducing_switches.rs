//! Minimisation pass: reduces context switches.

use std::sync::Arc;

use crate::data::schedule::Schedule;
use crate::explaining::minimizing::candidate::Candidate;
use crate::explaining::minimizing::search::{CandidateTrial, MinimizingSearch};
use crate::explaining::minimizing::trials::Trials;

/// The largest number of passes over a schedule.
const ROUNDS: usize = 8;

/// Lets each operation run as long as possible. If the bug needs context switches, merges two runs of one
/// operation wherever possible.
pub(super) fn fewest<T: CandidateTrial>(search: &mut MinimizingSearch<T>, trials: &mut Trials<'_>) {
    let schedule = search.best.schedule.clone();
    search.tries(trials, Candidate::new(schedule).staying());
    for _ in 0..ROUNDS {
        let before = search.best.cost();
        let mut from = 0;
        loop {
            let best = Arc::clone(&search.best);
            let runs = runs(&best.schedule);
            let candidates = (from..runs.len()).flat_map(|at| {
                let joined = joined(&best.schedule, &runs, at).into_iter();
                joined.map(move |schedule| (at, Candidate::new(schedule)))
            });
            match search.tries_each(trials, candidates) {
                Some(at) => from = at,
                None => break,
            }
        }
        if search.best.cost() == before {
            return;
        }
    }
}

/// Returns the start and end of each run of steps of one operation.
fn runs(schedule: &Schedule) -> Vec<(usize, usize)> {
    let runs = schedule.chunk_by(|one, next| one.name.who == next.name.who);
    let mut from = 0;
    let bounds = runs.map(|run| {
        let begins = from;
        from += run.len();
        (begins, from)
    });
    bounds.collect()
}

/// Returns schedules in which a run is merged with the next one of its operation: the later one moved
/// forward, or the earlier one moved back.
fn joined(schedule: &Schedule, runs: &[(usize, usize)], at: usize) -> Vec<Schedule> {
    let (from, to) = runs[at];
    let who = schedule[from].name.who;
    let next = runs[at + 1..]
        .iter()
        .find(|(begins, _)| schedule[*begins].name.who == who);
    let Some((begins, ends)) = next.copied() else {
        return Vec::new();
    };
    let parts = |parts: [&[_]; 5]| parts.concat();
    let [before, run, between, later, after] = [
        &schedule[..from],
        &schedule[from..to],
        &schedule[to..begins],
        &schedule[begins..ends],
        &schedule[ends..],
    ];
    vec![
        parts([before, run, later, between, after]),
        parts([before, between, run, later, after]),
    ]
}
