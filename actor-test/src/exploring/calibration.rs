//! Calibrates bounds to the program: `--max-steps auto`.

use crate::engine::Program;
use crate::exploring::confirmation::Judge;
use crate::exploring::explorer::Explorer;
use crate::settings::turn::StrategyTurn;
use crate::settings::{Bounds, Settings};
use crate::strategy::{Random, Source};

/// The number of sampled executions.
const EXECUTIONS: u64 = 200;

/// The least and the greatest bound of unfair executions.
const STEPS_MIN: u64 = 200;
const STEPS_MAX: u64 = 100_000;

/// Computes bounds from 200 uniform walks: twice the length that 99 of 100 do not exceed. The threshold is
/// half the fair bound, or 20 times the longest obligation discharged in the end, whichever is more.
///
/// The walks have the default bounds, and the seeds of the first iterations.
pub(crate) fn calibrate(name: &str, program: &(dyn Program + Sync), settings: &Settings) -> Bounds {
    let settings = Settings {
        bounds: Bounds::default(),
        check_every: 0,
        ..settings.clone()
    };
    let walk = vec![Source::new(Random::new())];
    let mut explorer = Explorer::new(name, &settings, walk);
    let mut judge = Judge::new(name, program, &settings, &[]);
    let mut is_dead = false;
    let mut lengths = Vec::new();
    let mut pending = Vec::new();
    for iteration in 0..EXECUTIONS {
        let mut contribution = explorer.run_turn(program, StrategyTurn::of_first(iteration));
        // One confirmed liveness bug is enough.
        if !is_dead {
            judge.judge(&mut contribution);
            is_dead = contribution.is_suspected();
        }
        let outcome = contribution.outcome;
        // The length of a failing execution says little about the program's.
        if outcome.finding.is_none() {
            lengths.push(outcome.steps);
            pending.push(outcome.longest_pending);
        }
    }
    bounds(&mut lengths, &mut pending)
}

fn bounds(lengths: &mut [u64], pending: &mut [u64]) -> Bounds {
    let Some(length) = percentile(lengths, 990) else {
        return Bounds::default();
    };
    let steps = length.saturating_mul(2).clamp(STEPS_MIN, STEPS_MAX);
    let patience = percentile(pending, 999).unwrap_or(0).saturating_mul(20);
    let bounds = Bounds::new(steps);
    if patience <= bounds.temperature() {
        return bounds;
    }
    bounds.with_fair(patience.saturating_mul(2))
}

/// Returns the value that `of_thousand` of a thousand values do not exceed.
fn percentile(values: &mut [u64], of_thousand: usize) -> Option<u64> {
    values.sort_unstable();
    let rank = (values.len() * of_thousand).div_ceil(1000);
    values.get(rank.checked_sub(1)?).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(length: u64, pending: u64) -> (u64, u64, u64) {
        let bounds = bounds(&mut vec![length; 200], &mut vec![pending; 200]);
        (bounds.unfair(), bounds.fair(), bounds.temperature())
    }

    #[test]
    fn bounds_follow_lengths_within_limits() {
        assert_eq!(of(1_000, 0), (2_000, 20_000, 10_000));
        assert_eq!(of(3, 0), (200, 2_000, 1_000));
        assert_eq!(of(10_000_000, 0), (100_000, 1_000_000, 500_000));
    }

    #[test]
    fn what_is_owed_for_long_and_paid_raises_the_threshold() {
        assert_eq!(of(1_000, 500), (2_000, 20_000, 10_000));
        assert_eq!(of(1_000, 501), (2_000, 20_040, 10_020));
    }

    #[test]
    fn one_execution_of_a_hundred_may_be_longer() {
        let mut lengths = vec![1_000; 198];
        lengths.extend([90_000, 90_000]);
        assert_eq!(percentile(&mut lengths, 990), Some(1_000));
        lengths.push(90_000);
        assert_eq!(percentile(&mut lengths, 990), Some(90_000));
        assert_eq!(percentile(&mut [], 990), None);
    }
}
