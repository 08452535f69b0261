//! Full recording of an execution, for the replay that shows its story: the stream of [`Record`]s.

use std::collections::{BTreeMap, BTreeSet};

use crate::data::fields::Fields;
use crate::data::step::MessageId;
use crate::records::{Created, MessageSource, Record};

/// Collects the records of one execution.
///
/// No step of an execution depends on whether it is recorded.
#[derive(Debug, Default)]
pub(crate) struct Recorder {
    records: Vec<Record>,
    /// For each operation, the message that it handles, or has handled or received last.
    handling: Vec<Option<MessageId>>,
    /// For each actor that can be printed, its fields when they were recorded last.
    values: BTreeMap<u32, Fields>,
    /// The links whose creation is recorded.
    links: BTreeSet<u32>,
}

impl Recorder {
    pub(crate) fn add(&mut self, record: Record) {
        if let Record::Handled { who, message, .. } | Record::Received { who, message, .. } = record
        {
            let who = who as usize;
            if self.handling.len() <= who {
                self.handling.resize(who + 1, None);
            }
            self.handling[who] = Some(message);
        }
        self.records.push(record);
    }

    /// Records a link between nodes when it takes its first step.
    pub(crate) fn link(&mut self, who: u32, path: u64, name: impl FnOnce() -> String) {
        if self.links.insert(who) {
            let what = Created::Link { name: name() };
            self.records.push(Record::Created { who, path, what });
        }
    }

    /// Records the fields of an actor's value that have changed; `value` is its `Debug` text.
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
            None => Record::InitialFields {
                who,
                fields: now.list(),
            },
        };
        self.values.insert(who, now);
        self.records.push(record);
    }

    /// Returns the message that has caused an operation's sends. Everything in its outbox is from the event
    /// handled last, since the operation handles none before its outbox is empty.
    pub(crate) fn cause(&self, from: MessageSource) -> Option<MessageId> {
        match from {
            MessageSource::Operation(who) => self.handling.get(who as usize).copied().flatten(),
            MessageSource::End(_) | MessageSource::Timer => None,
        }
    }

    pub(crate) fn into_records(self) -> Vec<Record> {
        self.records
    }
}
