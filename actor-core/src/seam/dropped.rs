//! Drops of the program's values that an execution depends on: [`Dropped`].

use super::{ObjectId, RequestId};
use crate::identity::{Address, AskId, TimerId};

/// A value of the program that a handler or a destructor has dropped. After the end of the execution, a drop
/// has no consequence.
#[derive(Clone, Copy, Debug)]
pub enum Dropped {
    /// A counted reference to an actor.
    Reference {
        /// The actor, which is stopped in order if no reference is left.
        target: Address,
        /// True if this was the last reference.
        is_last: bool,
    },
    /// The asker's end of an `ask`.
    Ask(AskId),
    /// The reply of an `ask`, unsent.
    Reply(AskId),
    /// A request for capacity in a mailbox.
    CapacityRequest(RequestId),
    /// The future of a call to a disk.
    DiskCall(RequestId),
    /// A sleep.
    Sleep(TimerId),
    /// The wait of an actor for an event of that number.
    Receive(Address, u16),
    /// The mark of an operation whose wait may never end.
    EndlessWait(Address),
    /// The wait of an operation for an object.
    ObjectWait(ObjectId, Address),
    /// The handle of a task that nobody will join.
    JoinHandle(Address),
}
