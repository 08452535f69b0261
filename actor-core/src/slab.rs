//! Values in numbered slots: [`Slab`].

use std::mem;

/// Values in numbered slots; a slot that was emptied is used again, the last one first.
#[derive(Debug)]
pub(crate) struct Slab<T> {
    /// Most slabs never hold more than one value.
    first: Slot<T>,
    more: Vec<Slot<T>>,
    /// The first free slot; [`NONE`] where all are full.
    free: u32,
    /// How many are full.
    full: u32,
}

/// A place for a value; also what a value comes in, so that it is moved in once and whole. Taken
/// out and put in again it would be copied in pieces, and a processor that reads what it has just
/// written in other pieces has to wait.
#[derive(Debug)]
pub(crate) enum Slot<T> {
    /// It holds the value.
    Full(T),
    /// Names the next free slot.
    Free(u32),
}

/// Past the end of every slab.
const NONE: u32 = u32::MAX;

impl<T> Slab<T> {
    pub(crate) const fn new() -> Self {
        Self {
            first: Slot::Free(NONE),
            more: Vec::new(),
            free: 0,
            full: 0,
        }
    }

    /// Moves the value in; what it came in is free.
    #[inline]
    pub(crate) fn insert(&mut self, value: &mut Slot<T>) -> u32 {
        if self.free == NONE {
            self.grow();
        }
        let slot = self.free;
        if let Some(place) = self.place(slot) {
            mem::swap(place, value);
            if let Slot::Free(next) = value {
                self.free = *next;
            }
            self.full += 1;
        }
        slot
    }

    #[cold]
    fn grow(&mut self) {
        if self.more.len() == self.more.capacity() {
            // Twice as many; left to itself, a slab of one grows to five.
            self.more.reserve_exact(self.more.len() + 1);
        }
        self.more.push(Slot::Free(NONE));
        self.free = self.more.len() as u32;
        assert!(self.free < NONE, "fewer than 2^32 messages at a time");
    }

    #[inline]
    fn place(&mut self, slot: u32) -> Option<&mut Slot<T>> {
        match slot.checked_sub(1) {
            None => Some(&mut self.first),
            Some(at) => self.more.get_mut(at as usize),
        }
    }

    fn slots(&self) -> impl Iterator<Item = &Slot<T>> {
        std::iter::once(&self.first).chain(&self.more)
    }

    #[inline]
    pub(crate) fn remove(&mut self, slot: u32) -> Option<T> {
        let free = self.free;
        let place = self.place(slot)?;
        if let Slot::Free(_) = place {
            return None;
        }
        let full = mem::replace(place, Slot::Free(free));
        self.free = slot;
        self.full -= 1;
        match full {
            Slot::Full(value) => Some(value),
            Slot::Free(_) => None,
        }
    }

    pub(crate) fn get(&self, slot: u32) -> Option<&T> {
        let place = match slot.checked_sub(1) {
            None => Some(&self.first),
            Some(at) => self.more.get(at as usize),
        };
        match place {
            Some(Slot::Full(value)) => Some(value),
            _ => None,
        }
    }

    /// Everything in it, slot by slot.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &T> {
        self.slots().filter_map(|slot| match slot {
            Slot::Full(value) => Some(value),
            Slot::Free(_) => None,
        })
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.full == 0
    }

    pub(crate) fn len(&self) -> usize {
        self.full as usize
    }

    /// How many slots there are, full or free.
    pub(crate) fn places(&self) -> u32 {
        self.more.len() as u32 + 1
    }
}
