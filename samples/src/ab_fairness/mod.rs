//! Two actors and a question of fairness, after the Coyote documentation, "Fair and unfair
//! scheduling".
//!
//! [`A`] keeps sending [`Tick`] to itself until it is told to [`Stop`]; [`B`] tells it so, once.
//! The program is correct: it ends as soon as B has had a turn, and every fair schedule gives it
//! one. A schedule that never does is possible on paper alone, so an endless run of A under an
//! unfair strategy is no bug, and must not be reported.
//!
//! **The bug it teaches.** With [`Bug::DropStop`], B never sends `Stop`. Now the fair schedules run
//! for ever too, and every fair strategy reports that [`Ends`] stays hot.

use actor_core::prelude::*;

#[cfg(test)]
mod tests;

/// A mistake that can be switched on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Bug {
    /// B forgets to send [`Stop`].
    DropStop,
}

/// A's word to itself: go on.
#[derive(Debug)]
pub struct Tick;

/// Ends A.
#[derive(Debug)]
pub struct Stop;

/// Asks A how often it ticked; answered when A has stopped.
#[derive(Debug)]
pub struct Ticks;

/// Ticks until it is stopped.
#[derive(Debug, Default)]
pub struct A {
    ticks: u64,
}

#[actor(states(Running(defer(Ticks)), Stopped(ignore(Tick))))]
impl A {
    #[start]
    fn start(&mut self, cx: &mut Context<Self>) {
        cx.me().tell(Tick);
    }

    #[on(Running)]
    fn tick(&mut self, _: Tick, cx: &mut Context<Self>) {
        self.ticks += 1;
        cx.me().tell(Tick);
    }

    #[on(Running)]
    fn stop(&mut self, _: Stop, cx: &mut Context<Self>) {
        cx.goto(AState::Stopped);
    }

    #[on(Stopped)]
    fn ticks(&mut self, _: Ticks) -> u64 {
        self.ticks
    }
}

/// Stops A.
#[derive(Debug)]
pub struct B {
    a: ActorRef<A>,
    bug: Option<Bug>,
}

#[actor]
impl B {
    #[start]
    fn start(&mut self) {
        if self.bug != Some(Bug::DropStop) {
            self.a.tell(Stop);
        }
    }
}

/// A is stopped, in the end.
#[derive(Debug, Default)]
pub struct Ends;

#[monitor(hot(Running), cold(Stopped))]
impl Ends {
    #[on]
    fn tick(&mut self, _: &Tick, cx: &mut MonitorContext<Self>) {
        cx.goto(EndsState::Running);
    }

    /// Observed when A handles it: that it was sent is not enough.
    #[on(handled)]
    fn stop(&mut self, _: &Stop, cx: &mut MonitorContext<Self>) {
        cx.goto(EndsState::Stopped);
    }
}

/// Starts both actors, and returns the first.
pub fn set_up(sys: &System, bug: Option<Bug>) -> ActorRef<A> {
    sys.monitor::<Ends>();
    let a = sys.spawn(A::default());
    sys.spawn(B { a: a.clone(), bug });
    a
}
