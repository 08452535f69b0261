//! Facts about the current operation that the executor records: [`Note`].

use super::{Access, Wait};
use crate::identity::{ActorId, Address, AskId};

/// A fact about the current operation, which by itself has no effect on the world.
#[derive(Clone, Copy, Debug)]
pub enum Note<'a> {
    /// The actor went from one state to another, or entered its first state.
    Entered {
        /// The actor.
        owner: Address,
        /// The index of the state before.
        from: Option<usize>,
        /// The index of the state.
        to: usize,
    },
    /// The actor handles an event which it has raised.
    Raised {
        /// The actor.
        owner: Address,
        /// The index of its state.
        state: usize,
        /// The number of the event.
        event: u16,
    },
    /// A coverage label was reached.
    Covered(&'static str),
    /// An operation failed whose result nobody waits for.
    Unreceived(&'a str),
    /// The program reads the number of an actor.
    NumberSeen,
    /// An attempt to upgrade a weak reference to a reference-counted actor, with its success.
    UpgradeAttempted(ActorId, bool),
    /// A poll for the reply; unless the reply is there, the operation awaits it.
    ReplyPolled(AskId, bool),
    /// A handler has the reply and may keep it or send it on.
    ReplyHandedOver(AskId),
    /// The operation begins a wait that may never end.
    WaitsForever,
    /// The operation, which has a waker, waits for the object.
    WaitsFor(Access, Wait),
}
