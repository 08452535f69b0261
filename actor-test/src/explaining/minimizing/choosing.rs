//! Choices get their simplest answer.

use crate::explaining::minimizing::candidate::Candidate;
use crate::explaining::minimizing::search::{Laboratory, Search, Trial};

/// Answers choices with zero: all of them, else as many as can be, one by one; and what can't be zero
/// with the smallest number that halving finds.
pub(super) fn simplest<T: Trial>(search: &mut Search<T>, laboratory: &mut Laboratory<'_>) {
    let mut all = search.best.schedule.clone();
    for step in &mut all {
        for choice in &mut step.choices {
            choice.answer = 0;
        }
    }
    if all != search.best.schedule && search.tries(laboratory, Candidate::new(all)) {
        return;
    }
    let mut at = 0;
    while let Some(asked) = nonzero(search, at) {
        let (step, choice) = asked;
        let answer = search.best.schedule[step].choices[choice].answer;
        let mut simpler = 0;
        // Where a smaller answer leads elsewhere, the one in the middle may not.
        while simpler < answer && !laboratory.is_over() {
            let mut schedule = search.best.schedule.clone();
            schedule[step].choices[choice].answer = simpler;
            if search.tries(laboratory, Candidate::new(schedule)) {
                break;
            }
            simpler += (answer - simpler).div_ceil(2);
        }
        at += 1;
        if laboratory.is_over() {
            return;
        }
    }
}

/// The n-th choice that is not answered with zero: its step, and which of the step's it is.
fn nonzero<T: Trial>(search: &Search<T>, n: usize) -> Option<(usize, usize)> {
    let steps = search.best.schedule.iter().enumerate();
    let choices = steps.flat_map(|(at, step)| {
        let choices = step.choices.iter().enumerate();
        choices.map(move |(number, choice)| (at, number, choice.answer))
    });
    let mut wanted = choices.filter(|(.., answer)| *answer > 0);
    wanted.nth(n).map(|(at, number, _)| (at, number))
}
