//! The fingerprints of all operations, brought up to date where a step has touched one.

use std::hash::Hasher;

use actor_core::Fingerprinter;

use crate::engine::sameness::fingerprint::{EngineView, Scratch};

#[cfg(test)]
pub(crate) mod tests;

/// The fingerprints as they were when they were looked at last.
#[derive(Default)]
pub(crate) struct IncrementalFingerprints {
    of: Vec<u128>,
    /// The sum of `of`.
    sum: u128,
    /// Of the armed timers; zero where there are none.
    timers: u128,
    /// Of all that is neither an operation nor a timer.
    others: u128,
    /// The operations that may have changed since, and whether they are still to be looked at.
    stale: Vec<u32>,
    is_stale: Vec<bool>,
    /// Those of which something is told apart by its history.
    is_blind: Vec<bool>,
    blind: usize,
    is_rest_blind: bool,
    scratch: Scratch,
}

impl IncrementalFingerprints {
    /// Compares states of several executions from here on, by histories where that is said.
    pub(crate) fn compare_executions(&mut self, by_history: bool) {
        self.scratch.across = true;
        self.scratch.by_history = by_history;
    }

    /// What the step came from that an operation's code has taken, before it is looked at again.
    pub(crate) fn set_origin(&mut self, operation: u32, origin: Option<u64>) {
        self.scratch.origins.set(operation, origin);
    }

    /// Starts an execution.
    pub(crate) fn begin(&mut self) {
        self.scratch.cost = 0;
    }

    /// What all looks at the execution have cost, in units of about 10 ns.
    pub(crate) fn cost(&self) -> u64 {
        self.scratch.cost
    }

    pub(crate) fn add_cost(&mut self, cost: u64) {
        self.scratch.cost += cost;
    }

    /// Has all of the `live` operations looked at.
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

    /// The operation may have changed.
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

    /// Takes over which operations may have changed since the last look, in rising order.
    pub(crate) fn touched(&mut self, into: &mut Vec<u32>) {
        self.stale.sort_unstable();
        into.clone_from(&self.stale);
    }

    /// The fingerprint of an operation, when it was looked at last.
    pub(crate) fn of(&self, operation: u32) -> u128 {
        self.of[operation as usize]
    }

    /// The same of all operations.
    pub(crate) fn all(&self) -> &[u128] {
        &self.of
    }

    /// The fingerprint of the armed timers, when the whole was looked at last.
    pub(crate) fn timers(&self) -> u128 {
        self.timers
    }

    /// The armed timers, each with its own.
    pub(crate) fn armed(&self) -> &[(u32, u128)] {
        &self.scratch.timers
    }

    /// The same of all that is neither an operation nor a timer.
    pub(crate) fn others(&self) -> u128 {
        self.others
    }

    /// The same of everything but the operations.
    pub(crate) fn rest(&self) -> u128 {
        let mut to = Fingerprinter::new();
        to.write_u128(self.timers);
        to.write_u128(self.others);
        to.value()
    }

    fn renew(&mut self, look: &EngineView<'_>, operation: u32) {
        let index = operation as usize;
        self.scratch.uses_history = false;
        let print = look.operation(operation, &mut self.scratch);
        let was_blind = std::mem::replace(&mut self.is_blind[index], self.scratch.uses_history);
        self.blind = self.blind + usize::from(self.scratch.uses_history) - usize::from(was_blind);
        let before = std::mem::replace(&mut self.of[index], print);
        self.sum = self.sum.wrapping_sub(before).wrapping_add(print);
        self.is_stale[index] = false;
    }

    fn renew_all(&mut self, look: &EngineView<'_>) {
        while let Some(operation) = self.stale.pop() {
            self.renew(look, operation);
        }
    }

    /// The fingerprint of the whole state.
    pub(crate) fn whole(&mut self, look: &EngineView<'_>) -> u128 {
        self.renew_all(look);
        self.scratch.uses_history = false;
        (self.timers, self.others) = look.rest(&mut self.scratch);
        self.is_rest_blind = self.scratch.uses_history;
        look.whole(self.sum, self.rest())
    }

    /// Whether something of the operation was told apart by its history when it was looked at last.
    pub(crate) fn is_blind(&self, operation: u32) -> bool {
        let known = self.is_blind.get(operation as usize);
        known.copied().unwrap_or(false)
    }

    /// Whether anything was.
    pub(crate) fn is_any_blind(&self) -> bool {
        self.blind > 0 || self.is_rest_blind
    }
}
