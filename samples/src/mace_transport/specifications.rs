//! The specification of the transport: a liveness property.

use actor_core::prelude::*;

use super::{Delivered, Failed, Submit};

/// A liveness property: every message is acknowledged eventually, or its connection is closed.
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
