//! Random choices and generators: from the tester under test, from the operating system in production.

use std::convert::Infallible;
use std::hash::Hasher;

use rand_core::{Rng, SeedableRng, TryRng};
use rand_xoshiro::Xoshiro256PlusPlus;

use crate::fingerprint::{Fingerprint, Fingerprinter};
use crate::production::next_u64;
use crate::seam::{self, RandomChoice};

/// A random generator for one handler call. Implements `rand_core`'s traits, so that it can be passed
/// wherever a `rand` generator is expected.
///
/// Under test the same schedule gives the same numbers on every machine: the generator is xoshiro256++, whose
/// output is guaranteed never to change.
#[derive(Clone, Debug)]
pub struct ActorRng(Xoshiro256PlusPlus);

impl TryRng for ActorRng {
    type Error = Infallible;

    fn try_next_u32(&mut self) -> Result<u32, Infallible> {
        self.0.try_next_u32()
    }

    fn try_next_u64(&mut self) -> Result<u64, Infallible> {
        self.0.try_next_u64()
    }

    fn try_fill_bytes(&mut self, bytes: &mut [u8]) -> Result<(), Infallible> {
        self.0.try_fill_bytes(bytes)
    }
}

/// The fingerprint consists of the numbers that the generator would return next.
impl Fingerprint for ActorRng {
    fn fingerprint(&self, to: &mut Fingerprinter) {
        let mut next = self.0.clone();
        // The state of the generator has 256 bits.
        for _ in 0..4 {
            to.write_u64(next.next_u64());
        }
    }
}

pub(crate) fn generator(live: bool) -> ActorRng {
    let seed = if live {
        next_u64()
    } else {
        u64::from(seam::choose(RandomChoice::Seed))
    };
    ActorRng(Xoshiro256PlusPlus::seed_from_u64(seed))
}

pub(crate) fn choose_bool(live: bool) -> bool {
    if live {
        next_u64() & 1 == 1
    } else {
        seam::choose(RandomChoice::Bool) == 1
    }
}

pub(crate) fn choose(live: bool, bound: usize) -> usize {
    let bound = match u32::try_from(bound) {
        Ok(bound) if bound > 0 => bound,
        _ => panic!("choose({bound}): a choice has at least one and fewer than 2^32 outcomes"),
    };
    let chosen = if live {
        ((u128::from(next_u64()) * u128::from(bound)) >> 64) as u32
    } else {
        seam::choose(RandomChoice::Below(bound))
    };
    chosen as usize
}
