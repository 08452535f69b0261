//! A first-in, first-out queue in contiguous memory: [`FlatQueue`].

use std::ops::{Index, IndexMut, RangeFrom};

/// Items taken from the front are removed when the queue becomes empty, which is frequent, or when the memory
/// is full and taken items are at least half of it.
#[derive(Clone, Debug)]
pub(crate) struct FlatQueue<T> {
    items: Vec<T>,
    /// The number of items taken from the front; less than the length of `items`, or zero.
    taken: usize,
}

impl<T: Copy> FlatQueue<T> {
    pub(crate) const fn new() -> Self {
        Self {
            items: Vec::new(),
            taken: 0,
        }
    }

    #[inline]
    pub(crate) fn push(&mut self, item: T) {
        if self.items.len() == self.items.capacity() {
            self.make_room();
        }
        self.items.push(item);
    }

    #[cold]
    #[inline(never)]
    fn make_room(&mut self) {
        if self.taken * 2 >= self.items.len() {
            self.items.drain(..self.taken);
            self.taken = 0;
        }
        self.items.reserve(1);
    }

    #[inline]
    pub(crate) fn first(&self) -> Option<&T> {
        self.items.get(self.taken)
    }

    pub(crate) fn last_mut(&mut self) -> Option<&mut T> {
        self.items.last_mut()
    }

    pub(crate) fn last(&self) -> Option<&T> {
        self.items.last()
    }

    #[inline]
    pub(crate) fn get(&self, at: usize) -> Option<&T> {
        self.items.get(self.taken + at)
    }

    /// Removes the first item.
    #[inline]
    pub(crate) fn pop_first(&mut self) {
        self.taken += 1;
        if self.taken >= self.items.len() {
            self.clear();
        }
    }

    /// Puts an item in front of the first.
    pub(crate) fn put_first(&mut self, item: T) {
        match self.taken.checked_sub(1) {
            Some(place) => {
                self.items[place] = item;
                self.taken = place;
            }
            None => self.items.insert(0, item),
        }
    }

    #[inline]
    pub(crate) fn len(&self) -> usize {
        self.items.len() - self.taken
    }

    #[inline]
    pub(crate) fn is_empty(&self) -> bool {
        self.items.is_empty()
    }

    #[inline]
    pub(crate) fn as_slice(&self) -> &[T] {
        &self.items[self.taken..]
    }

    /// Removes all items for which `keep` is false.
    pub(crate) fn retain(&mut self, keep: impl FnMut(&T) -> bool) {
        self.items.drain(..self.taken);
        self.taken = 0;
        self.items.retain(keep);
    }

    pub(crate) fn remove(&mut self, at: usize) {
        self.items.remove(self.taken + at);
        if self.taken >= self.items.len() {
            self.clear();
        }
    }

    #[inline]
    pub(crate) fn clear(&mut self) {
        self.items.clear();
        self.taken = 0;
    }
}

impl<T: Copy> Default for FlatQueue<T> {
    fn default() -> Self {
        Self::new()
    }
}

impl<T: Copy> Index<usize> for FlatQueue<T> {
    type Output = T;

    fn index(&self, at: usize) -> &T {
        &self.as_slice()[at]
    }
}

impl<T: Copy> IndexMut<usize> for FlatQueue<T> {
    fn index_mut(&mut self, at: usize) -> &mut T {
        &mut self.items[self.taken..][at]
    }
}

impl<T: Copy> Index<RangeFrom<usize>> for FlatQueue<T> {
    type Output = [T];

    fn index(&self, range: RangeFrom<usize>) -> &[T] {
        &self.as_slice()[range]
    }
}

#[cfg(test)]
mod tests {
    use std::collections::VecDeque;

    use super::FlatQueue;

    /// Compares the queue with that of the standard library, and checks that taken items do not accumulate.
    #[test]
    fn it_is_first_in_first_out() {
        let (mut queue, mut expected) = (FlatQueue::new(), VecDeque::new());
        let (mut random, mut longest) = (1_u64, 0);
        for item in 0..100_000_u64 {
            random = random
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            // The queue grows and shrinks in turn, and is seldom empty.
            let grows = (item / 500) % 2 == 0;
            let draw = (random >> 33) % 16;
            if expected.len() < 3 || draw < if grows { 9 } else { 7 } {
                queue.push(item);
                expected.push_back(item);
            } else if draw == 14 {
                queue.put_first(item);
                expected.push_front(item);
            } else if draw == 15 {
                let at = (random >> 40) as usize % expected.len();
                queue.remove(at);
                expected.remove(at);
            } else {
                assert_eq!(queue.first().copied(), expected.pop_front());
                queue.pop_first();
            }
            longest = longest.max(expected.len());
            assert_eq!(queue.len(), expected.len());
            assert_eq!(queue.is_empty(), expected.is_empty());
            assert_eq!(queue.last(), expected.back());
            let at = (random >> 50) as usize % (expected.len() + 1);
            assert_eq!(queue.get(at), expected.get(at));
        }
        assert!(queue.as_slice().iter().eq(expected.iter()));
        assert!(queue.items.capacity() <= 4 * longest, "{longest}");
        queue.retain(|item| item % 2 == 0);
        expected.retain(|item| item % 2 == 0);
        assert!(queue.as_slice().iter().eq(expected.iter()));
    }
}
