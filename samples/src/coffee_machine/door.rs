//! The door sensor.

use actor_core::prelude::*;

use super::{DoorIs, DoorOpen, ReadDoor};

/// Knows whether the door is open: it is in one case of five.
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
