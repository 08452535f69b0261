//! Asks (request and reply) in progress: [`AskRecord`].

use actor_core::AskError;

use crate::data::constructs::StepConstruct;
use crate::engine::world::owner_lists::ListNode;
use crate::engine::world::state::{ExecutionState, keep};
use crate::hash::mix;

/// The value of `AskRecord::letter` if the ask has no letter.
const NO_LETTER: u64 = u64::MAX;

#[derive(Clone, Debug)]
pub(crate) struct AskRecord {
    pub(crate) asker: u32,
    pub(crate) target: u32,
    /// The stable key of the reply, for hashes of the behaviour.
    pub(crate) key: u64,
    /// The key of the letter that asks; `NO_LETTER` if the target's start or end is awaited.
    pub(crate) letter: u64,
    /// True once the reply, or its loss, has been delivered.
    pub(crate) delivered: bool,
    /// True once nobody waits for the reply.
    pub(crate) abandoned: bool,
    /// True once the handler has sent the reply or passed the duty to reply on, and so no longer owns it.
    pub(crate) is_handed_over: bool,
    /// True once the reply was delivered and abandoned, and the record is free.
    closed: bool,
    /// Set while an operation awaits the reply, after it has found none.
    is_awaited: bool,
    /// The neighbours in the list of the asks that the same asker awaits.
    beside: ListNode,
}

impl AskRecord {
    /// Returns whether the ask awaits the start or the end of the target, without a letter.
    pub(crate) fn is_for_end(&self) -> bool {
        self.letter == NO_LETTER
    }

    /// Returns whether the reply may still be awaited.
    pub(crate) fn is_open(&self) -> bool {
        !self.delivered && !self.abandoned
    }
}

impl ExecutionState {
    pub(crate) fn open_ask(&mut self, asker: u32, target: u32) -> u32 {
        let key = self.child_key_of(asker);
        if self.operations[asker as usize].open_asks > 0 {
            self.reach.record_local(StepConstruct::Ask);
        }
        let found = &self.operations[asker as usize];
        let record = AskRecord {
            letter: found.letter_key(found.sent + 1),
            asker,
            target,
            key,
            delivered: false,
            abandoned: false,
            is_handed_over: false,
            closed: false,
            is_awaited: false,
            beside: ListNode::default(),
        };
        let index = keep(&mut self.asks, &mut self.asks_free, record);
        self.operations[asker as usize].open_asks += 1;
        index
    }

    /// Turns an ask into one without a letter, which awaits the start or the end of the target.
    pub(crate) fn ask_for_end(&mut self, index: u32) -> &AskRecord {
        let ask = &mut self.asks[index as usize];
        (ask.letter, ask.is_handed_over) = (NO_LETTER, true);
        ask
    }

    /// Polls for the reply on behalf of `by`, and marks the ask as awaited if the reply is not there.
    pub(crate) fn seek_reply(&mut self, by: u32, index: u32, is_there: bool) {
        let AskRecord { asker, key, .. } = self.asks[index as usize];
        if by != asker {
            // The asker has handed the ask on, so the result depends on what the asker has received.
            self.interrupt(asker, StepConstruct::Ask);
            self.extend_chain(by, mix(key, u64::from(is_there)));
        }
        let ask = &mut self.asks[index as usize];
        if !is_there && ask.is_open() && !std::mem::replace(&mut ask.is_awaited, true) {
            self.awaited
                .add(asker, &mut self.asks, index, |ask| &mut ask.beside);
        }
    }

    /// Returns the only ask that `asker` awaits, or `None` if there are none or several.
    pub(crate) fn only_awaited(&self, asker: u32) -> Option<&AskRecord> {
        let ask = &self.asks[self.awaited.first(asker)? as usize];
        ask.beside.after().is_none().then_some(ask)
    }

    /// Ends the wait for a reply that is there, or that nobody awaits any more.
    pub(crate) fn end_ask(&mut self, index: u32) {
        let ask = &mut self.asks[index as usize];
        if ask.is_open() {
            let asker = ask.asker;
            self.operations[asker as usize].open_asks -= 1;
            if std::mem::take(&mut ask.is_awaited) {
                self.awaited
                    .remove(asker, &mut self.asks, index, |ask| &mut ask.beside);
            }
        }
    }

    /// Frees the record of an ask that was delivered and abandoned; returns whether it was freed.
    pub(crate) fn close_ask(&mut self, index: u32) -> bool {
        let ask = &mut self.asks[index as usize];
        let closes = ask.delivered && ask.abandoned && !ask.closed;
        if closes {
            ask.closed = true;
            self.asks_free.push(index);
        }
        closes
    }

    /// Delivers the reply, or its loss; returns whether the record is still there for the reply.
    pub(crate) fn deliver_reply(&mut self, index: u32, lost: Option<AskError>) -> bool {
        self.end_ask(index);
        let ask = &mut self.asks[index as usize];
        ask.delivered = true;
        let (asker, key) = (ask.asker, ask.key);
        if ask.closed {
            return false;
        }
        if !ask.abandoned {
            let asker = &mut self.operations[asker as usize];
            asker.delivered = mix(asker.delivered, mix(key, u64::from(lost.is_some())));
        }
        true
    }
}
