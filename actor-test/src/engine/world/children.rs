//! Supervision: supervisors and their children.

use actor_core::Supervision;
use actor_core::seam::{Address, AskSupervisor, ChildOptions, Children};

use crate::data::constructs::StepConstruct;
use crate::engine::world::actor_links::ActorLinks;
use crate::engine::world::footprint::StepFootprint;
use crate::engine::world::operation::NO_FAMILY;
use crate::engine::world::operations::Operations;
use crate::engine::world::state::ExecutionState;
use crate::engine::world::watches::Watches;

/// The children of an actor, or a single child or a group of children of the system.
#[derive(Clone, Debug)]
pub(crate) struct Supervised {
    pub(crate) family: Children,
    /// The supervising actor; `None` for the system.
    pub(crate) supervisor: Option<u32>,
    /// The function that asks the supervisor about failures, if the supervisor decides itself.
    pub(crate) ask: Option<AskSupervisor<Address>>,
}

/// The relations between actors by which the end of one concerns another: supervision, watches and links.
#[derive(Clone, Debug, Default)]
pub(crate) struct Relations {
    pub(crate) families: Families,
    pub(crate) watches: Watches,
    links: ActorLinks,
}

impl Relations {
    pub(crate) fn links(&self) -> &ActorLinks {
        &self.links
    }

    /// Returns the links for a step that reads or changes them.
    pub(super) fn links_mut(&mut self, footprint: &mut StepFootprint) -> &mut ActorLinks {
        footprint.add(StepConstruct::Link);
        &mut self.links
    }

    /// Removes the links of an actor that ends, except those to `kept`; returns the actors that were linked
    /// to it. The end itself is in the footprint of the step.
    pub(super) fn break_all_links(&mut self, of: u32, kept: Option<u32>) -> Vec<u32> {
        self.links.break_all(of, kept)
    }

    /// Returns the number of the family of an actor's children, which is created if there is none.
    fn family_of(&mut self, operations: &mut Operations, supervisor: u32) -> u32 {
        let supervising = &mut operations[supervisor];
        if supervising.supervised_family == NO_FAMILY {
            supervising.supervised_family = self.families.create(Some(supervisor));
        }
        supervising.supervised_family
    }

    /// Returns the children of an actor, to be changed.
    pub(crate) fn children_of(
        &mut self,
        footprint: &mut StepFootprint,
        operations: &mut Operations,
        supervisor: u32,
    ) -> &mut Supervised {
        let family = self.family_of(operations, supervisor);
        self.family_mut(footprint, family)
    }

    /// Returns a family, to be changed.
    pub(crate) fn family_mut(
        &mut self,
        footprint: &mut StepFootprint,
        family: u32,
    ) -> &mut Supervised {
        footprint.add(StepConstruct::Supervision);
        &mut self.families.all[family as usize]
    }

    pub(super) fn clear(&mut self) {
        self.families.clear();
        self.watches.clear();
        self.links.clear();
    }
}

/// The families of supervisors and their children, by number.
#[derive(Clone, Debug, Default)]
pub(crate) struct Families {
    all: Vec<Supervised>,
    /// For each incarnation of a node, the family of the system's children there.
    groups: Vec<(u32, u32)>,
}

impl Families {
    fn clear(&mut self) {
        self.all.clear();
        self.groups.clear();
    }

    pub(crate) fn iter(&self) -> std::slice::Iter<'_, Supervised> {
        self.all.iter()
    }

    pub(crate) fn get(&self, family: u32) -> Option<&Supervised> {
        self.all.get(family as usize)
    }

    fn group_on(&self, incarnation: u32) -> Option<u32> {
        let group = self.groups.iter().find(|group| group.0 == incarnation);
        group.map(|group| group.1)
    }

    fn create(&mut self, supervisor: Option<u32>) -> u32 {
        self.all.push(Supervised {
            family: Children::new(Supervision::default()),
            supervisor,
            ask: None,
        });
        self.all.len() as u32 - 1
    }

    /// Returns the family of the system's children on an incarnation of a node.
    fn group(&mut self, incarnation: u32) -> u32 {
        self.group_on(incarnation).unwrap_or_else(|| {
            let founded = self.create(None);
            self.groups.push((incarnation, founded));
            founded
        })
    }
}

impl ExecutionState {
    /// Makes an actor a child of its supervisor, or of the system.
    pub(crate) fn add_child(&mut self, supervisor: Option<u32>, child: u32, options: ChildOptions) {
        let family = match supervisor {
            Some(supervisor) => self.relations.family_of(&mut self.operations, supervisor),
            None => {
                let incarnation = self.nodes.node_incarnation_of(child);
                let families = &mut self.relations.families;
                let group = families.group_on(incarnation);
                group.unwrap_or_else(|| families.create(None))
            }
        };
        if supervisor.is_some() {
            self.footprint.add(StepConstruct::Supervision);
        }
        let child_operation = &mut self.operations[child];
        child_operation.family = family;
        child_operation.unread = options.unread;
        let now = self.timers.now();
        let family = &mut self.relations.families.all[family as usize].family;
        family.add(u64::from(child), options, now);
    }

    /// Sets the supervision of the system's children on the node of `operation`, in that incarnation of the
    /// node.
    pub(crate) fn supervise_system(&mut self, operation: u32, supervision: Supervision) {
        let incarnation = self.nodes.node_incarnation_of(operation);
        let group = self.relations.families.group(incarnation);
        let group = self.relations.family_mut(&mut self.footprint, group);
        group.family.supervise(supervision);
    }
}
