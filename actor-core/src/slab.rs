//! Values in numbered slots: [`Slab`].

use std::mem;

/// Values in numbered slots; a slot that was emptied is used again, the last one first.
#[derive(Debug)]
pub(crate) struct Slab<T> {
    /// Most slabs never hold more than one value.
    first: Slot<T>,
    more: Box<[Slot<T>]>,
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
    pub(crate) fn new() -> Self {
        Self {
            first: Slot::Free(NONE),
            more: Box::default(),
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
        let mut more = mem::take(&mut self.more).into_vec();
        let from = more.len() as u32 + 1;
        let to = 2 * from;
        assert!(to < NONE / 2, "fewer than 2^30 messages at a time");
        more.reserve_exact(from as usize);
        // Each names the next, so that they are filled in order.
        more.extend((from + 1..to).map(Slot::Free));
        more.push(Slot::Free(NONE));
        self.more = more.into_boxed_slice();
        self.free = from;
    }

    #[inline]
    fn place(&mut self, slot: u32) -> Option<&mut Slot<T>> {
        match slot.checked_sub(1) {
            None => Some(&mut self.first),
            Some(at) => self.more.get_mut(at as usize),
        }
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

    /// Puts another value in the place of one, which it gives back; `None` where there is none.
    #[inline]
    pub(crate) fn replace(&mut self, slot: u32, value: T) -> Option<T> {
        match self.place(slot) {
            Some(Slot::Full(place)) => Some(mem::replace(place, value)),
            _ => None,
        }
    }

    #[inline]
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

    /// The values that it holds.
    pub(crate) fn into_values(self) -> impl Iterator<Item = T> {
        let slots = std::iter::once(self.first).chain(self.more.into_vec());
        slots.filter_map(|slot| match slot {
            Slot::Full(value) => Some(value),
            Slot::Free(_) => None,
        })
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.full == 0
    }
}
