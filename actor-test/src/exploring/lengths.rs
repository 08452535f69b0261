//! Statistics of execution lengths, for strategies that need the expected length.

use std::collections::BTreeMap;

use crate::hash::mix;
use crate::strategy::{below, generator};

/// The number of leading bits to which lengths are rounded up, so that few different ones are kept.
const LEADING_BITS: u32 = 6;

/// The number of steps with an alternative in each execution so far.
///
/// Some strategies need the length of an execution beforehand. Every other such execution, drawn by its
/// seed, gets a length that nineteen of twenty do not exceed, which covers all of most executions. That
/// alone does not suffice: if one execution in ten is a thousand times as long as the others, that length
/// misses nine of ten. So the other executions get a random earlier length.
#[derive(Clone, Debug, Default)]
pub(crate) struct Lengths {
    /// The number of executions of each length.
    counts: BTreeMap<u64, u64>,
    executions: u64,
}

impl Lengths {
    pub(crate) fn add(&mut self, contended_steps: u64) {
        *self.counts.entry(rounded(contended_steps)).or_default() += 1;
        self.executions += 1;
    }

    /// Draws the expected length for the execution with a seed; `None` without an earlier execution.
    pub(crate) fn draw(&self, seed: u64) -> Option<u64> {
        if self.executions == 0 {
            return None;
        }
        let mut rng = generator(mix(seed, 0x001e_2674));
        let mut left = match below(&mut rng, 2) {
            0 => (self.executions * 95).div_ceil(100) - 1,
            _ => below(&mut rng, self.executions.min(u64::from(u32::MAX))),
        };
        let drawn = self.counts.iter().find(|(_, count)| {
            let is_drawn = left < **count;
            left = left.saturating_sub(**count);
            is_drawn
        });
        drawn.map(|(length, _)| *length)
    }
}

/// Rounds a length up to the leading bits.
fn rounded(length: u64) -> u64 {
    let bits = u64::BITS - length.leading_zeros();
    let unit = 1 << bits.saturating_sub(LEADING_BITS);
    length.checked_next_multiple_of(unit).unwrap_or(length)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns how often the long length is drawn of 10 000 times; so many of a hundred are long.
    fn long_drawn(long_of_hundred: u64) -> usize {
        let mut lengths = Lengths::default();
        assert_eq!(lengths.draw(0), None);
        for execution in 0..1_000 {
            let is_long = execution % 100 < long_of_hundred;
            lengths.add(if is_long { 40_000 } else { 30 });
        }
        let drawn = |seed: u64| lengths.draw(seed).expect("there are some");
        let all = || (0..10_000).map(drawn);
        assert!(all().all(|drawn| drawn == rounded(40_000) || drawn == 30));
        all().filter(|drawn| *drawn > 30).count()
    }

    /// Half of the draws cover 95 % of executions; the others follow the frequencies. Within five standard
    /// errors.
    #[test]
    fn lengths_are_high_or_drawn_as_often_as_they_were_seen() {
        assert!((180..320).contains(&long_drawn(5)));
        assert!((5_050..5_550).contains(&long_drawn(6)));
        assert_eq!((long_drawn(0), long_drawn(100)), (0, 10_000));
    }

    #[test]
    fn a_length_is_never_rounded_down_nor_by_much() {
        assert!((0..=64).all(|length| rounded(length) == length));
        for length in (65..100_000).chain([u64::MAX - 1, u64::MAX]) {
            let rounded = rounded(length);
            assert!(
                rounded >= length && rounded - length <= length / 32,
                "{length}"
            );
        }
    }
}
