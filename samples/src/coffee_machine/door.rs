//! The door sensor: a model with a random state.

use actor_core::prelude::*;

use super::{DoorIs, DoorOpen, ReadDoor};

/// The door is open in one of five cases.
#[derive(Debug, Default)]
pub struct DoorSensor {
    open: bool,
}

#[actor]
impl DoorSensor {
    #[start]
    fn start(&mut self, cx: &mut Context<Self>) {
        self.open = cx.choose(5) == 0;
        cx.announce(DoorIs { open: self.open });
    }

    #[on]
    fn read(&mut self, read: ReadDoor) {
        read.machine.tell(DoorOpen(self.open));
    }
}
