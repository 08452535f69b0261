//! The secondary, which grants the lease, and takes over when the lease has expired.

use std::time::Duration;

use actor_core::prelude::*;

use super::{Beacon, GraceOver, Granted, Write};

/// The secondary, which may lead later.
#[derive(Debug)]
pub struct Secondary {
    value: u64,
    grace: Duration,
}

impl Secondary {
    /// Creates a secondary that has not heard of a primary.
    pub fn new(grace: Duration) -> Self {
        Self { value: 0, grace }
    }
}

// ANCHOR: secondary
#[actor(states(Follows(defer(Write)), Leads(ignore(Beacon))))]
impl Secondary {
    #[on(Follows)]
    fn beacon(&mut self, beacon: Beacon, cx: &mut Context<Self>) {
        cx.timer()
            .named("grace")
            .until_state_left()
            .after(self.grace, GraceOver);
        beacon.primary.tell(Granted { sent: beacon.sent });
    }

    #[on(Follows)]
    fn grace_over(&mut self, _: GraceOver, cx: &mut Context<Self>) {
        cx.goto(SecondaryState::Leads);
    }

    /// The reply confirms the write.
    #[on(Leads)]
    fn write(&mut self, Write(value): Write) {
        self.value = value;
    }
}
// ANCHOR_END: secondary
