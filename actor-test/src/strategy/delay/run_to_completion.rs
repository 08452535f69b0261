//! The explorer that follows events.

use super::super::per_operation::PerOperation;
use super::super::{Enabled, Execution, OperationId, Pending, StepKind};
use super::DelayingExplorer;

/// Follows the chain of events: what was sent last is handled first (Desai, Qadeer and Seshia,
/// ESEC/FSE 2015, section 5.3). Operations have priorities; the receiver of a send gets the highest,
/// and so has an operation that starts, but for a timer, which gets the lowest. A delay gives the
/// operation on top the lowest.
///
/// It reaches the deepest chains with few delays, and few different behaviours.
///
/// Guarantee: sound, since as many delays as there are enabled operations bring each to the top once.
#[derive(Debug, Default)]
pub struct RunToCompletion {
    priorities: PerOperation<i64>,
    highest: i64,
    lowest: i64,
}

impl RunToCompletion {
    /// The explorer.
    pub fn new() -> Self {
        Self::default()
    }

    fn raise(&mut self, operation: OperationId) {
        self.highest += 1;
        *self.priorities.of(operation) = self.highest;
    }

    fn lower(&mut self, operation: OperationId) {
        self.lowest -= 1;
        *self.priorities.of(operation) = self.lowest;
    }
}

impl DelayingExplorer for RunToCompletion {
    fn name(&self) -> String {
        "rtc".into()
    }

    fn begin(&mut self, _: &Execution) {
        self.priorities.clear();
        (self.highest, self.lowest) = (0, 0);
    }

    #[inline]
    fn next(&self, enabled: &Enabled<'_>) -> usize {
        let (mut next, mut highest) = (0, i64::MIN);
        for (index, pending) in enabled.iter().enumerate() {
            let priority = self.priorities.get(pending.operation);
            if priority > highest {
                (next, highest) = (index, priority);
            }
        }
        next
    }

    fn delay(&mut self, enabled: &Enabled<'_>) {
        self.lower(enabled[self.next(enabled)].operation);
    }

    fn started(&mut self, operation: OperationId) {
        if operation.is_timer() {
            self.lower(operation);
        } else {
            self.raise(operation);
        }
    }

    #[inline]
    fn stepped(&mut self, step: &Pending) {
        match step.inbox {
            Some(receiver) if matches!(step.kind, StepKind::Flush | StepKind::Timer) => {
                self.raise(receiver);
            }
            _ => {}
        }
    }
}
