//! Driver of a delaying explorer, which notifies it of starts, ends and steps: [`ExplorerDriver`].

use super::DelayingExplorer;
use crate::hash::mix;
use crate::strategy::changes::{ChangeReader, FEW};
use crate::strategy::per_operation::PerOperation;
use crate::strategy::{Enabled, Execution, FaultTiming, OperationId, PossibleFault};

/// Drives an explorer: reports operations that are newly enabled, have finished, or take a step.
#[derive(Debug)]
pub(in crate::strategy) struct ExplorerDriver<E> {
    explorer: E,
    met: PerOperation<bool>,
    /// A hash of the set of operations met.
    met_hash: u64,
    follower: ChangeReader,
    /// The operation of the last step, and its position then.
    last: Option<(OperationId, usize)>,
    /// The positions that are passed over before one step.
    passed: Vec<usize>,
    is_unsound: bool,
}

impl<E: DelayingExplorer> ExplorerDriver<E> {
    pub(in crate::strategy) fn new(explorer: E) -> Self {
        Self {
            explorer,
            met: PerOperation::default(),
            met_hash: 0,
            follower: ChangeReader::default(),
            last: None,
            passed: Vec::new(),
            is_unsound: false,
        }
    }

    pub(in crate::strategy) fn name(&self) -> String {
        self.explorer.name()
    }

    pub(in crate::strategy) fn begin(&mut self, execution: &Execution) {
        self.met.clear();
        self.met_hash = 0;
        self.follower.begin();
        self.last = None;
        self.explorer.begin(execution);
    }

    /// Prepares a step: reports new operations, and the last one if it has finished.
    #[inline]
    pub(in crate::strategy) fn observe(&mut self, enabled: &Enabled<'_>) {
        let mut last_is_met = false;
        if enabled.len() > FEW {
            for position in self.follower.observe(enabled) {
                last_is_met |= self.meet(enabled[position].operation);
            }
        } else {
            self.follower.begin();
            for pending in enabled.iter() {
                last_is_met |= self.meet(pending.operation);
            }
        }
        if let Some((last, position)) = self.last.filter(|_| !last_is_met) {
            // An operation that is still enabled and was not met again has kept its place.
            let stays = position < enabled.len() && enabled[position].operation == last;
            if !stays {
                self.explorer.finished(last);
            }
        }
        self.explorer.observe(enabled);
    }

    /// Reports an enabled operation to the explorer if it is new; returns true if it took the last step.
    #[inline]
    fn meet(&mut self, operation: OperationId) -> bool {
        if !std::mem::replace(self.met.of(operation), true) {
            let bits = u64::from(operation.bits());
            self.met_hash = self.met_hash.wrapping_add(mix(1, bits));
            self.explorer.started(operation);
        }
        self.last.is_some_and(|(last, _)| last == operation)
    }

    /// The position of the next operation after so many delays.
    #[inline]
    pub(in crate::strategy) fn delay(&mut self, enabled: &Enabled<'_>, delays: usize) -> usize {
        self.passed.clear();
        for _ in 0..delays {
            self.pass(self.explorer.next(enabled));
            self.explorer.delay(enabled);
        }
        let next = self.explorer.next(enabled);
        if delays > 0 {
            self.pass(next);
        }
        next
    }

    fn pass(&mut self, position: usize) {
        self.is_unsound |= self.passed.contains(&position);
        self.passed.push(position);
    }

    /// True once delays have brought an operation to the front twice before one step, so that others may
    /// never come. Such an explorer is not sound: theorem 1 of the paper does not hold for it.
    pub(in crate::strategy) fn is_unsound(&self) -> bool {
        self.is_unsound
    }

    #[inline]
    pub(in crate::strategy) fn takes(&mut self, enabled: &Enabled<'_>, picked: usize) {
        if let Some(pending) = enabled.get(picked) {
            self.last = Some((pending.operation, picked));
            self.explorer.stepped(pending);
        }
    }

    pub(in crate::strategy) fn times_faults(&self) -> bool {
        self.explorer.times_faults()
    }

    pub(in crate::strategy) fn fault_timing(&self, fault: PossibleFault<'_>) -> FaultTiming {
        self.explorer.fault_timing(fault)
    }

    /// A fingerprint of the schedule to come: see [`DelayingExplorer::state`].
    pub(in crate::strategy) fn state(&self) -> Option<u64> {
        Some(mix(self.explorer.state()?, self.met_hash))
    }
}
