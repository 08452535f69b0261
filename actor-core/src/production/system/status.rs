//! Actors as they are when somebody looks: [`ActorStatus`].

use std::fmt;
use std::time::Duration;

use crate::identity::ActorId;
use crate::production::running::actor::LiveActor;

/// An actor as it was when [`LiveSystem::actors`](crate::LiveSystem::actors) looked.
///
/// It prints as one line: `printer (Printer) in state Busy, awaits in Print, 3 unread`.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ActorStatus {
    /// Which actor.
    pub actor: ActorId,
    /// Its name.
    pub name: String,
    /// The name of its type.
    pub actor_type: &'static str,
    /// The state in which it is, or in which its handler was called while that runs; `None` for a plain
    /// actor.
    pub state: Option<&'static str>,
    /// The event in hand, or the hook, `#[start]` for instance. `None` where it was between two, and
    /// where its handler is not async and nobody [looks](crate::LiveSystem::watch_stuck) for actors
    /// that are stuck.
    pub event: Option<&'static str>,
    /// Its handler waits; otherwise it occupies a thread, or there is none.
    pub waits: bool,
    /// How many events it has not begun to handle. The few that an actor has fetched from its
    /// mailbox count only where its handler is async, or somebody looks for
    /// [deep mailboxes](crate::LiveSystem::watch_depth).
    pub unread: usize,
    /// For how long the oldest of these has waited; `None` where there is none, where ages are not
    /// [kept](crate::LiveSystem::keep_ages), and where the event was sent before they were.
    pub oldest: Option<Duration>,
    /// How often it was brought back.
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
            restarts: actor.life(),
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
