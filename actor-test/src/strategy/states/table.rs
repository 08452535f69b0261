//! Where things are found by their hashes: [`Table`].

/// Where there is nothing.
const NOTHING: u32 = u32::MAX;

/// The numbers of things, by their hashes: open addressing, from three eighths to three quarters in use.
///
/// Where things are slow to look at, it keeps a byte of each hash beside its number, so that next to none
/// but the right one is looked at.
#[derive(Debug, Default)]
pub(super) struct HashIndex {
    numbers: Vec<u32>,
    /// As many as numbers, or none.
    tags: Vec<u8>,
    has_tags: bool,
}

/// A free place, or one with a number.
#[derive(Clone, Copy, Debug)]
pub(super) struct Slot(usize);

impl HashIndex {
    /// It has no room for one more than so many.
    #[inline]
    pub(super) fn is_full(&self, len: usize) -> bool {
        (len + 1) * 4 > self.numbers.len() * 3
    }

    pub(super) fn is_empty(&self) -> bool {
        self.numbers.is_empty()
    }

    /// The place of a thing with that hash, and its number, where it is there.
    #[inline]
    pub(super) fn find(&self, hash: u64, is: impl Fn(u32) -> bool) -> (Slot, Option<u32>) {
        let mask = self.numbers.len() - 1;
        let mut slot = hash as usize & mask;
        loop {
            let found = self.numbers[slot];
            if found == NOTHING {
                return (Slot(slot), None);
            }
            if (!self.has_tags || self.tags[slot] == tag(hash)) && is(found) {
                return (Slot(slot), Some(found));
            }
            slot = (slot + 1) & mask;
        }
    }

    #[inline]
    pub(super) fn enter(&mut self, slot: Slot, hash: u64, number: u32) {
        self.numbers[slot.0] = number;
        if self.has_tags {
            self.tags[slot.0] = tag(hash);
        }
    }

    /// Has twice the room, for things that have these hashes, in the order of their numbers.
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
        // The old one first, so that there are never two.
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

    /// How much memory it takes, in bytes.
    pub(super) fn bytes(&self) -> usize {
        self.numbers.capacity() * 4 + self.tags.capacity()
    }

    /// How much it takes when it has grown the next time.
    pub(super) fn bytes_next(&self) -> usize {
        self.bytes() * 2
    }
}

/// Where a hash begins is the byte of it that is kept; the place comes of where it ends.
#[inline]
fn tag(hash: u64) -> u8 {
    (hash >> 56) as u8
}
