//! The end of a system, from the sources to the sinks: [`Shutdown`].

use std::fmt;
use std::future::{Future, IntoFuture};
use std::pin::Pin;
use std::time::Duration;

use super::System;
use crate::actor::AnyRef;
use crate::asking::Stopped;
use crate::error::Error;
use crate::parts::{ShutdownSummary, Stop};
use crate::production::Target;

/// A shutdown in which some actors end before the others, by
/// [`System::shutdown_from`]. Nothing is stopped before it is awaited.
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

    /// Stops this actor in order when all before it have stopped.
    pub fn then(mut self, next: &impl AnyRef) -> Self {
        self.first.push(next.target().clone());
        self
    }

    /// Sets the deadline for all of it, ten seconds unless told.
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

/// Stops one actor after the other, each when the one before has stopped.
pub(crate) async fn stop_in_turn(actors: &[Target]) {
    for actor in actors {
        let stopped = Stopped::of(actor);
        actor.stop(Stop::InOrder);
        stopped.await;
    }
}
