//! The dense set of enabled operations.

use crate::strategy::{Changes, OperationId, Pending};

/// A position that stands for "not enabled".
pub(crate) const ABSENT: u32 = u32::MAX;

/// What each enabled operation would do, without gaps and without an order to maintain: an
/// operation keeps its position, and the last one moves where another leaves. Patient timers are
/// kept apart, so that nobody has to hide and show them all.
#[derive(Clone, Debug, Default)]
pub(crate) struct EnabledSet {
    pending: Vec<Pending>,
    /// The patient timers, which are enabled while nothing else is.
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

    /// There are patient timers, and they are not enabled.
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

    /// What has changed lately, for strategies.
    #[inline]
    pub(crate) fn changes(&self) -> &Changes {
        &self.changes
    }

    /// Adds an operation, or changes what it would do. `position` is where the operation keeps it.
    #[inline(always)]
    pub(crate) fn set(&mut self, position: &mut u32, pending: Pending) {
        if *position == ABSENT {
            self.turn();
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
        let last = self.pending.pop()?;
        self.turn();
        self.changes.record(index);
        let left = self.pending.get_mut(index as usize)?;
        *left = last;
        Some((last.operation, index))
    }

    /// Patient timers become enabled, or are so no longer, where nothing else is enabled.
    #[inline]
    fn turn(&mut self) {
        if self.pending.is_empty() && !self.patient.is_empty() {
            self.changes.record_all();
        }
    }

    /// Adds a patient timer.
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
