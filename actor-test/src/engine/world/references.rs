//! Reference counting: actors that stop when the last reference to them is dropped.
//!
//! The drop of a reference takes effect in the order of the handler's effects: an event that was sent before
//! arrives before.

use std::collections::BTreeMap;

use crate::data::constructs::StepConstruct;
use crate::engine::world::effect::Effect;
use crate::engine::world::footprint::StepFootprint;
use crate::engine::world::operations::Operations;
use crate::hash::mix;

/// The actors to which references were dropped, until the drops take effect.
pub(crate) type References = BTreeMap<u32, DroppedReferences>;

#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct DroppedReferences {
    /// The number of drops that have not taken effect.
    pending: u32,
    /// True if the last reference is among those that were dropped.
    all: bool,
}

impl Operations {
    /// Records that `by` has tried to turn a weak reference to `to` into a strong one.
    pub(crate) fn upgrade(
        &mut self,
        footprint: &mut StepFootprint,
        by: u32,
        (to, is_there): (u64, bool),
    ) {
        footprint.add(StepConstruct::References);
        self.extend_chain(by, mix(to, u64::from(is_there)));
    }

    /// Queues the drop of a reference to `to`, which may be the last one.
    pub(crate) fn drop_reference(
        &mut self,
        footprint: &mut StepFootprint,
        by: u32,
        to: u32,
        is_last: bool,
    ) {
        footprint.add(StepConstruct::References);
        if self.is_gone(to) {
            return;
        }
        let dropped = self.references.entry(to).or_default();
        dropped.pending += 1;
        dropped.all |= is_last;
        self.push(by, Effect::DropReference { to });
    }

    /// Carries out the drop of a reference to `to`. After the last drop of the last reference, `by` stops the
    /// actor with its next effect.
    pub(crate) fn let_go(&mut self, footprint: &mut StepFootprint, by: u32, to: u32) {
        footprint.add(StepConstruct::References);
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
            let outbox = &mut self[by].outbox;
            outbox.put_first(Effect::Stop { to, at_once });
        }
    }
}
