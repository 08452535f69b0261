//! The coffee machine, a state machine that checks its sensors, heats, grinds and brews.

use actor_core::prelude::*;

use super::{
    Bug, Busy, CoffeeCompleted, DoorOpen, DumpButton, FailoverDriver, GrinderButton, Halted,
    Hardware, HeaterButton, HopperEmpty, HopperLevel, Idle, MakeCoffee, Outcome, PortaFilterLevel,
    PumpButton, ReadDoor, ReadHopperLevel, ReadPortaFilterLevel, ReadTemperature, ReadWaterLevel,
    Register, ShotComplete, Temperature, Terminate, WaterEmpty, WaterHot, WaterLevel,
};
use CoffeeMachineState as To;

/// The temperature for coffee, in degrees Celsius.
const HOT: i32 = 100;
/// The level of a full portafilter, in per cent.
const FULL: i32 = 100;

/// Makes coffee with hardware that earlier machines have used.
#[derive(Debug)]
pub struct CoffeeMachine {
    driver: ActorRef<FailoverDriver>,
    hardware: Hardware,
    shots_left: u32,
    shots_made: u32,
    heater_on: bool,
    pump_on: bool,
    grinder_on: bool,
    bug: Option<Bug>,
}

// ANCHOR: states
#[actor(states(
    Init,
    CheckSensors(
        defer(MakeCoffee),
        ignore(HopperEmpty, ShotComplete, WaterEmpty, WaterHot)
    ),
    HeatingWater(defer(MakeCoffee), ignore(HopperEmpty, ShotComplete, WaterEmpty)),
    Ready(ignore(HopperEmpty)),
    MakingCoffee(ignore(HopperEmpty, PortaFilterLevel)),
    GrindingBeans,
    MakingShots(ignore(HopperEmpty, PortaFilterLevel)),
    Cleanup(ignore(HopperEmpty, PortaFilterLevel)),
    RefillRequired(ignore(HopperEmpty, PortaFilterLevel)),
    Error,
    Silent(ignore(HopperEmpty, PortaFilterLevel)),
))]
// ANCHOR_END: states
impl CoffeeMachine {
    /// Creates a machine that works for `driver`.
    pub fn new(driver: ActorRef<FailoverDriver>, hardware: Hardware, bug: Option<Bug>) -> Self {
        Self {
            driver,
            hardware,
            shots_left: 0,
            shots_made: 0,
            heater_on: false,
            pump_on: false,
            grinder_on: false,
            bug,
        }
    }

    #[entry(Init)]
    fn take_over(&mut self, cx: &mut Context<Self>) {
        let register = Register { machine: cx.me() };
        self.hardware.tank.tell(register.clone());
        self.hardware.grinder.tell(register);
        cx.goto(To::CheckSensors);
    }

    #[entry(CheckSensors)]
    fn check_door(&mut self, cx: &mut Context<Self>) {
        self.hardware.door.tell(ReadDoor { machine: cx.me() });
    }

    #[on(CheckSensors)]
    fn check_water(&mut self, door: DoorOpen, cx: &mut Context<Self>) {
        if door.0 {
            cx.goto(To::Error);
        } else {
            let by = cx.me().id();
            self.hardware.tank.tell(ReadWaterLevel { by });
        }
    }

    #[on(CheckSensors)]
    fn check_hopper(&mut self, water: WaterLevel, cx: &mut Context<Self>) {
        if water.0 <= 0 {
            cx.goto(To::RefillRequired);
        } else {
            let by = cx.me().id();
            self.hardware.grinder.tell(ReadHopperLevel { by });
        }
    }

    // ANCHOR: checked
    #[on(CheckSensors)]
    fn checked(&mut self, hopper: HopperLevel, cx: &mut Context<Self>) {
        cx.goto(if self.is_empty(&hopper) {
            To::RefillRequired
        } else {
            To::HeatingWater
        });
    }

    fn is_empty(&self, hopper: &HopperLevel) -> bool {
        match self.bug {
            Some(Bug::HopperEqZero) => hopper.0 == 0,
            _ => hopper.0 <= 0,
        }
    }
    // ANCHOR_END: checked

    #[entry(HeatingWater)]
    fn check_temperature(&mut self, cx: &mut Context<Self>) {
        cx.announce(Busy);
        let by = cx.me().id();
        self.hardware.tank.tell(ReadTemperature { by });
    }

    #[on(HeatingWater)]
    fn heat(&mut self, temperature: Temperature, cx: &mut Context<Self>) {
        if temperature.0 >= HOT {
            cx.goto(To::Ready);
        } else {
            self.heater(true, cx);
        }
    }

    #[on(HeatingWater)]
    fn hot(&mut self, _: WaterHot, cx: &mut Context<Self>) {
        self.heater(false, cx);
        cx.goto(To::Ready);
    }

    #[entry(Ready)]
    fn ready(&mut self, cx: &mut Context<Self>) {
        cx.announce(Idle);
    }

    #[on(Ready)]
    fn order(&mut self, order: MakeCoffee, cx: &mut Context<Self>) {
        cx.announce(Busy);
        self.shots_left = order.shots;
        self.shots_made = 0;
        cx.goto(To::MakingCoffee);
    }

    /// Empties the portafilter: an earlier machine may have left coffee in it.
    #[entry(MakingCoffee)]
    fn empty_the_filter(&mut self, cx: &mut Context<Self>) {
        let by = cx.me().id();
        self.hardware.grinder.tell(DumpButton { by });
        cx.goto(To::GrindingBeans);
    }

    #[entry(GrindingBeans)]
    fn check_beans(&mut self, cx: &mut Context<Self>) {
        let by = cx.me().id();
        self.hardware.grinder.tell(ReadHopperLevel { by });
    }

    #[on(GrindingBeans)]
    fn grind(&mut self, hopper: HopperLevel, cx: &mut Context<Self>) {
        if self.is_empty(&hopper) {
            self.out_of_beans(cx);
        } else {
            self.grinder(true, cx);
            let by = cx.me().id();
            self.hardware.grinder.tell(ReadPortaFilterLevel { by });
        }
    }

    /// Polls the level until the portafilter is full.
    #[on(GrindingBeans)]
    fn watch_the_filter(&mut self, filter: PortaFilterLevel, cx: &mut Context<Self>) {
        if filter.0 >= FULL {
            self.grinder(false, cx);
            cx.goto(To::MakingShots);
        } else {
            let by = cx.me().id();
            self.hardware.grinder.tell(ReadPortaFilterLevel { by });
        }
    }

    /// This event may come late: the last beans may have gone into the previous filter.
    #[on(GrindingBeans)]
    fn last_bean(&mut self, _: HopperEmpty, cx: &mut Context<Self>) {
        if self.grinder_on {
            self.grinder(false, cx);
            self.out_of_beans(cx);
        }
    }

    fn out_of_beans(&mut self, cx: &mut Context<Self>) {
        if self.bug == Some(Bug::RefillSilent) {
            cx.goto(To::Silent);
        } else {
            self.complete(Outcome::RefillRequired);
            cx.goto(To::RefillRequired);
        }
    }

    #[entry(MakingShots)]
    fn check_water_for_a_shot(&mut self, cx: &mut Context<Self>) {
        let by = cx.me().id();
        self.hardware.tank.tell(ReadWaterLevel { by });
    }

    #[on(MakingShots)]
    fn pump_a_shot(&mut self, water: WaterLevel, cx: &mut Context<Self>) {
        if water.0 <= 0 {
            self.complete(Outcome::RefillRequired);
            cx.goto(To::RefillRequired);
        } else {
            self.pump(true, cx);
        }
    }

    #[on(MakingShots)]
    fn shot(&mut self, _: ShotComplete, cx: &mut Context<Self>) {
        self.pump(false, cx);
        self.shots_made += 1;
        self.shots_left -= 1;
        cx.goto(if self.shots_left == 0 {
            To::Cleanup
        } else {
            To::MakingCoffee
        });
    }

    #[on(MakingShots)]
    fn half_a_shot(&mut self, _: WaterEmpty, cx: &mut Context<Self>) {
        self.pump(false, cx);
        self.complete(Outcome::RefillRequired);
        cx.goto(To::RefillRequired);
    }

    #[entry(Cleanup)]
    fn clean_up(&mut self, cx: &mut Context<Self>) {
        let by = cx.me().id();
        self.hardware.grinder.tell(DumpButton { by });
        self.complete(Outcome::Shots(self.shots_made));
        cx.goto(To::Ready);
    }

    #[entry(RefillRequired)]
    fn wait_for_a_refill(&mut self, cx: &mut Context<Self>) {
        cx.announce(Idle);
    }

    #[on(RefillRequired)]
    fn refuse_without_refill(&mut self, _: MakeCoffee) {
        self.complete(Outcome::RefillRequired);
    }

    #[entry(Error)]
    fn wait_for_the_door(&mut self, cx: &mut Context<Self>) {
        cx.announce(Idle);
    }

    #[on(Error)]
    fn refuse_with_the_door_open(&mut self, _: MakeCoffee) {
        self.complete(Outcome::DoorIsOpen);
    }

    // ANCHOR: terminate
    /// Switches everything off in any state, and reports the halt last.
    #[on]
    fn terminate(&mut self, _: Terminate, cx: &mut Context<Self>) {
        if self.heater_on {
            self.heater(false, cx);
        }
        if self.pump_on {
            self.pump(false, cx);
        }
        if self.grinder_on {
            self.grinder(false, cx);
        }
        self.driver.tell(Halted);
        cx.announce(Idle);
        cx.halt();
    }
    // ANCHOR_END: terminate

    fn complete(&self, outcome: Outcome) {
        self.driver.tell(CoffeeCompleted(outcome));
    }

    fn heater(&mut self, on: bool, cx: &Context<Self>) {
        self.heater_on = on;
        let by = cx.me().id();
        self.hardware.tank.tell(HeaterButton { on, by });
    }

    fn pump(&mut self, on: bool, cx: &Context<Self>) {
        self.pump_on = on;
        let by = cx.me().id();
        self.hardware.tank.tell(PumpButton { on, by });
    }

    fn grinder(&mut self, on: bool, cx: &Context<Self>) {
        self.grinder_on = on;
        let by = cx.me().id();
        self.hardware.grinder.tell(GrinderButton { on, by });
    }
}
