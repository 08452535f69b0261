//! The fingerprints of all operations, brought up to date where a step has touched one.

use crate::engine::sameness::fingerprint::{Look, Scratch};

#[cfg(test)]
pub(crate) mod tests;

/// The fingerprints as they were when they were looked at last, and those of the anchor: the state
/// with which others are compared.
#[derive(Default)]
pub(crate) struct Prints {
    of: Vec<u128>,
    /// The sum of `of`.
    sum: u128,
    /// The operations that may have changed since, and whether they are still to be looked at.
    stale: Vec<u32>,
    is_stale: Vec<bool>,
    anchor: Vec<u128>,
    anchor_rest: u128,
    /// Operations that differed from the anchor when they were looked at; the last tell most.
    differing: Vec<u32>,
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

    /// Makes the state that the execution is in the anchor. It has `live` operations.
    pub(crate) fn anchor(&mut self, look: &Look<'_>, live: u32) {
        self.of.clear();
        self.stale.clear();
        self.is_stale.clear();
        self.sum = 0;
        (0..live).for_each(|operation| self.touch(operation));
        self.renew_all(look);
        self.anchor.clone_from(&self.of);
        self.anchor_rest = look.rest(&mut self.scratch);
        self.differing.clear();
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

    /// Whether the state is that of the anchor. One operation that differs is enough to know, and is
    /// looked at again only when it was touched; so is what moves all the time, last of all.
    pub(crate) fn is_at_anchor(&mut self, look: &Look<'_>) -> bool {
        while let Some(operation) = self.differing.last() {
            if !self.is_stale[*operation as usize] && self.differs(*operation) {
                return false;
            }
            self.differing.pop();
        }
        while let Some(operation) = self.stale.pop() {
            self.renew(look, operation);
            if self.differs(operation) {
                self.differing.push(operation);
                return false;
            }
        }
        look.rest(&mut self.scratch) == self.anchor_rest
    }

    fn differs(&self, operation: u32) -> bool {
        let index = operation as usize;
        let before = self.anchor.get(index).copied().unwrap_or(0);
        self.of[index] != before
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
        let rest = look.rest(&mut self.scratch);
        look.whole(self.sum, rest)
    }
}
