//! The current actor of a thread, which monitors need as the sender of an event.

use std::cell::Cell;
use std::time::Duration;

use crate::identity::ActorId;

thread_local! {
    static CURRENT: Cell<Sender> = const { Cell::new(Sender::NONE) };
}

/// The sender of an event: an actor's number from 1 on, or zero for a timer or a caller outside any
/// actor. If only the age of events is recorded, the time of sending instead, with the highest bit set.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Sender(u64);

const STAMP: u64 = 1 << 63;

impl Sender {
    pub(crate) const NONE: Self = Self(0);

    pub(crate) fn numbered(number: u64) -> Self {
        Self(number)
    }

    #[inline]
    pub(crate) fn number(self) -> u64 {
        self.0
    }

    /// Returns a sender that records the time since the start of the system instead of an actor.
    pub(crate) fn stamped(time: Duration) -> Self {
        Self(STAMP | u64::try_from(time.as_nanos()).unwrap_or(u64::MAX))
    }

    /// Returns the time of sending, if that is recorded.
    pub(crate) fn stamp(self) -> Option<Duration> {
        (self.0 & STAMP != 0).then(|| Duration::from_nanos(self.0 & !STAMP))
    }

    /// Returns the actor whose code runs on this thread.
    pub(crate) fn current() -> Self {
        CURRENT.try_with(Cell::get).unwrap_or(Self::NONE)
    }

    #[cfg(debug_assertions)]
    pub(crate) fn is_nobody(self) -> bool {
        self == Self::NONE
    }

    pub(crate) fn id(self) -> Option<ActorId> {
        (self.0 != 0 && self.0 & STAMP == 0).then(|| ActorId::live(self.0))
    }
}

/// Sets the current actor of this thread until the guard is dropped.
#[must_use = "the actor is left when the guard is dropped"]
pub(crate) fn enter(actor: ActorId) -> Entered {
    Entered(CURRENT.replace(Sender(actor.number())))
}

pub(crate) struct Entered(Sender);

impl Drop for Entered {
    fn drop(&mut self) {
        CURRENT.set(self.0);
    }
}
