//! Full recording, for a replay that tells its story: the stream of [`Record`]s.

use std::collections::{BTreeMap, BTreeSet};

use crate::data::fields::Fields;
use crate::data::records::{Created, MessageId, Origin, Record};

/// Collects the records of one execution.
///
/// Nothing that an execution does depends on whether it has one: an emission takes facts, and every
/// other path is the same.
#[derive(Debug, Default)]
pub(crate) struct Recorder {
    records: Vec<Record>,
    /// For each operation, the message that it handles or has handled last.
    handling: Vec<Option<MessageId>>,
    /// For each actor that can be printed, its fields when it was looked at last.
    values: BTreeMap<u32, Fields>,
    /// The links of which it was told.
    links: BTreeSet<u32>,
}

impl Recorder {
    pub(crate) fn add(&mut self, record: Record) {
        if let Record::Handled { who, message, .. } = record {
            let who = who as usize;
            if self.handling.len() <= who {
                self.handling.resize(who + 1, None);
            }
            self.handling[who] = Some(message);
        }
        self.records.push(record);
    }

    /// A link between nodes takes a step: the first time, it is told what that is.
    pub(crate) fn link(&mut self, who: u32, path: u64, name: impl FnOnce() -> String) {
        if self.links.insert(who) {
            let what = Created::Link { name: name() };
            self.records.push(Record::Created { who, path, what });
        }
    }

    /// An actor's value, printed, is this now.
    pub(crate) fn record_value(&mut self, who: u32, value: &str) {
        if self
            .values
            .get(&who)
            .is_some_and(|before| before.is_of(value))
        {
            return;
        }
        let now = Fields::of(value);
        let record = match self.values.get(&who) {
            Some(before) => Record::Changed {
                who,
                changes: before.differences(&now),
            },
            None => Record::Looks {
                who,
                fields: now.list(),
            },
        };
        self.values.insert(who, now);
        self.records.push(record);
    }

    /// The message that has caused what an operation sends. What is in its outbox is from the event
    /// handled last, since it handles none before that is empty.
    pub(crate) fn cause(&self, from: Origin) -> Option<MessageId> {
        match from {
            Origin::Operation(who) => self.handling.get(who as usize).copied().flatten(),
            Origin::End(_) | Origin::Timer => None,
        }
    }

    pub(crate) fn into_records(self) -> Vec<Record> {
        self.records
    }
}
