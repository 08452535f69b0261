//! An append-only list in blocks, which can be moved to a [file](spilled): [`BlockList`].

mod spilled;

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use spilled::SpillFile;

/// The number of entries in a block.
const PIECE: usize = 1 << 14;

/// A value that can be kept in a file, with the same bytes in every run of a program.
pub(super) trait FixedBytes: Copy + std::fmt::Debug {
    /// The number of bytes.
    const BYTES: usize;
    /// Appends the bytes.
    fn write(self, to: &mut Vec<u8>);
    /// Reads the value from its bytes.
    fn read(from: &[u8]) -> Self;
}

/// Entries by number, in blocks: there is never a second copy of them, as while a `Vec` grows.
#[derive(Debug)]
pub(super) struct BlockList<T> {
    /// The blocks that are not in the file; the first of them has the number `spilled`.
    pieces: Vec<Vec<T>>,
    len: usize,
    spilled: usize,
    file: Option<SpillFile>,
}

impl<T> Default for BlockList<T> {
    fn default() -> Self {
        Self {
            pieces: Vec::new(),
            len: 0,
            spilled: 0,
            file: None,
        }
    }
}

impl<T: FixedBytes> BlockList<T> {
    #[inline]
    pub(super) fn len(&self) -> usize {
        self.len
    }

    #[inline]
    pub(super) fn push(&mut self, entry: T) {
        if self.len.is_multiple_of(PIECE) {
            self.add_piece();
        }
        if let Some(piece) = self.pieces.last_mut() {
            piece.push(entry);
        }
        self.len += 1;
    }

    #[inline]
    pub(super) fn get(&self, number: u32) -> T {
        let (piece, at) = (number as usize / PIECE, number as usize % PIECE);
        match piece.checked_sub(self.spilled) {
            Some(piece) => self.pieces[piece][at],
            None => self.get_spilled(number),
        }
    }

    /// The memory used, in bytes.
    pub(super) fn bytes(&self) -> usize {
        self.pieces.len() * PIECE * size_of::<T>()
    }

    /// Keeps full blocks in a file from now on; `false` if no file can be created.
    pub(super) fn spill(&mut self) -> bool {
        if self.file.is_none() {
            self.file = SpillFile::new().ok();
        }
        self.write_full()
    }

    #[cold]
    fn add_piece(&mut self) {
        if self.file.is_some() {
            self.write_full();
        }
        self.pieces.push(Vec::with_capacity(PIECE));
    }

    /// Writes the full blocks; a block that can't be written stays in memory.
    fn write_full(&mut self) -> bool {
        let Some(file) = &mut self.file else {
            return false;
        };
        let mut bytes = Vec::new();
        while self
            .pieces
            .first()
            .is_some_and(|piece| piece.len() == PIECE)
        {
            bytes.clear();
            self.pieces[0]
                .iter()
                .for_each(|entry| entry.write(&mut bytes));
            if file.append(&bytes).is_err() {
                return false;
            }
            self.pieces.remove(0);
            self.spilled += 1;
        }
        true
    }

    #[cold]
    fn get_spilled(&self, number: u32) -> T {
        let at = number as usize * T::BYTES;
        let file = self.file.as_ref().expect("what was spilled is in a file");
        file.read(at as u64, T::BYTES, T::read)
    }
}

impl<T: FixedBytes + Serialize> Serialize for BlockList<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq((0..self.len as u32).map(|number| self.get(number)))
    }
}

/// All blocks are in memory at first.
impl<'de, T: FixedBytes + Deserialize<'de>> Deserialize<'de> for BlockList<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let mut list = Self::default();
        for entry in Vec::<T>::deserialize(deserializer)? {
            list.push(entry);
        }
        Ok(list)
    }
}

impl FixedBytes for [u32; 2] {
    const BYTES: usize = 8;

    fn write(self, to: &mut Vec<u8>) {
        to.extend(self.iter().flat_map(|number| number.to_le_bytes()));
    }

    fn read(from: &[u8]) -> Self {
        let number = |at: usize| {
            let bytes = from[at..at + 4].try_into();
            u32::from_le_bytes(bytes.expect("four bytes"))
        };
        [number(0), number(4)]
    }
}

impl FixedBytes for u16 {
    const BYTES: usize = 2;

    fn write(self, to: &mut Vec<u8>) {
        to.extend(self.to_le_bytes());
    }

    fn read(from: &[u8]) -> Self {
        Self::from_le_bytes([from[0], from[1]])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Compares the entries with those pushed, with the move to a file at various lengths.
    #[test]
    fn what_is_in_a_file_is_what_was_pushed() {
        for from in [0, 1, 5 * PIECE, 5 * PIECE + 7] {
            let mut pieces = BlockList::default();
            let entry = |number: u32| [number, number ^ 0x5555_0000];
            for number in 0..8 * PIECE as u32 {
                if number as usize == from {
                    assert!(pieces.spill());
                }
                pieces.push(entry(number));
            }
            assert_eq!(pieces.len(), 8 * PIECE);
            // The last block is full, and no further one has begun.
            assert_eq!(pieces.bytes(), PIECE * 8, "one is in memory");
            for number in 0..8 * PIECE as u32 {
                assert_eq!(pieces.get(number), entry(number));
                let far = number.wrapping_mul(48_271) % (8 * PIECE as u32);
                assert_eq!(pieces.get(far), entry(far));
            }
        }
    }
}
