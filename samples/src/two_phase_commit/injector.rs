//! What goes wrong from outside: the coordinator's machine loses its power, once.

use std::time::Duration;

use actor_core::prelude::*;

use super::{Coordinator, Crash, Log};

/// How long it waits before it may strike.
const PAUSE: Duration = Duration::from_millis(10);
/// It does so once in as many times.
const ODDS: usize = 4;

/// Time to strike, or to wait for another while.
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
    /// An injector for the machine that these two run on.
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
