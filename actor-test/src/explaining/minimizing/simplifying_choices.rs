//! Minimisation pass: simplifies choices, by answers that are zero or small.

use std::iter::successors;
use std::sync::Arc;

use crate::data::schedule::Schedule;
use crate::explaining::minimizing::candidate::Candidate;
use crate::explaining::minimizing::search::{CandidateTrial, MinimizingSearch};
use crate::explaining::minimizing::trials::Trials;

/// Answers choices with zero: all at once, else one by one. A choice that can't be zero gets the smallest
/// answer that bisection finds.
pub(super) fn simplest<T: CandidateTrial>(
    search: &mut MinimizingSearch<T>,
    trials: &mut Trials<'_>,
) {
    let mut all = search.best.schedule.clone();
    for step in &mut all {
        for choice in &mut step.choices {
            choice.answer = 0;
        }
    }
    if all != search.best.schedule && search.tries(trials, Candidate::new(all)) {
        return;
    }
    let mut from = 0;
    loop {
        let best = Arc::clone(&search.best);
        let nonzero = nonzero(&best.schedule).into_iter().enumerate().skip(from);
        let candidates = nonzero.flat_map(|(at, (step, choice, answer))| {
            let best = &best;
            simpler(answer).map(move |simpler| {
                let mut schedule = best.schedule.clone();
                schedule[step].choices[choice].answer = simpler;
                (at, Candidate::new(schedule))
            })
        });
        match search.tries_each(trials, candidates) {
            Some(at) => from = at + 1,
            None => return,
        }
    }
}

/// Returns smaller answers, zero first, then midpoints: a zero may lead to another execution.
fn simpler(answer: u32) -> impl Iterator<Item = u32> + Send {
    let next = move |simpler: &u32| Some(simpler + (answer - simpler).div_ceil(2));
    successors(Some(0), next).take_while(move |simpler| *simpler < answer)
}

/// Returns the choices with a non-zero answer: the step, the index in the step, and the answer.
fn nonzero(schedule: &Schedule) -> Vec<(usize, usize, u32)> {
    let steps = schedule.iter().enumerate();
    let choices = steps.flat_map(|(at, step)| {
        let choices = step.choices.iter().enumerate();
        choices.map(move |(number, choice)| (at, number, choice.answer))
    });
    choices.filter(|(.., answer)| *answer > 0).collect()
}

#[cfg(test)]
mod tests {
    use super::simpler;

    #[test]
    fn smaller_answers_come_nearer_by_halves() {
        assert_eq!(simpler(0).count(), 0);
        assert_eq!(simpler(1).collect::<Vec<_>>(), [0]);
        assert_eq!(simpler(9).collect::<Vec<_>>(), [0, 5, 7, 8]);
    }
}
