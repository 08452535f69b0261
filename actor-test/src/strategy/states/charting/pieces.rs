//! A list that grows without moving what is in it: [`Pieces`].

/// How many entries one piece of memory holds.
const PIECE: usize = 1 << 14;

/// Entries by number, in pieces: there is never a second copy of them, as there is while a `Vec` grows.
#[derive(Debug)]
pub(super) struct Pieces<T> {
    pieces: Vec<Vec<T>>,
    len: usize,
}

impl<T> Default for Pieces<T> {
    fn default() -> Self {
        Self {
            pieces: Vec::new(),
            len: 0,
        }
    }
}

impl<T> Pieces<T> {
    #[inline]
    pub(super) fn len(&self) -> usize {
        self.len
    }

    pub(super) fn push(&mut self, entry: T) {
        if self.len.is_multiple_of(PIECE) {
            self.pieces.push(Vec::with_capacity(PIECE));
        }
        if let Some(piece) = self.pieces.last_mut() {
            piece.push(entry);
        }
        self.len += 1;
    }

    #[inline]
    pub(super) fn get(&self, number: u32) -> &T {
        &self.pieces[number as usize / PIECE][number as usize % PIECE]
    }

    /// How much memory it takes, in bytes.
    #[cfg(test)]
    pub(super) fn bytes(&self) -> usize {
        self.pieces.len() * PIECE * size_of::<T>()
    }
}
