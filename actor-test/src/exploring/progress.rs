//! Progress of an exploration, and its observer.

use crate::data::extent::SizeEstimate;

/// An observer of progress.
pub(crate) trait ProgressObserver: Send {
    /// Returns true if a progress report is due.
    fn is_due(&self) -> bool;

    /// Reports progress.
    fn progress(&mut self, progress: &ExplorationProgress);
}

/// The progress of a test.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct ExplorationProgress {
    pub(crate) executions: u64,
    pub(crate) of: u64,
    pub(crate) steps: u64,
    pub(crate) bugs: usize,
    /// The estimated size of the search space.
    pub(crate) extent: Option<SizeEstimate>,
}

pub(crate) struct Silent;

impl ProgressObserver for Silent {
    fn is_due(&self) -> bool {
        false
    }

    fn progress(&mut self, _: &ExplorationProgress) {}
}
