//! Linked lists through records, one for each owner, so that no search over all records is needed.

const NONE: u32 = u32::MAX;

#[derive(Clone, Copy, Debug)]
struct ListEnds {
    first: u32,
    last: u32,
}

/// The neighbours of a record in a list.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct ListNode {
    before: u32,
    after: u32,
}

impl ListNode {
    /// Returns the next record of the list.
    pub(crate) fn after(self) -> Option<u32> {
        (self.after != NONE).then_some(self.after)
    }
}

impl Default for ListNode {
    fn default() -> Self {
        Self {
            before: NONE,
            after: NONE,
        }
    }
}

/// A doubly linked list for each owner, in the order in which its records were added.
///
/// The parameter `beside` returns the place where a record keeps its neighbours in the list concerned.
#[derive(Clone, Debug, Default)]
pub(crate) struct OwnerLists {
    lists: Vec<ListEnds>,
}

impl OwnerLists {
    pub(crate) fn clear(&mut self) {
        self.lists.clear();
    }

    fn ends(&mut self, owner: u32) -> &mut ListEnds {
        let needed = owner as usize + 1;
        if self.lists.len() < needed {
            let (first, last) = (NONE, NONE);
            self.lists.resize(needed, ListEnds { first, last });
        }
        &mut self.lists[owner as usize]
    }

    /// Adds a record that is in no such list.
    pub(crate) fn add<T>(
        &mut self,
        owner: u32,
        records: &mut [T],
        record: u32,
        beside: impl Fn(&mut T) -> &mut ListNode,
    ) {
        let ends = self.ends(owner);
        let (before, after) = (ends.last, NONE);
        ends.last = record;
        if before == NONE {
            ends.first = record;
        } else {
            beside(&mut records[before as usize]).after = record;
        }
        *beside(&mut records[record as usize]) = ListNode { before, after };
    }

    /// Removes a record that is in the list.
    pub(crate) fn remove<T>(
        &mut self,
        owner: u32,
        records: &mut [T],
        record: u32,
        beside: impl Fn(&mut T) -> &mut ListNode,
    ) {
        let ListNode { before, after } = std::mem::take(beside(&mut records[record as usize]));
        let ends = self.ends(owner);
        if before == NONE {
            ends.first = after;
        } else {
            beside(&mut records[before as usize]).after = after;
        }
        if after == NONE {
            ends.last = before;
        } else {
            beside(&mut records[after as usize]).before = before;
        }
    }

    /// Empties an owner's list, and so invalidates the neighbours in its records.
    pub(crate) fn forget(&mut self, owner: u32) {
        if let Some(ends) = self.lists.get_mut(owner as usize) {
            (ends.first, ends.last) = (NONE, NONE);
        }
    }

    /// Returns the first record of an owner.
    pub(crate) fn first(&self, owner: u32) -> Option<u32> {
        let ends = self.lists.get(owner as usize)?;
        (ends.first != NONE).then_some(ends.first)
    }

    /// Returns the records of an owner.
    pub(crate) fn of<'a, T, L>(
        &self,
        owner: u32,
        records: &'a [T],
        beside: L,
    ) -> impl Iterator<Item = u32> + use<'a, T, L>
    where
        L: Fn(&'a T) -> &'a ListNode,
    {
        std::iter::successors(self.first(owner), move |record| {
            beside(&records[*record as usize]).after()
        })
    }
}

#[cfg(test)]
mod tests {
    use super::{ListNode, OwnerLists};

    /// Compares the lists with plain vectors, over random additions and removals.
    #[test]
    fn each_owner_has_its_own_in_order() {
        let mut owned = OwnerLists::default();
        let mut records = vec![ListNode::default(); 64];
        let mut lists = vec![Vec::new(); 4];
        let mut random = 1_u64;
        for _ in 0..10_000 {
            random = random
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            let (record, owner) = ((random >> 33) as u32 % 64, (random >> 48) as u32 % 4);
            match lists.iter().position(|list| list.contains(&record)) {
                Some(owner) => {
                    lists[owner].retain(|other| *other != record);
                    owned.remove(owner as u32, &mut records, record, |beside| beside);
                }
                None => {
                    lists[owner as usize].push(record);
                    owned.add(owner, &mut records, record, |beside| beside);
                }
            }
            for (owner, list) in lists.iter().enumerate() {
                let found: Vec<u32> = owned.of(owner as u32, &records, |beside| beside).collect();
                assert_eq!(found, *list);
                assert_eq!(owned.first(owner as u32), list.first().copied());
            }
        }
        owned.forget(2);
        assert_eq!(owned.first(2), None);
        assert_eq!(owned.first(1_000), None);
    }
}
