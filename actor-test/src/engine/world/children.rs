//! Supervision: supervisors and their children.

use actor_core::Supervision;
use actor_core::seam::{Address, AskSupervisor, ChildOptions, Children};

use crate::data::constructs::StepConstruct;
use crate::engine::world::operation::NO_FAMILY;
use crate::engine::world::state::ExecutionState;

/// The children of an actor, or a single child or a group of children of the system.
#[derive(Clone, Debug)]
pub(crate) struct Supervised {
    pub(crate) family: Children,
    /// The supervising actor; `None` for the system.
    pub(crate) supervisor: Option<u32>,
    /// The function that asks the supervisor about failures, if the supervisor decides itself.
    pub(crate) ask: Option<AskSupervisor<Address>>,
}

impl ExecutionState {
    /// Makes an actor a child of its supervisor, or of the system.
    pub(crate) fn add_child(&mut self, supervisor: Option<u32>, child: u32, options: ChildOptions) {
        let family = match supervisor {
            Some(supervisor) => {
                self.reach.add(StepConstruct::Supervision);
                self.children_of(supervisor);
                self.operations[supervisor as usize].supervised_family
            }
            None => self
                .group_at(child)
                .unwrap_or_else(|| self.create_family(None)),
        };
        let child_operation = &mut self.operations[child as usize];
        child_operation.family = family;
        child_operation.unread = options.unread;
        let now = self.now;
        let family = &mut self.families[family as usize].family;
        family.add(u64::from(child), options, now);
    }

    /// Returns the children of an actor.
    pub(crate) fn children_of(&mut self, supervisor: u32) -> &mut Supervised {
        if self.operations[supervisor as usize].supervised_family == NO_FAMILY {
            let founded = self.create_family(Some(supervisor));
            self.operations[supervisor as usize].supervised_family = founded;
        }
        let supervised = self.operations[supervisor as usize].supervised_family;
        &mut self.families[supervised as usize]
    }

    /// Sets the supervision of the system's children on the node of `operation`, in that incarnation of the
    /// node.
    pub(crate) fn supervise_system(&mut self, operation: u32, supervision: Supervision) {
        self.reach.add(StepConstruct::Supervision);
        let group = self.group_at(operation);
        let group = group.unwrap_or_else(|| {
            let founded = self.create_family(None);
            let life = self.nodes.node_incarnation_of(operation);
            self.groups.push((life, founded));
            founded
        });
        self.families[group as usize].family.supervise(supervision);
    }

    fn group_at(&self, operation: u32) -> Option<u32> {
        let life = self.nodes.node_incarnation_of(operation);
        let group = self.groups.iter().find(|group| group.0 == life);
        group.map(|group| group.1)
    }

    fn create_family(&mut self, supervisor: Option<u32>) -> u32 {
        self.families.push(Supervised {
            family: Children::new(Supervision::default()),
            supervisor,
            ask: None,
        });
        self.families.len() as u32 - 1
    }
}
