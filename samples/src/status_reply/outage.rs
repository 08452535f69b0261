//! The outage of the first primary.

use std::time::Duration;

use actor_core::prelude::*;

use super::{Crash, Replica};

/// The time after which the first primary crashes.
const LIFETIME: Duration = Duration::from_millis(150);

/// A timer: crash the primary.
#[derive(Debug)]
pub struct Strike;

/// Crashes a replica.
#[derive(Debug)]
pub struct Outage {
    victim: ActorRef<Replica>,
}

#[actor]
impl Outage {
    /// Creates the outage of `victim`.
    pub fn new(victim: ActorRef<Replica>) -> Self {
        Self { victim }
    }

    #[start]
    fn start(&mut self, cx: &mut Context<Self>) {
        cx.after(LIFETIME, Strike);
    }

    #[on]
    fn strike(&mut self, _: Strike, cx: &mut Context<Self>) {
        self.victim.tell(Crash);
        cx.halt();
    }
}
