//! The visited states of a search, by fingerprint: [`VisitedFingerprints`].

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::super::pieces::{BlockList, FixedBytes};
use crate::hash::mix;
use crate::number_table::NumberTable;

/// The predecessor of the first state.
pub(super) const NOWHERE: u32 = u32::MAX;

/// States by fingerprint, each with its predecessor: 24 bytes each, and from 5 to 11 for finding it.
#[derive(Debug, Default)]
pub(super) struct VisitedFingerprints {
    states: BlockList<VisitedEntry>,
    table: NumberTable,
    /// A bit for each state, set if nothing is enabled there.
    ends: Vec<u64>,
    is_spilled: bool,
}

#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
struct VisitedEntry {
    // Two halves, so that alignment wastes no bytes.
    print: [u64; 2],
    from: u32,
    by: u32,
}

impl FixedBytes for VisitedEntry {
    const BYTES: usize = 24;

    fn write(self, to: &mut Vec<u8>) {
        self.print
            .iter()
            .for_each(|half| to.extend(half.to_le_bytes()));
        [self.from, self.by].write(to);
    }

    fn read(from: &[u8]) -> Self {
        let half = |at: usize| {
            let bytes = from[at..at + 8].try_into();
            u64::from_le_bytes(bytes.expect("eight bytes"))
        };
        let [from, by] = <[u32; 2]>::read(&from[16..]);
        Self {
            print: [half(0), half(8)],
            from,
            by,
        }
    }
}

#[inline]
fn hash(print: [u64; 2]) -> u64 {
    mix(print[0], print[1])
}

impl VisitedFingerprints {
    pub(super) fn len(&self) -> usize {
        self.states.len()
    }

    /// The memory used, in bytes.
    pub(super) fn bytes(&self) -> usize {
        self.states.bytes() + self.table.bytes() + self.ends.capacity() * 8
    }

    /// Keeps the memory below a limit while the next state is entered, by moving states to a file if
    /// necessary; `false` if that is not enough.
    pub(super) fn fits(&mut self, bytes: usize) -> bool {
        let next = |this: &Self| match this.table.is_full(this.len()) {
            true => this.bytes() + this.table.bytes(),
            false => this.bytes(),
        };
        if next(self) > bytes && !std::mem::replace(&mut self.is_spilled, true) {
            if !self.states.spill() {
                return false;
            }
            let states = &self.states;
            let hashes = (0..states.len() as u32).map(|state| hash(states.get(state).print));
            self.table.keep_tags(hashes);
        }
        next(self) <= bytes
    }

    /// Enters a state with its predecessor and decisions; returns its number, and true if it is new.
    pub(super) fn enter(&mut self, print: u128, from: u32, by: u32) -> (u32, bool) {
        let print = [print as u64, (print >> 64) as u64];
        self.enter_entry(VisitedEntry { print, from, by })
    }

    fn enter_entry(&mut self, entry: VisitedEntry) -> (u32, bool) {
        if self.table.is_full(self.len()) {
            let states = &self.states;
            let hashes = (0..states.len() as u32).map(|state| hash(states.get(state).print));
            self.table.grow(1 << 10, hashes);
        }
        let hash = hash(entry.print);
        let is = |state| self.states.get(state).print == entry.print;
        let (slot, found) = self.table.find(hash, is);
        if let Some(found) = found {
            return (found, false);
        }
        let number = self.len() as u32;
        self.table.enter(slot, hash, number);
        self.states.push(entry);
        (number, true)
    }

    /// True if the state has that fingerprint.
    pub(super) fn is(&self, state: u32, print: u128) -> bool {
        self.states.get(state).print == [print as u64, (print >> 64) as u64]
    }

    /// The predecessor of a state and the number of the decisions; [`NOWHERE`] for the first state.
    pub(super) fn predecessor(&self, state: u32) -> (u32, u32) {
        let VisitedEntry { from, by, .. } = self.states.get(state);
        (from, by)
    }

    /// Records that nothing is enabled in the state.
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
}

impl Serialize for VisitedFingerprints {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        (&self.states, &self.ends).serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for VisitedFingerprints {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let (states, ends): (Vec<VisitedEntry>, _) = Deserialize::deserialize(deserializer)?;
        let mut visited = Self {
            ends,
            ..Self::default()
        };
        for state in states {
            visited.enter_entry(state);
        }
        Ok(visited)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn print(number: u64) -> u128 {
        u128::from(mix(1, number)) << 64 | u128::from(mix(2, number / 2))
    }

    /// Enters states with and without a limit that moves them to a file.
    #[test]
    fn states_are_known_by_their_whole_fingerprint() {
        for bytes in [usize::MAX, 1_200_000] {
            assert_known(bytes);
        }
    }

    /// Enters states within so many bytes of memory.
    fn assert_known(bytes: usize) {
        let mut visited = VisitedFingerprints::default();
        for round in 0..2 {
            for number in 0..50_000_u64 {
                assert!(visited.fits(bytes), "{number}");
                let (state, is_new) = visited.enter(print(number), 7, round);
                assert_eq!((u64::from(state), is_new), (number, round == 0));
                assert!(visited.is(state, print(number)));
                assert!(!visited.is(state, print(number) ^ 1 << 70));
            }
        }
        assert_eq!(visited.len(), 50_000);
        assert_eq!(visited.predecessor(49_999), (7, 0));
        visited.ends(49_998);
        let ends = (0..50_000).filter(|state| visited.is_end(*state));
        assert_eq!(ends.collect::<Vec<u32>>(), [49_998]);
        assert_eq!(visited.is_spilled, bytes < usize::MAX);
        assert!(visited.bytes() <= bytes);
    }

    /// Measures every size above 100,000 states.
    #[test]
    fn a_state_takes_no_more_than_forty_bytes() {
        let mut visited = VisitedFingerprints::default();
        for number in 0..400_000 {
            visited.enter(print(number), 0, 0);
            if number > 100_000 {
                let bytes = visited.bytes() as f64 / visited.len() as f64;
                assert!(bytes < 40.0, "{bytes} bytes for each of {number}");
            }
        }
    }
}
