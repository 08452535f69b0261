//! The driver, which orders coffee and kills machines.

use std::time::Duration;

use actor_core::prelude::*;

use super::{
    Bug, CoffeeCompleted, CoffeeMachine, Halted, Hardware, HowDidItEnd, MakeCoffee, Outcome,
    Terminate,
};

/// The earliest moment at which a machine is killed; the latest is [`KILL_STEPS`] times that.
const KILL_STEP: Duration = Duration::from_millis(20);
const KILL_STEPS: usize = 20;

/// Time to kill the machine.
#[derive(Debug)]
pub struct Kill;

/// Starts machines, orders coffee, and kills them, until an order is completed.
#[derive(Debug)]
pub struct FailoverDriver {
    hardware: Hardware,
    machine: Option<ActorRef<CoffeeMachine>>,
    kill: Option<Timer>,
    outcome: Option<Outcome>,
    bug: Option<Bug>,
}

// ANCHOR: driver
#[actor(states(
    Ordering(defer(HowDidItEnd), ignore(Halted)),
    Killing(defer(HowDidItEnd), ignore(CoffeeCompleted)),
    Finished(ignore(Halted, CoffeeCompleted)),
))]
impl FailoverDriver {
    /// A driver of machines with this hardware.
    pub fn new(hardware: Hardware, bug: Option<Bug>) -> Self {
        Self {
            hardware,
            machine: None,
            kill: None,
            outcome: None,
            bug,
        }
    }

    #[entry(Ordering)]
    fn order(&mut self, cx: &mut Context<Self>) {
        let machine = CoffeeMachine::new(cx.me(), self.hardware.clone(), self.bug);
        let machine = cx.spawn(machine);
        let shots = 1 + cx.choose(3) as u32;
        machine.tell(MakeCoffee { shots });
        self.machine = Some(machine);
        let moment = cx.choose(KILL_STEPS) as u32;
        // Once in a while a machine is left alone.
        if moment > 0 {
            self.kill = Some(cx.after(KILL_STEP * moment, Kill));
        }
    }

    #[on(Ordering)]
    fn kill(&mut self, _: Kill, cx: &mut Context<Self>) {
        if let Some(machine) = &self.machine {
            machine.tell(Terminate);
        }
        cx.goto(match self.bug {
            Some(Bug::NoHaltHandshake) => FailoverDriverState::Ordering,
            _ => FailoverDriverState::Killing,
        });
    }

    #[on(Killing)]
    fn halted(&mut self, _: Halted, cx: &mut Context<Self>) {
        cx.goto(FailoverDriverState::Ordering);
    }

    #[on(Ordering)]
    fn completed(&mut self, coffee: CoffeeCompleted, cx: &mut Context<Self>) {
        self.outcome = Some(coffee.0);
        if let Some(kill) = self.kill.take() {
            cx.cancel(kill);
        }
        cx.goto(FailoverDriverState::Finished);
    }

    #[on(Finished)]
    fn how_did_it_end(&mut self, _: HowDidItEnd) -> Option<Outcome> {
        self.outcome
    }
}
// ANCHOR_END: driver
