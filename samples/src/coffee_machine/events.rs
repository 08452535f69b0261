//! The messages between the driver, the machine and its hardware.

use actor_core::prelude::*;

use super::CoffeeMachine;

/// The machine takes over a piece of hardware: from now
/// on it presses the buttons and receives the events.
#[derive(Clone, Debug)]
pub struct Register {
    /// The machine.
    pub machine: ActorRef<CoffeeMachine>,
}

/// Asks the tank for its [`WaterLevel`].
#[derive(Debug)]
pub struct ReadWaterLevel {
    /// The machine that asks.
    pub by: ActorId,
}

/// The water level.
#[derive(Debug)]
pub struct WaterLevel(pub i32);

/// Asks the tank for its [`Temperature`].
#[derive(Debug)]
pub struct ReadTemperature {
    /// The machine that asks.
    pub by: ActorId,
}

/// The temperature of the water, in degrees Celsius.
#[derive(Debug)]
pub struct Temperature(pub i32);

/// Asks the grinder for its [`HopperLevel`].
#[derive(Debug)]
pub struct ReadHopperLevel {
    /// The machine that asks.
    pub by: ActorId,
}

/// The number of portions of beans in the hopper. The sensor is
/// a simple one: after the last bean, the level goes below zero.
#[derive(Debug)]
pub struct HopperLevel(pub i32);

/// Asks the grinder for its [`PortaFilterLevel`].
#[derive(Debug)]
pub struct ReadPortaFilterLevel {
    /// The machine that asks.
    pub by: ActorId,
}

/// The filling of the portafilter, in per cent.
#[derive(Debug)]
pub struct PortaFilterLevel(pub i32);

/// Asks the door sensor for [`DoorOpen`].
#[derive(Debug)]
pub struct ReadDoor {
    /// The machine that asks.
    pub machine: ActorRef<CoffeeMachine>,
}

/// True if the door is open.
#[derive(Debug)]
pub struct DoorOpen(pub bool);

/// Switches the heater.
#[derive(Debug)]
pub struct HeaterButton {
    /// True to switch the heater on.
    pub on: bool,
    /// The machine that presses the button.
    pub by: ActorId,
}

/// Switches the pump.
#[derive(Debug)]
pub struct PumpButton {
    /// True to switch the pump on.
    pub on: bool,
    /// The machine that presses the button.
    pub by: ActorId,
}

/// Switches the grinder.
#[derive(Debug)]
pub struct GrinderButton {
    /// True to switch the grinder on.
    pub on: bool,
    /// The machine that presses the button.
    pub by: ActorId,
}

/// Empties the portafilter.
#[derive(Debug)]
pub struct DumpButton {
    /// The machine that presses the button.
    pub by: ActorId,
}

/// The water is hot enough.
#[derive(Debug)]
pub struct WaterHot;

/// The pump drew the last of the water.
#[derive(Debug)]
pub struct WaterEmpty;

/// The grinder ground the last bean.
#[derive(Debug)]
pub struct HopperEmpty;

/// A shot is in the cup.
#[derive(Debug)]
pub struct ShotComplete;

/// Orders coffee.
#[derive(Debug)]
pub struct MakeCoffee {
    /// The number of shots.
    pub shots: u32,
}

/// An order is finished.
#[derive(Clone, Debug)]
pub struct CoffeeCompleted(pub Outcome);

/// The outcome of an order.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Outcome {
    /// This number of shots was made.
    Shots(u32),
    /// Beans or water have to be refilled.
    RefillRequired,
    /// The door is open.
    DoorIsOpen,
}

/// Kills a machine: the machine switches everything off and halts.
#[derive(Debug)]
pub struct Terminate;

/// The last message of a machine: it has halted.
#[derive(Debug)]
pub struct Halted;

/// Asks the driver for the outcome and the last machine; answered when an order is finished.
#[derive(Debug)]
pub struct HowDidItEnd;

/// For monitors: the machine does something that somebody waits for.
#[derive(Debug)]
pub struct Busy;

/// For monitors: the machine is ready, or has refused an order, or is halted.
#[derive(Debug)]
pub struct Idle;

/// For monitors: the true state of the door.
#[derive(Debug)]
pub struct DoorIs {
    /// True if the door is open.
    pub open: bool,
}
