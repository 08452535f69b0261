//! The estimated size of a search space, of which a search has explored a part: [`SizeEstimate`].

use serde::{Deserialize, Serialize};

/// The estimated number of behaviours, states or schedules, as far as a search counts them.
///
/// The bounds are guesses with the usual error of their kind; the true number may lie outside.
///
/// ```
/// use actor_test::strategy::SizeEstimate;
///
/// let extent = SizeEstimate::between(300, 400.0, Some(1_200.0));
/// assert_eq!((extent.met, extent.least, extent.most), (300, 400, Some(1_200)));
/// assert_eq!(extent.done(), (0.25, 0.75));
/// // There is no less than what was met.
/// assert_eq!(SizeEstimate::between(300, 100.0, Some(200.0)).done(), (1.0, 1.0));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[non_exhaustive]
pub struct SizeEstimate {
    /// The number met so far.
    pub met: u64,
    /// The lower estimate of the total.
    pub least: u64,
    /// The upper estimate of the total; `None` if no end is in sight.
    pub most: Option<u64>,
}

impl SizeEstimate {
    /// Makes an extent of the number met and two estimates of the total.
    pub fn between(met: u64, least: f64, most: Option<f64>) -> Self {
        let at_least = |guess: f64, low: u64| (guess as u64).max(low);
        let least = at_least(least, met);
        let most = most.map(|most| at_least(most, least));
        Self { met, least, most }
    }

    /// The factor by which an estimate from a part of a tree may be wrong.
    pub(crate) const ERROR_FACTOR: f64 = 3.0;

    /// Makes an extent of two estimates, of which either may be the larger one.
    pub(crate) fn of(met: u64, one: f64, other: f64) -> Self {
        let left = |guess: f64| (guess - met as f64).max(0.0);
        let (least, most) = (left(one.min(other)), left(one.max(other)));
        let of = |left: f64| met as f64 + left;
        Self::between(
            met,
            of(least / Self::ERROR_FACTOR),
            Some(of(most * Self::ERROR_FACTOR)),
        )
    }

    /// The share of the total that is done, at the least and at the most.
    pub fn done(&self) -> (f64, f64) {
        let share = |of: u64| self.met as f64 / of.max(1) as f64;
        (self.most.map_or(0.0, share), share(self.least))
    }
}
