//! A hash table of numbers, by open addressing: [`NumberTable`], and with keys: [`HashIndex`].

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::hash::mix;

/// An empty slot.
const NOTHING: u32 = u32::MAX;

/// The numbers of values, by the hashes of the values: from 3/8 to 3/4 of the slots are in use.
///
/// With tags, a byte of each hash beside its number, the table reads almost only the right value.
#[derive(Clone, Debug, Default)]
pub(crate) struct NumberTable {
    numbers: Vec<u32>,
    /// A byte of each hash, or empty.
    tags: Vec<u8>,
    has_tags: bool,
}

/// A slot, which is empty or has a number.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TableSlot(usize);

impl NumberTable {
    /// True if the table has to grow before one more is entered into `len`.
    #[inline]
    pub(crate) fn is_full(&self, len: usize) -> bool {
        (len + 1) * 4 > self.numbers.len() * 3
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.numbers.is_empty()
    }

    /// The slot of a value with that hash, and its number, if it is there.
    #[inline]
    pub(crate) fn find(&self, hash: u64, is: impl Fn(u32) -> bool) -> (TableSlot, Option<u32>) {
        let mask = self.numbers.len() - 1;
        let mut slot = hash as usize & mask;
        loop {
            let found = self.numbers[slot];
            if found == NOTHING {
                return (TableSlot(slot), None);
            }
            if (!self.has_tags || self.tags[slot] == tag(hash)) && is(found) {
                return (TableSlot(slot), Some(found));
            }
            slot = (slot + 1) & mask;
        }
    }

    #[inline]
    pub(crate) fn enter(&mut self, slot: TableSlot, hash: u64, number: u32) {
        self.numbers[slot.0] = number;
        if self.has_tags {
            self.tags[slot.0] = tag(hash);
        }
    }

    /// Removes everything from a table of `len` numbers, which costs no more than entering them did.
    fn clear(&mut self, len: usize) {
        if len > 0 {
            self.numbers.truncate((len * 4).next_power_of_two());
            self.numbers.fill(NOTHING);
        }
    }

    /// Doubles the slots, and enters the values with these hashes in the order of their numbers.
    #[cold]
    pub(crate) fn grow(&mut self, least: usize, hashes: impl Iterator<Item = u64>) {
        let larger = (self.numbers.len() * 2).max(least);
        self.renew(larger, hashes);
    }

    /// Keeps a byte of each hash from now on.
    #[cold]
    pub(crate) fn keep_tags(&mut self, hashes: impl Iterator<Item = u64>) {
        self.has_tags = true;
        self.renew(self.numbers.len(), hashes);
    }

    fn renew(&mut self, size: usize, hashes: impl Iterator<Item = u64>) {
        // The old slots are freed first, so that the memory holds one table only.
        (self.numbers, self.tags) = (Vec::new(), Vec::new());
        self.numbers = vec![NOTHING; size];
        if self.has_tags {
            self.tags = vec![0; size];
        }
        for (hash, number) in hashes.zip(0..) {
            let (slot, _) = self.find(hash, |_| false);
            self.enter(slot, hash, number);
        }
    }

    /// The memory used, in bytes.
    pub(crate) fn bytes(&self) -> usize {
        self.numbers.capacity() * 4 + self.tags.capacity()
    }

    /// The memory used after the next growth.
    pub(crate) fn bytes_next(&self) -> usize {
        self.bytes() * 2
    }
}

/// The highest byte of a hash; the slot comes from the lowest bits.
#[inline]
fn tag(hash: u64) -> u8 {
    (hash >> 56) as u8
}

/// Keys, numbered from zero in the order of insertion. Each takes about 14 bytes.
///
/// Several numbers may have one key, if the caller distinguishes them.
#[derive(Clone, Debug, Default)]
pub(crate) struct HashIndex {
    keys: Vec<u64>,
    table: NumberTable,
}

impl HashIndex {
    pub(crate) fn len(&self) -> usize {
        self.keys.len()
    }

    /// Returns all keys in the order of their numbers.
    pub(crate) fn keys(&self) -> &[u64] {
        &self.keys
    }

    /// Returns the number of a key.
    #[inline]
    pub(crate) fn find(&self, key: u64) -> Option<u32> {
        if self.table.is_empty() {
            return None;
        }
        let is = |number| self.keys[number as usize] == key;
        self.table.find(mix(0, key), is).1
    }

    /// Inserts a key if it is new; returns its number, and true if it was new.
    #[inline]
    pub(crate) fn enter(&mut self, key: u64) -> (u32, bool) {
        self.enter_if(key, |_| true)
    }

    /// Inserts a key unless a number with that key `is` the one; returns the number, and true if it is new.
    #[inline]
    pub(crate) fn enter_if(&mut self, key: u64, is: impl Fn(u32) -> bool) -> (u32, bool) {
        if self.table.is_full(self.len()) {
            let hashes = self.keys.iter().map(|key| mix(0, *key));
            self.table.grow(1 << 6, hashes);
        }
        let hash = mix(0, key);
        let is = |number| self.keys[number as usize] == key && is(number);
        let (slot, found) = self.table.find(hash, is);
        if let Some(found) = found {
            return (found, false);
        }
        let number = self.len() as u32;
        self.table.enter(slot, hash, number);
        self.keys.push(key);
        (number, true)
    }

    /// Removes everything, which costs no more than entering it did.
    pub(crate) fn clear(&mut self) {
        self.table.clear(self.keys.len());
        self.keys.clear();
    }
}

impl Serialize for HashIndex {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.keys.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for HashIndex {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let mut index = Self::default();
        for key in Vec::deserialize(deserializer)? {
            index.enter(key);
        }
        Ok(index)
    }
}

#[cfg(test)]
mod tests {
    use super::HashIndex;

    #[test]
    fn each_key_has_one_number() {
        let mut index = HashIndex::default();
        assert_eq!(index.find(7), None);
        for _ in 0..2 {
            for number in 0..10_000 {
                assert_eq!(index.enter(number << 20), (number as u32, true));
            }
            for number in 0..10_000 {
                assert_eq!(index.enter(number << 20), (number as u32, false));
                assert_eq!(index.find(number << 20), Some(number as u32));
                assert_eq!(index.find(number << 20 | 1), None);
            }
            index.clear();
            assert_eq!((index.len(), index.find(0)), (0, None));
        }
    }

    #[test]
    fn one_key_may_have_several_numbers() {
        let mut index = HashIndex::default();
        for number in 0..1_000 {
            let key = u64::from(number % 500);
            let is = |other| other == number;
            assert_eq!(index.enter_if(key, is), (number, true));
            assert_eq!(index.enter_if(key, is), (number, false));
        }
    }
}
