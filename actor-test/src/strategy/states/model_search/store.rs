//! The visited states of a search, compressed as trees of pairs: [`Store`].
//!
//! A state is a row of numbers. Two neighbours make a pair, two pairs a pair of pairs, and so on, each
//! numbered once; a state is the pair at the top. Most lower pairs occur in other states, so a state takes
//! little more than the top pair. The compression is lossless: no two states are confused, and none has to
//! be re-executed to be read. (This is the tree compression of Laarman, van de Pol and Weber, SPIN 2011.)

use serde::{Deserialize, Serialize};

use super::super::pieces::BlockList;
use super::model::AT_COUNT;
use super::pairs::Pairs;

/// The predecessor of the first state.
pub(super) const NOWHERE: u32 = u32::MAX;

/// States by their parts, each with its predecessor: 18 bytes each, and from 5 to 11 for finding it.
///
/// The number of operations so far doesn't distinguish states, since operations that are gone leave nothing
/// behind. The store keeps it for each state as it was on the first path there.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Store {
    /// The length of a row: a power of two.
    width: usize,
    /// The bit reversal between indices in a row and places below the lowest pairs. Each half of the tree
    /// holds every second number, each quarter every fourth, which spreads the empty end of a row.
    places: Vec<usize>,
    /// Pairs below the top.
    inner: Pairs,
    states: Pairs,
    /// The predecessor of each state, and the number of the action that led from there.
    predecessors: BlockList<[u32; 2]>,
    counts: BlockList<u16>,
    #[serde(skip)]
    is_spilled: bool,
}

impl Store {
    /// Creates a store for states of at most `width` numbers.
    pub(super) fn new(width: usize) -> Self {
        let width = width.next_power_of_two().max(4);
        let reversed = |leaf: usize| leaf.reverse_bits() >> (usize::BITS - width.trailing_zeros());
        Self {
            width,
            places: (0..width).map(reversed).collect(),
            inner: Pairs::default(),
            states: Pairs::default(),
            predecessors: BlockList::default(),
            counts: BlockList::default(),
            is_spilled: false,
        }
    }

    pub(super) fn width(&self) -> usize {
        self.width
    }

    pub(super) fn len(&self) -> u64 {
        self.states.len() as u64
    }

    /// The predecessor of a state and the action; [`NOWHERE`] for the first state.
    pub(super) fn predecessor(&self, state: u32) -> [u32; 2] {
        self.predecessors.get(state)
    }

    /// The two values below a node of the tree.
    #[inline]
    fn pair(&self, row: &Row, node: usize) -> [u32; 2] {
        let below = 2 * node;
        match below.checked_sub(self.width) {
            None => [row.nodes[below], row.nodes[below + 1]],
            Some(leaf) => [leaf, leaf + 1].map(|leaf| match self.places[leaf] {
                AT_COUNT => 0,
                place => row.numbers[place],
            }),
        }
    }

    /// Reads a state into a row.
    pub(super) fn read(&self, state: u32, row: &mut Row) {
        row.nodes.resize(self.width, 0);
        row.numbers.resize(self.width, 0);
        [row.nodes[2], row.nodes[3]] = self.states.get(state);
        for node in 2..self.width {
            let pair = self.inner.get(row.nodes[node]);
            let below = 2 * node;
            match below.checked_sub(self.width) {
                None => [row.nodes[below], row.nodes[below + 1]] = pair,
                Some(leaf) => {
                    row.numbers[self.places[leaf]] = pair[0];
                    row.numbers[self.places[leaf + 1]] = pair[1];
                }
            }
        }
        row.numbers[AT_COUNT] = u32::from(self.counts.get(state));
    }

    /// Fills a row with these numbers, and zeros behind them.
    pub(super) fn lay(&mut self, numbers: &[u32], row: &mut Row) {
        row.numbers.clear();
        row.numbers.extend_from_slice(numbers);
        row.numbers.resize(self.width, 0);
        row.nodes.clear();
        row.nodes.resize(self.width, 0);
        for node in (2..self.width).rev() {
            (row.nodes[node], _) = self.inner.enter(self.pair(row, node));
        }
    }

    /// Enters a state with its predecessor and action; returns its number, and true if it is new.
    #[inline]
    pub(super) fn enter(&mut self, row: &Row, predecessor: [u32; 2]) -> (u32, bool) {
        let entered = self.states.enter([row.nodes[2], row.nodes[3]]);
        if entered.1 {
            self.predecessors.push(predecessor);
            self.counts.push(row.numbers[AT_COUNT] as u16);
        }
        entered
    }

    /// Changes some numbers of a row; [`Row::undo`] reverts this.
    #[inline]
    pub(super) fn change(&mut self, row: &mut Row, changes: impl Iterator<Item = (u32, u32)>) {
        let mut changed = std::mem::take(&mut row.changed);
        for (at, number) in changes {
            row.set_number(at as usize, number);
            let node = (self.width + self.places[at as usize]) / 2;
            if at as usize != AT_COUNT && !changed.contains(&node) {
                changed.push(node);
            }
        }
        // All nodes of a list have the same height.
        while changed.first().is_some_and(|node| *node > 1) {
            let mut kept = 0;
            for at in 0..changed.len() {
                let node = changed[at];
                let (number, _) = self.inner.enter(self.pair(row, node));
                row.set_node(node, number);
                if !changed[..kept].contains(&(node / 2)) {
                    changed[kept] = node / 2;
                    kept += 1;
                }
            }
            changed.truncate(kept);
        }
        changed.clear();
        row.changed = changed;
    }

    /// Keeps the memory below a limit while the next state is entered, by moving states to a file if
    /// necessary; `false` if that is not enough.
    pub(super) fn fits(&mut self, bytes: usize) -> bool {
        if self.bytes_next() <= bytes {
            return true;
        }
        if !std::mem::replace(&mut self.is_spilled, true) {
            let is_spilled =
                self.states.spill() && self.predecessors.spill() && self.counts.spill();
            return is_spilled && self.bytes_next() <= bytes;
        }
        false
    }

    /// The memory used, in bytes.
    #[cfg(test)]
    pub(super) fn bytes(&self) -> usize {
        self.inner.bytes() + self.states.bytes() + self.predecessors.bytes() + self.counts.bytes()
    }

    /// The most memory used while one more state is entered.
    fn bytes_next(&self) -> usize {
        self.inner.bytes_next()
            + self.states.bytes_next()
            + self.predecessors.bytes()
            + self.counts.bytes()
    }
}

/// The numbers of a state, with the numbers of all pairs above them.
#[derive(Debug, Default)]
pub(super) struct Row {
    numbers: Vec<u32>,
    /// A heap of pairs: the top is node one, and the children of node n are 2n and 2n + 1.
    nodes: Vec<u32>,
    /// The values before changes, of the nodes and of the numbers.
    nodes_before: Vec<(u32, u32)>,
    numbers_before: Vec<(u32, u32)>,
    /// Memory for reuse.
    changed: Vec<usize>,
}

impl Row {
    #[inline]
    pub(super) fn numbers(&self) -> &[u32] {
        &self.numbers
    }

    /// Changes some numbers without the pairs above them; [`undo`](Self::undo) reverts this.
    #[inline]
    pub(super) fn set_numbers(&mut self, changes: &[(u32, u32)]) {
        for (at, number) in changes {
            self.set_number(*at as usize, *number);
        }
    }

    #[inline]
    fn set_number(&mut self, at: usize, number: u32) {
        let before = std::mem::replace(&mut self.numbers[at], number);
        self.numbers_before.push((at as u32, before));
    }

    #[inline]
    fn set_node(&mut self, node: usize, number: u32) {
        let before = std::mem::replace(&mut self.nodes[node], number);
        self.nodes_before.push((node as u32, before));
    }

    /// Reverts all changes.
    #[inline]
    pub(super) fn undo(&mut self) {
        while let Some((node, before)) = self.nodes_before.pop() {
            self.nodes[node as usize] = before;
        }
        while let Some((at, before)) = self.numbers_before.pop() {
            self.numbers[at as usize] = before;
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::hash::mix;

    /// Compares random walks of rows with a map of the same states.
    #[test]
    fn states_are_known_by_all_their_numbers() {
        for width in [3, 4, 8, 13, 16] {
            let mut store = Store::new(width);
            let mut known: BTreeMap<Vec<u32>, (u32, u32)> = BTreeMap::new();
            let mut row = Row::default();
            let mut other = Row::default();
            store.lay(&[], &mut row);
            for number in 0..20_000_u64 {
                let at = mix(1, number) as u32 % width as u32;
                let to = mix(2, number) as u32 % 4;
                let is_kept = !number.is_multiple_of(3);
                store.change(&mut row, [(at, to), (0, to / 2)].into_iter());
                let mut numbers = row.numbers().to_vec();
                assert_eq!((numbers[0], numbers.len()), (to / 2, store.width()));
                let next = known.len() as u32;
                let (state, is_new) = store.enter(&row, [number as u32, 7]);
                let count = std::mem::replace(&mut numbers[AT_COUNT], 0);
                let (expected, first) = *known.entry(numbers.clone()).or_insert((next, count));
                assert_eq!((state, is_new), (expected, expected == next));
                store.read(state, &mut other);
                numbers[AT_COUNT] = first;
                assert_eq!(other.numbers(), numbers, "with the count that was first");
                assert!(!is_new || store.predecessor(state) == [number as u32, 7]);
                match is_kept {
                    true => store.read(state, &mut row),
                    false => row.undo(),
                }
                (row.nodes_before, row.numbers_before) = (Vec::new(), Vec::new());
                let again = row.numbers().to_vec();
                store.lay(&again, &mut other);
                assert_eq!(other.nodes[2..], row.nodes[2..], "after a change or none");
            }
            assert_eq!(store.len(), known.len() as u64);
        }
    }

    /// The digits of a number as eight parts; the number of operations stays zero.
    fn digits(number: u32) -> Vec<u32> {
        let mut digits: Vec<u32> = (0..8).map(|at| number / 10_u32.pow(at) % 10).collect();
        digits.insert(AT_COUNT, 0);
        digits
    }

    /// States in a file are unchanged and take less memory: no more than ten bytes a state just before the
    /// table grows, and twice as much just after.
    #[test]
    fn states_in_a_file_are_those_that_were_met() {
        let (mut store, mut kept) = (Store::new(16), Store::new(16));
        let (mut row, mut other) = (Row::default(), Row::default());
        for number in 0..400_000_u32 {
            let digits = digits(number);
            for (store, is_bound) in [(&mut store, true), (&mut kept, false)] {
                assert!(!is_bound || store.fits(8 << 20), "{number}");
                store.lay(&digits, &mut row);
                assert_eq!(store.enter(&row, [number, 7]), (number, true));
            }
        }
        assert!(store.is_spilled && store.bytes() <= 8 << 20);
        assert!(store.bytes() * 2 < kept.bytes(), "of {}", kept.bytes());
        for number in (0..400_000).map(|number: u32| number.wrapping_mul(48_271) % 400_000) {
            store.read(number, &mut row);
            kept.read(number, &mut other);
            assert_eq!(row.numbers(), other.numbers());
            assert_eq!(store.predecessor(number), [number, 7]);
            assert_eq!(store.enter(&row, [0, 0]), (number, false));
        }
        assert!(!store.fits(1 << 20), "the table alone takes more");
    }

    /// Measures combinations of eight parts with ten values each, at every size above 100,000 states.
    #[test]
    fn a_state_takes_no_more_than_forty_bytes() {
        let mut store = Store::new(16);
        let mut row = Row::default();
        for number in 0..400_000_u32 {
            let digits = digits(number);
            store.lay(&digits, &mut row);
            assert!(store.enter(&row, [0, 0]).1);
            if number > 100_000 {
                let bytes = store.bytes() as f64 / f64::from(number);
                assert!(bytes < 40.0, "{bytes} bytes for each of {number}");
            }
        }
    }
}
