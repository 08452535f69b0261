//! The end of an actor: [`Terminated`] notifies watchers, with a [`StopReason`].

use crate::identity::ActorId;

/// The notification that a [watched](crate::Context::watch) actor has stopped.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
#[cfg_attr(feature = "codec", derive(serde::Serialize, serde::Deserialize))]
pub struct Terminated {
    /// The actor that has stopped.
    pub actor: ActorId,
    /// The reason.
    pub reason: StopReason,
}

/// The reason why an actor stopped.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
#[cfg_attr(feature = "codec", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub enum StopReason {
    /// The actor halted itself.
    Halted,
    /// The actor was stopped in order: by [`stop`](crate::ActorRef::stop), its supervisor, or a shutdown.
    Stopped,
    /// The actor failed: a handler or hook panicked or returned an `Err` to a `tell`, it broke a rule of the
    /// framework, or its state did not accept an event.
    Failed,
    /// The actor failed, or a child of it did, and the limit of restarts of its
    /// [supervisor](crate::Supervision::intensity) was exceeded.
    Exhausted,
    /// An actor [linked](crate::Context::link) to this one has failed.
    Linked,
    /// The actor was [killed](crate::ActorRef::kill). In production also: a shutdown or a stop exceeded its
    /// deadline, the system was dropped, or it had shut down before the actor could start.
    Aborted,
    /// The actor's [node](crate::System::node) crashed, or the connection to that node broke; in the latter
    /// case the actor may continue, unobserved.
    Disconnected,
    /// Nobody had the name of a reference [by name](crate::Scope::at).
    Unregistered,
}

impl StopReason {
    /// True if the actor ended by a failure, its own or a shared one: a
    /// [supervised](crate::Spawner::spawn_with) child is then restarted.
    #[must_use]
    pub const fn is_failure(self) -> bool {
        matches!(self, Self::Failed | Self::Exhausted | Self::Linked)
    }
}
