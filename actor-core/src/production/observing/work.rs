//! What an actor is at, for whoever looks at it from outside: [`Work`].

use std::fmt;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::time::Duration;

use crate::table::ActorInfo;

/// Which handler or hook of an actor runs or waits. The actor alone writes it.
///
/// An async handler is always noted. The others are while somebody looks for actors that are stuck,
/// since a store for each event is more than nothing. Relaxed, all of it: who looks has nothing else
/// to see that was written before.
#[derive(Default)]
pub(crate) struct Work {
    /// A [`Doing`].
    doing: AtomicU64,
    /// How many unread events the actor has fetched from its mailbox, as far as it has said so.
    fetched: AtomicU32,
    /// When the first of them was sent, in nanoseconds and one more, where that is
    /// kept; else zero.
    oldest: AtomicU64,
    /// How many of the waits of its handler may last for ever.
    forever: AtomicU32,
}

/// From the lowest bit: one more than the number of the event or hook, 16 bits, or zero while there
/// is none; the position of the state, 15 bits; whether it waits, one bit; and which handler since
/// the actor's spawn it is, 32 bits, so that the next is told from this.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct Doing(u64);

const STATE: u32 = 16;
const STATE_MAX: u64 = (1 << 15) - 1;
const WAITS: u64 = 1 << 31;
const NUMBER: u32 = 32;

/// The hooks, where others have the number of an event.
pub(crate) const START_HOOK: u16 = u16::MAX - 1;
pub(crate) const STOP_HOOK: u16 = u16::MAX - 2;
pub(crate) const ENTRY_HOOK: u16 = u16::MAX - 3;
pub(crate) const EXIT_HOOK: u16 = u16::MAX - 4;

impl Work {
    pub(crate) fn doing(&self) -> Doing {
        Doing(self.doing.load(Ordering::Relaxed))
    }

    fn set(&self, doing: u64) {
        self.doing.store(doing, Ordering::Relaxed);
    }

    /// A handler or hook is called.
    pub(crate) fn begin(&self, event: u16, state: usize) {
        let Doing(before) = self.doing();
        let number = (before >> NUMBER).wrapping_add(1);
        let state = STATE_MAX.min(state as u64);
        self.set((number << NUMBER) | (state << STATE) | (u64::from(event) + 1));
    }

    /// As [`begin`](Self::begin), unless it belongs to what is at work.
    pub(crate) fn go_on(&self, event: u16, state: usize) {
        if !self.doing().is_any() {
            self.begin(event, state);
        }
    }

    /// What the actor was at waits, or is over.
    pub(crate) fn leave(&self, waits: bool) {
        let Doing(doing) = self.doing();
        if doing & Doing::ANY != 0 {
            self.set(if waits {
                doing | WAITS
            } else {
                doing & !Doing::ANY & !WAITS
            });
        }
    }

    /// So many more waits of the handler may last for ever than before; they end with the handler.
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

    /// What the actor waits for may rightly never come.
    pub(crate) fn may_wait_forever(&self) -> bool {
        self.doing().waits() && self.forever.load(Ordering::Relaxed) != 0
    }

    /// The actor runs again.
    pub(crate) fn resume(&self) {
        let Doing(doing) = self.doing();
        if doing & WAITS != 0 {
            self.set(doing & !WAITS);
        }
    }

    /// How many unread events the actor has fetched from its mailbox.
    pub(crate) fn fetched(&self) -> usize {
        self.fetched.load(Ordering::Relaxed) as usize
    }

    /// When the first of them was sent, where that is kept.
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

impl Doing {
    const ANY: u64 = u16::MAX as u64;

    /// There is anything at work.
    pub(crate) fn is_any(self) -> bool {
        self.0 & Self::ANY != 0
    }

    /// It is the same handler, whether it waits or not.
    pub(crate) fn is_same(self, other: Self) -> bool {
        (self.0 ^ other.0) & !WAITS == 0
    }

    /// It does not occupy a thread.
    pub(crate) fn waits(self) -> bool {
        self.0 & WAITS != 0
    }

    /// The name of the event, or of the hook.
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

    /// The name of the state in which it was called; `None` for a plain actor.
    pub(crate) fn state(self, info: &ActorInfo) -> Option<&'static str> {
        info.state_name(((self.0 >> STATE) & STATE_MAX) as usize)
    }
}

/// What is at work, as one reads it: `Ping in state Idle`.
pub(crate) struct Named<'a>(pub(crate) &'a str, pub(crate) Option<&'a str>);

impl fmt::Display for Named<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self(event, state) = self;
        match state {
            Some(state) => write!(f, "{event} in state {state}"),
            None => f.write_str(event),
        }
    }
}
