//! The current handler of an actor, for observers on other threads: [`CurrentHandler`].

use std::fmt;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::time::Duration;

use crate::table::ActorInfo;

/// The handler or hook of an actor that runs or waits. Only the actor writes it.
///
/// An async handler is always recorded, others only while stuck actors are watched, since a store for
/// each event has a cost. All accesses are relaxed: observers need no other earlier writes.
#[derive(Default)]
pub(crate) struct CurrentHandler {
    /// A [`HandlerWord`].
    doing: AtomicU64,
    /// The number of unread events that the actor has fetched from its mailbox, as last published.
    fetched: AtomicU32,
    /// The time at which the oldest of these was sent, in nanoseconds plus one; zero if not recorded.
    oldest: AtomicU64,
    /// The number of waits of the handler that may last for ever.
    forever: AtomicU32,
}

/// From the lowest bit: the number of the event or hook plus one, 16 bits, zero for none; the index of
/// the state, 15 bits; true while the handler waits, one bit; and the count of handlers since the actor's
/// spawn, 32 bits, which distinguishes successive handlers.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct HandlerWord(u64);

const STATE: u32 = 16;
const STATE_MAX: u64 = (1 << 15) - 1;
const WAITS: u64 = 1 << 31;
const NUMBER: u32 = 32;

/// The numbers of hooks in place of an event's.
pub(crate) const START_HOOK: u16 = u16::MAX - 1;
pub(crate) const STOP_HOOK: u16 = u16::MAX - 2;
pub(crate) const ENTRY_HOOK: u16 = u16::MAX - 3;
pub(crate) const EXIT_HOOK: u16 = u16::MAX - 4;

impl CurrentHandler {
    pub(crate) fn doing(&self) -> HandlerWord {
        HandlerWord(self.doing.load(Ordering::Relaxed))
    }

    fn set(&self, doing: u64) {
        self.doing.store(doing, Ordering::Relaxed);
    }

    /// Records the call of a handler or hook.
    pub(crate) fn begin(&self, event: u16, state: usize) {
        let HandlerWord(before) = self.doing();
        let number = (before >> NUMBER).wrapping_add(1);
        let state = STATE_MAX.min(state as u64);
        self.set((number << NUMBER) | (state << STATE) | (u64::from(event) + 1));
    }

    /// Records as [`begin`](Self::begin) does, unless the call is part of recorded work.
    pub(crate) fn go_on(&self, event: u16, state: usize) {
        if !self.doing().is_any() {
            self.begin(event, state);
        }
    }

    /// Records that the current handler waits, or is over.
    pub(crate) fn leave(&self, waits: bool) {
        let HandlerWord(doing) = self.doing();
        if doing & HandlerWord::ANY != 0 {
            self.set(if waits {
                doing | WAITS
            } else {
                doing & !HandlerWord::ANY & !WAITS
            });
        }
    }

    /// Adds to the number of waits without end; clears the number when the handler is over.
    pub(crate) fn waits_forever(&self, more: i32, waits: bool) {
        let before = self.forever.load(Ordering::Relaxed);
        let now = if waits {
            before.saturating_add_signed(more)
        } else {
            0
        };
        if now != before {
            self.forever.store(now, Ordering::Relaxed);
        }
    }

    /// Returns true if the wait of the handler may last for ever.
    pub(crate) fn may_wait_forever(&self) -> bool {
        self.doing().waits() && self.forever.load(Ordering::Relaxed) != 0
    }

    /// Records that the actor runs again.
    pub(crate) fn resume(&self) {
        let HandlerWord(doing) = self.doing();
        if doing & WAITS != 0 {
            self.set(doing & !WAITS);
        }
    }

    /// Returns the number of unread events that the actor has fetched from its mailbox.
    pub(crate) fn fetched(&self) -> usize {
        self.fetched.load(Ordering::Relaxed) as usize
    }

    /// Returns the time at which the oldest of them was sent, if that is recorded.
    pub(crate) fn oldest(&self) -> Option<Duration> {
        let nanos = self.oldest.load(Ordering::Relaxed).checked_sub(1)?;
        Some(Duration::from_nanos(nanos))
    }

    pub(crate) fn set_oldest(&self, oldest: Option<Duration>) {
        let nanos = oldest.map_or(0, |oldest| oldest.as_nanos() as u64 + 1);
        self.oldest.store(nanos, Ordering::Relaxed);
    }

    pub(crate) fn set_fetched(&self, count: usize) {
        let count = u32::try_from(count).unwrap_or(u32::MAX);
        self.fetched.store(count, Ordering::Relaxed);
    }
}

impl HandlerWord {
    const ANY: u64 = u16::MAX as u64;

    /// Returns true if a handler or hook runs or waits.
    pub(crate) fn is_any(self) -> bool {
        self.0 & Self::ANY != 0
    }

    /// Returns true if both are the same call of a handler.
    pub(crate) fn is_same(self, other: Self) -> bool {
        (self.0 ^ other.0) & !WAITS == 0
    }

    /// Returns true if the handler waits, and so occupies no thread.
    pub(crate) fn waits(self) -> bool {
        self.0 & WAITS != 0
    }

    pub(crate) fn event(self, info: &ActorInfo) -> Option<&'static str> {
        let number = (self.0 & Self::ANY).checked_sub(1)? as u16;
        match number {
            START_HOOK => Some("#[start]"),
            STOP_HOOK => Some("#[stop]"),
            ENTRY_HOOK => Some("#[entry]"),
            EXIT_HOOK => Some("#[exit]"),
            event => Some(info.events.get(usize::from(event))?.name),
        }
    }

    /// Returns the name of the state in which the handler was called; `None` for a plain actor.
    pub(crate) fn state(self, info: &ActorInfo) -> Option<&'static str> {
        info.state_name(((self.0 >> STATE) & STATE_MAX) as usize)
    }
}

/// A handler in a state, as printed: `Ping in state Idle`.
pub(crate) struct HandlerInState<'a>(pub(crate) &'a str, pub(crate) Option<&'a str>);

impl fmt::Display for HandlerInState<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self(event, state) = self;
        match state {
            Some(state) => write!(f, "{event} in state {state}"),
            None => f.write_str(event),
        }
    }
}
