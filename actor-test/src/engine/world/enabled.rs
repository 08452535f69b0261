//! The enabled set: the operations that may take the next step, in a dense array.

use crate::strategy::{Changes, OperationId, Pending};

/// The position of an operation that is not enabled.
pub(crate) const ABSENT: u32 = u32::MAX;

/// The position of an operation whose node is paused, which is not enabled whatever its next step.
pub(crate) const PAUSED: u32 = u32::MAX - 1;

/// The next step of each enabled operation, in a dense array without an order. An operation keeps its
/// position, except that the last one fills a gap. Patient timers are kept apart, so that they are not added
/// and removed one by one.
#[derive(Clone, Debug, Default)]
pub(crate) struct EnabledSet {
    pending: Vec<Pending>,
    /// The patient timers, which are enabled only while nothing else is.
    patient: Vec<Pending>,
    changes: Changes,
}

impl EnabledSet {
    pub(crate) fn clear(&mut self) {
        self.pending.clear();
        self.patient.clear();
        self.changes.clear();
    }

    #[inline]
    pub(crate) fn len(&self) -> usize {
        self.pending().len()
    }

    /// Returns whether there are patient timers that are not enabled.
    pub(crate) fn holds_back(&self) -> bool {
        !self.patient.is_empty() && !self.pending.is_empty()
    }

    #[inline]
    pub(crate) fn pending(&self) -> &[Pending] {
        if self.pending.is_empty() {
            &self.patient
        } else {
            &self.pending
        }
    }

    /// Returns the positions that have changed lately, for strategies.
    #[inline]
    pub(crate) fn changes(&self) -> &Changes {
        &self.changes
    }

    /// Adds an operation that is not paused, or replaces its next step. The operation keeps its place in
    /// `position`.
    #[inline(always)]
    pub(crate) fn set(&mut self, position: &mut u32, pending: Pending) {
        if *position == ABSENT {
            self.turn();
            *position = self.pending.len() as u32;
            self.pending.push(pending);
        } else if let Some(before) = self.pending.get_mut(*position as usize) {
            *before = pending;
        } else {
            debug_assert!(*position == PAUSED, "{position} is no position");
            return;
        }
        self.changes.record(*position);
    }

    /// Removes an operation. Returns the operation that has moved to its position, and that position.
    #[inline]
    pub(crate) fn remove(&mut self, position: &mut u32) -> Option<(OperationId, u32)> {
        if *position >= PAUSED {
            return None;
        }
        let index = std::mem::replace(position, ABSENT);
        let last = self.pending.pop()?;
        self.turn();
        self.changes.record(index);
        let left = self.pending.get_mut(index as usize)?;
        *left = last;
        Some((last.operation, index))
    }

    /// Records that all positions change, if patient timers become enabled or disabled.
    #[inline]
    fn turn(&mut self) {
        if self.pending.is_empty() && !self.patient.is_empty() {
            self.changes.record_all();
        }
    }

    pub(crate) fn add_patient(&mut self, position: &mut u32, pending: Pending) {
        *position = self.patient.len() as u32;
        self.patient.push(pending);
        self.changes.record(*position);
    }

    /// Removes a patient timer, as [`remove`](Self::remove) does.
    pub(crate) fn remove_patient(&mut self, position: &mut u32) -> Option<(OperationId, u32)> {
        if *position == ABSENT {
            return None;
        }
        let index = std::mem::replace(position, ABSENT);
        self.patient.swap_remove(index as usize);
        self.changes.record(index);
        let moved = self.patient.get(index as usize)?;
        Some((moved.operation, index))
    }
}
