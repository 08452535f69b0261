//! Snapshots of running actors for inspection: [`ActorStatus`].

use std::fmt;
use std::time::Duration;

use crate::identity::ActorId;
use crate::production::actor::live_actor::LiveActor;

/// The status of an actor at the time of [`LiveSystem::actors`](crate::LiveSystem::actors).
///
/// Printed as one line: `printer (Printer) in state Busy, awaits in Print, 3 unread`.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ActorStatus {
    /// The identity of the actor.
    pub actor: ActorId,
    /// The name of the actor.
    pub name: String,
    /// The name of the actor's type.
    pub actor_type: &'static str,
    /// The actor's state, or that before the running handler; `None` for a plain actor.
    pub state: Option<&'static str>,
    /// The current event, or the hook, `#[start]` for instance. `None` between two events, and for a
    /// handler that is not async unless [stuck actors](crate::LiveSystem::watch_stuck) are watched.
    pub event: Option<&'static str>,
    /// True if the handler waits; otherwise it occupies a thread, or there is none.
    pub waits: bool,
    /// The number of events that the actor has not begun to handle. The few that an actor has fetched
    /// from its mailbox count only if its handler is async, or if [deep
    /// mailboxes](crate::LiveSystem::watch_depth) are watched.
    pub unread: usize,
    /// The age of the oldest unread event; `None` if there is none, if ages are not
    /// [recorded](crate::LiveSystem::keep_ages), or if the event was sent before they were.
    pub oldest: Option<Duration>,
    /// The number of restarts.
    pub restarts: u32,
}

impl ActorStatus {
    pub(in crate::production) fn of(actor: &LiveActor) -> Self {
        let (doing, info) = (actor.work.doing(), actor.info());
        let at_rest = actor.mailbox().peek(|life| info.state_name(life.state()));
        Self {
            actor: actor.id(),
            name: actor.name().into_owned(),
            actor_type: info.name,
            state: at_rest.unwrap_or_else(|| doing.state(info)),
            event: doing.event(info),
            waits: doing.waits(),
            unread: actor.unread(),
            oldest: actor.oldest(),
            restarts: actor.restart_count(),
        }
    }
}

impl fmt::Display for ActorStatus {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({})", self.name, self.actor_type)?;
        if let Some(state) = self.state {
            write!(f, " in state {state}")?;
        }
        if let Some(event) = self.event {
            let verb = if self.waits { "awaits in" } else { "is in" };
            write!(f, ", {verb} {event}")?;
        }
        write!(f, ", {} unread", self.unread)?;
        if let Some(oldest) = self.oldest {
            write!(f, ", the oldest for {oldest:.1?}")?;
        }
        match self.restarts {
            0 => Ok(()),
            1 => f.write_str(", brought back once"),
            times => write!(f, ", brought back {times} times"),
        }
    }
}
