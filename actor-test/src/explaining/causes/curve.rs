//! The failure probability of random continuations, step by step. This curve is the counterpart of the
//! critical transition for safety bugs.

use crate::data::causes::ContinuationCounts;

/// The number of continuations from each probed step.
pub(super) const EACH: u32 = 32;

/// The number of probed steps before the search for the greatest rise.
const PLACES: u64 = 12;

/// All steps of an execution up to this length are probed.
const ALL: u64 = 32;

/// Two steps differ if at least this many more continuations fail from the later one. For two steps with
/// the same chance that happens once in 250 comparisons at most, and some ten are compared.
pub(super) const MARGIN: u32 = 12;

/// Probes steps at equal distances, and bisects the place where a failure becomes more likely than not.
/// Returns the shares so far, and true, if `probe` runs out of budget.
pub(super) fn curve(
    steps: u64,
    mut probe: impl FnMut(u64) -> Option<ContinuationCounts>,
) -> (Vec<ContinuationCounts>, bool) {
    let mut shares: Vec<ContinuationCounts> = Vec::new();
    let places: Vec<u64> = if steps <= ALL {
        (0..steps).collect()
    } else {
        let place = |number: u64| number * (steps - 1) / (PLACES - 1);
        (0..PLACES).map(place).collect()
    };
    for step in places {
        let Some(share) = probe(step) else {
            return (shares, true);
        };
        shares.push(share);
    }
    while let Some((before, after)) = turn(&shares) {
        let (low, high) = (
            shares[before].step,
            shares.get(after).map_or(steps, |share| share.step),
        );
        if high - low <= 1 {
            break;
        }
        let Some(share) = probe(low + (high - low) / 2) else {
            return (shares, true);
        };
        shares.insert(after, share);
    }
    (shares, false)
}

/// Returns the last share that mostly escapes, and the one after it.
pub(super) fn turn(shares: &[ContinuationCounts]) -> Option<(usize, usize)> {
    let last = shares.iter().rposition(|share| !mostly_fails(share))?;
    Some((last, last + 1))
}

/// Returns the closest pair of steps around a turn that differ; without any, the first and the last step.
pub(super) fn around(
    shares: &[ContinuationCounts],
    (before, after): (usize, usize),
) -> (usize, usize) {
    let pairs = (0..=before).flat_map(|one| (after..shares.len()).map(move |other| (one, other)));
    pairs
        .filter(|&(one, other)| differ(&shares[one], &shares[other]))
        .min_by_key(|&(one, other)| shares[other].step - shares[one].step)
        .unwrap_or((0, shares.len() - 1))
}

fn differ(one: &ContinuationCounts, other: &ContinuationCounts) -> bool {
    !mostly_fails(one) && other.failed >= one.failed + MARGIN
}

pub(super) fn mostly_fails(share: &ContinuationCounts) -> bool {
    share.failed * 2 > share.of
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rising_at(turn: u64) -> impl FnMut(u64) -> Option<ContinuationCounts> {
        move |step| {
            let failed = if step < turn { 3 } else { EACH };
            let escaped = EACH - failed;
            Some(ContinuationCounts {
                step,
                failed,
                escaped,
                of: EACH,
            })
        }
    }

    #[test]
    fn both_sides_of_the_turn_are_looked_at() {
        for steps in [1, 2, 31, 32, 33, 500, 12_345] {
            for at in [1, steps / 3, steps / 2, steps - 1, steps] {
                let (shares, is_cut_short) = curve(steps, rising_at(at));
                assert!(!is_cut_short);
                let mostly = shares.iter().filter(|share| mostly_fails(share));
                let first = mostly.map(|share| share.step).min().unwrap_or(steps);
                let others = shares.iter().filter(|share| !mostly_fails(share));
                let last = others.map(|share| share.step + 1).max().unwrap_or(0);
                assert_eq!((first, last), (at, at), "of {steps}");
                assert!(shares.is_sorted_by_key(|share| share.step));
                assert!(shares.len() <= 32, "{}", shares.len());
            }
        }
    }

    fn shares(failed: &[u32]) -> Vec<ContinuationCounts> {
        let share = |(step, &failed): (usize, &u32)| ContinuationCounts {
            step: step as u64,
            failed,
            escaped: EACH - failed,
            of: EACH,
        };
        failed.iter().enumerate().map(share).collect()
    }

    #[test]
    fn what_chance_can_do_makes_no_difference() {
        // One step, its neighbours, several steps, and none: the twelfth makes the difference.
        let cases: [(&[u32], (usize, usize)); 6] = [
            (&[4, 16, 28, 30], (1, 2)),
            (&[4, 16, 27, 30], (0, 2)),
            (&[4, 15, 17, 30], (0, 2)),
            (&[10, 12, 18, 20, 24], (1, 4)),
            (&[10, 12, 18, 20, 23], (0, 4)),
            (&[14, 16, 17, 21], (0, 3)),
        ];
        for (failed, expected) in cases {
            let shares = shares(failed);
            let turn = turn(&shares).expect("it turns");
            assert_eq!(around(&shares, turn), expected, "{failed:?}");
        }
    }

    #[test]
    fn what_is_not_paid_for_is_not_looked_at() {
        let mut left = 5;
        let mut probe = rising_at(700);
        let (shares, is_cut_short) = curve(1_000, |step| {
            left -= 1;
            (left > 0).then(|| probe(step))?
        });
        assert!(is_cut_short);
        assert_eq!(shares.len(), 4);
    }
}
