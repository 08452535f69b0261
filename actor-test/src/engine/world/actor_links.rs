//! Links between actors, which share their failures: [`ActorLinks`].

use actor_core::StopReason;

use actor_core::seam::LinkNotice;

use crate::data::constructs::StepConstruct;
use crate::engine::world::children::Relations;
use crate::engine::world::effect::Effect;
use crate::engine::world::footprint::StepFootprint;
use crate::engine::world::operation::OperationStage;
use crate::engine::world::operations::Operations;
use crate::engine::world::owner_lists::{ListNode, OwnerLists};

/// The owner of the list of all links.
const ALL: u32 = 0;

/// The pairs of linked actors, in the order in which they were linked.
#[derive(Clone, Debug, Default)]
pub(crate) struct ActorLinks {
    pairs: Vec<LinkedPair>,
    free: Vec<u32>,
    /// The links of each actor.
    own: OwnerLists,
    all: OwnerLists,
}

#[derive(Clone, Debug)]
struct LinkedPair {
    /// The two actors, which differ.
    actors: [u32; 2],
    /// The neighbours in the list of the links of each of the two actors.
    beside: [ListNode; 2],
    among_all: ListNode,
}

impl LinkedPair {
    fn side_of(&self, actor: u32) -> usize {
        usize::from(self.actors[1] == actor)
    }

    fn beside(&mut self, actor: u32) -> &mut ListNode {
        let side = self.side_of(actor);
        &mut self.beside[side]
    }
}

impl ActorLinks {
    pub(crate) fn clear(&mut self) {
        self.pairs.clear();
        self.free.clear();
        self.own.clear();
        self.all.clear();
    }

    /// Links two actors, which must differ.
    pub(crate) fn add(&mut self, one: u32, other: u32) {
        let pair = LinkedPair {
            actors: [one, other],
            beside: Default::default(),
            among_all: ListNode::default(),
        };
        let pairs = &mut self.pairs;
        let added = crate::engine::world::state::keep(pairs, &mut self.free, pair);
        for actor in [one, other] {
            self.own.add(actor, pairs, added, |pair| pair.beside(actor));
        }
        self.all.add(ALL, pairs, added, |pair| &mut pair.among_all);
    }

    /// Removes the links of an actor, except those to `kept`; returns the actors that were linked to it.
    pub(crate) fn break_all(&mut self, of: u32, kept: Option<u32>) -> Vec<u32> {
        let mut others = Vec::new();
        let mut next = self.own.first(of);
        while let Some(link) = next {
            let pair = &self.pairs[link as usize];
            let side = pair.side_of(of);
            next = pair.beside[side].after();
            let other = pair.actors[1 - side];
            if kept != Some(other) {
                others.push(other);
                self.remove(link);
            }
        }
        others
    }

    /// Removes all links of two actors, in time linear in the links of the one that has fewer.
    pub(crate) fn end(&mut self, one: u32, other: u32) {
        while let Some(link) = self.find(one, other) {
            self.remove(link);
        }
    }

    fn find(&self, one: u32, other: u32) -> Option<u32> {
        let (mut of_one, mut of_other) = (self.own.first(one), self.own.first(other));
        while let (Some(mine), Some(its)) = (of_one, of_other) {
            let (mine_is, its_is) = (&self.pairs[mine as usize], &self.pairs[its as usize]);
            if mine_is.actors.contains(&other) {
                return Some(mine);
            }
            if its_is.actors.contains(&one) {
                return Some(its);
            }
            of_one = mine_is.beside[mine_is.side_of(one)].after();
            of_other = its_is.beside[its_is.side_of(other)].after();
        }
        None
    }

    fn remove(&mut self, link: u32) {
        let pairs = &mut self.pairs;
        for actor in pairs[link as usize].actors {
            self.own
                .remove(actor, pairs, link, |pair| pair.beside(actor));
        }
        self.all
            .remove(ALL, pairs, link, |pair| &mut pair.among_all);
        self.free.push(link);
    }

    pub(crate) fn pairs(&self) -> impl Iterator<Item = [u32; 2]> {
        let all = self.all.of(ALL, &self.pairs, |pair| &pair.among_all);
        all.map(|link| self.pairs[link as usize].actors)
    }
}

impl Relations {
    /// Has an actor receive the failures of linked actors as events, instead of sharing them.
    pub(crate) fn trap(
        &mut self,
        footprint: &mut StepFootprint,
        operations: &mut Operations,
        owner: u32,
        trap: LinkNotice,
    ) {
        footprint.add(StepConstruct::Link);
        operations[owner].trap = Some(trap);
    }

    /// Links two actors. Returns the failure of the other one, if it has already failed.
    pub(crate) fn link(
        &mut self,
        footprint: &mut StepFootprint,
        operations: &Operations,
        one: u32,
        other: u32,
    ) -> Option<StopReason> {
        let links = self.links_mut(footprint);
        let found = &operations[other];
        if found.stage == OperationStage::Gone {
            return Some(found.ending).filter(|reason| reason.is_failure());
        }
        if one != other {
            links.add(one, other);
        }
        None
    }

    pub(crate) fn unlink(&mut self, footprint: &mut StepFootprint, one: u32, other: u32) {
        self.links_mut(footprint).end(one, other);
    }

    /// Removes the links of an actor whose value is dropped, and makes the linked actors share its failure.
    /// If the failure came from another actor, the link to that actor stays: the actor may have restarted and
    /// linked itself to the next incarnation.
    pub(crate) fn break_links(
        &mut self,
        operations: &mut Operations,
        index: u32,
        reason: StopReason,
    ) {
        let found = &mut operations[index];
        let shared = found.failure_source.take();
        let cause =
            shared.filter(|_| reason == StopReason::Linked && found.stage == OperationStage::Down);
        let others = self.break_all_links(index, cause);
        if reason.is_failure() {
            for to in others {
                let life = operations[to].incarnation;
                operations.push(index, Effect::Share { to, life, reason });
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::ActorLinks;

    /// Compares the links with a plain list of pairs.
    #[test]
    fn links_keep_their_order() {
        let mut links = ActorLinks::default();
        let mut pairs: Vec<[u32; 2]> = Vec::new();
        let mut random = 1_u64;
        for _ in 0..3_000 {
            random = random
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            let one = (random >> 33) as u32 % 7;
            let other = (random >> 43) as u32 % 7;
            if random >> 62 == 0 {
                let kept = (random >> 61 & 1 == 0).then_some(other);
                let mut others = Vec::new();
                pairs.retain(|pair| {
                    let linked = match pair {
                        [actor, linked] | [linked, actor] if *actor == one => *linked,
                        _ => return true,
                    };
                    let goes = kept != Some(linked);
                    others.extend(goes.then_some(linked));
                    !goes
                });
                assert_eq!(links.break_all(one, kept), others);
            } else if one != other {
                links.add(one, other);
                pairs.push([one, other]);
            }
            assert_eq!(links.pairs().collect::<Vec<_>>(), pairs);
        }
    }
}
