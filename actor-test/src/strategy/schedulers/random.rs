//! The uniform random walk over enabled operations: [`Random`].

use rand_core::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

use crate::strategy::{Choice, Enabled, Execution, Fairness, Pruned, Strategy};

/// Picks uniformly among the enabled operations: the baseline, and fair with probability one.
///
/// Operations, not messages, are picked, so a long inbox gets no more than its share.
#[derive(Clone, Debug)]
pub struct Random {
    rng: Xoshiro256PlusPlus,
}

impl Random {
    /// Creates a uniform random walk.
    pub fn new() -> Self {
        Self { rng: generator(0) }
    }
}

impl Default for Random {
    fn default() -> Self {
        Self::new()
    }
}

impl Strategy for Random {
    fn name(&self) -> String {
        "random".into()
    }

    fn begin(&mut self, execution: &Execution) -> Option<Fairness> {
        self.rng = generator(execution.seed);
        Some(Fairness::Fair)
    }

    #[inline]
    fn pick(&mut self, enabled: &Enabled<'_>) -> Result<usize, Pruned> {
        Ok(below(&mut self.rng, enabled.len() as u64) as usize)
    }

    fn choose(&mut self, choice: Choice<'_>) -> Option<u32> {
        Some(below(&mut self.rng, choice.bound()) as u32)
    }
}

/// The random generator of an execution: xoshiro256++, a stable algorithm.
pub(crate) fn generator(seed: u64) -> Xoshiro256PlusPlus {
    Xoshiro256PlusPlus::seed_from_u64(seed)
}

/// Draws a number below `bound`, at most 2^32, from the upper half of one output (Lemire's multiplication;
/// the bias is below 2^-32 per choice of the bounds that occur, and the same on every machine).
#[inline]
pub(crate) fn below(rng: &mut impl Rng, bound: u64) -> u64 {
    ((rng.next_u64() >> 32) * bound) >> 32
}
