//! Consistent hashing of keys to workers: [`place`].

use std::hash::{Hash, Hasher};

use crate::fingerprint::Fingerprinter;

/// Returns the worker index of a key among `size` workers, of a pool that had `first` initially. The result
/// depends on these arguments alone. If the size changes by one, only the keys of one worker move.
pub(super) fn place(key: u64, first: usize, size: usize) -> usize {
    let draws = |times: usize, below: usize| {
        let mut to = Fingerprinter::new();
        (key, times).hash(&mut to);
        (to.finish() % below as u64) as usize
    };
    let mut at = (key % first as u64) as usize;
    // Each additional worker draws its share of keys from all earlier workers.
    for more in first..size {
        if draws(more, more + 1) == 0 {
            at = more;
        }
    }
    // A key of a removed worker moves to the worker of its next draw.
    let mut times = 0;
    while at >= size {
        times += 1;
        at = draws(times, first);
    }
    at
}

#[cfg(test)]
mod tests {
    use super::place;

    const KEYS: u64 = 20_000;

    fn key(number: u64) -> u64 {
        number.wrapping_mul(0x9e37_79b9_7f4a_7c15)
    }

    #[test]
    fn with_one_worker_more_only_its_own_keys_move() {
        for size in 1..24 {
            let mut moved = 0;
            for key in (0..KEYS).map(key) {
                let (before, after) = (place(key, 8, size), place(key, 8, size + 1));
                assert!(before < size);
                if before != after {
                    assert_eq!(after, size, "nobody else's");
                    moved += 1;
                }
            }
            let share = KEYS / (size as u64 + 1);
            assert!(
                moved > share * 9 / 10 && moved < share * 11 / 10,
                "{size}: {moved}"
            );
        }
    }

    #[test]
    fn a_pool_of_its_first_size_takes_the_remainder() {
        for key in (0..100).map(key) {
            assert_eq!(place(key, 7, 7) as u64, key % 7);
        }
    }
}
