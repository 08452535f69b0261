//! In which order operations come into being, which their numbers tell.

use crate::engine::world::state::ExecutionState;
use crate::strategy::StepConstruct;

/// How often somebody has looked at the numbers of actors.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct NumbersSeen {
    /// Handlers, tasks and the test body.
    pub(crate) by_operations: u64,
    /// Monitors and predicates.
    pub(crate) by_onlookers: u64,
}

/// The operations that have created others, and whether the order is to be seen.
#[derive(Clone, Debug, Default)]
pub(crate) struct Numbering {
    creator: Option<u32>,
    /// Several have, so that numbers depend on their order.
    has_several: bool,
    seen: NumbersSeen,
}

impl ExecutionState {
    /// An operation has created another.
    pub(crate) fn created_by(&mut self, parent: u32) {
        let creator = *self.numbering.creator.get_or_insert(parent);
        self.numbering.has_several |= creator != parent;
    }

    /// An operation has come into being by another's sending.
    pub(crate) fn created_on_the_way(&mut self) {
        self.numbering.has_several = true;
    }

    /// The step in progress is over, after which numbers of actors have been looked at that often. Where
    /// these depend on who has created actors first, whatever was done before might have come in another
    /// order.
    pub(crate) fn end_numbering(&mut self, seen: NumbersSeen, had_several: bool) {
        let before = std::mem::replace(&mut self.numbering.seen, seen);
        let has_several = self.numbering.has_several;
        if !has_several || (before == seen && has_several == had_several) {
            return;
        }
        if seen.by_operations > 0 {
            self.interrupt_all(StepConstruct::Identity);
        } else if seen.by_onlookers > 0 {
            self.interrupt_all(StepConstruct::Monitor);
        }
    }

    /// Several operations have created others.
    pub(crate) fn has_several_creators(&self) -> bool {
        self.numbering.has_several
    }
}
