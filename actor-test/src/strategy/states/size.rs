//! The size of a state space: an estimate, and the gaps of a search.

use crate::data::coverage_claim::{Gap, Unjudged};
use crate::data::extent::SizeEstimate;

/// Estimates the number of states after `met` were met and `gone_on` expanded breadth first. The lower
/// bound is the number met. If a state recently had fewer than one new successor on average, the upper
/// bound supposes the same rate for all that are left and their successors; usually it falls.
pub(super) fn extent(met: u64, gone_on: u64, from: impl Fn(u32) -> u32) -> Option<SizeEstimate> {
    let since = gone_on - gone_on / 4;
    let lately = gone_on.checked_sub(since).filter(|lately| *lately > 0)?;
    let (mut low, mut high) = (1, met);
    while low < high {
        let middle = low.midpoint(high);
        match u64::from(from(middle as u32)) < since {
            true => low = middle + 1,
            false => high = middle,
        }
    }
    let rate = (met - low) as f64 / lately as f64;
    let left = (met - gone_on) as f64;
    let most = (rate < 1.0).then(|| met as f64 + left * rate / (1.0 - rate));
    Some(SizeEstimate::between(met, met as f64, most))
}

/// The gaps of a search: states beyond its limit, seeds, and cycles that were not judged.
pub(super) fn gaps(bound: Option<u64>, seeded: u64, unjudged: &[Unjudged]) -> Vec<Gap> {
    let bound = bound.map(|bound| Gap::States { bound });
    let seeds = (seeded > 0).then_some(Gap::Seeds { executions: seeded });
    let cycles = unjudged.iter().copied().map(Gap::Cycles);
    bound.into_iter().chain(seeds).chain(cycles).collect()
}
