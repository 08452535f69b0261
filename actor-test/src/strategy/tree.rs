//! A tree over the positions of the enabled set, for maxima and weighted draws: [`Tree`].

/// A value that can be joined: a node of the tree holds the join of the values below it.
pub(super) trait Join: Copy + Default + PartialEq {
    fn join(self, other: Self) -> Self;

    /// The join after one of the joined values changes, if it does not depend on the others.
    fn after(self, old: Self, new: Self) -> Option<Self>;
}

/// The highest value, for priorities.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct Highest<T>(pub(super) T);

impl<T: Copy + Default + Ord> Join for Highest<T> {
    #[inline]
    fn join(self, other: Self) -> Self {
        Self(self.0.max(other.0))
    }

    #[inline]
    fn after(self, old: Self, new: Self) -> Option<Self> {
        if new.0 >= self.0 {
            Some(new)
        } else {
            (old != self).then_some(self)
        }
    }
}

/// The sum of values, for weighted draws.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct Sum(pub(super) u64);

impl Join for Sum {
    #[inline]
    fn join(self, other: Self) -> Self {
        Self(self.0 + other.0)
    }

    #[inline]
    fn after(self, old: Self, new: Self) -> Option<Self> {
        Some(Self(self.0 - old.0 + new.0))
    }
}

impl<A: Join, B: Join> Join for (A, B) {
    #[inline]
    fn join(self, other: Self) -> Self {
        (self.0.join(other.0), self.1.join(other.1))
    }

    #[inline]
    fn after(self, old: Self, new: Self) -> Option<Self> {
        Some((self.0.after(old.0, new.0)?, self.1.after(old.1, new.1)?))
    }
}

/// A value for each position, above each block of them their join, and so on up to the root: an update, and
/// a search from the root, take as many steps as the tree is high. Unset positions have the default value.
#[derive(Clone, Debug, Default)]
pub(super) struct Tree<T> {
    /// The values, the joins of their blocks, the joins of blocks of these; the last level is the root.
    levels: Vec<Vec<T>>,
    /// The first position behind all values that were set.
    len: usize,
}

/// The number of values below a node.
const BLOCK: usize = 16;

impl<T: Join> Tree<T> {
    #[inline]
    pub(super) fn clear(&mut self) {
        self.truncate(0);
    }

    /// Resets the values from a position on.
    #[inline]
    pub(super) fn truncate(&mut self, len: usize) {
        while self.len > len {
            self.set(self.len - 1, T::default());
            self.len -= 1;
        }
    }

    /// The join of all values.
    #[inline]
    pub(super) fn root(&self) -> T {
        let root = self.levels.last().map(|level| level[0]);
        root.unwrap_or_default()
    }

    #[inline]
    pub(super) fn get(&self, position: usize) -> T {
        let values = self.levels.first();
        let value = values.and_then(|values| values.get(position));
        value.copied().unwrap_or_default()
    }

    #[inline]
    pub(super) fn set(&mut self, position: usize, value: T) {
        if position >= self.levels.first().map_or(0, Vec::len) {
            self.grow(position);
        }
        self.len = self.len.max(position + 1);
        let mut old = std::mem::replace(&mut self.levels[0][position], value);
        let (mut new, mut at) = (value, position);
        for level in 1..self.levels.len() {
            if old == new {
                return;
            }
            at /= BLOCK;
            let above = self.levels[level][at];
            let after = above.after(old, new);
            (old, new) = (
                above,
                after.unwrap_or_else(|| join(self.block(level - 1, at))),
            );
            self.levels[level][at] = new;
        }
    }

    /// The values below a node of the level above.
    #[inline]
    fn block(&self, level: usize, above: usize) -> &[T] {
        let (level, from) = (&self.levels[level], above * BLOCK);
        &level[from..level.len().min(from + BLOCK)]
    }

    #[cold]
    fn grow(&mut self, position: usize) {
        let room = (position + 1).next_power_of_two().max(BLOCK);
        self.levels.truncate(1);
        let mut values = self.levels.pop().unwrap_or_default();
        values.resize(room, T::default());
        while values.len() > 1 {
            let above = values.chunks(BLOCK).map(join).collect();
            self.levels.push(std::mem::replace(&mut values, above));
        }
        self.levels.push(values);
    }
}

#[inline]
fn join<T: Join>(values: &[T]) -> T {
    values.iter().copied().fold(T::default(), T::join)
}

impl<T: Copy + Default + Ord> Tree<Highest<T>> {
    /// The first position that has the highest value.
    #[inline]
    pub(super) fn top(&self) -> usize {
        let highest = self.root();
        let mut at = 0;
        for level in (0..self.levels.len().saturating_sub(1)).rev() {
            let mut block = self.block(level, at).iter();
            at = at * BLOCK + block.position(|value| *value == highest).unwrap_or(0);
        }
        at
    }
}

impl<T: Join> Tree<T> {
    /// The first position at which the running sum of `of` exceeds `drawn`, which is below the total.
    #[inline]
    pub(super) fn find(&self, mut drawn: u64, of: impl Fn(&T) -> Sum) -> usize {
        let mut at = 0;
        for level in (0..self.levels.len().saturating_sub(1)).rev() {
            // The loop has no early exit, since branch prediction could not foresee it.
            let (mut sum, mut before, mut passed) = (0, 0, 0);
            for value in self.block(level, at) {
                sum += of(value).0;
                let is_passed = sum <= drawn;
                before = if is_passed { sum } else { before };
                passed += usize::from(is_passed);
            }
            drawn -= before;
            at = at * BLOCK + passed;
        }
        at
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::strategy::{below, generator};

    /// Compares the tree with a list that is scanned.
    #[test]
    fn a_tree_knows_what_a_list_does() {
        let mut rng = generator(11);
        let (mut highest, mut sums) = (Tree::default(), Tree::default());
        for _ in 0..20 {
            let mut list: Vec<u64> = Vec::new();
            highest.clear();
            sums.clear();
            let growing = 30 + below(&mut rng, 40);
            for _ in 0..500 {
                if list.is_empty() || below(&mut rng, 100) < growing {
                    list.push(0);
                } else if below(&mut rng, 4) == 0 {
                    list.truncate(below(&mut rng, list.len() as u64) as usize);
                    highest.truncate(list.len());
                    sums.truncate(list.len());
                }
                let Some(last) = list.len().checked_sub(1) else {
                    assert_eq!((highest.root(), sums.root()), (Highest(0), Sum(0)));
                    continue;
                };
                for at in [below(&mut rng, list.len() as u64) as usize, last] {
                    list[at] = 1 + below(&mut rng, 50);
                    highest.set(at, Highest(list[at]));
                    sums.set(at, Sum(list[at]));
                }
                check(&list, &highest, &sums, below(&mut rng, list.iter().sum()));
            }
        }
    }

    fn check(list: &[u64], highest: &Tree<Highest<u64>>, sums: &Tree<Sum>, drawn: u64) {
        let most = list.iter().copied().max().unwrap_or(0);
        assert_eq!(highest.root(), Highest(most));
        assert_eq!(
            list.iter().position(|one| *one == most),
            Some(highest.top())
        );
        assert_eq!(sums.root(), Sum(list.iter().sum()));
        let up_to = |end: usize| list[..end].iter().sum::<u64>();
        let found = (0..list.len()).find(|at| up_to(at + 1) > drawn);
        assert_eq!(found, Some(sums.find(drawn, |sum| *sum)));
    }
}
