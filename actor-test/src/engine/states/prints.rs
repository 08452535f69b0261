//! Incremental fingerprints of all operations: only those that a step has touched are computed again.

use std::hash::Hasher;

use actor_core::Fingerprinter;

use crate::engine::states::fingerprint::{EngineView, Scratch};

#[cfg(test)]
pub(crate) mod tests;

/// The fingerprints at the last computation.
#[derive(Default)]
pub(crate) struct IncrementalFingerprints {
    of: Vec<u128>,
    /// The sum of `of`.
    sum: u128,
    /// The fingerprint of the armed timers; zero if there are none.
    timers: u128,
    /// The fingerprint of everything but operations and timers.
    others: u128,
    /// The operations that may have changed since, as a list and as flags.
    stale: Vec<u32>,
    is_stale: Vec<bool>,
    /// The operations that are represented by their history in part, and their number.
    is_blind: Vec<bool>,
    blind: usize,
    is_rest_blind: bool,
    scratch: Scratch,
}

impl IncrementalFingerprints {
    /// Compares states of several executions from here on; by histories if `by_history` is set.
    pub(crate) fn compare_executions(&mut self, by_history: bool) {
        self.scratch.across = true;
        self.scratch.by_history = by_history;
    }

    /// Sets the origin of the run of an operation's code, before its fingerprint is computed again.
    pub(crate) fn set_origin(&mut self, operation: u32, origin: Option<u64>) {
        self.scratch.origins.set(operation, origin);
    }

    pub(crate) fn begin(&mut self) {
        self.scratch.cost = 0;
    }

    /// Returns the cost of the execution's fingerprints, in units of about 10 ns.
    pub(crate) fn cost(&self) -> u64 {
        self.scratch.cost
    }

    pub(crate) fn add_cost(&mut self, cost: u64) {
        self.scratch.cost += cost;
    }

    /// Marks all of the `live` operations as changed.
    pub(crate) fn mark_all_changed(&mut self, live: u32) {
        self.scratch.origins.clear();
        self.of.clear();
        self.stale.clear();
        self.is_stale.clear();
        self.is_blind.clear();
        self.blind = 0;
        self.sum = 0;
        (0..live).for_each(|operation| self.touch(operation));
    }

    /// Marks an operation that may have changed.
    pub(crate) fn touch(&mut self, operation: u32) {
        let index = operation as usize;
        if self.is_stale.len() <= index {
            self.is_stale.resize(index + 1, false);
            self.is_blind.resize(index + 1, false);
            self.of.resize(index + 1, 0);
        }
        if !std::mem::replace(&mut self.is_stale[index], true) {
            self.stale.push(operation);
        }
    }

    /// Copies the operations that may have changed since the last computation, in rising order.
    pub(crate) fn touched(&mut self, into: &mut Vec<u32>) {
        self.stale.sort_unstable();
        into.clone_from(&self.stale);
    }

    /// Returns the last fingerprint of an operation.
    pub(crate) fn of(&self, operation: u32) -> u128 {
        self.of[operation as usize]
    }

    /// Returns the last fingerprints of all operations.
    pub(crate) fn all(&self) -> &[u128] {
        &self.of
    }

    /// Returns the last fingerprint of the armed timers.
    pub(crate) fn timers(&self) -> u128 {
        self.timers
    }

    /// Returns the armed timers, each with its fingerprint.
    pub(crate) fn armed(&self) -> &[(u32, u128)] {
        &self.scratch.timers
    }

    /// Returns the last fingerprint of everything but operations and timers.
    pub(crate) fn others(&self) -> u128 {
        self.others
    }

    /// Returns the last fingerprint of everything but the operations.
    pub(crate) fn rest(&self) -> u128 {
        let mut to = Fingerprinter::new();
        to.write_u128(self.timers);
        to.write_u128(self.others);
        to.value()
    }

    fn renew(&mut self, view: &EngineView<'_>, operation: u32) {
        let index = operation as usize;
        self.scratch.uses_history = false;
        let print = view.operation(operation, &mut self.scratch);
        let was_blind = std::mem::replace(&mut self.is_blind[index], self.scratch.uses_history);
        self.blind = self.blind + usize::from(self.scratch.uses_history) - usize::from(was_blind);
        let before = std::mem::replace(&mut self.of[index], print);
        self.sum = self.sum.wrapping_sub(before).wrapping_add(print);
        self.is_stale[index] = false;
    }

    fn renew_all(&mut self, view: &EngineView<'_>) {
        while let Some(operation) = self.stale.pop() {
            self.renew(view, operation);
        }
    }

    /// Returns the fingerprint of the whole state.
    pub(crate) fn whole(&mut self, view: &EngineView<'_>) -> u128 {
        self.renew_all(view);
        self.scratch.uses_history = false;
        (self.timers, self.others) = view.rest(&mut self.scratch);
        self.is_rest_blind = self.scratch.uses_history;
        view.whole(self.sum, self.rest())
    }

    /// Returns true if the operation is represented by its history in part.
    pub(crate) fn is_blind(&self, operation: u32) -> bool {
        let known = self.is_blind.get(operation as usize);
        known.copied().unwrap_or(false)
    }

    /// Returns true if any part of the state is represented by its history.
    pub(crate) fn is_any_blind(&self) -> bool {
        self.blind > 0 || self.is_rest_blind
    }
}
