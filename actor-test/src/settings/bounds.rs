//! Bounds of an execution: the number of steps, and the temperature of a liveness bug.

use serde::{Deserialize, Serialize};

/// The bounds on an execution's steps and temperature (Coyote's liveness rules).
///
/// ```
/// use actor_test::Bounds;
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
    /// Sets the bound of unfair executions to `steps`, and that of fair ones to ten times as many. A message
    /// is two steps, so 10 000 are about 5 000 messages.
    pub const fn new(steps: u64) -> Self {
        Self {
            unfair: steps,
            fair: None,
            temperature: None,
        }
    }

    /// Sets the bound of fair executions.
    #[must_use]
    pub const fn with_fair(mut self, steps: u64) -> Self {
        self.fair = Some(steps);
        self
    }

    /// Sets the temperature: an obligation pending for more fair steps is a liveness bug.
    #[must_use]
    pub const fn with_temperature(mut self, steps: u64) -> Self {
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
