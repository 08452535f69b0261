//! Word of an actor's end.

use crate::reference::ActorId;

/// An actor that was [watched](crate::Context::watch) has stopped.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub struct Terminated {
    /// Which actor.
    pub actor: ActorId,
    /// Why.
    pub reason: StopReason,
}

/// Why an actor stopped.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
#[non_exhaustive]
pub enum StopReason {
    /// It halted by itself, or the system stopped it in order.
    Halted,
    /// It failed: a handler or hook panicked, it broke a rule of the framework, or it was sent an
    /// event that its state has no use for.
    Panicked,
    /// In production: the system's shutdown came to its deadline, the system was dropped, or it had
    /// shut down before the actor could start.
    Aborted,
}
