//! A hash table of numbers, by open addressing: [`FingerprintTable`].

/// An empty slot.
const NOTHING: u32 = u32::MAX;

/// The numbers of values, by the hashes of the values: from 3/8 to 3/4 of the slots are in use.
///
/// With tags, a byte of each hash beside its number, the table reads almost only the right value.
#[derive(Debug, Default)]
pub(super) struct FingerprintTable {
    numbers: Vec<u32>,
    /// A byte of each hash, or empty.
    tags: Vec<u8>,
    has_tags: bool,
}

/// A slot, which is empty or has a number.
#[derive(Clone, Copy, Debug)]
pub(super) struct TableSlot(usize);

impl FingerprintTable {
    /// True if the table has to grow before one more is entered into `len`.
    #[inline]
    pub(super) fn is_full(&self, len: usize) -> bool {
        (len + 1) * 4 > self.numbers.len() * 3
    }

    pub(super) fn is_empty(&self) -> bool {
        self.numbers.is_empty()
    }

    /// The slot of a value with that hash, and its number, if it is there.
    #[inline]
    pub(super) fn find(&self, hash: u64, is: impl Fn(u32) -> bool) -> (TableSlot, Option<u32>) {
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
    pub(super) fn enter(&mut self, slot: TableSlot, hash: u64, number: u32) {
        self.numbers[slot.0] = number;
        if self.has_tags {
            self.tags[slot.0] = tag(hash);
        }
    }

    /// Doubles the slots, and enters the values with these hashes in the order of their numbers.
    #[cold]
    pub(super) fn grow(&mut self, least: usize, hashes: impl Iterator<Item = u64>) {
        let larger = (self.numbers.len() * 2).max(least);
        self.renew(larger, hashes);
    }

    /// Keeps a byte of each hash from now on.
    #[cold]
    pub(super) fn keep_tags(&mut self, hashes: impl Iterator<Item = u64>) {
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
    pub(super) fn bytes(&self) -> usize {
        self.numbers.capacity() * 4 + self.tags.capacity()
    }

    /// The memory used after the next growth.
    pub(super) fn bytes_next(&self) -> usize {
        self.bytes() * 2
    }
}

/// The highest byte of a hash; the slot comes from the lowest bits.
#[inline]
fn tag(hash: u64) -> u8 {
    (hash >> 56) as u8
}
