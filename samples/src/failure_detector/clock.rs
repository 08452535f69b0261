//! A one-shot clock whose cancellation may come too late (a race with its timeout).

use actor_core::prelude::*;

use super::{CancelFail, CancelOk, CancelTimer, FailureDetector, StartTimer, Timeout};

/// The clock's own timer: the time has passed.
#[derive(Debug)]
pub struct Fired;

/// Runs once for a given time.
#[derive(Debug, Default)]
pub struct Clock {
    client: Option<ActorRef<FailureDetector>>,
    timer: Option<Timer>,
}

// ANCHOR: clock
#[actor(states(Stopped, Running))]
impl Clock {
    #[on(Stopped)]
    fn run(&mut self, start: StartTimer, cx: &mut Context<Self>) {
        self.client = Some(start.from);
        self.timer = Some(cx.after(start.delay, Fired));
        cx.goto(ClockState::Running);
    }

    #[on(Running)]
    fn fired(&mut self, _: Fired, cx: &mut Context<Self>) {
        if let Some(client) = &self.client {
            client.tell(Timeout);
        }
        cx.goto(ClockState::Stopped);
    }

    #[on(Running)]
    fn stop(&mut self, _: CancelTimer, cx: &mut Context<Self>) {
        if let Some(timer) = self.timer.take() {
            cx.cancel(timer);
        }
        if let Some(client) = &self.client {
            client.tell(CancelOk);
        }
        cx.goto(ClockState::Stopped);
    }

    #[on(Stopped)]
    fn too_late(&mut self, _: CancelTimer) {
        if let Some(client) = &self.client {
            client.tell(CancelFail);
        }
    }
}
// ANCHOR_END: clock
