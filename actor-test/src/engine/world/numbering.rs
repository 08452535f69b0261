//! The numbers of operations: whether a program observes the order in which operations were created.

use crate::data::constructs::StepConstruct;
use crate::engine::world::footprint::StepFootprint;
use crate::engine::world::operations::Operations;

/// The number of reads of actor numbers so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct NumbersSeen {
    /// The reads by handlers, tasks and the test body.
    pub(crate) by_operations: u64,
    /// The reads by monitors and predicates.
    pub(crate) by_observers: u64,
}

/// The creators of operations, and whether the order of creation is observed.
#[derive(Clone, Debug, Default)]
pub(crate) struct Numbering {
    creator: Option<u32>,
    /// True once several operations have created others, so that numbers depend on their order.
    has_several: bool,
    seen: NumbersSeen,
}

impl Numbering {
    /// Records that an operation has created another.
    pub(super) fn created_by(&mut self, parent: u32) {
        let creator = *self.creator.get_or_insert(parent);
        self.has_several |= creator != parent;
    }

    /// Records that the send of an operation has created another one, namely a link.
    pub(super) fn created_on_the_way(&mut self) {
        self.has_several = true;
    }
}

impl Operations {
    /// Records the reads of actor numbers up to the end of the step in progress. If the numbers depend on the
    /// order of creation and were read, any earlier step might have come in another order.
    pub(crate) fn end_numbering(
        &mut self,
        footprint: &mut StepFootprint,
        seen: NumbersSeen,
        had_several: bool,
    ) {
        let before = std::mem::replace(&mut self.numbering.seen, seen);
        let has_several = self.numbering.has_several;
        if !has_several || (before == seen && has_several == had_several) {
            return;
        }
        if seen.by_operations > 0 {
            footprint.interrupt_all(self.count(), StepConstruct::Identity);
        } else if seen.by_observers > 0 {
            footprint.interrupt_all(self.count(), StepConstruct::Monitor);
        }
    }

    pub(crate) fn has_several_creators(&self) -> bool {
        self.numbering.has_several
    }
}
