//! What fails a test though no execution failed.

use serde::{Deserialize, Serialize};

/// What fails a test though no execution failed. Default: nothing.
///
/// It is judged when all executions are over and found no bug. A test that expects a bug is not
/// judged, but for one that expects just this.
///
/// ```
/// use actor_core::prelude::*;
/// use actor_test::{BugKind, Deny, Tester};
///
/// let report = Tester::new().deny(Deny::default().with_vacuous()).run(|sys| {
///     sys.sometimes("pigs fly", |_| false);
/// });
/// let bug = report.assert_bug("sometimes \"pigs fly\" was never true");
/// assert_eq!(bug.kind(), BugKind::Vacuous);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Deny {
    /// Specifications that could not have failed: [`Report::vacuous`](crate::Report::vacuous).
    pub vacuous: bool,
    /// States that were never entered and handlers that never ran:
    /// [`Coverage::unreached`](crate::Coverage::unreached).
    pub unreached: bool,
}

impl Deny {
    /// With [`vacuous`](Deny::vacuous).
    #[must_use]
    pub const fn with_vacuous(mut self) -> Self {
        self.vacuous = true;
        self
    }

    /// With [`unreached`](Deny::unreached).
    #[must_use]
    pub const fn with_unreached(mut self) -> Self {
        self.unreached = true;
        self
    }

    /// What either denies.
    #[doc(hidden)]
    pub const fn and(self, other: Self) -> Self {
        Self {
            vacuous: self.vacuous || other.vacuous,
            unreached: self.unreached || other.unreached,
        }
    }
}
