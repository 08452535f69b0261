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
    /// A handler or hook panicked.
    Panicked,
}
