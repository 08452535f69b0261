//! What fair continuations of a suspected execution showed.

use serde::{Deserialize, Serialize};

/// What fair continuations of a suspected execution showed.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Confirmation {
    /// How many were run.
    pub continuations: u32,
    /// The last of them recovered, so the execution was slow, not stuck.
    pub recovered: bool,
}

impl Confirmation {
    /// The chance of recovery that is ruled out at 95 %: were it larger, so many continuations
    /// without a recovery would come about in less than one case of twenty.
    ///
    /// ```
    /// use actor_test::Confirmation;
    ///
    /// let confirmation = Confirmation { continuations: 60, recovered: false };
    /// assert!((confirmation.chance_bound() - 0.0487).abs() < 1e-4);
    /// ```
    pub fn chance_bound(&self) -> f64 {
        1.0 - 0.05f64.powf(1.0 / f64::from(self.continuations))
    }
}
