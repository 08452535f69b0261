//! A hash table of numbers in a deterministic order: [`NumberTable`].

use crate::hash::mix;

/// The number of an empty entry.
const NOTHING: u32 = u32::MAX;

/// A hash table with open addressing. Several numbers may have one key, if the caller distinguishes them.
#[derive(Debug, Default)]
pub(crate) struct NumberTable {
    entries: Vec<(u64, u32)>,
    len: usize,
}

impl NumberTable {
    /// Removes everything, which costs no more than entering it did.
    pub(crate) fn clear(&mut self) {
        if self.len > 0 {
            self.entries.truncate((self.len * 4).next_power_of_two());
            self.entries.fill((0, NOTHING));
            self.len = 0;
        }
    }

    /// Returns the number with that key that `is_it` accepts.
    pub(crate) fn get(&self, key: u64, is_it: impl Fn(u32) -> bool) -> Option<u32> {
        if self.entries.is_empty() {
            return None;
        }
        let (_, number) = self.entries[self.slot(key, is_it)];
        (number != NOTHING).then_some(number)
    }

    /// Returns the number with that key that `is_it` accepts; enters `number` if there is none.
    pub(crate) fn get_or_enter(
        &mut self,
        key: u64,
        number: u32,
        is_it: impl Fn(u32) -> bool,
    ) -> u32 {
        if self.len * 2 >= self.entries.len() {
            self.grow();
        }
        let slot = self.slot(key, is_it);
        let entry = &mut self.entries[slot];
        if entry.1 == NOTHING {
            *entry = (key, number);
            self.len += 1;
        }
        entry.1
    }

    /// Returns the slot of the number, or the free slot for it.
    fn slot(&self, key: u64, is_it: impl Fn(u32) -> bool) -> usize {
        let mask = self.entries.len() - 1;
        let mut slot = mix(0, key) as usize & mask;
        loop {
            let (known, number) = self.entries[slot];
            if number == NOTHING || known == key && is_it(number) {
                return slot;
            }
            slot = (slot + 1) & mask;
        }
    }

    fn grow(&mut self) {
        let larger = (self.entries.len() * 2).max(64);
        let entries = std::mem::replace(&mut self.entries, vec![(0, NOTHING); larger]);
        for (key, number) in entries {
            if number != NOTHING {
                let slot = self.slot(key, |_| false);
                self.entries[slot] = (key, number);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::NumberTable;

    #[test]
    fn numbers_are_found_by_key() {
        let mut table = NumberTable::default();
        assert_eq!(table.get(7, |_| true), None);
        for number in 0..1_000 {
            let key = u64::from(number % 500);
            assert_eq!(
                table.get_or_enter(key, number, |other| other == number),
                number
            );
        }
        for number in 0..1_000 {
            let key = u64::from(number % 500);
            assert_eq!(table.get(key, |other| other == number), Some(number));
            assert_eq!(
                table.get_or_enter(key, 5_000, |other| other == number),
                number
            );
        }
        assert_eq!(table.get(3, |_| false), None);
        table.clear();
        assert_eq!(table.get(3, |_| true), None);
    }
}
