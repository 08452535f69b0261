//! How much there seems to be in all, of which a search has looked at some.

use serde::{Deserialize, Serialize};

/// How much there seems to be in all of what a search counts: behaviours, states or schedules; see
/// [`Strategy::extent`](super::Strategy::extent).
///
/// Nobody knows before the end. These are guesses, each with the error that guesses of its kind were seen to
/// have; it is no promise that the truth lies between them.
///
/// ```
/// use actor_test::strategy::Extent;
///
/// let extent = Extent::between(300, 400.0, Some(1_200.0));
/// assert_eq!((extent.met, extent.least, extent.most), (300, 400, Some(1_200)));
/// assert_eq!(extent.done(), (0.25, 0.75));
/// // There is no less than what was met.
/// assert_eq!(Extent::between(300, 100.0, Some(200.0)).done(), (1.0, 1.0));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[non_exhaustive]
pub struct SizeEstimate {
    /// So many were met.
    pub met: u64,
    /// So many there seem to be at the least.
    pub least: u64,
    /// So many there seem to be at the most; `None` where no end is in sight.
    pub most: Option<u64>,
}

impl SizeEstimate {
    /// From how many were met, and two guesses at how many there are.
    pub fn between(met: u64, least: f64, most: Option<f64>) -> Self {
        let at_least = |guess: f64, low: u64| (guess as u64).max(low);
        let least = at_least(least, met);
        let most = most.map(|most| at_least(most, least));
        Self { met, least, most }
    }

    /// How many times too much or too little may seem to be left, by a part of a tree.
    pub(in crate::strategy) const ERROR_FACTOR: f64 = 3.0;

    /// The same from two guesses of which nobody knows which is the larger one.
    pub(super) fn of(met: u64, one: f64, other: f64) -> Self {
        let left = |guess: f64| (guess - met as f64).max(0.0);
        let (least, most) = (left(one.min(other)), left(one.max(other)));
        let of = |left: f64| met as f64 + left;
        Self::between(
            met,
            of(least / Self::ERROR_FACTOR),
            Some(of(most * Self::ERROR_FACTOR)),
        )
    }

    /// Which share of all is done, at the least and at the most.
    pub fn done(&self) -> (f64, f64) {
        let share = |of: u64| self.met as f64 / of.max(1) as f64;
        (self.most.map_or(0.0, share), share(self.least))
    }
}
