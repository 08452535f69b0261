//! Identifiers of actors, asks, timers and disks.

use std::hash::{Hash, Hasher};
use std::num::NonZeroU64;

use crate::renaming::name_of;

/// The address of an actor in one execution: its operation and the number of the execution.
///
/// The execution number detects references that leaked from an earlier execution.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub struct Address {
    /// The operation.
    pub operation: u32,
    /// The execution.
    pub execution: u32,
}

/// An `ask` of one execution.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct AskId {
    /// The number of the ask within the execution.
    pub index: u32,
    /// The execution.
    pub execution: u32,
}

/// A request of one execution, for capacity in a mailbox or to a disk.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RequestId {
    /// The number of the request within the execution, among those of its kind.
    pub index: u32,
    /// The execution.
    pub execution: u32,
}

/// A timer of one execution.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TimerId {
    /// The slot of the timer.
    pub index: u32,
    /// The number of earlier uses of the slot; distinguishes a cancelled timer from its successor.
    pub generation: u32,
    /// The execution.
    pub execution: u32,
}

/// A disk of one execution.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct DiskId {
    /// The number of the disk.
    pub index: u32,
    /// The execution.
    pub execution: u32,
}

/// A reference to an actor under test, in its encoded form.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct EncodedActorRef {
    /// The actor's node; `None` if it is on none.
    pub node: Option<u32>,
    /// The number of starts of the node so far, including the current one.
    pub incarnation: u32,
    /// The number of the actor.
    pub id: u32,
}

/// The identity of an actor, unique within a run of the program or one execution of a test.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct ActorId(NonZeroU64);

/// Under test, a comparison of states may rename actors that are interchangeable.
impl Hash for ActorId {
    fn hash<H: Hasher>(&self, hasher: &mut H) {
        hasher.write_u64(name_of(self.number()).wrapping_add(1));
    }
}

impl ActorId {
    /// The identity of a controlled actor.
    #[doc(hidden)]
    pub fn controlled(address: Address) -> Self {
        Self::numbered(u64::from(address.operation))
    }

    pub(crate) fn live(number: u64) -> Self {
        Self::numbered(number)
    }

    /// Keeps the number plus one, so that an `Option` needs no extra space.
    fn numbered(number: u64) -> Self {
        Self(NonZeroU64::MIN.saturating_add(number))
    }

    /// Returns the number of the actor, on which the program itself must not depend.
    #[doc(hidden)]
    pub fn number(self) -> u64 {
        self.0.get() - 1
    }
}
