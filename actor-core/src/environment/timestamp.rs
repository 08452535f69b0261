//! Timestamps: times that are compared as far as clocks can tell.

use std::hash::Hasher;
use std::ops::{Add, Sub};
use std::time::Duration;

use crate::fingerprint::{Fingerprint, Fingerprinter};
use crate::runtime;

/// A time as the clock of a machine shows it, by [`Context::timestamp`](crate::Context::timestamp).
///
/// No two machines have the same time, and what a program does by comparing times should be right
/// whatever they differ by. So a timestamp has no order: it is compared by [`is_before`](Timestamp::is_before).
/// In production that is `<`. Under test, a test may say how fine clocks are,
/// `#[actor_test(clocks(resolution = "1ms"))]`: then two timestamps that are no further apart compare either
/// way, each time anew, and the tester explores both.
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
    /// When a clock shows that time; see [`Context::now`](crate::Context::now).
    pub const fn at(time: Duration) -> Self {
        Self(time)
    }

    /// What the clock shows.
    pub const fn time(self) -> Duration {
        self.0
    }

    /// Whether it is before the other, as far as clocks can tell: under test that may be a decision.
    pub fn is_before(self, other: Self) -> bool {
        match runtime::is_controlled() {
            true => runtime::with(|rt| rt.is_before(self.0, other.0)),
            false => self.0 < other.0,
        }
    }

    /// How much has passed since an earlier timestamp; nothing, where it is a later one.
    pub const fn since(self, earlier: Self) -> Duration {
        self.0.saturating_sub(earlier.0)
    }
}

/// So much later.
impl Add<Duration> for Timestamp {
    type Output = Self;

    fn add(self, later: Duration) -> Self {
        Self(self.0.saturating_add(later))
    }
}

/// So much earlier; the beginning of time at the earliest.
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
