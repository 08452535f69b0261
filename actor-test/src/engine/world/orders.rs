//! What an actor is told from outside: to stop, to fail, to end.

use crate::engine::world::operation::{Letter, STOP, Stamp, Told};
use crate::engine::world::state::State;
use crate::hash::mix;
use crate::strategy::Beyond;

/// The slot of a letter without an event.
const NO_SLOT: u32 = u32::MAX;

impl State {
    /// Tells an actor something ahead of its inbox.
    pub(crate) fn tell(&mut self, index: u32, told: Told) {
        self.interrupt(index, Beyond::Stop);
        let operation = &mut self.operations[index as usize];
        let outdone = match (operation.told, told) {
            (Told::Kill, _) => true,
            (_, Told::Stop) => operation.stopping,
            _ => false,
        };
        if !outdone {
            operation.told = told;
        }
        self.changes(index);
        self.refresh(index);
    }

    /// The letter that stops its receiver in order.
    pub(crate) fn stop_letter(&mut self, from: u32) -> Letter {
        let sender = &mut self.operations[from as usize];
        sender.sent += 1;
        Letter {
            slot: NO_SLOT,
            event: STOP,
            event_id: None,
            sender: Stamp::operation(from),
            key: mix(sender.key, !u64::from(sender.sent)),
            placed: false,
            crowded: false,
            lost: None,
        }
    }
}
