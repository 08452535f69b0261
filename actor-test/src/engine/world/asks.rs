//! Asks (request and reply) in progress: [`Asks`].

use std::ops::{Index, IndexMut};
use std::time::Duration;

use actor_core::AskError;
use actor_core::seam::AskSite;

use crate::data::constructs::StepConstruct;
use crate::engine::world::footprint::StepFootprint;
use crate::engine::world::operations::Operations;
use crate::engine::world::owner_lists::{ListNode, OwnerLists};
use crate::engine::world::state::keep;
use crate::hash::mix;

/// The value of `AskRecord::letter` if the ask has no letter.
const NO_LETTER: u64 = u64::MAX;

#[derive(Clone, Debug)]
pub(crate) struct AskRecord {
    pub(crate) asker: u32,
    pub(crate) target: u32,
    /// The call, as reports name it; none for an ask of the framework itself.
    pub(crate) site: Option<AskSite>,
    /// The stable key of the reply, for hashes of the behaviour.
    pub(crate) key: u64,
    /// The key of the letter that asks; `NO_LETTER` if the target's start or end is awaited.
    pub(crate) letter: u64,
    /// True once the reply, or its loss, has been delivered.
    delivered: bool,
    /// True once nobody waits for the reply.
    abandoned: bool,
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

/// All asks of an execution, by number.
#[derive(Clone, Debug, Default)]
pub(crate) struct Asks {
    records: Vec<AskRecord>,
    free: Vec<u32>,
    /// The open asks that are awaited, by asker.
    awaited: OwnerLists,
    /// The time limit of an ask that sets none itself.
    limit: Option<Duration>,
}

impl Asks {
    pub(super) fn clear(&mut self) {
        self.records.clear();
        self.free.clear();
        self.awaited.clear();
        self.limit = None;
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &AskRecord> {
        self.records.iter()
    }

    pub(crate) fn limit(&self) -> Option<Duration> {
        self.limit
    }

    pub(crate) fn set_limit(&mut self, limit: Duration) {
        self.limit = Some(limit);
    }

    /// Returns whether no record is in use.
    pub(crate) fn are_closed(&self) -> bool {
        self.records.len() == self.free.len()
    }

    /// Turns an ask into one without a letter, which awaits the start or the end of the target.
    pub(crate) fn ask_for_end(&mut self, index: u32) -> &AskRecord {
        let ask = &mut self.records[index as usize];
        (ask.letter, ask.is_handed_over) = (NO_LETTER, true);
        ask
    }

    /// Makes the ask of a name by that letter one of the actor that has the name.
    pub(crate) fn retarget(&mut self, asker: u32, letter: u64, to: u32) {
        let asked = |ask: &&mut AskRecord| ask.asker == asker && ask.letter == letter;
        if let Some(ask) = self
            .records
            .iter_mut()
            .filter(|ask| !ask.closed)
            .find(asked)
        {
            ask.target = to;
        }
    }

    /// Makes the outcome of a use of the registry part of the history of the asker, once it gets the reply: no
    /// operation has handled it.
    pub(crate) fn add_outcome(&mut self, index: u32, outcome: u64) {
        let ask = &mut self.records[index as usize];
        ask.key = mix(ask.key, outcome);
    }

    /// Marks an ask whose reply was found missing as awaited.
    fn mark_awaited(&mut self, index: u32) {
        let ask = &mut self.records[index as usize];
        if ask.is_open() && !std::mem::replace(&mut ask.is_awaited, true) {
            let asker = ask.asker;
            self.awaited
                .add(asker, &mut self.records, index, |ask| &mut ask.beside);
        }
    }

    /// Returns the only ask that `asker` awaits, or `None` if there are none or several.
    pub(crate) fn only_awaited(&self, asker: u32) -> Option<&AskRecord> {
        let ask = &self.records[self.awaited.first(asker)? as usize];
        ask.beside.after().is_none().then_some(ask)
    }

    /// Ends the wait for a reply; returns the asker if the ask was open.
    fn end_wait(&mut self, index: u32) -> Option<u32> {
        let ask = &mut self.records[index as usize];
        if !ask.is_open() {
            return None;
        }
        let asker = ask.asker;
        if std::mem::take(&mut ask.is_awaited) {
            self.awaited
                .remove(asker, &mut self.records, index, |ask| &mut ask.beside);
        }
        Some(asker)
    }

    /// Frees the record of an ask that was delivered and abandoned; returns whether it was freed.
    pub(crate) fn close(&mut self, index: u32) -> bool {
        let ask = &mut self.records[index as usize];
        let closes = ask.delivered && ask.abandoned && !ask.closed;
        if closes {
            ask.closed = true;
            self.free.push(index);
        }
        closes
    }

    /// Opens an ask of a target by an asker; returns its number.
    pub(crate) fn open(
        &mut self,
        footprint: &mut StepFootprint,
        operations: &mut Operations,
        (asker, target): (u32, u32),
        site: Option<AskSite>,
    ) -> u32 {
        let key = operations.child_key_of(asker);
        let found = &mut operations[asker];
        if found.open_asks > 0 {
            footprint.record_local(StepConstruct::Ask);
        }
        found.open_asks += 1;
        let record = AskRecord {
            letter: found.letter_key(found.sent + 1),
            asker,
            target,
            site,
            key,
            delivered: false,
            abandoned: false,
            is_handed_over: false,
            closed: false,
            is_awaited: false,
            beside: ListNode::default(),
        };
        let Self { records, free, .. } = self;
        keep(records, free, record)
    }

    /// Polls for the reply on behalf of `by`, and marks the ask as awaited if the reply is not there.
    pub(crate) fn seek(
        &mut self,
        footprint: &mut StepFootprint,
        operations: &mut Operations,
        by: u32,
        index: u32,
        is_there: bool,
    ) {
        let AskRecord { asker, key, .. } = self[index];
        if by != asker {
            // The asker has handed the ask on, so the result depends on what the asker has received.
            footprint.interrupt(asker, StepConstruct::Ask);
            operations.extend_chain(by, mix(key, u64::from(is_there)));
        }
        if !is_there {
            self.mark_awaited(index);
        }
    }

    /// Ends the wait for a reply that is there, or that nobody awaits any more.
    pub(crate) fn end(&mut self, operations: &mut Operations, index: u32) {
        if let Some(asker) = self.end_wait(index) {
            operations[asker].open_asks -= 1;
        }
    }

    /// Records that nobody waits for the reply any more; returns whether the record was freed.
    pub(crate) fn abandon(
        &mut self,
        footprint: &mut StepFootprint,
        operations: &mut Operations,
        index: u32,
    ) -> bool {
        self.end(operations, index);
        let ask = &mut self.records[index as usize];
        ask.abandoned = true;
        if !ask.delivered {
            // The order of steps decides if the reply is still sent.
            footprint.interrupt(ask.target, StepConstruct::Ask);
        }
        self.close(index)
    }

    /// Records that the handler has sent the reply, or passed the duty to reply on.
    pub(crate) fn hand_over(&mut self, index: u32) {
        self.records[index as usize].is_handed_over = true;
    }

    /// Records that the handler sends the reply; returns whether nobody waits for it, and then whether the
    /// record was freed.
    pub(crate) fn reply(&mut self, index: u32) -> Option<bool> {
        let ask = &mut self.records[index as usize];
        ask.is_handed_over = true;
        if !ask.abandoned {
            return None;
        }
        ask.delivered = true;
        Some(self.close(index))
    }

    /// Delivers the reply, or its loss; returns whether the record is still there for the reply.
    pub(crate) fn deliver(
        &mut self,
        operations: &mut Operations,
        index: u32,
        lost: Option<AskError>,
    ) -> bool {
        self.end(operations, index);
        let ask = &mut self[index];
        ask.delivered = true;
        let (asker, key) = (ask.asker, ask.key);
        if ask.closed {
            return false;
        }
        if !ask.abandoned {
            let asker = &mut operations[asker];
            asker.delivered = mix(asker.delivered, mix(key, u64::from(lost.is_some())));
        }
        true
    }
}

impl Index<u32> for Asks {
    type Output = AskRecord;

    fn index(&self, index: u32) -> &AskRecord {
        &self.records[index as usize]
    }
}

impl IndexMut<u32> for Asks {
    fn index_mut(&mut self, index: u32) -> &mut AskRecord {
        &mut self.records[index as usize]
    }
}
