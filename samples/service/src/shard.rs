//! A shard: the actor that keeps the stock of some of the items.

use std::collections::BTreeMap;

use actor_core::prelude::*;

use crate::journal::{Append, Change, Journal, Read};

/// A bug that a test can switch on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Bug {
    /// The shard confirms a change before the change is in the journal.
    WriteBehind,
}

/// Asks for some of an item; the reply is the amount that is left.
#[derive(Debug)]
pub struct Reserve {
    /// The name of the item.
    pub item: String,
    /// The amount to reserve.
    pub amount: u64,
}

/// The reason why nothing was reserved.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Refusal {
    /// The item is unknown: nobody has ever added any.
    Unknown,
    /// The item has too few left; this is the amount.
    TooFew(u64),
}

/// Adds stock of an item, and creates the item if it is new; the reply is the new amount.
#[derive(Debug)]
pub struct AddStock {
    /// The name of the item.
    pub item: String,
    /// The amount to add.
    pub amount: u64,
}

/// Asks for the amount of an item; `None` if nobody has ever added any.
#[derive(Debug)]
pub struct Stock(pub String);

/// Makes the shard crash in its next reservation, after the write and before the answer.
#[derive(Debug)]
pub struct Crash;

/// Keeps the stock of some of the items.
#[derive(Debug)]
pub struct Shard {
    journal: ActorRef<Journal>,
    stock: BTreeMap<String, u64>,
    /// The changes that are confirmed and not written yet; used with [`Bug::WriteBehind`] only.
    unwritten: Vec<Change>,
    is_doomed: bool,
    bug: Option<Bug>,
}

#[actor]
impl Shard {
    /// Restores the stock from the journal.
    #[start]
    async fn start(&mut self, cx: &mut Context<Self>) {
        match self.journal.ask(Read).await {
            Ok(record) => self.stock = record.replay(),
            // The system is shutting down.
            Err(_) => cx.halt(),
        }
    }

    #[on]
    async fn reserve(&mut self, reserve: Reserve) -> Result<u64, Refusal> {
        let Reserve { item, amount } = reserve;
        let stock = *self.stock.get(&item).ok_or(Refusal::Unknown)?;
        let left = stock.checked_sub(amount).ok_or(Refusal::TooFew(stock))?;
        self.change(item, left).await;
        assert!(!self.is_doomed, "the administrator wants a crash");
        Ok(left)
    }

    #[on]
    async fn add_stock(&mut self, add: AddStock) -> u64 {
        let stock = self.stock.get(&add.item).copied().unwrap_or(0);
        let left = stock.saturating_add(add.amount);
        self.change(add.item, left).await;
        left
    }

    #[on]
    fn stock(&mut self, stock: Stock) -> Option<u64> {
        self.stock.get(&stock.0).copied()
    }

    #[on]
    fn crash(&mut self, _: Crash) {
        self.is_doomed = true;
    }

    /// Records the new amount of an item.
    async fn change(&mut self, item: String, left: u64) {
        self.unwritten.push(Change {
            item: item.clone(),
            left,
        });
        self.stock.insert(item, left);
        if self.bug == Some(Bug::WriteBehind) && self.unwritten.len() < 3 {
            return;
        }
        let append = Append(std::mem::take(&mut self.unwritten));
        let written = self.journal.ask(append).await;
        written.expect("the journal goes when the shards have gone");
    }
}

impl Shard {
    /// Creates a shard that restores its stock from this journal and writes to it.
    #[must_use]
    pub fn new(journal: ActorRef<Journal>, bug: Option<Bug>) -> Self {
        Self {
            journal,
            stock: BTreeMap::new(),
            unwritten: Vec::new(),
            is_doomed: false,
            bug,
        }
    }
}
