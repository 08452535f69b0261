//! What an execution may still go wrong with, and what has: [`FaultPhase`].

use crate::data::faults::{FaultCounts, FaultKind, Faults};

/// The faults of one execution. They may strike up to the end of a phase, which the strategy or the
/// engine says; what is owed counts after it alone.
#[derive(Clone, Debug, Default)]
pub(crate) struct FaultPhase {
    left: Faults,
    is_open: bool,
    counts: FaultCounts,
}

impl FaultPhase {
    /// Starts an execution.
    pub(crate) fn begin(&mut self, faults: Faults) {
        self.left = faults;
        self.is_open = !faults.is_none();
        self.counts = FaultCounts::default();
    }

    /// Faults may still come.
    #[inline]
    pub(crate) fn is_open(&self) -> bool {
        self.is_open
    }

    /// A fault of that kind may.
    #[inline]
    pub(crate) fn may_be(&self, kind: FaultKind) -> bool {
        self.is_open && self.left.budget(kind) > 0
    }

    /// One of that kind may come now, and does or does not.
    pub(crate) fn offered(&mut self, kind: FaultKind, strikes: bool) {
        self.counts.offered[kind as usize] += 1;
        if strikes {
            self.left.spend(kind);
            self.counts.struck[kind as usize] += 1;
        }
    }

    /// No more faults come.
    pub(crate) fn close(&mut self) {
        self.is_open = false;
    }

    /// What came, and what might have.
    pub(crate) fn counts(&self) -> FaultCounts {
        self.counts
    }
}
