//! The outbox of an operation: the effects that are still to be carried out.

use crate::engine::world::effect::Effect;
use crate::engine::world::queue::FlatQueue;

/// Effects in the order of the calls that caused them. An operation takes no other step before its outbox is
/// empty, so all effects that were carried out are forgotten at once.
pub(crate) type Outbox = FlatQueue<Effect>;

impl Outbox {
    #[inline]
    pub(crate) fn take_first(&mut self) -> Option<Effect> {
        let first = self.first().copied()?;
        self.pop_first();
        Some(first)
    }

    /// Removes an effect that is still to be carried out; mostly it is among the last.
    pub(crate) fn take_back(&mut self, effect: &Effect) {
        if let Some(at) = self.as_slice().iter().rposition(|other| other == effect) {
            self.remove(at);
        }
    }
}
