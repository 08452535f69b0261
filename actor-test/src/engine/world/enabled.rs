//! The dense set of enabled operations.

use crate::strategy::{Changes, OperationId, Pending};

/// A position that stands for "not enabled".
pub(crate) const ABSENT: u32 = u32::MAX;

/// What each enabled operation would do, without gaps and without an order to maintain: an
/// operation keeps its position, and the last one moves where another leaves.
#[derive(Clone, Debug, Default)]
pub(crate) struct EnabledSet {
    pending: Vec<Pending>,
    changes: Changes,
}

impl EnabledSet {
    pub(crate) fn clear(&mut self) {
        self.pending.clear();
        self.changes.clear();
    }

    #[inline]
    pub(crate) fn len(&self) -> usize {
        self.pending.len()
    }

    /// What that operation would do; a look at all.
    pub(crate) fn of(&self, operation: OperationId) -> Option<Pending> {
        let mut pending = self.pending.iter();
        pending
            .find(|pending| pending.operation == operation)
            .copied()
    }

    #[inline]
    pub(crate) fn pending(&self) -> &[Pending] {
        &self.pending
    }

    /// What has changed lately, for strategies.
    #[inline]
    pub(crate) fn changes(&self) -> &Changes {
        &self.changes
    }

    /// Adds an operation, or changes what it would do. `position` is where the operation keeps it.
    #[inline]
    pub(crate) fn set(&mut self, position: &mut u32, pending: Pending) {
        if *position == ABSENT {
            *position = self.pending.len() as u32;
            self.pending.push(pending);
        } else {
            self.pending[*position as usize] = pending;
        }
        self.changes.record(*position);
    }

    /// Removes an operation; tells which other one has moved to its position.
    #[inline]
    pub(crate) fn remove(&mut self, position: &mut u32) -> Option<(OperationId, u32)> {
        if *position == ABSENT {
            return None;
        }
        let index = std::mem::replace(position, ABSENT);
        self.pending.swap_remove(index as usize);
        self.changes.record(index);
        let moved = self.pending.get(index as usize)?;
        Some((moved.operation, index))
    }
}
