//! The futures that were piped to each actor: [`Futures`].

use crate::engine::world::owner_lists::{ListNode, OwnerLists};

/// Operations that are futures, by owner.
#[derive(Clone, Debug, Default)]
pub(crate) struct Futures {
    all: Vec<Future>,
    owned: OwnerLists,
}

#[derive(Clone, Debug)]
struct Future {
    operation: u32,
    /// The others of its owner's.
    beside: ListNode,
}

impl Futures {
    pub(crate) fn clear(&mut self) {
        self.all.clear();
        self.owned.clear();
    }

    pub(crate) fn add(&mut self, owner: u32, operation: u32) {
        let beside = ListNode::default();
        self.all.push(Future { operation, beside });
        let last = self.all.len() as u32 - 1;
        self.owned
            .add(owner, &mut self.all, last, |future| &mut future.beside);
    }

    /// The futures of an actor, those that are over among them, in the order of their creation.
    pub(crate) fn of(&self, owner: u32) -> impl Iterator<Item = u32> {
        let all = &self.all;
        let own = self.owned.of(owner, all, |future| &future.beside);
        own.map(|future| all[future as usize].operation)
    }

    /// All of an actor's are over.
    pub(crate) fn forget(&mut self, owner: u32) {
        self.owned.forget(owner);
    }
}
