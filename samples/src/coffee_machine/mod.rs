//! Failover of a coffee machine that is killed and replaced while it
//! makes coffee, after the failover sample of the Coyote documentation.
//!
//! A [`FailoverDriver`] starts a [`CoffeeMachine`], orders one to three shots, and kills the machine
//! at some moment: it sends [`Terminate`], waits for [`Halted`], and starts the next machine. The
//! [`WaterTank`], the [`Grinder`] and the [`DoorSensor`] are the hardware. They persist in the state
//! in which the last machine left them, and their timers continue. Each new machine reads the sensors
//! first. Then it makes the coffee, asks for a refill, or refuses to work while the door is open.
//!
//! **The bugs it teaches.**
//! - [`Bug::HopperEqZero`]: the machine treats a hopper as empty when its
//!   level *equals* zero. A grinder that is switched off late has ground
//!   below zero. The next machine reads −1, and grinds with an empty hopper.
//! - [`Bug::NoHaltHandshake`]: the driver starts the next machine without waiting
//!   for the halt of the last one. For a moment, two machines press the same buttons.
//! - [`Bug::RefillSilent`]: a machine that runs out of beans during an order does not
//!   report it. No assertion fails, but the coffee never comes. That is a *liveness* bug.

use actor_core::prelude::*;

mod door;
mod driver;
mod events;
mod grinder;
mod machine;
mod specifications;
mod tank;
#[cfg(test)]
mod tests;

pub use door::DoorSensor;
pub use driver::{FailoverDriver, FailoverDriverState};
pub use events::*;
pub use grinder::Grinder;
pub use machine::{CoffeeMachine, CoffeeMachineState};
pub use specifications::{
    Activity, ActivityState, DoorClosed, DoorClosedState, FullOrder, FullOrderState,
};
pub use tank::WaterTank;

/// A bug that a test can switch on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Bug {
    /// The hopper counts as empty when its level equals zero, not when it is zero or less.
    HopperEqZero,
    /// The driver starts a new machine before the old one has halted.
    NoHaltHandshake,
    /// A machine that runs out of beans during an order does not report it.
    RefillSilent,
}

/// The hardware of a coffee machine.
#[derive(Clone, Debug)]
pub struct Hardware {
    /// The tank, which heats and pumps water.
    pub tank: ActorRef<WaterTank>,
    /// The grinder, which grinds beans into the portafilter.
    pub grinder: ActorRef<Grinder>,
    /// The sensor of the door.
    pub door: ActorRef<DoorSensor>,
}

// ANCHOR: set_up
/// Starts the hardware and the driver, which starts the machines.
pub fn set_up(sys: &System, bug: Option<Bug>) -> ActorRef<FailoverDriver> {
    sys.monitor::<Activity>();
    sys.monitor::<DoorClosed>();
    sys.monitor::<FullOrder>();
    let hardware = Hardware {
        tank: sys.spawn(WaterTank::default()),
        grinder: sys.spawn(Grinder::default()),
        door: sys.spawn(DoorSensor::default()),
    };
    sys.spawn(FailoverDriver::new(hardware, bug))
}
// ANCHOR_END: set_up
