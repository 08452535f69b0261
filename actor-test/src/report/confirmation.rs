//! What fair continuations of a suspected execution showed.

use serde::{Deserialize, Serialize};

/// What fair continuations of a suspected execution showed.
///
/// Something was owed for longer than the threshold, or in a part of the execution that can be
/// repeated. Is it owed for ever, or is the program slow? From that very state the execution is
/// continued again and again, each time fairly and otherwise, for up to [`horizon`](Self::horizon)
/// steps: where one continuation pays what is owed, the execution was slow and is no bug; where none
/// does, it is taken for dead (MaceMC, section 4.2).
///
/// # What is claimed
///
/// A test may suspect many executions, and reports the first that none of its continuations clears,
/// so one suspicion's odds say little. The m-th suspicion of a test gets as many continuations, k,
/// that (1 - q)^k ≤ 6 α / (π² m²), with q = [`CHANCE`](Self::CHANCE) and α = [`RISK`](Self::RISK).
/// Summed over all m that is α: a program that pays within the horizon with a chance of q or more,
/// from wherever it is suspected, is accused in at most one run of 1/α, however many suspicions the
/// run has. Nothing is claimed of programs that pay later than the horizon, or less likely.
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
    /// How many were run.
    pub continuations: u32,
    /// The last of them recovered, so the execution was slow, not stuck.
    pub recovered: bool,
    /// For how many steps each went on, at most: the threshold, 2 000, or eight times as long as
    /// anything in this test took to recover so far, whichever is most. Where the states say that no
    /// schedule leads out of a cycle, a fifth of the threshold stands for the threshold.
    #[serde(default)]
    pub horizon: u64,
    /// Which suspicion of its test it was, from one.
    #[serde(default)]
    pub suspicion: u64,
}

impl Confirmation {
    /// A program that recovers with this chance, q, or a greater one is hardly ever accused.
    pub const CHANCE: f64 = 0.10;

    /// How often it is at most, of all runs of a test: α.
    pub const RISK: f64 = 0.001;

    /// A continuation goes on for so many steps at least: a threshold may be tiny.
    pub(crate) const HORIZON_MIN: u64 = 2_000;

    /// And for so many times as long as the longest recovery seen.
    pub(crate) const RECOVERIES: u64 = 8;

    /// How many continuations there are the second time for what the test is accused of already: it is
    /// counted, and no bug of its own. The n-th time there are one n-th of them, so that who goes on after
    /// a bug that every execution has does not spend all of its time on that.
    pub(crate) const AGAIN: u32 = 20;

    /// What is [claimed](Self#what-is-claimed) is claimed of this execution, not of an earlier one.
    pub(crate) fn is_accusation(&self) -> bool {
        self.continuations > Self::AGAIN
    }

    /// How many continuations the m-th suspicion of a test gets, in a search divided into so many
    /// parts, which share the risk.
    pub(crate) fn continuations_of(suspicion: u64, parts: u64) -> u32 {
        let risk = share_of(Self::RISK, suspicion) / parts as f64;
        // By multiplication, which is the same on every machine, as a logarithm need not be.
        let (mut continuations, mut none_recovers) = (0, 1.0);
        while none_recovers > risk {
            none_recovers *= 1.0 - Self::CHANCE;
            continuations += 1;
        }
        continuations
    }
}

/// What the m-th question may take of a risk that is spread over all there may be: 6 / (π² m²) of it,
/// which adds up to one.
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
