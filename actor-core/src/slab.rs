//! A slab, values in numbered slots: [`Slab`].

use std::mem;

/// A slab of values in numbered slots. The slot that was freed last is reused first.
#[derive(Debug)]
pub(crate) struct Slab<T> {
    /// The slot of the first value: most slabs never hold more than one.
    first: Slot<T>,
    more: Box<[Slot<T>]>,
    /// The first free slot; [`NONE`] if all are full.
    free: u32,
    full: u32,
}

/// A slot for a value. Values are also passed in one, so that each is moved once and as a whole: if it were
/// unwrapped and wrapped again, it would be copied in pieces, on which processors stall.
#[derive(Debug)]
pub(crate) enum Slot<T> {
    Full(T),
    /// The index of the next free slot.
    Free(u32),
}

/// The index that ends the free list.
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

    /// Moves the value into a slot, and leaves `value` free; returns the slot's index.
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
        // Each slot names the next, so that they are filled in order.
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

    /// Replaces the value of a slot, and returns the old value; `None` if there is none.
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
