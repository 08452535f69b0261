//! Who is about to be referred to by nobody, of the actors that count references.
//!
//! A reference is gone when its owner's handler drops it. That counts from where it stands among what the
//! handler did besides: an event that was sent before arrives before.

use std::collections::BTreeMap;

use crate::engine::world::operation::{Effect, OperationStage};
use crate::engine::world::state::ExecutionState;
use crate::strategy::StepConstruct;

/// Those of whom a reference was dropped, until that counts.
pub(crate) type References = BTreeMap<u32, DroppedReferences>;

#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct DroppedReferences {
    /// How many references were dropped that still count.
    pending: u32,
    /// The last one was among them.
    all: bool,
}

impl ExecutionState {
    /// An operation drops a reference to `to`, maybe the last one.
    pub(crate) fn drop_reference(&mut self, by: u32, to: u32, is_last: bool) {
        self.reach.add(StepConstruct::References);
        let found = self.operations.get(to as usize);
        if found.is_none_or(|operation| operation.stage == OperationStage::Gone) {
            return;
        }
        let dropped = self.references.entry(to).or_default();
        dropped.pending += 1;
        dropped.all |= is_last;
        self.push(by, Effect::DropReference { to });
    }

    /// A reference to `to` that was dropped counts no more. Where it was the last one that did, `by` stops
    /// the actor next.
    pub(super) fn let_go(&mut self, by: u32, to: u32) {
        self.reach.add(StepConstruct::References);
        let Some(dropped) = self.references.get_mut(&to) else {
            return;
        };
        dropped.pending -= 1;
        if dropped.pending > 0 {
            return;
        }
        let all = dropped.all;
        self.references.remove(&to);
        if all {
            let at_once = false;
            let outbox = &mut self.operations[by as usize].outbox;
            outbox.put_first(Effect::Stop { to, at_once });
        }
    }
}
