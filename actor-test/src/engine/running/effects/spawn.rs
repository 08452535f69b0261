//! Spawns: a spawned operation becomes runnable.

use crate::engine::running::executor::Executor;
use crate::records::Record;

impl Executor {
    /// Makes a spawned operation runnable. An actor that is spawned after a shutdown stops at once.
    pub(super) fn start_spawned(&mut self, by: u32, who: u32) {
        let never_starts = {
            let mut state = self.shared.state();
            state.start(who);
            self.shared.record(|| Record::Spawned { who });
            let is_late = state.progress.closed_from().is_some_and(|from| who >= from);
            is_late && state.operations.info(who).is_some()
        };
        if never_starts {
            self.stop(by, who, true);
        }
    }
}
