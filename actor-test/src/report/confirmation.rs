//! Confirmation of liveness bugs by fair continuations, and its statistical guarantee.

use serde::{Deserialize, Serialize};

/// The result of the fair continuations of an execution suspected of a liveness bug.
///
/// An obligation was pending for longer than the threshold, or in a repeatable part of the execution. To
/// distinguish a starved program from a slow one, the tester continues the execution from that state again
/// and again, each time fairly and differently, for up to [`horizon`](Self::horizon) steps. One
/// continuation that discharges the obligation shows that the execution was slow, which is no bug; without
/// any, the execution is taken for dead (MaceMC, section 4.2).
///
/// # Guarantee
///
/// A test may suspect many executions, and reports the first that no continuation clears, so a bound for a
/// single suspicion says little. The m-th suspicion of a test gets as many continuations, k, that (1 - q)^k
/// ≤ 6 α / (π² m²), with q = [`CHANCE`](Self::CHANCE) and α = [`RISK`](Self::RISK). The sum over all m is
/// α. A program that recovers within the horizon with a chance of at least q, from every suspected state,
/// is thus accused in at most one of 1/α runs, however many suspicions a run has. Nothing is claimed of
/// programs that recover later than the horizon, or with a smaller chance.
///
/// ```
/// use actor_test::Tester;
///
/// let report = Tester::new().iterations(1).run(|sys| {
///     let ticks = sys.spawn(Ticks);
///     ticks.tell(Tick);
///     sys.eventually("it rests", |_| false);
/// });
/// let confirmation = report.assert_bug("it rests").confirmation.unwrap();
/// assert_eq!((confirmation.suspicion, confirmation.continuations), (1, 71));
/// # use actor_core::{actor, prelude::*};
/// # #[derive(Debug)]
/// # struct Tick;
/// # struct Ticks;
/// # #[actor]
/// # impl Ticks {
/// #     #[on]
/// #     fn tick(&mut self, _: Tick, cx: &mut Context<Self>) {
/// #         cx.me().tell(Tick);
/// #     }
/// # }
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Confirmation {
    /// The number of continuations.
    pub continuations: u32,
    /// True if the last continuation recovered, so that the execution was slow, not stuck.
    pub recovered: bool,
    /// The largest number of steps of each continuation: the maximum of the threshold, 2 000, and eight
    /// times the longest recovery in this test so far. A fifth of the threshold replaces the threshold if
    /// the states show that no schedule leads out of a cycle.
    #[serde(default)]
    pub horizon: u64,
    /// The number of the suspicion in its test, from one.
    #[serde(default)]
    pub suspicion: u64,
}

impl Confirmation {
    /// The chance of recovery, q, from which on a program is hardly ever accused.
    pub const CHANCE: f64 = 0.10;

    /// The largest share of a test's runs that accuse such a program: α.
    pub const RISK: f64 = 0.001;

    /// The least number of steps of a continuation, since a threshold may be tiny.
    pub(crate) const HORIZON_MIN: u64 = 2_000;

    /// The factor between the longest recovery seen and the steps of a continuation.
    pub(crate) const RECOVERIES: u64 = 8;

    /// The number of continuations for the second suspicion of a bug that the test already has, which only
    /// counts. The n-th suspicion gets one n-th of them. So a search that goes on after a bug in every
    /// execution does not spend all its time on that bug.
    pub(crate) const AGAIN: u32 = 20;

    /// Returns true if the [guarantee](Self#guarantee) covers this execution, not an earlier one.
    pub(crate) fn is_accusation(&self) -> bool {
        self.continuations > Self::AGAIN
    }

    /// Returns the number of continuations for the m-th suspicion of a test, in a search divided into
    /// `parts` parts, which share the risk.
    pub(crate) fn continuations_of(suspicion: u64, parts: u64) -> u32 {
        let risk = share_of(Self::RISK, suspicion) / parts as f64;
        // Multiplication gives the same result on every machine, unlike a logarithm.
        let (mut continuations, mut none_recovers) = (0, 1.0);
        while none_recovers > risk {
            none_recovers *= 1.0 - Self::CHANCE;
            continuations += 1;
        }
        continuations
    }
}

/// Returns the share of a risk for the m-th question: 6 / (π² m²), which adds up to one over all m.
pub(crate) fn share_of(risk: f64, m: u64) -> f64 {
    let squares = std::f64::consts::PI * std::f64::consts::PI / 6.0;
    let m = m as f64;
    risk / (squares * m * m)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_risks_of_all_suspicions_add_up_to_that_of_the_run() {
        let of = |suspicion| Confirmation::continuations_of(suspicion, 1);
        assert_eq!((of(1), of(10), of(58)), (71, 114, 148));
        for parts in [1, 4] {
            let risk = |suspicion| {
                let continuations = Confirmation::continuations_of(suspicion, parts) as i32;
                (1.0 - Confirmation::CHANCE).powi(continuations)
            };
            let all: f64 = (1..100_000).map(risk).sum::<f64>() * parts as f64;
            assert!(all <= Confirmation::RISK, "{parts} parts: {all}");
            assert!(all > 0.9 * Confirmation::RISK, "{parts} parts: {all}");
        }
    }
}
