//! The grinder, with the bean hopper above it and the portafilter below.

use std::time::Duration;

use actor_core::prelude::*;

use super::{
    CoffeeMachine, DumpButton, GrinderButton, HopperEmpty, HopperLevel, PortaFilterLevel,
    ReadHopperLevel, ReadPortaFilterLevel, Register,
};

/// The interval at which the running grinder grinds a portion.
const GRINDER_PERIOD: Duration = Duration::from_millis(10);
/// The amount that one portion adds to the portafilter, in per cent.
const PORTION: i32 = 10;

/// The largest initial content of the hopper, in portions; three shots take thirty.
const HOPPER: usize = 60;

/// A timer: grind a portion.
#[derive(Clone, Debug)]
pub struct GrinderTick;

/// Grinds beans into the portafilter, and outlives the machines that use it.
#[derive(Debug, Default)]
pub struct Grinder {
    machine: Option<ActorRef<CoffeeMachine>>,
    hopper: i32,
    porta_filter: i32,
    running: Option<Timer>,
}

#[actor]
impl Grinder {
    #[start]
    fn start(&mut self, cx: &mut Context<Self>) {
        self.hopper = cx.choose(HOPPER) as i32;
        self.porta_filter = PORTION * cx.choose(10) as i32;
    }

    #[on]
    fn register(&mut self, register: Register) {
        self.machine = Some(register.machine);
    }

    #[on]
    fn read_hopper_level(&mut self, read: ReadHopperLevel) {
        self.obey(read.by);
        if let Some(machine) = &self.machine {
            machine.tell(HopperLevel(self.hopper));
        }
    }

    #[on]
    fn read_porta_filter_level(&mut self, read: ReadPortaFilterLevel) {
        self.obey(read.by);
        if let Some(machine) = &self.machine {
            machine.tell(PortaFilterLevel(self.porta_filter));
        }
    }

    // ANCHOR: button
    #[on]
    fn grinder_button(&mut self, button: GrinderButton, cx: &mut Context<Self>) {
        self.obey(button.by);
        if let Some(running) = self.running.take() {
            cx.cancel(running);
        }
        if button.on {
            assert!(
                self.hopper > 0,
                "the grinder is switched on with an empty hopper"
            );
            self.running = Some(cx.every(GRINDER_PERIOD, GrinderTick));
        }
    }

    /// Grinds on when the hopper is empty: only the machine stops the grinder.
    #[on]
    fn grinder_tick(&mut self, _: GrinderTick) {
        if self.hopper > 0 {
            self.porta_filter += PORTION;
        }
        self.hopper -= 1;
        if self.hopper == 0
            && let Some(machine) = &self.machine
        {
            machine.tell(HopperEmpty);
        }
    }
    // ANCHOR_END: button

    #[on]
    fn dump_button(&mut self, button: DumpButton) {
        self.obey(button.by);
        self.porta_filter = 0;
    }

    fn obey(&self, by: ActorId) {
        let machine = self.machine.as_ref().map(ActorRef::id);
        assert_eq!(
            machine,
            Some(by),
            "the grinder obeys the machine in charge and no other"
        );
    }
}
