//! The states that a search has met: [`Known`].

use crate::hash::mix;

/// How many states one piece of memory holds: nothing is moved when there are more.
const PIECE: usize = 1 << 14;

/// Where there is no state.
pub(super) const NOWHERE: u32 = u32::MAX;

/// States by fingerprint, each with the way to it: 24 bytes for each, and from 5 to 11 for finding it.
#[derive(Debug, Default)]
pub(super) struct Known {
    pieces: Vec<Vec<Entry>>,
    len: usize,
    /// Open addressing; from three eighths to three quarters of it are in use.
    table: Vec<u32>,
    /// States in which nothing can be done, a bit for each.
    ends: Vec<u64>,
}

#[derive(Clone, Copy, Debug)]
struct Entry {
    // Halves, so that eight bytes are not lost to the alignment.
    print: [u64; 2],
    from: u32,
    by: u32,
}

impl Known {
    pub(super) fn len(&self) -> usize {
        self.len
    }

    /// How much memory it takes, in bytes.
    #[cfg(test)]
    pub(super) fn bytes(&self) -> usize {
        let pieces = self.pieces.len() * PIECE * size_of::<Entry>();
        pieces + self.table.capacity() * 4 + self.ends.capacity() * 8
    }

    /// The number of the state with that fingerprint, and whether it is new: then it was come to from a
    /// state, by what has that number.
    pub(super) fn enter(&mut self, print: u128, from: u32, by: u32) -> (u32, bool) {
        if (self.len + 1) * 4 > self.table.len() * 3 {
            self.grow();
        }
        let halves = [print as u64, (print >> 64) as u64];
        let slot = self.slot(halves);
        let found = self.table[slot];
        if found != NOWHERE {
            return (found, false);
        }
        let number = self.len as u32;
        self.table[slot] = number;
        if self.len.is_multiple_of(PIECE) {
            self.pieces.push(Vec::with_capacity(PIECE));
        }
        if let Some(piece) = self.pieces.last_mut() {
            let print = halves;
            piece.push(Entry { print, from, by });
        }
        self.len += 1;
        (number, true)
    }

    /// Whether it is the state with that fingerprint.
    pub(super) fn is(&self, state: u32, print: u128) -> bool {
        self.entry(state).print == [print as u64, (print >> 64) as u64]
    }

    /// From which state it was come to first, and by what; [`NOWHERE`] for the first of all.
    pub(super) fn way(&self, state: u32) -> (u32, u32) {
        let Entry { from, by, .. } = *self.entry(state);
        (from, by)
    }

    /// Nothing can be done in the state.
    pub(super) fn ends(&mut self, state: u32) {
        let (word, bit) = (state as usize / 64, state % 64);
        if self.ends.len() <= word {
            self.ends.resize(word + 1, 0);
        }
        self.ends[word] |= 1 << bit;
    }

    pub(super) fn is_end(&self, state: u32) -> bool {
        let word = self.ends.get(state as usize / 64);
        word.is_some_and(|word| word >> (state % 64) & 1 == 1)
    }

    fn entry(&self, state: u32) -> &Entry {
        &self.pieces[state as usize / PIECE][state as usize % PIECE]
    }

    fn slot(&self, print: [u64; 2]) -> usize {
        let mask = self.table.len() - 1;
        let mut slot = mix(print[0], print[1]) as usize & mask;
        loop {
            let found = self.table[slot];
            if found == NOWHERE || self.entry(found).print == print {
                return slot;
            }
            slot = (slot + 1) & mask;
        }
    }

    fn grow(&mut self) {
        let larger = (self.table.len() * 2).max(1 << 10);
        // The old one first, so that there are never two.
        self.table = Vec::new();
        self.table = vec![NOWHERE; larger];
        for state in 0..self.len as u32 {
            let slot = self.slot(self.entry(state).print);
            self.table[slot] = state;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn print(number: u64) -> u128 {
        u128::from(mix(1, number)) << 64 | u128::from(mix(2, number / 2))
    }

    /// Beside a map that knows the same.
    #[test]
    fn states_are_known_by_their_whole_fingerprint() {
        let mut known = Known::default();
        for round in 0..2 {
            for number in 0..50_000_u64 {
                let (state, is_new) = known.enter(print(number), 7, round);
                assert_eq!((u64::from(state), is_new), (number, round == 0));
                assert!(known.is(state, print(number)));
                assert!(!known.is(state, print(number) ^ 1 << 70));
            }
        }
        assert_eq!(known.len(), 50_000);
        assert_eq!(known.way(49_999), (7, 0));
        known.ends(49_998);
        let ends = (0..50_000).filter(|state| known.is_end(*state));
        assert_eq!(ends.collect::<Vec<u32>>(), [49_998]);
    }

    /// At every size from some thousands on.
    #[test]
    fn a_state_takes_no_more_than_forty_bytes() {
        let mut known = Known::default();
        for number in 0..400_000 {
            known.enter(print(number), 0, 0);
            if number > 100_000 {
                let bytes = known.bytes() as f64 / known.len() as f64;
                assert!(bytes < 40.0, "{bytes} bytes for each of {number}");
            }
        }
    }
}
