//! A table with a value for each operation: [`PerOperation`].

use super::OperationId;

/// A value for each operation of an execution. The table keeps its memory for later executions.
#[derive(Clone, Debug, Default)]
pub(super) struct PerOperation<T> {
    values: Vec<T>,
}

impl<T: Copy + Default> PerOperation<T> {
    pub(super) fn clear(&mut self) {
        self.values.clear();
    }

    /// The value of an operation, the default one at first.
    #[inline]
    pub(super) fn of(&mut self, operation: OperationId) -> &mut T {
        // Actors and timers are each counted from zero, so they alternate in the table.
        let index = operation.bits().rotate_left(1) as usize;
        if index >= self.values.len() {
            self.grow(index);
        }
        &mut self.values[index]
    }

    /// As [`of`](Self::of), without inserting.
    #[inline]
    pub(super) fn get(&self, operation: OperationId) -> T {
        let index = operation.bits().rotate_left(1) as usize;
        self.values.get(index).copied().unwrap_or_default()
    }

    #[cold]
    fn grow(&mut self, index: usize) {
        self.values
            .resize((index + 1).next_power_of_two(), T::default());
    }
}
