//! The round-robin delaying explorer: [`RoundRobin`].

use rand_core::Rng;
use rand_xoshiro::Xoshiro256PlusPlus;

use super::DelayingExplorer;
use crate::hash::mix;
use crate::strategy::changes::{ChangeReader, FEW};
use crate::strategy::per_operation::PerOperation;
use crate::strategy::tree::{Highest, Tree};
use crate::strategy::{Enabled, Execution, OperationId, Pending, generator};

/// Runs one operation until it is not enabled any more, then the next one of the round (Desai, Qadeer and
/// Seshia, ESEC/FSE 2015, sections 3 and 5.3). A delay moves on to the next one at once.
///
/// The round is in the order of creation, or [random](Self::random), which the paper found better: each
/// operation is inserted at a random place.
///
/// Guarantee: sound, since a delay moves on by one enabled operation of the round.
#[derive(Debug)]
pub struct RoundRobin {
    random: bool,
    /// The place of each operation in a random round.
    places: PerOperation<u64>,
    /// The place from which the next enabled operation is taken.
    head: u64,
    /// The number of rounds completed by the head.
    round: u64,
    follower: ChangeReader,
    /// The turn of each enabled operation, the earliest on top.
    turns: Tree<Highest<u128>>,
    /// Set if turns in the tree are outdated, because the head passed some without an update.
    jumped: bool,
    /// A hash of the order in which places were drawn.
    drawn: u64,
    rng: Xoshiro256PlusPlus,
}

impl RoundRobin {
    /// Takes operations in the order of creation; timers come last.
    pub fn new() -> Self {
        Self {
            random: false,
            places: PerOperation::default(),
            head: 0,
            round: 0,
            follower: ChangeReader::default(),
            turns: Tree::default(),
            jumped: false,
            drawn: 0,
            rng: generator(0),
        }
    }

    /// Takes operations in an order that each execution draws.
    pub fn random() -> Self {
        Self {
            random: true,
            ..Self::new()
        }
    }

    /// The turn of the operation at a place; earlier turns are higher values.
    #[inline]
    fn turn(&self, place: u64) -> Highest<u128> {
        let round = self.round + u64::from(place < self.head);
        Highest(!(u128::from(round) << 64 | u128::from(place)))
    }

    #[inline]
    fn go_on_to(&mut self, place: u64) {
        self.round += u64::from(place < self.head);
        self.head = place;
    }

    fn knows(&self, enabled: &Enabled<'_>) -> bool {
        self.follower.is_current(enabled) && !self.jumped
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
        (self.head, self.round) = (0, 0);
        self.follower.begin();
        self.turns.clear();
        self.jumped = false;
        self.drawn = 0;
        self.rng = generator(mix(execution.seed, 0x0009_0bb1));
    }

    #[inline]
    fn observe(&mut self, enabled: &Enabled<'_>) {
        if std::mem::take(&mut self.jumped) || enabled.len() <= FEW {
            self.follower.begin();
            self.turns.clear();
        }
        if enabled.len() <= FEW {
            return;
        }
        self.turns.truncate(enabled.len());
        for position in self.follower.observe(enabled) {
            let turn = self.turn(self.place(enabled[position].operation));
            self.turns.set(position, turn);
        }
    }

    #[inline]
    fn next(&self, enabled: &Enabled<'_>) -> usize {
        if self.knows(enabled) {
            return self.turns.top();
        }
        let (mut next, mut nearest) = (0, u64::MAX);
        for (index, pending) in enabled.iter().enumerate() {
            // Wrapping subtraction closes the round.
            let distance = self.place(pending.operation).wrapping_sub(self.head);
            if distance < nearest {
                (next, nearest) = (index, distance);
            }
        }
        next
    }

    fn delay(&mut self, enabled: &Enabled<'_>) {
        let next = self.next(enabled);
        let passed = self.place(enabled[next].operation);
        self.go_on_to(passed);
        self.head = passed.wrapping_add(1);
        if self.knows(enabled) {
            self.turns.set(next, self.turn(passed));
        } else {
            self.jumped = true;
        }
    }

    fn started(&mut self, operation: OperationId) {
        if self.random {
            // The operation's number in the lower half makes places distinct.
            let drawn = self.rng.next_u64() & !u64::from(u32::MAX);
            *self.places.of(operation) = drawn | u64::from(operation.bits());
            self.drawn = mix(self.drawn, u64::from(operation.bits()));
        }
    }

    #[inline]
    fn stepped(&mut self, step: &Pending) {
        let place = self.place(step.operation);
        self.jumped |= self.turns.root() != self.turn(place);
        self.go_on_to(place);
    }

    fn state(&self) -> Option<u64> {
        Some(mix(self.head, self.drawn))
    }
}
