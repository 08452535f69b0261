//! Some of the items: [`Shard`].

use std::collections::BTreeMap;

use actor_core::prelude::*;

use crate::journal::{Append, Change, Journal, Read};

/// A mistake that can be switched on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Bug {
    /// A change is confirmed before it is in the journal.
    WriteBehind,
}

/// Asks for some of an item; the reply is how much is left.
#[derive(Debug)]
pub struct Reserve {
    /// Which item.
    pub item: String,
    /// How much.
    pub amount: u64,
}

/// Why nothing was reserved.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Refusal {
    /// Nobody has ever added any.
    Unknown,
    /// That much is left.
    TooFew(u64),
}

/// Adds to an item, which is new where there is none; the reply is how much there is then.
#[derive(Debug)]
pub struct AddStock {
    /// Which item.
    pub item: String,
    /// How much.
    pub amount: u64,
}

/// Asks how much there is of an item; `None` where nobody has ever added any.
#[derive(Debug)]
pub struct Stock(pub String);

/// Lets the shard fail in the middle of the next reservation: when that is written, and not answered.
#[derive(Debug)]
pub struct Crash;

/// Knows how much there is of some of the items.
#[derive(Debug)]
pub struct Shard {
    journal: ActorRef<Journal>,
    stock: BTreeMap<String, u64>,
    /// Confirmed and not written, with the bug.
    unwritten: Vec<Change>,
    is_doomed: bool,
    bug: Option<Bug>,
}

#[actor]
impl Shard {
    /// Knows what it knew before it failed.
    #[start]
    async fn start(&mut self, cx: &mut Context<Self>) {
        match self.journal.ask(Read).await {
            Ok(record) => self.stock = record.replay(),
            // The system is at its end.
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

    /// Writes what there is of an item from now on.
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
    /// A shard that writes to, and has read, this journal.
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
