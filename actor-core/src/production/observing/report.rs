//! What a shutdown left: [`Unfinished`].

use std::fmt;

use super::work::Named;
use crate::identity::ActorId;

/// An actor that had not stopped when the deadline of a shutdown came, as it was then; it was
/// aborted. See [`LiveSystem::shutdown_report`](crate::LiveSystem::shutdown_report).
///
/// It prints as one line: `printer awaits in Print in state Busy, 3 unread`.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Unfinished {
    /// Which actor.
    pub actor: ActorId,
    /// Its name.
    pub name: String,
    /// The event in hand, or the hook, `#[stop]` for instance. `None` where it was between two, and
    /// where its handler is not async and nobody [looks](crate::LiveSystem::watch_stuck) for actors
    /// that are stuck.
    pub event: Option<&'static str>,
    /// The state in which that was called; `None` for a plain actor.
    pub state: Option<&'static str>,
    /// Its handler waited; otherwise it occupied a thread, or there was none.
    pub waits: bool,
    /// How many events it had not begun to handle. The few that an actor has fetched from its
    /// mailbox count only where its handler is async, or somebody looks for
    /// [deep mailboxes](crate::LiveSystem::watch_depth).
    pub unread: usize,
}

impl fmt::Display for Unfinished {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name)?;
        if let Some(event) = self.event {
            let verb = if self.waits { "awaits in" } else { "is in" };
            write!(f, " {verb} {}", Named(event, self.state))?;
        }
        write!(f, ", {} unread", self.unread)
    }
}
