//! The states that were met: [`Known`].

use std::collections::BTreeSet;

use crate::hash::mix;
use crate::strategy::StateView;

/// How many it may know: they take about half a gigabyte.
pub(super) const KNOWN_MAX: u64 = 16_000_000;

/// States that were met, and with what beside them.
#[derive(Debug, Default)]
pub(super) struct VisitedStates {
    states: BTreeSet<u128>,
    /// States together with what the deviation goes by, where that makes a difference.
    pairs: BTreeSet<u128>,
    /// The program looks at the clock, so that states at different times differ.
    pub(super) with_time: bool,
    /// That was found out just now.
    pub(super) begins_anew: bool,
}

impl VisitedStates {
    /// How many states there are.
    pub(super) fn len(&self) -> u64 {
        self.states.len() as u64
    }

    pub(super) fn is_full(&self) -> bool {
        self.states.len().max(self.pairs.len()) as u64 >= KNOWN_MAX
    }

    /// Whether it is new: the state, or the state together with what is beside it.
    pub(super) fn enter(&mut self, seen: &StateView, beside: Option<u64>) -> bool {
        if seen.reads_clock && !self.with_time {
            self.begins_anew = true;
            return false;
        }
        let time = match self.with_time {
            true => seen.now.as_nanos() as u64,
            false => 0,
        };
        let print = seen.print ^ wide(time, 0x71e);
        let is_new = self.states.insert(print);
        match beside {
            None => is_new,
            Some(beside) => self.pairs.insert(print.wrapping_add(wide(beside, 0xbe51))),
        }
    }

    /// Forgets all states, since they were told apart by too little.
    pub(super) fn begin_anew(&mut self) {
        *self = Self {
            with_time: true,
            ..Self::default()
        };
    }
}

/// A number as wide as a fingerprint; zero stays zero.
fn wide(number: u64, salt: u64) -> u128 {
    match number {
        0 => 0,
        _ => u128::from(mix(number, salt)) << 64 | u128::from(mix(salt, number)),
    }
}
