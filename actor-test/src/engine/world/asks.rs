//! Asks in progress: [`AskRecord`].

use actor_core::AskError;

use crate::engine::world::flushing::FollowUp;
use crate::engine::world::state::{State, keep};
use crate::hash::mix;

/// An `ask` in progress.
#[derive(Clone, Debug)]
pub(crate) struct AskRecord {
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
    /// Both ends are done with it.
    closed: bool,
}

impl AskRecord {
    /// Someone may await the reply.
    pub(crate) fn is_open(&self) -> bool {
        !self.delivered && !self.abandoned
    }
}

impl State {
    pub(crate) fn open_ask(&mut self, asker: u32, target: u32) -> u32 {
        let key = self.child_key_of(asker);
        let found = &self.operations[asker as usize];
        let record = AskRecord {
            letter: found.letter_key(found.sent + 1),
            asker,
            target,
            key,
            delivered: false,
            abandoned: false,
            out_of_hands: false,
            closed: false,
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

    /// Frees the record of an ask once both ends are done with it; tells whether it has.
    pub(crate) fn close_ask(&mut self, index: u32) -> bool {
        let ask = &mut self.asks[index as usize];
        let closes = ask.delivered && ask.abandoned && !ask.closed;
        if closes {
            ask.closed = true;
            self.asks_free.push(index);
        }
        closes
    }

    pub(crate) fn deliver_reply(&mut self, index: u32, lost: Option<AskError>) -> FollowUp {
        self.end_ask(index);
        let ask = &mut self.asks[index as usize];
        ask.delivered = true;
        let (asker, key) = (ask.asker, ask.key);
        if ask.closed {
            return FollowUp::Nothing;
        }
        let asker = &mut self.operations[asker as usize];
        asker.delivered = mix(asker.delivered, mix(key, u64::from(lost.is_some())));
        FollowUp::Replied { ask: index, lost }
    }
}
