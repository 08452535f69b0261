//! The fault injector: one power failure of the coordinator's machine.

use std::time::Duration;

use actor_core::prelude::*;

use super::{Coordinator, Crash, Log};

/// The time between two chances of a power failure.
const PAUSE: Duration = Duration::from_millis(10);
/// The injector strikes in one of this number of cases.
const ODDS: usize = 4;

/// A timer: strike now, or wait again.
#[derive(Debug, Hash)]
pub struct Strike;

/// Crashes the coordinator at some moment.
#[derive(Debug, Hash)]
pub struct Injector {
    coordinator: ActorRef<Coordinator>,
    log: ActorRef<Log>,
}

#[actor]
impl Injector {
    /// Creates an injector for the machine of these two actors.
    pub fn new(coordinator: ActorRef<Coordinator>, log: ActorRef<Log>) -> Self {
        Self { coordinator, log }
    }

    #[start]
    fn start(&mut self, cx: &mut Context<Self>) {
        cx.after(PAUSE, Strike);
    }

    #[on]
    fn strike(&mut self, strike: Strike, cx: &mut Context<Self>) {
        if cx.choose(ODDS) == 0 {
            self.log.tell(Crash);
            self.coordinator.tell(Crash);
        } else {
            cx.after(PAUSE, strike);
        }
    }
}
