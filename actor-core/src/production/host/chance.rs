//! Random numbers in production: one generator for each thread, seeded by the operating system.

use std::cell::RefCell;

use rand_core::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

/// A seed from the operating system, by way of the standard library's hasher.
fn system_seed() -> u64 {
    use std::hash::{BuildHasher, Hasher, RandomState};
    RandomState::new().build_hasher().finish()
}

thread_local! {
    static LIVE: RefCell<Option<Xoshiro256PlusPlus>> = const { RefCell::new(None) };
}

pub(crate) fn next_u64() -> u64 {
    LIVE.with(|live| {
        live.borrow_mut()
            .get_or_insert_with(|| Xoshiro256PlusPlus::seed_from_u64(system_seed()))
            .next_u64()
    })
}

/// Returns a number in the interval [0, 1).
pub(crate) fn part() -> f64 {
    (next_u64() >> 44) as f64 / f64::from(1 << 20)
}
