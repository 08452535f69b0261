//! The explorer that goes round.

use rand_core::Rng;
use rand_xoshiro::Xoshiro256PlusPlus;

use super::super::per_operation::PerOperation;
use super::super::{Enabled, Execution, OperationId, Pending, generator};
use super::DelayingExplorer;
use crate::hash::mix;

/// Runs one operation until it is not enabled any more, then the next in a round (Desai, Qadeer and
/// Seshia, ESEC/FSE 2015, sections 3 and 5.3). A delay goes on to the next at once.
///
/// The round is in order of creation; or [random](Self::random), which the paper found better: each
/// operation comes in at a place drawn for it.
///
/// Guarantee: sound, since a delay moves on by one enabled operation of the round.
#[derive(Debug)]
pub struct RoundRobin {
    random: bool,
    /// Where in the round an operation is, if the round is random.
    places: PerOperation<u64>,
    /// The first of the round from here on comes next.
    head: u64,
    rng: Xoshiro256PlusPlus,
}

impl RoundRobin {
    /// In order of creation; timers come after all others.
    pub fn new() -> Self {
        Self {
            random: false,
            places: PerOperation::default(),
            head: 0,
            rng: generator(0),
        }
    }

    /// In an order that each execution draws.
    pub fn random() -> Self {
        Self {
            random: true,
            ..Self::new()
        }
    }

    #[inline]
    fn place(&self, operation: OperationId) -> u64 {
        if self.random {
            self.places.get(operation)
        } else {
            u64::from(operation.bits())
        }
    }
}

impl Default for RoundRobin {
    fn default() -> Self {
        Self::new()
    }
}

impl DelayingExplorer for RoundRobin {
    fn name(&self) -> String {
        if self.random { "prr" } else { "rr" }.into()
    }

    fn begin(&mut self, execution: &Execution) {
        self.places.clear();
        self.head = 0;
        self.rng = generator(mix(execution.seed, 0x0009_0bb1));
    }

    #[inline]
    fn next(&self, enabled: &Enabled<'_>) -> usize {
        let (mut next, mut nearest) = (0, u64::MAX);
        for (index, pending) in enabled.iter().enumerate() {
            // The round closes where numbers wrap.
            let distance = self.place(pending.operation).wrapping_sub(self.head);
            if distance < nearest {
                (next, nearest) = (index, distance);
            }
        }
        next
    }

    fn delay(&mut self, enabled: &Enabled<'_>) {
        let passed = enabled[self.next(enabled)].operation;
        self.head = self.place(passed).wrapping_add(1);
    }

    fn started(&mut self, operation: OperationId) {
        if self.random {
            // The number below, so that no two have the same place.
            let drawn = self.rng.next_u64() & !u64::from(u32::MAX);
            *self.places.of(operation) = drawn | u64::from(operation.bits());
        }
    }

    #[inline]
    fn stepped(&mut self, step: &Pending) {
        self.head = self.place(step.operation);
    }
}
