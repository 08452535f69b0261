//! The run-to-completion delaying explorer, which follows chains of events: [`RunToCompletion`].

use super::DelayingExplorer;
use crate::hash::mix;
use crate::strategy::per_operation::PerOperation;
use crate::strategy::{Enabled, Execution, OperationId, Pending, StepKind};

/// Handles the event first that was sent last (Desai, Qadeer and Seshia, ESEC/FSE 2015, section 5.3).
/// Operations have priorities. The receiver of a send and an operation that starts get the highest one, and
/// a new timer gets the lowest. A delay gives the lowest one to the operation on top.
///
/// This explorer covers the deepest chains with few delays, but few different behaviours.
///
/// Guarantee: sound, since as many delays as there are enabled operations bring each to the top once.
#[derive(Debug, Default)]
pub struct RunToCompletion {
    priorities: PerOperation<i64>,
    highest: i64,
    lowest: i64,
    /// The operations that have a priority.
    known: Vec<OperationId>,
}

impl RunToCompletion {
    /// Creates the explorer.
    pub fn new() -> Self {
        Self::default()
    }

    fn raise(&mut self, operation: OperationId) {
        self.highest += 1;
        self.set(operation, self.highest);
    }

    fn lower(&mut self, operation: OperationId) {
        self.lowest -= 1;
        self.set(operation, self.lowest);
    }

    /// No priority that is set is zero.
    #[inline]
    fn set(&mut self, operation: OperationId, priority: i64) {
        let before = std::mem::replace(self.priorities.of(operation), priority);
        if before == 0 {
            self.known.push(operation);
        }
    }
}

impl DelayingExplorer for RunToCompletion {
    fn name(&self) -> String {
        "rtc".into()
    }

    fn begin(&mut self, _: &Execution) {
        self.priorities.clear();
        (self.highest, self.lowest) = (0, 0);
        self.known.clear();
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

    fn state(&self) -> Option<u64> {
        // The fingerprint depends only on the order of priorities.
        let mut known = self.known.clone();
        known.sort_unstable_by_key(|operation| self.priorities.get(*operation));
        let first_below = known.partition_point(|operation| self.priorities.get(*operation) < 0);
        let order = known.iter().fold(0, |order, operation| {
            mix(order, u64::from(operation.bits()))
        });
        // Operations without a priority come between the lowered and the raised ones.
        Some(mix(order, first_below as u64))
    }
}
