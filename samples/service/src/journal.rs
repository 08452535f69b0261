//! What outlives a shard: [`Journal`].

use std::collections::BTreeMap;

use actor_core::prelude::*;

/// After how many changes the journal is folded.
const CHANGES_KEPT: usize = 256;

/// How much of an item there is after a change.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Change {
    /// Which item.
    pub item: String,
    /// How much of it is left.
    pub left: u64,
}

/// Asks the journal to keep changes, in their order; the reply says that it has.
#[derive(Debug)]
pub struct Append(pub Vec<Change>);

/// Asks for everything that was kept.
#[derive(Debug)]
pub struct Read;

/// What a journal has kept.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Record {
    /// What there was after the changes that are no longer listed.
    pub base: BTreeMap<String, u64>,
    /// What has changed since.
    pub changes: Vec<Change>,
}

impl Record {
    /// How much there is of each item, after all changes.
    #[must_use]
    pub fn replay(self) -> BTreeMap<String, u64> {
        let mut stock = self.base;
        for change in self.changes {
            stock.insert(change.item, change.left);
        }
        stock
    }
}

/// Keeps the changes of one shard: in memory here, where a program in earnest has a file.
#[derive(Debug, Default)]
pub struct Journal {
    record: Record,
}

#[actor]
impl Journal {
    #[on]
    fn append(&mut self, append: Append) {
        self.record.changes.extend(append.0);
        if self.record.changes.len() > CHANGES_KEPT {
            self.record.base = std::mem::take(&mut self.record).replay();
        }
    }

    #[on]
    fn read(&mut self, _: Read) -> Record {
        self.record.clone()
    }
}
