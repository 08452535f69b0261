//! How far an execution goes, and how hot is too hot.

use serde::{Deserialize, Serialize};

/// How far an execution goes, and how hot is too hot (Coyote's liveness rules).
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
    /// An unfair execution stops after `steps`, a fair one after ten times as many. A message is
    /// two steps, so 10 000 are about 5 000 messages.
    pub const fn new(steps: u64) -> Self {
        Self {
            unfair: steps,
            fair: None,
            temperature: None,
        }
    }

    /// A fair execution stops after `steps`.
    #[must_use]
    pub const fn with_fair(mut self, steps: u64) -> Self {
        self.fair = Some(steps);
        self
    }

    /// Something that is owed for more than so many fair steps is a liveness bug.
    #[must_use]
    pub const fn with_temperature(mut self, steps: u64) -> Self {
        self.temperature = Some(steps);
        self
    }

    /// The bound of an unfair execution, N.
    pub const fn unfair(&self) -> u64 {
        self.unfair
    }

    /// The bound of a fair execution, M: 10 N unless given.
    pub const fn fair(&self) -> u64 {
        match self.fair {
            Some(steps) => steps,
            None => self.unfair.saturating_mul(10),
        }
    }

    /// The temperature above which it is a liveness bug: half of the fair bound unless given.
    pub const fn temperature(&self) -> u64 {
        match self.temperature {
            Some(steps) => steps,
            None => self.fair() / 2,
        }
    }
}
