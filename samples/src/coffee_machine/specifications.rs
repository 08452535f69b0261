//! The specifications of the coffee machine.

use actor_core::prelude::*;

use super::{
    Busy, CoffeeCompleted, DoorIs, DumpButton, GrinderButton, HeaterButton, Idle, MakeCoffee,
    Outcome, PumpButton, ShotComplete,
};

// ANCHOR: activity
/// A liveness property: a busy machine becomes idle again: ready, or waiting for a person, or halted.
#[derive(Debug, Default)]
pub struct Activity;

#[monitor(hot(Busy), cold(Idle))]
impl Activity {
    #[on]
    fn busy(&mut self, _: &Busy, cx: &mut MonitorContext<Self>) {
        cx.goto(ActivityState::Busy);
    }

    #[on]
    fn idle(&mut self, _: &Idle, cx: &mut MonitorContext<Self>) {
        cx.goto(ActivityState::Idle);
    }
}
// ANCHOR_END: activity

/// A safety property: no button is pressed while the door is open.
#[derive(Debug, Default)]
pub struct DoorClosed {
    open: bool,
}

#[monitor(cold(Watching))]
impl DoorClosed {
    #[on]
    fn door(&mut self, door: &DoorIs) {
        self.open = door.open;
    }

    #[on]
    fn heater(&mut self, button: &HeaterButton) {
        assert!(!self.open, "{button:?} with the door open");
    }

    #[on]
    fn pump(&mut self, button: &PumpButton) {
        assert!(!self.open, "{button:?} with the door open");
    }

    #[on]
    fn grinder(&mut self, button: &GrinderButton) {
        assert!(!self.open, "{button:?} with the door open");
    }

    #[on]
    fn dump(&mut self, button: &DumpButton) {
        assert!(!self.open, "{button:?} with the door open");
    }
}

/// A safety property: a completed order has as many shots as were ordered.
#[derive(Debug, Default)]
pub struct FullOrder {
    machine: Option<ActorId>,
    ordered: u32,
    made: u32,
}

#[monitor(cold(Counting))]
impl FullOrder {
    #[on]
    fn order(&mut self, order: &MakeCoffee, cx: &mut MonitorContext<Self>) {
        self.machine = cx.target();
        self.ordered = order.shots;
        self.made = 0;
    }

    /// Ignores a shot for a machine that was killed meanwhile.
    #[on]
    fn shot(&mut self, _: &ShotComplete, cx: &mut MonitorContext<Self>) {
        if cx.target() == self.machine {
            self.made += 1;
        }
    }

    #[on]
    fn completed(&mut self, coffee: &CoffeeCompleted) {
        if let Outcome::Shots(shots) = coffee.0 {
            assert_eq!(shots, self.ordered, "shots said to be made, and ordered");
            assert_eq!(self.made, self.ordered, "shots made, and ordered");
        }
    }
}
