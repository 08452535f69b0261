//! Asks in progress: [`AskRecord`].

use std::sync::Arc;

use actor_core::__private::AskSlot;
use actor_core::AskError;

use crate::engine::world::flushing::FollowUp;
use crate::engine::world::state::{State, keep};
use crate::hash::mix;

/// An `ask` in progress.
pub(crate) struct AskRecord {
    pub(crate) slot: Option<Arc<AskSlot>>,
    pub(crate) asker: u32,
    pub(crate) target: u32,
    key: u64,
    /// The key of the letter that asks.
    pub(crate) letter: u64,
    /// The reply, or its loss, has been delivered.
    pub(crate) delivered: bool,
    /// Nobody waits for it any more.
    pub(crate) abandoned: bool,
    /// The reply was sent, or a handler has taken it into its own hands: what becomes of the handler
    /// says nothing of it any more.
    pub(crate) out_of_hands: bool,
}

impl AskRecord {
    /// Someone may await the reply.
    pub(crate) fn is_open(&self) -> bool {
        !self.delivered && !self.abandoned
    }

    /// Someone does.
    pub(crate) fn is_awaited(&self) -> bool {
        self.slot.as_ref().is_some_and(|slot| slot.is_awaited())
    }
}

impl State {
    pub(crate) fn open_ask(&mut self, asker: u32, target: u32, slot: Arc<AskSlot>) -> u32 {
        let key = self.child_key_of(asker);
        let found = &self.operations[asker as usize];
        let record = AskRecord {
            letter: found.letter_key(found.sent + 1),
            slot: Some(slot),
            asker,
            target,
            key,
            delivered: false,
            abandoned: false,
            out_of_hands: false,
        };
        let index = keep(&mut self.asks, &mut self.asks_free, record);
        let asker = &mut self.operations[asker as usize];
        asker.open_asks += 1;
        asker.last_ask = index;
        index
    }

    /// The reply is there, or nobody waits for it any more.
    pub(crate) fn end_ask(&mut self, index: u32) {
        let ask = &self.asks[index as usize];
        if ask.is_open() {
            self.operations[ask.asker as usize].open_asks -= 1;
        }
    }

    /// Frees the record of an ask once both ends are done with it.
    pub(crate) fn close_ask(&mut self, index: u32) -> Option<Arc<AskSlot>> {
        let ask = &mut self.asks[index as usize];
        if !(ask.delivered && ask.abandoned) {
            return None;
        }
        let slot = ask.slot.take()?;
        self.asks_free.push(index);
        Some(slot)
    }

    pub(crate) fn deliver_reply(&mut self, index: u32, lost: Option<AskError>) -> FollowUp {
        self.end_ask(index);
        let ask = &mut self.asks[index as usize];
        ask.delivered = true;
        let (asker, key) = (ask.asker, ask.key);
        let Some(slot) = ask.slot.clone() else {
            return FollowUp::Nothing;
        };
        let asker = &mut self.operations[asker as usize];
        asker.delivered = mix(asker.delivered, mix(key, u64::from(lost.is_some())));
        FollowUp::Replied {
            ask: index,
            slot,
            lost,
        }
    }
}
