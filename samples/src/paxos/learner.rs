//! The learner, which is notified of the decided value.

use actor_core::prelude::*;

use super::{Decided, WhatIsDecided};

/// Stores the decided value.
#[derive(Debug, Default, Hash)]
pub struct Learner {
    value: u32,
}

#[actor(states(Waiting(defer(WhatIsDecided)), Informed(ignore(Decided))))]
impl Learner {
    #[on(Waiting)]
    fn decided(&mut self, decided: Decided, cx: &mut Context<Self>) {
        self.value = decided.value;
        cx.goto(LearnerState::Informed);
    }

    #[on(Informed)]
    fn what_is_decided(&mut self, _: WhatIsDecided) -> u32 {
        self.value
    }
}
