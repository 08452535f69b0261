//! Word of an actor's end: [`Terminated`] for actors, [`Stopped`] for whoever awaits it.

use crate::identity::ActorId;

/// An actor that was [watched](crate::Context::watch) has stopped.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
#[cfg_attr(feature = "codec", derive(serde::Serialize, serde::Deserialize))]
pub struct Terminated {
    /// Which actor.
    pub actor: ActorId,
    /// Why.
    pub reason: StopReason,
}

/// Why an actor stopped.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
#[cfg_attr(feature = "codec", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub enum StopReason {
    /// It halted by itself.
    Halted,
    /// It was stopped in order: it was [told to](crate::System::stop), with its supervisor, or by
    /// the system's shutdown.
    Stopped,
    /// It failed: a handler or hook panicked or returned an `Err` to a `tell`, it broke a rule of the
    /// framework, or it was sent an event that its state has no use for.
    Failed,
    /// It failed, or a child of it did, and had been brought back as often as its
    /// [supervisor](crate::Supervision::intensity) does.
    Exhausted,
    /// An actor that it was [linked](crate::Context::link) to has failed.
    Linked,
    /// It was [killed](crate::System::kill). In production also: a shutdown or a stop came to its
    /// deadline, the system was dropped, or it had shut down before the actor could start.
    Aborted,
    /// Its [node](crate::System::node) crashed, or the connection to that broke; then the actor may
    /// go on, and nothing more is known of it.
    Disconnected,
}

impl StopReason {
    /// It ended by a failure, its own or one that it was made to share: after this, a
    /// [supervised](crate::Spawner::spawn_with) child is brought back.
    #[must_use]
    pub const fn is_failure(self) -> bool {
        matches!(self, Self::Failed | Self::Exhausted | Self::Linked)
    }
}
