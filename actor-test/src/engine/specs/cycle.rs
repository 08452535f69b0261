//! Cycles of asks: deadlocks of handlers that wait for each other's replies.

use crate::engine::world::asks::AskRecord;
use crate::engine::world::effect::Effect;
use crate::engine::world::operation::OperationStage;
use crate::engine::world::state::ExecutionState;

/// The wait-for graph of asks.
pub(crate) struct WaitForGraph<'a> {
    pub(crate) state: &'a ExecutionState,
}

impl WaitForGraph<'_> {
    /// Returns the cycle of asks that `operation` has closed, by waiting or by an event that has arrived at a
    /// waiting actor. The search runs at once, since others may go on for long.
    pub(crate) fn cycle(&self, operation: u32) -> Option<Vec<u32>> {
        let mut cycle = self.cycle_from(operation)?;
        // The first operation is the oldest, whichever has closed the cycle.
        let oldest = (0..cycle.len()).min_by_key(|at| cycle[*at]);
        cycle.rotate_left(oldest.unwrap_or_default());
        Some(cycle)
    }

    /// Returns the operations of the cycle that leads back to `first`.
    fn cycle_from(&self, first: u32) -> Option<Vec<u32>> {
        let length = self.length_of_round(first)?;
        let round = std::iter::successors(Some(first), |operation| {
            self.asked(*operation).map(|(_, target)| target)
        });
        let cycle: Vec<u32> = round.take(length).collect();
        let is_stuck = |operation: &u32| {
            let asked = self.asked(*operation);
            asked.is_some_and(|(ask, _)| self.is_unanswered(ask))
                && self.waits_for_nothing_else(*operation)
        };
        cycle.iter().all(is_stuck).then_some(cycle)
    }

    /// Returns the number of operations until the asks lead back to `first`. Most lead to one that goes on.
    fn length_of_round(&self, first: u32) -> Option<usize> {
        let mut operation = first;
        // Only suspended operations take part.
        for length in 1..=self.state.operations.suspended() {
            (_, operation) = self.asked(operation)?;
            if operation == first {
                return Some(length);
            }
        }
        None
    }

    /// Returns the only ask that a suspended operation awaits, and its target, if that is suspended, too.
    fn asked(&self, operation: u32) -> Option<(&AskRecord, u32)> {
        let found = &self.state.operations[operation];
        if found.stage != OperationStage::Suspended || found.woken {
            return None;
        }
        let ask = self.state.requests.asks.only_awaited(operation)?;
        let target = &self.state.operations[ask.target];
        (target.stage == OperationStage::Suspended).then_some((ask, ask.target))
    }

    /// Returns true if the target's suspended handler has to answer the ask, or keeps it from being handled.
    fn is_unanswered(&self, ask: &AskRecord) -> bool {
        let is_under_way = |effect: &Effect| matches!(effect, Effect::Send { letter, .. } if letter.key == ask.letter);
        let operations = &self.state.operations;
        let (asker, target) = (&operations[ask.asker], &operations[ask.target]);
        let in_hand = target.handling == ask.letter && !ask.is_handed_over;
        in_hand
            || target.inbox.iter().any(|letter| letter.key == ask.letter)
            // A full mailbox might refuse it.
            || target.bound.is_none() && asker.outbox.as_slice().iter().any(is_under_way)
    }

    /// Returns true if no timer, event or capacity can resume the operation.
    fn waits_for_nothing_else(&self, operation: u32) -> bool {
        let found = &self.state.operations[operation];
        found.receiving.is_empty()
            && !self.state.timers.has_limit_of(operation)
            && found.questions == 0
    }
}
