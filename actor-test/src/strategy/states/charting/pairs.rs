//! Numbers for pairs of numbers: [`Pairs`].

use super::pieces::Pieces;
use crate::hash::mix;

/// Where there is none.
const NOTHING: u32 = u32::MAX;

/// Numbers pairs in the order in which they come first, each once: 8 bytes for each, and from 5 to 11 for
/// finding it.
#[derive(Debug, Default)]
pub(super) struct Pairs {
    entries: Pieces<[u32; 2]>,
    /// Open addressing; from three eighths to three quarters of it are in use.
    table: Vec<u32>,
}

impl Pairs {
    #[inline]
    pub(super) fn len(&self) -> usize {
        self.entries.len()
    }

    #[inline]
    pub(super) fn get(&self, number: u32) -> [u32; 2] {
        *self.entries.get(number)
    }

    /// The number of a pair, where it has one.
    #[inline]
    pub(super) fn find(&self, pair: [u32; 2]) -> Option<u32> {
        if self.table.is_empty() {
            return None;
        }
        let found = self.table[self.slot(pair)];
        (found != NOTHING).then_some(found)
    }

    /// The number of a pair, and whether it is new.
    #[inline]
    pub(super) fn enter(&mut self, pair: [u32; 2]) -> (u32, bool) {
        if (self.len() + 1) * 4 > self.table.len() * 3 {
            self.grow();
        }
        let slot = self.slot(pair);
        let found = self.table[slot];
        if found != NOTHING {
            return (found, false);
        }
        let number = self.len() as u32;
        self.table[slot] = number;
        self.entries.push(pair);
        (number, true)
    }

    #[inline]
    fn slot(&self, pair: [u32; 2]) -> usize {
        let mask = self.table.len() - 1;
        let mut slot = mix(u64::from(pair[0]), u64::from(pair[1])) as usize & mask;
        loop {
            let found = self.table[slot];
            if found == NOTHING || self.get(found) == pair {
                return slot;
            }
            slot = (slot + 1) & mask;
        }
    }

    #[cold]
    fn grow(&mut self) {
        let larger = (self.table.len() * 2).max(1 << 6);
        // The old one first, so that there are never two.
        self.table = Vec::new();
        self.table = vec![NOTHING; larger];
        for number in 0..self.len() as u32 {
            let slot = self.slot(self.get(number));
            self.table[slot] = number;
        }
    }

    /// How much memory it takes, in bytes.
    #[cfg(test)]
    pub(super) fn bytes(&self) -> usize {
        self.entries.bytes() + self.table.capacity() * 4
    }
}
