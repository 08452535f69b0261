//! What fails a test though no execution failed.

use serde::{Deserialize, Serialize};

use crate::report::bug::{BugKind, Finding};
use crate::report::facts::{Bug, Report};
use crate::report::words;
use crate::settings::values::Settings;

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
    /// Specifications that could not have failed: [`Report::vacuous`].
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
    #[cfg(feature = "cli")]
    pub(crate) const fn and(self, other: Self) -> Self {
        Self {
            vacuous: self.vacuous || other.vacuous,
            unreached: self.unreached || other.unreached,
        }
    }

    /// What the complete report of a test has that is denied.
    fn find(self, report: &Report) -> Vec<Finding> {
        let finding = |kind, message| Finding {
            kind,
            message,
            location: None,
            step: 0,
        };
        let vacuous =
            Some(report.vacuous.join("; ")).filter(|what| self.vacuous && !what.is_empty());
        let unreached = words::unreached_parts(&report.coverage).filter(|_| self.unreached);
        let vacuous = vacuous.map(|what| finding(BugKind::Vacuous, what));
        let unreached = unreached.map(|what| finding(BugKind::Unreached, what));
        vacuous.into_iter().chain(unreached).collect()
    }
}

/// Adds what is denied to the bugs of a report that has none.
pub(crate) fn judge(report: &mut Report, settings: &Settings) {
    if !report.is_clean() {
        return;
    }
    for finding in settings.deny.find(report) {
        let mut bug = Bug::unrecorded(finding, "", 0, settings);
        // No single execution shows it.
        bug.token.clear();
        let expected = settings.expect_bug.as_deref();
        if expected.is_none_or(|expected| bug.is(expected)) {
            report.bugs.push(bug);
        }
    }
}
