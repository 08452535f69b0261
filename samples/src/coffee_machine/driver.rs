//! The failover driver: orders coffee, and kills machines at random moments.

use std::time::Duration;

use actor_core::prelude::*;

use super::{
    Bug, CoffeeCompleted, CoffeeMachine, Halted, Hardware, HowDidItEnd, MakeCoffee, Outcome,
    Terminate,
};

/// The interval at which the driver considers killing the machine.
const KILL_PERIOD: Duration = Duration::from_millis(10);
/// The driver kills the machine in one of this number of cases.
const KILL_ODDS: usize = 40;

/// The driver kills fewer machines than this.
const KILLS: usize = 12;

/// A timer: consider killing the machine.
#[derive(Clone, Debug)]
pub struct KillTick;

/// Starts machines, orders coffee, and kills machines, until an order is completed.
#[derive(Debug)]
pub struct FailoverDriver {
    hardware: Hardware,
    machine: Option<ActorRef<CoffeeMachine>>,
    kill_timer: Option<Timer>,
    kills_left: usize,
    machines: u32,
    outcome: Outcome,
    bug: Option<Bug>,
}

// ANCHOR: driver
#[actor(states(
    Ordering(defer(HowDidItEnd), ignore(Halted)),
    Killing(defer(HowDidItEnd), ignore(CoffeeCompleted, KillTick)),
    Finished(ignore(Halted, CoffeeCompleted)),
))]
impl FailoverDriver {
    /// Creates a driver of machines with this hardware.
    pub fn new(hardware: Hardware, bug: Option<Bug>) -> Self {
        Self {
            hardware,
            machine: None,
            kill_timer: None,
            kills_left: 0,
            machines: 0,
            outcome: Outcome::RefillRequired,
            bug,
        }
    }

    #[start]
    fn start(&mut self, cx: &mut Context<Self>) {
        self.kills_left = cx.choose(KILLS);
        self.kill_timer = Some(cx.every(KILL_PERIOD, KillTick));
    }

    #[entry(Ordering)]
    fn order(&mut self, cx: &mut Context<Self>) {
        let machine = CoffeeMachine::new(cx.me(), self.hardware.clone(), self.bug);
        let machine = cx.spawn(machine);
        let shots = 1 + cx.choose(3) as u32;
        machine.tell(MakeCoffee { shots });
        self.machine = Some(machine);
        self.machines += 1;
    }

    #[on(Ordering)]
    fn kill_tick(&mut self, _: KillTick, cx: &mut Context<Self>) {
        if self.kills_left == 0 {
            return self.stop_killing(cx);
        }
        if cx.choose(KILL_ODDS) > 0 {
            return;
        }
        self.kills_left -= 1;
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
        self.outcome = coffee.0;
        self.stop_killing(cx);
        cx.goto(FailoverDriverState::Finished);
    }

    #[on(Finished)]
    fn how_did_it_end(&mut self, _: HowDidItEnd) -> (Outcome, u32) {
        (self.outcome, self.machines)
    }

    fn stop_killing(&mut self, cx: &mut Context<Self>) {
        if let Some(timer) = self.kill_timer.take() {
            cx.cancel(timer);
        }
    }
}
// ANCHOR_END: driver
