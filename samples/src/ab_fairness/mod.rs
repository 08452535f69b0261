//! Fair and unfair scheduling with two actors, after the
//! Coyote documentation, "Fair and unfair scheduling".
//!
//! [`A`] keeps sending [`Tick`] to itself until it receives [`Stop`], which [`B`]
//! sends once. The program is correct: it ends as soon as B runs, and every fair
//! schedule lets B run. Only an unfair schedule starves B for ever. An endless run
//! of A under an unfair strategy is therefore no bug, and must not be reported.
//!
//! **The bug it teaches.** With [`Bug::DropStop`], B never sends `Stop`. Now fair schedules
//! run for ever, too, and every fair strategy reports that the monitor [`Ends`] stays hot.

use actor_core::prelude::*;

#[cfg(test)]
mod tests;

/// A bug that a test can switch on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Bug {
    /// B forgets to send [`Stop`].
    DropStop,
}

/// A sends this to itself, in order to continue.
#[derive(Debug)]
pub struct Tick;

/// Stops A.
#[derive(Debug)]
pub struct Stop;

/// Asks A for the number of ticks; A answers once it has stopped.
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

/// A liveness property: A is stopped eventually.
#[derive(Debug, Default)]
pub struct Ends;

#[monitor(hot(Running), cold(Stopped))]
impl Ends {
    #[on]
    fn tick(&mut self, _: &Tick, cx: &mut MonitorContext<Self>) {
        cx.goto(EndsState::Running);
    }

    /// The monitor observes `Stop` when A handles it, and not when B sends it.
    #[on(handled)]
    fn stop(&mut self, _: &Stop, cx: &mut MonitorContext<Self>) {
        cx.goto(EndsState::Stopped);
    }
}

/// Starts both actors, and returns A.
pub fn set_up(sys: &System, bug: Option<Bug>) -> ActorRef<A> {
    sys.monitor::<Ends>();
    let a = sys.spawn(A::default());
    sys.spawn(B { a: a.clone(), bug });
    a
}
