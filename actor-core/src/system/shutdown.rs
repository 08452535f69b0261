//! Ordered shutdown of a system, from the sources to the sinks: [`Shutdown`].

use std::fmt;
use std::future::{Future, IntoFuture, poll_fn};
use std::pin::{Pin, pin};
use std::task::Poll;
use std::time::Duration;

use super::System;
use crate::actor::AnyRef;
use crate::asking::Stopped;
use crate::dispatch::Target;
use crate::environment::{ClockSleep, sleep};
use crate::error::Error;
use crate::seam::{self, Action, Purpose, Query, ShutdownSummary, Stop};

/// An ordered shutdown, by [`System::shutdown_from`]. Nothing is stopped before it is awaited.
#[must_use = "nothing is stopped before this is awaited"]
pub struct Shutdown {
    sys: System,
    first: Vec<Target>,
    deadline: Duration,
}

impl Shutdown {
    pub(crate) fn new(sys: &System, first: &impl AnyRef) -> Self {
        Self {
            sys: sys.clone(),
            first: vec![first.target().clone()],
            deadline: System::SHUTDOWN_DEADLINE,
        }
    }

    /// Adds an actor, which is stopped in order when all before it have stopped.
    pub fn then(mut self, next: &impl AnyRef) -> Self {
        self.first.push(next.target().clone());
        self
    }

    /// Sets the deadline for the whole shutdown, ten seconds by default.
    pub fn within(mut self, deadline: Duration) -> Self {
        self.deadline = deadline;
        self
    }
}

impl IntoFuture for Shutdown {
    type Output = Result<ShutdownSummary, Error>;
    type IntoFuture = Pin<Box<dyn Future<Output = Result<ShutdownSummary, Error>> + Send>>;

    fn into_future(self) -> Self::IntoFuture {
        Box::pin(async move { self.sys.end(&self.first, self.deadline).await })
    }
}

impl fmt::Debug for Shutdown {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Shutdown")
            .field("first", &self.first)
            .field("deadline", &self.deadline)
            .finish()
    }
}

/// Stops the actors one after the other, each when the one before has stopped.
pub(crate) async fn stop_in_turn(actors: &[Target]) {
    for actor in actors {
        let stopped = Stopped::of(actor);
        actor.stop(Stop::InOrder);
        stopped.await;
    }
}

/// Shuts the system down under test: stops the actors in `first` one after the other, and then all others.
pub(crate) async fn shut_down(
    first: &[Target],
    deadline: Duration,
) -> Result<ShutdownSummary, Error> {
    let lost_before = seam::query(|to| Query::DeadLetters(to));
    let mut limit = pin!(sleep(false, deadline, Purpose::Shutdown));
    let mut is_late = !ends_before(&mut limit, stop_in_turn(first)).await;
    seam::act(Action::Close);
    let running = seam::query(|to| Query::Running(to));
    let all: Vec<Target> = running.into_iter().map(Target::from).collect();
    for actor in &all {
        actor.stop(Stop::InOrder);
    }
    let stopped: Vec<Stopped> = all.iter().map(Stopped::of).collect();
    let stopping = async {
        for actor in stopped {
            actor.await;
        }
    };
    is_late = is_late || !ends_before(&mut limit, stopping).await;
    let left = all.iter().filter(|actor| is_late && !actor.has_stopped());
    let left: Vec<&Target> = left.collect();
    if left.is_empty() {
        let dead_letters = seam::query(|to| Query::DeadLetters(to)) - lost_before;
        return Ok(ShutdownSummary { dead_letters });
    }
    for actor in &left {
        actor.stop(Stop::AtOnce);
    }
    let names = left.iter().map(|actor| actor.name());
    Err(Error::ShutdownTimedOut(names.collect()))
}

/// Returns true if `work` ends before the limit.
async fn ends_before(limit: &mut Pin<&mut ClockSleep>, work: impl Future<Output = ()>) -> bool {
    let mut work = pin!(work);
    poll_fn(|task| match work.as_mut().poll(task) {
        Poll::Ready(()) => Poll::Ready(true),
        Poll::Pending => limit.as_mut().poll(task).map(|()| false),
    })
    .await
}
