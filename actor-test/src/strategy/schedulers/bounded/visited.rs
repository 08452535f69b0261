//! The visited states of a bounded search: [`VisitedStates`].

use std::collections::BTreeSet;

use crate::hash::mix;
use crate::strategy::StateView;

/// The most states that are stored, which take about half a gigabyte.
pub(super) const VISITED_MAX: u64 = 16_000_000;

/// A set of visited states, alone and together with the state of the deviation.
#[derive(Debug, Default)]
pub(super) struct VisitedStates {
    states: BTreeSet<u128>,
    /// States combined with the fingerprint of the deviation, where that makes a difference.
    pairs: BTreeSet<u128>,
    /// Set if the program reads the clock, so that states at different times differ.
    pub(super) with_time: bool,
    /// Set when a read of the clock was found just now, so that the search has to restart.
    pub(super) begins_anew: bool,
}

impl VisitedStates {
    pub(super) fn len(&self) -> u64 {
        self.states.len() as u64
    }

    pub(super) fn is_full(&self) -> bool {
        self.states.len().max(self.pairs.len()) as u64 >= VISITED_MAX
    }

    /// Enters a state, combined with `beside` if it is given; returns true if it is new.
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

    /// Forgets all states, because they were compared without the time.
    pub(super) fn begin_anew(&mut self) {
        *self = Self {
            with_time: true,
            ..Self::default()
        };
    }
}

/// Widens a number to the size of a fingerprint; zero stays zero.
fn wide(number: u64, salt: u64) -> u128 {
    match number {
        0 => 0,
        _ => u128::from(mix(number, salt)) << 64 | u128::from(mix(salt, number)),
    }
}
