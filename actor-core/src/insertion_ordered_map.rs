//! An insertion-ordered map: [`InsertionOrderedMap`].

use std::collections::BTreeMap;

/// An insertion-ordered map. Lookups and removals by key take logarithmic time.
#[derive(Clone, Debug)]
pub(crate) struct InsertionOrderedMap<K, V> {
    values: BTreeMap<u64, V>,
    places: BTreeMap<K, u64>,
    next: u64,
}

impl<K: Ord, V> InsertionOrderedMap<K, V> {
    pub(crate) const fn new() -> Self {
        Self {
            values: BTreeMap::new(),
            places: BTreeMap::new(),
            next: 0,
        }
    }

    pub(crate) fn len(&self) -> usize {
        self.values.len()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.values.is_empty()
    }

    /// Inserts a value at the end, or in place of the value of the same key. Returns the place.
    pub(crate) fn insert(&mut self, key: K, value: V) -> u64 {
        let place = *self.places.entry(key).or_insert(self.next);
        self.next = self.next.max(place + 1);
        self.values.insert(place, value);
        place
    }

    pub(crate) fn contains(&self, key: &K) -> bool {
        self.places.contains_key(key)
    }

    /// Returns the place of a key; later keys have higher places.
    pub(crate) fn place(&self, key: &K) -> Option<u64> {
        self.places.get(key).copied()
    }

    pub(crate) fn at(&mut self, place: u64) -> Option<&mut V> {
        self.values.get_mut(&place)
    }

    pub(crate) fn get_mut(&mut self, key: &K) -> Option<&mut V> {
        let place = self.place(key)?;
        self.at(place)
    }

    pub(crate) fn remove(&mut self, key: &K) -> Option<V> {
        let place = self.places.remove(key)?;
        self.values.remove(&place)
    }

    pub(crate) fn retain(&mut self, mut keeps: impl FnMut(&V) -> bool) {
        self.values.retain(|_, value| keeps(value));
        let values = &self.values;
        self.places.retain(|_, place| values.contains_key(place));
    }

    pub(crate) fn values(&self) -> impl Iterator<Item = &V> {
        self.values.values()
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = (u64, &V)> {
        self.values.iter().map(|(place, value)| (*place, value))
    }

    pub(crate) fn into_values(self) -> impl Iterator<Item = V> {
        self.values.into_values()
    }
}

impl<K: Ord, V> Default for InsertionOrderedMap<K, V> {
    fn default() -> Self {
        Self::new()
    }
}

/// The schedule of clean-ups that remove dead entries: one whenever the number of entries has doubled since
/// the last, so that the cost per insertion is constant (amortised).
#[derive(Clone, Copy, Debug, Default, Hash)]
pub(crate) struct CleanupSchedule {
    at: usize,
}

impl CleanupSchedule {
    /// Returns true if a clean-up is due before an insertion into `count` entries.
    pub(crate) fn is_due(&self, count: usize) -> bool {
        count >= self.at
    }

    /// Records that a clean-up has left `left` entries.
    pub(crate) fn record_cleanup(&mut self, left: usize) {
        self.at = 2 * left.max(1);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_order_is_that_of_arrival_and_a_known_key_keeps_its_place() {
        let mut roster = InsertionOrderedMap::new();
        for (key, value) in [(7, 'a'), (3, 'b'), (5, 'c'), (3, 'd')] {
            roster.insert(key, value);
        }
        assert_eq!(roster.values().collect::<String>(), "adc");
        assert_eq!(roster.remove(&7), Some('a'));
        assert_eq!(roster.remove(&7), None);
        roster.insert(7, 'e');
        assert_eq!(roster.values().collect::<String>(), "dce");
        roster.retain(|value| *value != 'c');
        assert!(!roster.contains(&5));
        assert_eq!(roster.into_values().collect::<String>(), "de");
    }

    #[test]
    fn sweeps_cost_each_arrival_the_same() {
        let (mut sweep, mut visited, mut count) = (CleanupSchedule::default(), 0, 0);
        for _ in 0..100_000 {
            if sweep.is_due(count) {
                visited += count;
                sweep.record_cleanup(count);
            }
            count += 1;
        }
        assert!(visited <= 2 * count, "{visited} looks for {count}");
    }
}
