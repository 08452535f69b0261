//! Whose code runs on this thread: monitors want to know who sent an event.

use std::cell::Cell;

use crate::reference::ActorId;

thread_local! {
    static CURRENT: Cell<Sender> = const { Cell::new(Sender::NONE) };
}

/// An actor's number, or zero for a timer or a caller outside any actor. Live actors count from 1.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Sender(u64);

impl Sender {
    pub(super) const NONE: Self = Self(0);

    /// As it was told by [`number`](Self::number).
    pub(super) fn numbered(number: u64) -> Self {
        Self(number)
    }

    #[inline]
    pub(super) fn number(self) -> u64 {
        self.0
    }

    /// The actor whose code runs on this thread.
    pub(super) fn current() -> Self {
        CURRENT.try_with(Cell::get).unwrap_or(Self::NONE)
    }

    #[cfg(debug_assertions)]
    pub(super) fn is_nobody(self) -> bool {
        self == Self::NONE
    }

    pub(super) fn id(self) -> Option<ActorId> {
        (self.0 != 0).then(|| ActorId::live(self.0))
    }
}

/// Names the actor whose code runs on this thread until the guard is dropped.
#[must_use = "the actor is left when the guard is dropped"]
pub(super) fn enter(actor: ActorId) -> Entered {
    Entered(CURRENT.replace(Sender(actor.as_u64())))
}

/// See [`enter`].
pub(super) struct Entered(Sender);

impl Drop for Entered {
    fn drop(&mut self) {
        CURRENT.set(self.0);
    }
}
