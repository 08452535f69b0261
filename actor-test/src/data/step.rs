//! Kinds of steps, and identities of messages.

use std::num::NonZeroU64;

use serde::{Deserialize, Serialize};

/// The identity of an event, a reply or a capacity request: a hash of the sender's path and of the number
/// of messages that the sender has sent before. The identity is the same in the outbox and in the inbox,
/// and under every schedule, as long as the sender does the same.
///
/// Two different messages have the same identity with a chance of 2^-63.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize)]
pub struct MessageId(NonZeroU64);

impl MessageId {
    #[inline]
    pub(crate) fn new(key: u64) -> Self {
        // Never zero, so that an `Option` needs no more memory.
        Self(NonZeroU64::MIN | key)
    }

    pub(crate) fn number(self) -> u64 {
        self.0.get()
    }
}

/// The kind of step that an operation takes.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
#[repr(u8)]
pub enum StepKind {
    /// Runs the test body, or the start hooks of an actor.
    Start,
    /// Handles, or ignores, the first event that is not deferred.
    Handle,
    /// Carries out the next effect of the outbox.
    Flush,
    /// Polls a suspended handler whose wake-up is due.
    Resume,
    /// Fires a timer.
    Timer,
    /// Injects a fault.
    Fault,
    /// Stops or ends ahead of the inbox, by order of the supervisor or by a kill.
    Stop,
    /// Delivers the next message of a link between two nodes.
    Deliver,
    /// Continues with an access to a shared object: a lock, a channel, an atomic.
    Access,
}
