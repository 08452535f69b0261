//! Actors that a shutdown had to abort: [`Unfinished`].

use std::fmt;

use super::work::HandlerInState;
use crate::identity::ActorId;

/// An actor that had not stopped at the deadline of a shutdown and was aborted, as it was then. See
/// [`LiveSystem::shutdown_report`](crate::LiveSystem::shutdown_report).
///
/// Printed as one line: `printer awaits in Print in state Busy, 3 unread`.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Unfinished {
    /// The identity of the actor.
    pub actor: ActorId,
    /// The name of the actor.
    pub name: String,
    /// The current event, or the hook, `#[stop]` for instance. `None` between two events, and for a
    /// handler that is not async unless [stuck actors](crate::LiveSystem::watch_stuck) are watched.
    pub event: Option<&'static str>,
    /// The state in which the handler was called; `None` for a plain actor.
    pub state: Option<&'static str>,
    /// True if the handler waited; otherwise it occupied a thread, or there was none.
    pub waits: bool,
    /// The number of events that the actor had not begun to handle. The few that an actor has fetched
    /// from its mailbox count only if its handler is async, or if [deep
    /// mailboxes](crate::LiveSystem::watch_depth) are watched.
    pub unread: usize,
}

impl fmt::Display for Unfinished {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name)?;
        if let Some(event) = self.event {
            let verb = if self.waits { "awaits in" } else { "is in" };
            write!(f, " {verb} {}", HandlerInState(event, self.state))?;
        }
        write!(f, ", {} unread", self.unread)
    }
}
