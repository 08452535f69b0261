//! What must come about.

use actor_core::prelude::*;

use super::{Delivered, Failed, Submit};

/// Every message is acknowledged in the end, or its connection closed.
#[derive(Debug, Default)]
pub struct AllAcked {
    in_flight: u32,
}

#[monitor(hot(InFlight), cold(Acked))]
impl AllAcked {
    #[on]
    fn submitted(&mut self, _: &Submit, cx: &mut MonitorContext<Self>) {
        self.in_flight += 1;
        cx.goto(AllAckedState::InFlight);
    }

    #[on]
    fn delivered(&mut self, _: &Delivered, cx: &mut MonitorContext<Self>) {
        self.ended(cx);
    }

    #[on]
    fn failed(&mut self, _: &Failed, cx: &mut MonitorContext<Self>) {
        self.ended(cx);
    }

    fn ended(&mut self, cx: &mut MonitorContext<Self>) {
        self.in_flight -= 1;
        if self.in_flight == 0 {
            cx.goto(AllAckedState::Acked);
        }
    }
}
