//! The fingerprints of all operations, brought up to date where a step has touched one.

use crate::engine::sameness::fingerprint::{Look, Scratch};

#[cfg(test)]
pub(crate) mod tests;

/// The fingerprints as they were when they were looked at last.
#[derive(Default)]
pub(crate) struct Prints {
    of: Vec<u128>,
    /// The sum of `of`.
    sum: u128,
    rest: u128,
    /// The operations that may have changed since, and whether they are still to be looked at.
    stale: Vec<u32>,
    is_stale: Vec<bool>,
    scratch: Scratch,
}

impl Prints {
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
    pub(crate) fn look_anew(&mut self, live: u32) {
        self.of.clear();
        self.stale.clear();
        self.is_stale.clear();
        self.sum = 0;
        (0..live).for_each(|operation| self.touch(operation));
    }

    /// The operation may have changed.
    pub(crate) fn touch(&mut self, operation: u32) {
        let index = operation as usize;
        if self.is_stale.len() <= index {
            self.is_stale.resize(index + 1, false);
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

    /// The fingerprint of everything but the operations, when the whole was looked at last.
    pub(crate) fn rest(&self) -> u128 {
        self.rest
    }

    fn renew(&mut self, look: &Look<'_>, operation: u32) {
        let index = operation as usize;
        let print = look.operation(operation, &mut self.scratch);
        let before = std::mem::replace(&mut self.of[index], print);
        self.sum = self.sum.wrapping_sub(before).wrapping_add(print);
        self.is_stale[index] = false;
    }

    fn renew_all(&mut self, look: &Look<'_>) {
        while let Some(operation) = self.stale.pop() {
            self.renew(look, operation);
        }
    }

    /// The fingerprint of the whole state.
    pub(crate) fn whole(&mut self, look: &Look<'_>) -> u128 {
        self.renew_all(look);
        self.rest = look.rest(&mut self.scratch);
        look.whole(self.sum, self.rest)
    }
}
