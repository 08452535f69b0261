//! A compact hash table that numbers hashes in the order of insertion.

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// Hashes, numbered from zero in the order of insertion. Each takes about 14 bytes.
#[derive(Clone, Debug, Default)]
pub(super) struct HashIndex {
    keys: Vec<u64>,
    /// An open-addressing table of numbers, at most three quarters full.
    table: Vec<u32>,
}

impl Serialize for HashIndex {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.keys.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for HashIndex {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let mut numbers = Self::default();
        for key in Vec::deserialize(deserializer)? {
            numbers.enter(key);
        }
        Ok(numbers)
    }
}

const FREE: u32 = u32::MAX;

impl HashIndex {
    pub(super) fn len(&self) -> usize {
        self.keys.len()
    }

    /// Returns all hashes in the order of their numbers.
    pub(super) fn keys(&self) -> &[u64] {
        &self.keys
    }

    /// Returns the number of a hash.
    pub(super) fn find(&self, key: u64) -> Option<u32> {
        if self.table.is_empty() {
            return None;
        }
        Some(self.table[self.slot(key)]).filter(|number| *number != FREE)
    }

    /// Inserts a hash if it is new; returns its number, and true if it was new.
    pub(super) fn enter(&mut self, key: u64) -> (u32, bool) {
        if (self.keys.len() + 1) * 4 > self.table.len() * 3 {
            self.grow();
        }
        let slot = self.slot(key);
        if self.table[slot] != FREE {
            return (self.table[slot], false);
        }
        let number = self.keys.len() as u32;
        self.table[slot] = number;
        self.keys.push(key);
        (number, true)
    }

    /// Returns the slot of a hash in the table, or the free slot for it.
    fn slot(&self, key: u64) -> usize {
        let mask = self.table.len() - 1;
        // Hashes are well mixed, so their low bits serve as the first slot.
        let mut slot = key as usize & mask;
        while let Some(number) = Some(self.table[slot]).filter(|number| *number != FREE)
            && self.keys[number as usize] != key
        {
            slot = (slot + 1) & mask;
        }
        slot
    }

    fn grow(&mut self) {
        self.table = vec![FREE; (self.table.len() * 2).max(64)];
        for number in 0..self.keys.len() {
            let slot = self.slot(self.keys[number]);
            self.table[slot] = number as u32;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hash::mix;

    #[test]
    fn each_hash_has_one_number() {
        let mut numbers = HashIndex::default();
        assert_eq!(numbers.find(mix(0, 1)), None);
        for number in 0..10_000 {
            assert_eq!(numbers.enter(mix(number, 1)), (number as u32, true));
        }
        // Some of these hashes collide in their first slot.
        for number in 0..10_000 {
            assert_eq!(numbers.enter(mix(number, 1)), (number as u32, false));
            assert_eq!(numbers.find(mix(number, 1)), Some(number as u32));
            assert_eq!(numbers.find(mix(number, 2)), None);
        }
        assert_eq!(numbers.len(), 10_000);
    }
}
