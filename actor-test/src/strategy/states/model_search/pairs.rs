//! Hash consing of pairs of numbers: [`Pairs`].

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::super::pieces::BlockList;
use crate::hash::mix;
use crate::number_table::NumberTable;

/// Numbers distinct pairs in the order of insertion: 8 bytes each, and from 5 to 11 for finding it.
#[derive(Debug, Default)]
pub(super) struct Pairs {
    entries: BlockList<[u32; 2]>,
    table: NumberTable,
}

#[inline]
fn hash([one, other]: [u32; 2]) -> u64 {
    mix(u64::from(one), u64::from(other))
}

impl Pairs {
    #[inline]
    pub(super) fn len(&self) -> usize {
        self.entries.len()
    }

    #[inline]
    pub(super) fn get(&self, number: u32) -> [u32; 2] {
        self.entries.get(number)
    }

    /// The number of a pair, if it has one.
    #[inline]
    pub(super) fn find(&self, pair: [u32; 2]) -> Option<u32> {
        if self.table.is_empty() {
            return None;
        }
        let is = |number| self.get(number) == pair;
        self.table.find(hash(pair), is).1
    }

    /// Returns the number of a pair, and true if it is new.
    #[inline]
    pub(super) fn enter(&mut self, pair: [u32; 2]) -> (u32, bool) {
        if self.table.is_full(self.len()) {
            self.grow();
        }
        let hash = hash(pair);
        let (slot, found) = self.table.find(hash, |number| self.get(number) == pair);
        if let Some(found) = found {
            return (found, false);
        }
        let number = self.len() as u32;
        self.table.enter(slot, hash, number);
        self.entries.push(pair);
        (number, true)
    }

    #[cold]
    fn grow(&mut self) {
        let entries = &self.entries;
        let hashes = (0..entries.len() as u32).map(|number| hash(entries.get(number)));
        self.table.grow(1 << 6, hashes);
    }

    /// Moves the pairs to a file from now on; `false` if no file can be created.
    pub(super) fn spill(&mut self) -> bool {
        if !self.entries.spill() {
            return false;
        }
        let entries = &self.entries;
        let hashes = (0..entries.len() as u32).map(|number| hash(entries.get(number)));
        self.table.keep_tags(hashes);
        true
    }

    /// The memory used, in bytes.
    pub(super) fn bytes(&self) -> usize {
        self.entries.bytes() + self.table.bytes()
    }

    /// The most memory used while one more pair is entered.
    pub(super) fn bytes_next(&self) -> usize {
        match self.table.is_full(self.len()) {
            true => self.entries.bytes() + self.table.bytes_next(),
            false => self.bytes(),
        }
    }
}

impl Serialize for Pairs {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.entries.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Pairs {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let mut pairs = Self::default();
        for pair in Vec::deserialize(deserializer)? {
            pairs.enter(pair);
        }
        Ok(pairs)
    }
}
