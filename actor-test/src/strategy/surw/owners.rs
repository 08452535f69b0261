//! Who takes interesting steps, and how many each has left.

use rand_core::Rng;

use super::super::per_operation::PerOperation;
use super::super::tree::{Sum, Tree};
use super::super::urw::{UNIT, below_any, units};
use super::super::{Effort, Estimates, OperationId};

/// The owners of interesting steps: those that pilots met, sorted by path, then others as they come.
#[derive(Debug, Default)]
pub(super) struct Owners {
    /// The path of each that pilots met, and how many it has in an execution, in units.
    met: Vec<(u64, u64)>,
    /// The operation of each, once it was found.
    operations: Vec<Option<OperationId>>,
    /// The owner that an operation is, plus one.
    of: PerOperation<u32>,
    /// The interesting steps to come of each, in units.
    left: Tree<Sum>,
    /// As many has one that pilots did not meet.
    unknown: u64,
}

/// What is left of an owner that has taken as many as were expected.
const REST: u64 = UNIT / 16;

impl Owners {
    /// Counts the interesting steps of the execution that begins: those into `only` these inboxes,
    /// or where there are none, into all that are contended.
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

    /// The owner that an operation is, if it was found.
    #[inline]
    pub(super) fn of(&self, operation: OperationId) -> Option<usize> {
        (self.of.get(operation) as usize).checked_sub(1)
    }

    /// Finds the owner that an operation is, by its path; adds one that pilots did not meet.
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

    /// An owner takes one. Something is left of each, since it may have more than pilots showed, and
    /// would else wait for all others each time.
    #[inline]
    pub(super) fn step(&mut self, owner: usize) {
        let left = self.left(owner).saturating_sub(UNIT).max(REST);
        self.left.set(owner, Sum(left));
    }

    /// Draws an owner in proportion to what each has left; `None` where that is nothing.
    #[inline]
    pub(super) fn draw(&self, rng: &mut impl Rng) -> Option<usize> {
        let Sum(total) = self.left.root();
        (total > 0).then(|| self.left.find(below_any(rng, total), |left| *left))
    }
}
