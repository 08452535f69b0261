//! A table with an entry for each operation.

use super::OperationId;

/// A value for each operation of an execution, found by its number. It grows as operations come,
/// and keeps its memory for the next execution.
#[derive(Clone, Debug, Default)]
pub(super) struct PerOperation<T> {
    values: Vec<T>,
}

impl<T: Copy + Default> PerOperation<T> {
    /// Forgets every value.
    pub(super) fn clear(&mut self) {
        self.values.clear();
    }

    /// The value of an operation, the default one at first.
    #[inline]
    pub(super) fn of(&mut self, operation: OperationId) -> &mut T {
        // Actors and timers are counted apart, each from zero: they take turns in the table.
        let index = operation.bits().rotate_left(1) as usize;
        if index >= self.values.len() {
            self.grow(index);
        }
        &mut self.values[index]
    }

    /// As [`of`](Self::of), to look only.
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
