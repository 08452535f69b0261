//! Asks in progress: [`AskRecord`].

use actor_core::AskError;

use crate::engine::world::flushing::FollowUp;
use crate::engine::world::owner_lists::ListNode;
use crate::engine::world::state::{ExecutionState, keep};
use crate::hash::mix;
use crate::strategy::StepConstruct;

/// The key of no letter.
const NO_LETTER: u64 = u64::MAX;

/// An `ask` in progress.
#[derive(Clone, Debug)]
pub(crate) struct AskRecord {
    pub(crate) asker: u32,
    pub(crate) target: u32,
    /// Identifies the reply within the behaviour.
    pub(crate) key: u64,
    /// The key of the letter that asks; none where it is the end of the target that is awaited.
    pub(crate) letter: u64,
    /// The reply, or its loss, has been delivered.
    pub(crate) delivered: bool,
    /// Nobody waits for it any more.
    pub(crate) abandoned: bool,
    /// The reply was sent, or a handler has taken it into its own hands: what becomes of the handler
    /// says nothing of it any more.
    pub(crate) is_handed_over: bool,
    /// Both ends are done with it.
    closed: bool,
    /// Someone has looked for the reply when it was not there.
    is_awaited: bool,
    /// The others that are awaited of the same asker's.
    beside: ListNode,
}

impl AskRecord {
    /// It is the end of the target that is awaited: there is no letter.
    pub(crate) fn is_for_end(&self) -> bool {
        self.letter == NO_LETTER
    }

    /// Someone may await the reply.
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

    /// The ask is for the end of the one that is asked.
    pub(crate) fn ask_for_end(&mut self, index: u32) -> &AskRecord {
        let ask = &mut self.asks[index as usize];
        (ask.letter, ask.is_handed_over) = (NO_LETTER, true);
        ask
    }

    /// An operation looks for the reply, and awaits it where it is not there.
    pub(crate) fn seek_reply(&mut self, by: u32, index: u32, is_there: bool) {
        let AskRecord { asker, key, .. } = self.asks[index as usize];
        if by != asker {
            // Whether it is there depends on what comes to the asker, who has handed it on.
            self.interrupt(asker, StepConstruct::Ask);
            self.extend_chain(by, mix(key, u64::from(is_there)));
        }
        let ask = &mut self.asks[index as usize];
        if !is_there && ask.is_open() && !std::mem::replace(&mut ask.is_awaited, true) {
            self.awaited
                .add(asker, &mut self.asks, index, |ask| &mut ask.beside);
        }
    }

    /// What an operation awaits, where that is the reply of one ask alone.
    pub(crate) fn only_awaited(&self, asker: u32) -> Option<&AskRecord> {
        let ask = &self.asks[self.awaited.first(asker)? as usize];
        ask.beside.after().is_none().then_some(ask)
    }

    /// The reply is there, or nobody waits for it any more.
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
        if !ask.abandoned {
            let asker = &mut self.operations[asker as usize];
            asker.delivered = mix(asker.delivered, mix(key, u64::from(lost.is_some())));
        }
        FollowUp::Replied { ask: index, lost }
    }
}
