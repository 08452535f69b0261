//! The futures that were piped to each actor: [`Futures`].

use crate::engine::world::owner_lists::{ListNode, OwnerLists};

#[derive(Clone, Debug, Default)]
pub(crate) struct Futures {
    all: Vec<Future>,
    owned: OwnerLists,
}

#[derive(Clone, Debug)]
struct Future {
    operation: u32,
    /// The neighbours in the list of the owner's futures.
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

    /// Returns the futures of an actor in the order of their creation, including those that are over.
    pub(crate) fn of(&self, owner: u32) -> impl Iterator<Item = u32> {
        let all = &self.all;
        let own = self.owned.of(owner, all, |future| &future.beside);
        own.map(|future| all[future as usize].operation)
    }

    /// Removes all futures of an actor, which are over.
    pub(crate) fn forget(&mut self, owner: u32) {
        self.owned.forget(owner);
    }
}
