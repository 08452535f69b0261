//! Timestamps: clock readings that are compared only within the resolution of clocks.

use std::hash::Hasher;
use std::ops::{Add, Sub};
use std::time::Duration;

use crate::fingerprint::{Fingerprint, Fingerprinter};
use crate::seam::{self, Query};

/// A reading of a machine's clock, by [`Context::timestamp`](crate::Context::timestamp).
///
/// No two machines have the same time, and a program that compares times should be correct for any difference
/// between clocks. So a timestamp has no `Ord`: it is compared by [`is_before`](Timestamp::is_before). In
/// production that is `<`. A test may state the resolution of clocks,
/// `#[actor_test(clocks(resolution = "1ms"))]`: two timestamps that are no further apart then compare either
/// way, decided anew each time, and the tester explores both.
///
/// ```
/// use std::time::Duration;
/// use actor_core::{Timestamp, prelude::*};
///
/// #[derive(Debug)]
/// struct Read;
///
/// struct Primary {
///     value: u64,
///     lease_ends: Timestamp,
/// }
///
/// #[actor]
/// impl Primary {
///     #[on]
///     fn read(&mut self, _: Read, cx: &mut Context<Self>) -> Option<u64> {
///         cx.timestamp().is_before(self.lease_ends).then_some(self.value)
///     }
/// }
///
/// let begun = Timestamp::at(Duration::from_secs(3));
/// let ends = begun + Duration::from_secs(2);
/// assert!(begun.is_before(ends) && !ends.is_before(begun));
/// assert_eq!(ends.since(begun), Duration::from_secs(2));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
#[cfg_attr(feature = "codec", derive(serde::Serialize, serde::Deserialize))]
pub struct Timestamp(Duration);

impl Timestamp {
    /// Returns the timestamp of a clock reading; see [`Scope::now`](crate::Scope::now).
    pub const fn at(time: Duration) -> Self {
        Self(time)
    }

    /// The reading of the clock.
    pub const fn time(self) -> Duration {
        self.0
    }

    /// True if this is before the other, within the resolution of clocks: under test that may be a decision.
    pub fn is_before(self, other: Self) -> bool {
        match seam::is_controlled() {
            true => seam::query(|to| Query::IsBefore(self.0, other.0, to)),
            false => self.0 < other.0,
        }
    }

    /// Returns the time since an earlier timestamp; zero if `earlier` is the later one.
    pub const fn since(self, earlier: Self) -> Duration {
        self.0.saturating_sub(earlier.0)
    }
}

/// Adds a duration; saturates.
impl Add<Duration> for Timestamp {
    type Output = Self;

    fn add(self, later: Duration) -> Self {
        Self(self.0.saturating_add(later))
    }
}

/// Subtracts a duration; saturates at the beginning of time.
impl Sub<Duration> for Timestamp {
    type Output = Self;

    fn sub(self, earlier: Duration) -> Self {
        Self(self.0.saturating_sub(earlier))
    }
}

impl Fingerprint for Timestamp {
    fn fingerprint(&self, to: &mut Fingerprinter) {
        to.write_u128(self.0.as_nanos());
    }
}
