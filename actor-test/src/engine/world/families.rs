//! Supervisors and their children.

use actor_core::Supervision;
use actor_core::runtime::{ChildOptions, Children};

use crate::engine::world::operation::ALONE;
use crate::engine::world::state::State;
use crate::strategy::Beyond;

/// The children of an actor, or one child of the system.
#[derive(Clone, Debug)]
pub(crate) struct Household {
    pub(crate) family: Children,
    /// `None` for the system.
    pub(crate) supervisor: Option<u32>,
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
            None => self.found(None),
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

    fn found(&mut self, supervisor: Option<u32>) -> u32 {
        self.families.push(Household {
            family: Children::new(Supervision::default()),
            supervisor,
        });
        self.families.len() as u32 - 1
    }
}
