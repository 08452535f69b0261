//! Who and what is meant: identities of actors, asks, timers and disks.

use std::hash::{Hash, Hasher};
use std::num::NonZeroU64;

use crate::renaming::name_of;

/// An actor of one execution: its operation and the number of the execution.
///
/// The execution number finds references that leaked from an earlier execution.
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

/// A sender's question for room, in one execution.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RoomId {
    /// The number of the question within the execution.
    pub index: u32,
    /// The execution.
    pub execution: u32,
}

/// A timer of one execution.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TimerId {
    /// The slot of the timer.
    pub index: u32,
    /// How often the slot was used before; tells a cancelled timer from its successor.
    pub generation: u32,
    /// The execution.
    pub execution: u32,
}

/// A disk of one execution, as it was before its next crash.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct DiskId {
    /// Which.
    pub index: u32,
    /// The execution.
    pub execution: u32,
}

/// A call to a disk, in one execution.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct DiskCallId {
    /// The number of the call within the execution.
    pub index: u32,
    /// The execution.
    pub execution: u32,
}

/// A reference to an actor under test, as it is encoded.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Passport {
    /// The actor's node; `None` where it is on none.
    pub node: Option<u32>,
    /// How often the node had been started, with this time.
    pub incarnation: u32,
    /// The actor.
    pub id: u32,
}

/// The identity of an actor, unique within a run of the program or one execution of a test.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct ActorId(NonZeroU64);

/// Under test, where states are compared, actors that are interchangeable may go by other names.
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

    /// One more than the number is kept, so that an `Option` takes no more room.
    fn numbered(number: u64) -> Self {
        Self(NonZeroU64::MIN.saturating_add(number))
    }

    /// The number, at which the program does not look.
    #[doc(hidden)]
    pub fn number(self) -> u64 {
        self.0.get() - 1
    }
}
