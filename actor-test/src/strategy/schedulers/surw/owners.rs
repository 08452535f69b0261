//! The owners of interesting steps under SURW, with the steps that each has left: [`Owners`].

use rand_core::Rng;

use super::super::urw::{UNIT, below_any, units};
use crate::strategy::per_operation::PerOperation;
use crate::strategy::tree::{Sum, Tree};
use crate::strategy::{Effort, Estimates, OperationId};

/// The owners of interesting steps: those that the pilots met, sorted by path, then others.
#[derive(Debug, Default)]
pub(super) struct Owners {
    /// The path of each owner that the pilots met, and its steps in an execution, in units.
    met: Vec<(u64, u64)>,
    /// The operation of each owner, once it was found.
    operations: Vec<Option<OperationId>>,
    /// The owner of each operation, plus one.
    of: PerOperation<u32>,
    /// The interesting steps that each owner has left, in units.
    left: Tree<Sum>,
    /// The steps of an owner that the pilots did not meet.
    unknown: u64,
}

/// The weight of an owner that has taken all of its expected steps.
const REST: u64 = UNIT / 16;

impl Owners {
    /// Begins an execution in which flushes into `only`, or else all contended inboxes, are interesting.
    pub(super) fn begin(&mut self, estimates: &Estimates, only: &[u64]) {
        let met = &mut self.met;
        met.clear();
        let in_units = |(path, flushes): (u64, f64)| (path, units(flushes));
        if only.is_empty() {
            let flushes = |(path, effort): (u64, Effort)| (path, effort.contended_flushes);
            let all = estimates.efforts().map(flushes).map(in_units);
            met.extend(all.filter(|(_, left)| *left > 0));
        } else {
            let into = only.iter().flat_map(|inbox| estimates.flushes_into(*inbox));
            met.extend(into.map(in_units));
            met.sort_unstable_by_key(|(path, _)| *path);
            met.dedup_by(|second, first| {
                let same = second.0 == first.0;
                first.1 += if same { second.1 } else { 0 };
                same
            });
        }
        self.operations.clear();
        self.operations.resize(met.len(), None);
        self.of.clear();
        self.left.clear();
        for (owner, (_, left)) in met.iter().enumerate().rev() {
            self.left.set(owner, Sum(*left));
        }
        let Sum(total) = self.left.root();
        self.unknown = total.checked_div(met.len() as u64).unwrap_or(UNIT);
    }

    /// The owner of an operation, if it was found.
    #[inline]
    pub(super) fn of(&self, operation: OperationId) -> Option<usize> {
        (self.of.get(operation) as usize).checked_sub(1)
    }

    /// Finds the owner of an operation by its path; adds one that the pilots did not meet.
    pub(super) fn find(&mut self, path: u64, operation: OperationId) -> usize {
        let found = self.met.binary_search_by_key(&path, |(path, _)| *path);
        let owner = found.unwrap_or(self.operations.len());
        if owner == self.operations.len() {
            self.operations.push(None);
            self.left.set(owner, Sum(self.unknown));
        }
        self.operations[owner] = Some(operation);
        *self.of.of(operation) = owner as u32 + 1;
        owner
    }

    /// The operation of an owner, if it was found.
    pub(super) fn operation(&self, owner: usize) -> Option<OperationId> {
        self.operations[owner]
    }

    /// The interesting steps that an owner has left, in units.
    #[inline]
    pub(super) fn left(&self, owner: usize) -> u64 {
        self.left.get(owner).0
    }

    /// Takes a step of an owner. The remainder stays above zero, since an owner may have more steps than
    /// the pilots showed, and would otherwise wait for all others each time.
    #[inline]
    pub(super) fn step(&mut self, owner: usize) {
        let left = self.left(owner).saturating_sub(UNIT).max(REST);
        self.left.set(owner, Sum(left));
    }

    /// Draws an owner in proportion to the steps left; `None` if there are none.
    #[inline]
    pub(super) fn draw(&self, rng: &mut impl Rng) -> Option<usize> {
        let Sum(total) = self.left.root();
        (total > 0).then(|| self.left.find(below_any(rng, total), |left| *left))
    }
}
