//! Bounds of an execution: the number of steps, and the temperature of a liveness bug.

use serde::{Deserialize, Serialize};

/// The bounds on an execution's steps and temperature (Coyote's liveness rules).
///
/// Reports contain these values. [`Tester`](crate::Tester) sets them: `max_steps`, `max_fair_steps` and
/// `temperature`.
///
/// ```
/// use actor_test::settings::Bounds;
///
/// let bounds = Bounds::default();
/// assert_eq!((bounds.unfair(), bounds.fair(), bounds.temperature()), (10_000, 100_000, 50_000));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Bounds {
    unfair: u64,
    fair: Option<u64>,
    temperature: Option<u64>,
}

impl Default for Bounds {
    fn default() -> Self {
        Self::new(10_000)
    }
}

impl Bounds {
    pub(crate) const fn new(steps: u64) -> Self {
        Self {
            unfair: steps,
            fair: None,
            temperature: None,
        }
    }

    pub(crate) const fn with_unfair(mut self, steps: u64) -> Self {
        self.unfair = steps;
        self
    }

    pub(crate) const fn with_fair(mut self, steps: u64) -> Self {
        self.fair = Some(steps);
        self
    }

    pub(crate) const fn with_temperature(mut self, steps: u64) -> Self {
        self.temperature = Some(steps);
        self
    }

    /// Returns the bound N of an unfair execution.
    pub const fn unfair(&self) -> u64 {
        self.unfair
    }

    /// Returns the bound M of a fair execution: 10 N unless set.
    pub const fn fair(&self) -> u64 {
        match self.fair {
            Some(steps) => steps,
            None => self.unfair.saturating_mul(10),
        }
    }

    /// Returns the temperature of a liveness bug: half of the fair bound unless set.
    pub const fn temperature(&self) -> u64 {
        match self.temperature {
            Some(steps) => steps,
            None => self.fair() / 2,
        }
    }
}
