//! The conditions that fail a test though no execution failed: vacuous specifications, unreached handlers.

use serde::{Deserialize, Serialize};

/// The conditions that fail a test though no execution failed. Default: none.
///
/// They are checked after all executions, if no bug was found and no other bug is expected.
///
/// ```
/// use actor_core::prelude::*;
/// use actor_test::{BugKind, Tester};
/// use actor_test::settings::Deny;
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
    /// Fails on specifications that could not have failed: [`Report::vacuous`](crate::Report::vacuous).
    pub vacuous: bool,
    /// Fails on states that were never entered and handlers that never ran:
    /// [`Coverage::unreached`](crate::coverage::Coverage::unreached).
    pub unreached: bool,
}

impl Deny {
    /// Enables [`vacuous`](Deny::vacuous).
    #[must_use]
    pub const fn with_vacuous(mut self) -> Self {
        self.vacuous = true;
        self
    }

    /// Enables [`unreached`](Deny::unreached).
    #[must_use]
    pub const fn with_unreached(mut self) -> Self {
        self.unreached = true;
        self
    }

    /// Returns the union of both conditions.
    #[doc(hidden)]
    pub const fn and(self, other: Self) -> Self {
        Self {
            vacuous: self.vacuous || other.vacuous,
            unreached: self.unreached || other.unreached,
        }
    }
}
