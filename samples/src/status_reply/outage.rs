//! The outage of the first primary.

use std::time::Duration;

use actor_core::prelude::*;

use super::{Crash, Replica};

/// How long the first primary lives.
const LIFETIME: Duration = Duration::from_millis(150);

/// The primary's time is over.
#[derive(Debug)]
pub struct Strike;

/// Crashes a replica.
#[derive(Debug)]
pub struct Outage {
    victim: ActorRef<Replica>,
}

#[actor]
impl Outage {
    /// The outage of `victim`.
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
