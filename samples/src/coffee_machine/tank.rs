//! The water tank, with heater and pump.

use std::time::Duration;

use actor_core::prelude::*;

use super::{
    CoffeeMachine, HeaterButton, PumpButton, ReadTemperature, ReadWaterLevel, Register,
    ShotComplete, Temperature, WaterEmpty, WaterHot, WaterLevel,
};

/// The interval at which the heater warms the water.
const HEATER_PERIOD: Duration = Duration::from_millis(10);
/// The time that the pump takes for half a shot, which is one unit of water.
const PUMP_DELAY: Duration = Duration::from_millis(10);
/// The largest initial content of the tank; three shots take six units.
const TANK: usize = 20;
const HOT: i32 = 100;
const COLD: i32 = 20;

/// A timer: warm the water.
#[derive(Clone, Debug)]
pub struct HeaterTick;

/// The pump has pumped another unit of water.
#[derive(Debug)]
pub struct Pumped;

/// Heats and pumps water, and outlives the machines that use it.
#[derive(Debug, Default)]
pub struct WaterTank {
    machine: Option<ActorRef<CoffeeMachine>>,
    level: i32,
    temperature: i32,
    heater: Option<Timer>,
    pump: Option<Timer>,
    half_a_shot: bool,
}

#[actor]
impl WaterTank {
    #[start]
    fn start(&mut self, cx: &mut Context<Self>) {
        self.level = cx.choose(TANK) as i32;
        self.temperature = COLD + 10 * cx.choose(8) as i32;
    }

    #[on]
    fn register(&mut self, register: Register) {
        self.machine = Some(register.machine);
    }

    #[on]
    fn read_level(&mut self, read: ReadWaterLevel) {
        self.obey(read.by);
        if let Some(machine) = &self.machine {
            machine.tell(WaterLevel(self.level));
        }
    }

    #[on]
    fn read_temperature(&mut self, read: ReadTemperature) {
        self.obey(read.by);
        if let Some(machine) = &self.machine {
            machine.tell(Temperature(self.temperature));
        }
    }

    #[on]
    fn heater_button(&mut self, button: HeaterButton, cx: &mut Context<Self>) {
        self.obey(button.by);
        if let Some(running) = self.heater.take() {
            cx.cancel(running);
        }
        if button.on {
            assert!(self.level > 0, "the heater is switched on without water");
            self.heater = Some(cx.every(HEATER_PERIOD, HeaterTick));
        }
    }

    #[on]
    fn heater_tick(&mut self, _: HeaterTick) {
        self.temperature += 10;
        if self.temperature == HOT
            && let Some(machine) = &self.machine
        {
            machine.tell(WaterHot);
        }
    }

    #[on]
    fn pump_button(&mut self, button: PumpButton, cx: &mut Context<Self>) {
        self.obey(button.by);
        if let Some(running) = self.pump.take() {
            cx.cancel(running);
        }
        if button.on {
            assert!(self.level > 0, "the pump is switched on without water");
            self.half_a_shot = false;
            self.pump = Some(cx.after(PUMP_DELAY, Pumped));
        }
    }

    #[on]
    fn pumped(&mut self, _: Pumped, cx: &mut Context<Self>) {
        self.level -= 1;
        self.pump = None;
        let Some(machine) = &self.machine else { return };
        if self.half_a_shot {
            machine.tell(ShotComplete);
        } else if self.level == 0 {
            machine.tell(WaterEmpty);
        } else {
            self.half_a_shot = true;
            self.pump = Some(cx.after(PUMP_DELAY, Pumped));
        }
    }

    fn obey(&self, by: ActorId) {
        let machine = self.machine.as_ref().map(ActorRef::id);
        assert_eq!(
            machine,
            Some(by),
            "the tank obeys the machine in charge and no other"
        );
    }
}
