//! A delaying explorer that notes the calls that it receives.

use std::sync::{Arc, Mutex, PoisonError};

use actor_test::strategy::{
    DelayingExplorer, Enabled, Execution, OperationId, Pending, RoundRobin,
};

/// The noted calls, in order, with the operations that they name: `o` for `observe` (without one), `+` for
/// `started`, `-` for `finished`, `:` for `stepped`.
pub type Calls = Arc<Mutex<Vec<(char, usize)>>>;

/// A round-robin explorer that notes its calls, and does not expose its state.
#[derive(Debug)]
pub struct NotedExplorer {
    explorer: RoundRobin,
    calls: Calls,
}

impl NotedExplorer {
    /// Creates an explorer; returns it with the calls that it will note.
    pub fn new() -> (Self, Calls) {
        let (explorer, calls) = (RoundRobin::new(), Calls::default());
        let noted = Arc::clone(&calls);
        (Self { explorer, calls }, noted)
    }

    fn note(&self, call: char, operation: usize) {
        let mut calls = self.calls.lock().unwrap_or_else(PoisonError::into_inner);
        calls.push((call, operation));
    }
}

impl DelayingExplorer for NotedExplorer {
    fn name(&self) -> String {
        "noted".into()
    }
    fn begin(&mut self, execution: &Execution) {
        self.explorer.begin(execution);
    }
    fn observe(&mut self, enabled: &Enabled<'_>) {
        self.note('o', 0);
        self.explorer.observe(enabled);
    }
    fn next(&self, enabled: &Enabled<'_>) -> usize {
        self.explorer.next(enabled)
    }
    fn delay(&mut self, enabled: &Enabled<'_>) {
        self.explorer.delay(enabled);
    }
    fn started(&mut self, operation: OperationId) {
        self.note('+', operation.index());
        self.explorer.started(operation);
    }
    fn finished(&mut self, operation: OperationId) {
        self.note('-', operation.index());
        self.explorer.finished(operation);
    }
    fn stepped(&mut self, step: &Pending) {
        self.explorer.stepped(step);
        self.note(':', step.operation.index());
    }
}
