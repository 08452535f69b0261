//! What the driver, the machine and its hardware say to each other.

use actor_core::prelude::*;

use super::CoffeeMachine;

/// The machine takes over a piece of hardware: from now on it is the one that presses the buttons,
/// and hears what happens.
#[derive(Clone, Debug)]
pub struct Register {
    /// The machine.
    pub machine: ActorRef<CoffeeMachine>,
}

/// Asks the tank for its [`WaterLevel`].
#[derive(Debug)]
pub struct ReadWaterLevel {
    /// The machine that reads.
    pub by: ActorId,
}

/// How much water there is.
#[derive(Debug)]
pub struct WaterLevel(pub i32);

/// Asks the tank for its [`Temperature`].
#[derive(Debug)]
pub struct ReadTemperature {
    /// The machine that reads.
    pub by: ActorId,
}

/// How hot the water is, in degrees Celsius.
#[derive(Debug)]
pub struct Temperature(pub i32);

/// Asks the grinder for its [`HopperLevel`].
#[derive(Debug)]
pub struct ReadHopperLevel {
    /// The machine that reads.
    pub by: ActorId,
}

/// How many beans the hopper holds. The sensor is a simple one: ground past the last bean, it shows
/// less than zero.
#[derive(Debug)]
pub struct HopperLevel(pub i32);

/// Asks the grinder for its [`PortaFilterLevel`].
#[derive(Debug)]
pub struct ReadPortaFilterLevel {
    /// The machine that reads.
    pub by: ActorId,
}

/// How full the portafilter is, in per cent.
#[derive(Debug)]
pub struct PortaFilterLevel(pub i32);

/// Asks the door sensor for [`DoorOpen`].
#[derive(Debug)]
pub struct ReadDoor {
    /// Who asks.
    pub machine: ActorRef<CoffeeMachine>,
}

/// Whether the door is open.
#[derive(Debug)]
pub struct DoorOpen(pub bool);

/// Switches the heater.
#[derive(Debug)]
pub struct HeaterButton {
    /// On or off.
    pub on: bool,
    /// The machine that presses it.
    pub by: ActorId,
}

/// Switches the pump.
#[derive(Debug)]
pub struct PumpButton {
    /// On or off.
    pub on: bool,
    /// The machine that presses it.
    pub by: ActorId,
}

/// Switches the grinder.
#[derive(Debug)]
pub struct GrinderButton {
    /// On or off.
    pub on: bool,
    /// The machine that presses it.
    pub by: ActorId,
}

/// Empties the portafilter.
#[derive(Debug)]
pub struct DumpButton {
    /// The machine that presses it.
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
    /// How many shots.
    pub shots: u32,
}

/// An order has come to its end.
#[derive(Clone, Debug)]
pub struct CoffeeCompleted(pub Outcome);

/// How an order ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Outcome {
    /// With so many shots.
    Shots(u32),
    /// Beans or water have to be refilled.
    RefillRequired,
    /// The door is open.
    DoorIsOpen,
}

/// Kills a machine: it switches everything off and halts.
#[derive(Debug)]
pub struct Terminate;

/// A machine's last word.
#[derive(Debug)]
pub struct Halted;

/// Asks the driver how it ended, and with which machine; answered when it has.
#[derive(Debug)]
pub struct HowDidItEnd;

/// For monitors: the machine works on something that somebody waits for.
#[derive(Debug)]
pub struct Busy;

/// For monitors: the machine is ready, or has said why it is not, or is gone.
#[derive(Debug)]
pub struct Idle;

/// For monitors: how the door really is.
#[derive(Debug)]
pub struct DoorIs {
    /// It is open.
    pub open: bool,
}
