//! Supervisors and their children.

use actor_core::Supervision;
use actor_core::runtime::{AskSupervisor, ChildOptions, Children};

use crate::engine::world::operation::ALONE;
use crate::engine::world::state::State;
use crate::strategy::Beyond;

/// The children of an actor, or of the system: one, or a group.
#[derive(Clone, Debug)]
pub(crate) struct Household {
    pub(crate) family: Children,
    /// `None` for the system.
    pub(crate) supervisor: Option<u32>,
    /// What asks the supervisor about failures, where it decides itself.
    pub(crate) ask: Option<AskSupervisor>,
}

impl State {
    /// Makes an actor a child of its supervisor, or of the system.
    pub(crate) fn adopt(&mut self, supervisor: Option<u32>, child: u32, options: ChildOptions) {
        let family = match supervisor {
            Some(supervisor) => {
                self.reach.add(Beyond::Supervision);
                self.household_of(supervisor);
                self.operations[supervisor as usize].household
            }
            None => self.group_at(child).unwrap_or_else(|| self.found(None)),
        };
        let adopted = &mut self.operations[child as usize];
        adopted.family = family;
        adopted.unread = options.unread;
        let now = self.now;
        let family = &mut self.families[family as usize].family;
        family.add(u64::from(child), options, now);
    }

    /// The children of an actor.
    pub(crate) fn household_of(&mut self, supervisor: u32) -> &mut Household {
        if self.operations[supervisor as usize].household == ALONE {
            let founded = self.found(Some(supervisor));
            self.operations[supervisor as usize].household = founded;
        }
        let household = self.operations[supervisor as usize].household;
        &mut self.families[household as usize]
    }

    /// Says how the children of the system are supervised from now on, as `operation` means it: on its
    /// node, in this life of that.
    pub(crate) fn supervise_system(&mut self, operation: u32, supervision: Supervision) {
        self.reach.add(Beyond::Supervision);
        let group = self.group_at(operation);
        let group = group.unwrap_or_else(|| {
            let founded = self.found(None);
            let life = self.nodes.life_of(operation);
            self.groups.push((life, founded));
            founded
        });
        self.families[group as usize].family.supervise(supervision);
    }

    fn group_at(&self, operation: u32) -> Option<u32> {
        let life = self.nodes.life_of(operation);
        let group = self.groups.iter().find(|group| group.0 == life);
        group.map(|group| group.1)
    }

    fn found(&mut self, supervisor: Option<u32>) -> u32 {
        self.families.push(Household {
            family: Children::new(Supervision::default()),
            supervisor,
            ask: None,
        });
        self.families.len() as u32 - 1
    }
}
