//! The coordinator's clock, whose cancellation may come too late.

use std::time::Duration;

use actor_core::prelude::*;

use super::{
    CancelFail, CancelOk, CancelTimer, Coordinator, Restart, Restarted, StartTimer, Timeout,
};
use ClockState as To;

/// The time that the coordinator waits for votes.
const PATIENCE: Duration = Duration::from_millis(100);

/// The clock's own timer: the time has passed.
#[derive(Debug, Hash)]
pub struct Fired;

/// Limits the time for the votes.
#[derive(Debug, Default, Fingerprint)]
pub struct Clock {
    coordinator: Option<ActorRef<Coordinator>>,
    timer: Option<Timer>,
}

#[actor(states(Stopped, Running))]
impl Clock {
    #[on(Stopped)]
    fn run(&mut self, start: StartTimer, cx: &mut Context<Self>) {
        self.coordinator = Some(start.coordinator);
        self.timer = Some(cx.after(PATIENCE, Fired));
        cx.goto(To::Running);
    }

    #[on(Running)]
    fn fired(&mut self, _: Fired, cx: &mut Context<Self>) {
        if let Some(coordinator) = &self.coordinator {
            coordinator.tell(Timeout);
        }
        cx.goto(To::Stopped);
    }

    #[on(Running)]
    fn stop(&mut self, _: CancelTimer, cx: &mut Context<Self>) {
        self.cancel(cx);
        if let Some(coordinator) = &self.coordinator {
            coordinator.tell(CancelOk);
        }
        cx.goto(To::Stopped);
    }

    #[on(Stopped)]
    fn too_late(&mut self, _: CancelTimer) {
        if let Some(coordinator) = &self.coordinator {
            coordinator.tell(CancelFail);
        }
    }

    #[on]
    fn restart(&mut self, restart: Restart, cx: &mut Context<Self>) {
        self.cancel(cx);
        restart.coordinator.tell(Restarted);
        cx.goto(To::Stopped);
    }

    fn cancel(&mut self, cx: &mut Context<Self>) {
        if let Some(timer) = self.timer.take() {
            cx.cancel(timer);
        }
    }
}
