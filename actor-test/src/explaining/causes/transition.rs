//! The critical transition: from this step on, an obligation stays pending for ever (MaceMC, section 3.2).
//!
//! A step is *dead* if no continuation from it discharges the obligation, else *recoverable*. All steps
//! before a recoverable step are recoverable as well, since they lead to it; so one step makes the
//! difference. One fair continuation that recovers proves that its first step is recoverable. A step can
//! only be believed dead, if none of many continuations recovers. So the step found is never too late, but
//! may be too early, if a recovery was missed. Therefore the search goes on with more continuations from
//! that step and from later ones, and moves on if any of them recovers.

use crate::data::causes::ContinuationCounts;
use crate::report::confirmation::share_of;

/// The number of continuations that decide whether a step is dead, during the search.
const PROBES: u32 = 20;

/// The number of continuations from the step found, and from the one before it.
const CERTAIN: u32 = 200;

/// The least number of these, if the budget does not suffice for all.
const CERTAIN_MIN: u32 = 60;

/// The number of continuations from each probed step after the step found.
const LATER: u32 = 8;

/// The largest number of times that the search moves on.
const ROUNDS: u32 = 24;

/// The largest share of recoverable steps called dead, if they recover with the reported chance.
const LEVEL: f64 = 0.05;

/// The least number of recoveries from the last recoverable step for a transition. With fewer, none from
/// the next step may recover by chance, and no single step makes the difference. With five, that chance is
/// below one in a hundred.
const FAINT: u32 = 5;

/// A source of continuations.
pub(super) trait ContinuationProbe {
    /// Runs continuations from a step; with `until_escape`, up to the first escape. `None` if the budget
    /// ends.
    fn share(
        &mut self,
        from: u64,
        numbers: std::ops::Range<u32>,
        until_escape: bool,
    ) -> Option<ContinuationCounts>;

    /// Returns the number of continuations from a step that the budget for one question allows.
    fn affordable(&self, from: u64) -> u64;
}

/// The result of a search.
#[derive(Clone, PartialEq, Debug)]
pub(super) enum TransitionResult {
    /// The last step from which some recover, and the first from which none does.
    Transition {
        before: ContinuationCounts,
        after: ContinuationCounts,
        /// The number of continuations from later steps, none of which recovered.
        later: u32,
        /// The chance of recovery up to which a recovery may have been missed.
        missed: f64,
    },
    /// Few continuations recover from the last step from which any does.
    Fading {
        before: ContinuationCounts,
        after: ContinuationCounts,
    },
    /// No continuation recovers, not even from the first step on.
    Dead(ContinuationCounts),
}

/// Searches for the transition between `first` and the dead step `last`. `None` if the budget ends.
pub(super) fn search(
    probe: &mut impl ContinuationProbe,
    first: u64,
    last: u64,
) -> Option<TransitionResult> {
    let mut search = TransitionSearch {
        probe,
        dead: vec![last],
        recoverable: first,
        recovery: ContinuationCounts::default(),
        drawn: 0,
    };
    if !search.recovers(first, PROBES)? {
        let share = search.share(first, CERTAIN_MIN, false)?;
        if share.escaped == 0 {
            return Some(TransitionResult::Dead(share));
        }
        search.moves_to(share);
    }
    search.bracket(first)?;
    for round in 1..=ROUNDS {
        search.bisect()?;
        if let Some(found) = search.confirm(round)? {
            return Some(found);
        }
    }
    search.faded()
}

struct TransitionSearch<'a, P> {
    probe: &'a mut P,
    /// The steps believed dead, the earliest last.
    dead: Vec<u64>,
    /// The last step known to be recoverable.
    recoverable: u64,
    /// The continuations that recovered from it.
    recovery: ContinuationCounts,
    /// The number of continuations so far, so that each gets a number of its own.
    drawn: u32,
}

impl<P: ContinuationProbe> TransitionSearch<'_, P> {
    fn share(&mut self, from: u64, of: u32, until_escape: bool) -> Option<ContinuationCounts> {
        let numbers = self.drawn + 1..self.drawn + 1 + of;
        self.drawn += of;
        self.probe.share(from, numbers, until_escape)
    }

    fn recovers(&mut self, step: u64, of: u32) -> Option<bool> {
        let share = self.share(step, of, true)?;
        if share.escaped > 0 {
            self.moves_to(share);
        }
        Some(share.escaped > 0)
    }

    fn first_dead(&self) -> Option<u64> {
        self.dead.last().copied()
    }

    /// Probes at doubling distances, from `first` on, until a step is dead: most transitions are early.
    fn bracket(&mut self, first: u64) -> Option<()> {
        let mut distance = 1;
        while let Some(dead) = self.first_dead() {
            let step = first.saturating_add(distance);
            if step >= dead {
                break;
            }
            if !self.recovers(step, PROBES)? {
                self.dead.push(step);
                break;
            }
            distance = distance.saturating_mul(2);
        }
        Some(())
    }

    fn bisect(&mut self) -> Option<()> {
        while let Some(dead) = self.first_dead() {
            let gap = dead - self.recoverable;
            if gap <= 1 {
                break;
            }
            let middle = self.recoverable + gap / 2;
            if !self.recovers(middle, PROBES)? {
                self.dead.push(middle);
            }
        }
        Some(())
    }

    /// Runs more continuations from the step found and later ones; `Some(None)` if one recovers.
    #[expect(
        clippy::option_option,
        reason = "the outer one says that the budget did not last"
    )]
    fn confirm(&mut self, round: u32) -> Option<Option<TransitionResult>> {
        // The last step itself has recovered.
        let Some(step) = self.first_dead() else {
            return self.faded().map(Some);
        };
        let of = self.probe.affordable(step).min(u64::from(CERTAIN)) as u32;
        let of = of.max(CERTAIN_MIN);
        let after = self.share(step, of, true)?;
        if after.escaped > 0 {
            self.moves_to(after);
            return Some(None);
        }
        let last = self.dead.first().copied().unwrap_or(step);
        let (mut later, mut distance) = (0, 1);
        while step + distance <= last {
            if self.recovers(step + distance, LATER)? {
                return Some(None);
            }
            later += LATER;
            distance = distance.saturating_mul(2);
        }
        let before = self.share(step - 1, of, false)?;
        if before.escaped < FAINT {
            let before = self.with_recovery(before);
            return Some(Some(TransitionResult::Fading { before, after }));
        }
        Some(Some(TransitionResult::Transition {
            before,
            after,
            later,
            missed: missed(after.of, round),
        }))
    }

    /// Notes a recovery from a step.
    fn moves_to(&mut self, share: ContinuationCounts) {
        self.recoverable = share.step;
        self.recovery = share;
        self.dead.retain(|dead| *dead > share.step);
    }

    /// Ends a search that has moved on too often.
    fn faded(&mut self) -> Option<TransitionResult> {
        let step = self.recoverable;
        let more = self.share(step, CERTAIN_MIN, false)?;
        let before = self.with_recovery(more);
        let after = self.share(step + 1, CERTAIN_MIN, false)?;
        Some(TransitionResult::Fading { before, after })
    }

    /// Adds the continuations that first recovered from the last recoverable step.
    fn with_recovery(&self, more: ContinuationCounts) -> ContinuationCounts {
        ContinuationCounts {
            step: more.step,
            failed: self.recovery.failed + more.failed,
            escaped: self.recovery.escaped + more.escaped,
            of: self.recovery.of + more.of,
        }
    }
}

/// Returns the chance q such that a step recovering with more than q would have shown a recovery in 95 of
/// 100 cases, given `of` continuations without one. The m-th candidate step gets 6 / (π² m²) of the error,
/// so that all candidates together keep the level.
fn missed(of: u32, m: u32) -> f64 {
    let level = share_of(LEVEL, u64::from(m));
    // Multiplication gives the same result on every machine, unlike a logarithm.
    let (mut low, mut high) = (0.0, 1.0);
    for _ in 0..40 {
        let middle: f64 = (low + high) / 2.0;
        let none = (0..of).fold(1.0, |none, _| none * (1.0 - middle));
        if none > level {
            low = middle;
        } else {
            high = middle;
        }
    }
    high
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hash::mix;

    /// Continuations from before `dead` recover with the chance given by `chance`.
    struct Planted<F> {
        chance: F,
        seed: u64,
        run: u64,
    }

    impl<F: Fn(u64) -> f64> ContinuationProbe for Planted<F> {
        fn share(
            &mut self,
            from: u64,
            numbers: std::ops::Range<u32>,
            until_escape: bool,
        ) -> Option<ContinuationCounts> {
            let mut share = ContinuationCounts {
                step: from,
                ..ContinuationCounts::default()
            };
            for number in numbers {
                self.run += 1;
                share.of += 1;
                let drawn = mix(mix(mix(self.seed, from), u64::from(number)), 1) >> 11;
                if (drawn as f64) < (self.chance)(from) * (1u64 << 53) as f64 {
                    share.escaped += 1;
                } else {
                    share.failed += 1;
                }
                if until_escape && share.escaped > 0 {
                    break;
                }
            }
            Some(share)
        }

        fn affordable(&self, _: u64) -> u64 {
            1000
        }
    }

    fn planted<F: Fn(u64) -> f64>(seed: u64, chance: F) -> Planted<F> {
        Planted {
            chance,
            seed,
            run: 0,
        }
    }

    #[test]
    fn the_step_is_found_wherever_it_is() {
        for (seed, last) in (0..200).zip([3, 17, 100, 999, 40_000].into_iter().cycle()) {
            let dead = 1 + mix(seed, 7) % last;
            let chance = |step| if step < dead { 0.3 } else { 0.0 };
            let mut probe = planted(seed, chance);
            let found = search(&mut probe, 0, last).expect("it is paid for");
            let TransitionResult::Transition { before, after, .. } = found else {
                panic!("{found:?} instead of {dead} of {last}");
            };
            assert_eq!((before.step, after.step), (dead - 1, dead), "of {last}");
            assert!(probe.run < 2_000, "{} continuations", probe.run);
        }
    }

    /// A step that recovers with 2 % is not dead, though twenty continuations mostly miss it.
    #[test]
    fn a_step_that_seldom_recovers_is_not_called_dead() {
        let mut early = 0;
        for seed in 0..100 {
            let chance = |step| match step {
                ..40 => 0.5,
                40..60 => 0.02,
                _ => 0.0,
            };
            match search(&mut planted(seed, chance), 0, 5_000) {
                Some(
                    TransitionResult::Fading { before, .. }
                    | TransitionResult::Transition { before, .. },
                ) => {
                    early += u32::from(before.step < 59);
                }
                found => panic!("{found:?}"),
            }
        }
        assert!(early <= 15, "{early} of 100 are too early");
    }

    /// With half a percent, 200 continuations may miss a recovery that one of twenty has shown before.
    #[test]
    fn what_is_said_to_recover_has_recovered() {
        let mut faint = 0;
        for seed in 0..200 {
            let chance = |step| if step < 30 { 0.005 } else { 0.0 };
            if let Some(TransitionResult::Fading { before, .. }) =
                search(&mut planted(seed, chance), 0, 500)
            {
                assert!(before.escaped > 0 && before.of > 200, "{before:?}");
                faint += u32::from(before.escaped == 1);
            }
        }
        assert!(faint > 10, "{faint}");
    }

    #[test]
    fn what_never_recovers_is_told_apart() {
        let found = search(&mut planted(1, |_| 0.0), 5, 100);
        assert!(matches!(found, Some(TransitionResult::Dead(share)) if share.of == 60));
    }

    #[test]
    fn what_is_missed_is_small() {
        // (1 - q)^200 = 0.05 · 6/π².
        assert!((missed(200, 1) - 0.0173).abs() < 1e-4);
        assert!((missed(200, 1) - missed(100, 1)).abs() > 0.01);
        assert!(missed(200, 2) > missed(200, 1));
    }
}
