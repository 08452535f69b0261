//! The journal of a shard: the changes that survive the shard's crash.

use std::collections::BTreeMap;

use actor_core::prelude::*;

/// The number of changes after which the journal is compacted into a new base.
const CHANGES_KEPT: usize = 256;

/// A log record: the amount of an item after a change.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Change {
    /// The name of the item.
    pub item: String,
    /// The amount that is left.
    pub left: u64,
}

/// Asks the journal to append these changes, in order; the reply confirms that they are kept.
#[derive(Debug)]
pub struct Append(pub Vec<Change>);

/// Asks for everything that the journal has kept.
#[derive(Debug)]
pub struct Read;

/// The contents of a journal: a base and the changes since.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Record {
    /// The stock after those changes that are no longer listed.
    pub base: BTreeMap<String, u64>,
    /// The changes since the base, oldest first.
    pub changes: Vec<Change>,
}

impl Record {
    /// Returns the stock of every item after all changes.
    #[must_use]
    pub fn replay(self) -> BTreeMap<String, u64> {
        let mut stock = self.base;
        for change in self.changes {
            stock.insert(change.item, change.left);
        }
        stock
    }
}

/// Keeps the changes of one shard, here in memory; a real program writes them to a file.
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
