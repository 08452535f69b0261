//! A random walk with few context switches: [`Probabilistic`].

use rand_xoshiro::Xoshiro256PlusPlus;

use crate::strategy::{
    Choice, Enabled, Execution, Fairness, OperationId, Pruned, Strategy, below, generator,
};

/// Stays with the operation of the last step while it is enabled; before each step it switches with
/// probability 2^-B, to one drawn uniformly (Coyote's probabilistic random scheduling).
///
/// Guarantee: fair with probability one, since every enabled operation is picked with at least 2^-B of its
/// uniform share at every step. Long runs of one operation make deep interleavings likely that a uniform
/// walk breaks up.
#[derive(Debug)]
pub struct Probabilistic {
    halvings: u32,
    current: Option<OperationId>,
    /// The position of the current operation among the enabled ones.
    position: usize,
    rng: Xoshiro256PlusPlus,
}

impl Probabilistic {
    /// The default number of halvings: a switch before one step in eight.
    pub const HALVINGS: u32 = crate::settings::strategy::HALVINGS;
    /// The largest number of halvings.
    pub const HALVINGS_MAX: u32 = crate::settings::strategy::HALVINGS_MAX;

    /// Switches with probability 2^-`halvings`; more than [`HALVINGS_MAX`](Self::HALVINGS_MAX) count as
    /// that many, and with none the walk is uniform.
    pub fn new(halvings: u32) -> Self {
        Self {
            halvings: halvings.min(Self::HALVINGS_MAX),
            current: None,
            position: 0,
            rng: generator(0),
        }
    }

    /// The position of the current operation, if it is enabled.
    fn stay(&self, enabled: &Enabled<'_>) -> Option<usize> {
        let current = self.current?;
        let is_current = |index: usize| enabled[index].operation == current;
        // An operation mostly keeps its position.
        if self.position < enabled.len() && is_current(self.position) {
            return Some(self.position);
        }
        (0..enabled.len()).find(|index| is_current(*index))
    }
}

impl Default for Probabilistic {
    fn default() -> Self {
        Self::new(Self::HALVINGS)
    }
}

impl Strategy for Probabilistic {
    fn name(&self) -> String {
        crate::settings::strategy::StrategySpec::Probabilistic(self.halvings).to_string()
    }

    fn begin(&mut self, execution: &Execution) -> Option<Fairness> {
        self.rng = generator(execution.seed);
        self.current = None;
        Some(Fairness::Fair)
    }

    #[inline]
    fn pick(&mut self, enabled: &Enabled<'_>) -> Result<usize, Pruned> {
        let switches = below(&mut self.rng, 1 << self.halvings) == 0;
        let stay = if switches { None } else { self.stay(enabled) };
        let picked = match stay {
            Some(index) => index,
            None => below(&mut self.rng, enabled.len() as u64) as usize,
        };
        self.current = Some(enabled[picked].operation);
        self.position = picked;
        Ok(picked)
    }

    fn choose(&mut self, choice: Choice<'_>) -> Option<u32> {
        Some(below(&mut self.rng, choice.bound()) as u32)
    }
}
