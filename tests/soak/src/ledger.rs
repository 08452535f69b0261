//! The ledger of the soak test: counts the outcome of every event.

use std::fmt;
use std::sync::atomic::{AtomicU8, AtomicU64, Ordering};

/// The ledger of the current round. Events do not refer to it, so that they stay small.
pub(crate) static LEDGER: Ledger = Ledger::new();

/// The number of events with each outcome.
pub(crate) struct Ledger {
    sent: AtomicU64,
    handled: AtomicU64,
    dead: AtomicU64,
    /// The events dropped inside a handler: by a panic, a returned error, a kill or an abort.
    lost: AtomicU64,
    /// The events that were returned to the sender.
    returned: AtomicU64,
    /// The events that were dropped, and neither handled nor reported as dead letters.
    vanished: AtomicU64,
    /// The events with two outcomes.
    twice: AtomicU64,
    /// The events handled before an earlier one of the same driver.
    overtaken: AtomicU64,
    failures: AtomicU64,
    given_up: AtomicU64,
    killed: AtomicU64,
}

impl Ledger {
    const fn new() -> Self {
        Self {
            sent: AtomicU64::new(0),
            handled: AtomicU64::new(0),
            dead: AtomicU64::new(0),
            lost: AtomicU64::new(0),
            returned: AtomicU64::new(0),
            vanished: AtomicU64::new(0),
            twice: AtomicU64::new(0),
            overtaken: AtomicU64::new(0),
            failures: AtomicU64::new(0),
            given_up: AtomicU64::new(0),
            killed: AtomicU64::new(0),
        }
    }

    pub(crate) fn failed(&self) {
        add(&self.failures);
    }

    pub(crate) fn given_up(&self) {
        add(&self.given_up);
    }

    pub(crate) fn killed(&self) {
        add(&self.killed);
    }

    pub(crate) fn overtaken(&self) {
        add(&self.overtaken);
    }

    pub(crate) fn handled(&self) -> u64 {
        read(&self.handled)
    }

    pub(crate) fn dead_letters(&self) -> u64 {
        read(&self.dead)
    }

    /// Returns the number of events without an outcome yet.
    pub(crate) fn open(&self) -> u64 {
        let ended = [&self.handled, &self.dead, &self.lost, &self.returned];
        let ended = ended.into_iter().map(read).sum();
        read(&self.sent).saturating_sub(ended)
    }

    /// Asserts that every event has exactly one outcome, and that the order was kept.
    pub(crate) fn check(&self) {
        assert_eq!(read(&self.vanished), 0, "events vanish: {self}");
        assert_eq!(read(&self.twice), 0, "events meet two fates: {self}");
        assert_eq!(read(&self.overtaken), 0, "events are overtaken: {self}");
        assert_eq!(self.open(), 0, "events are never dropped: {self}");
    }

    /// Resets all counts.
    pub(crate) fn clear(&self) {
        for count in [
            &self.sent,
            &self.handled,
            &self.dead,
            &self.lost,
            &self.returned,
            &self.vanished,
            &self.twice,
            &self.overtaken,
            &self.failures,
            &self.given_up,
            &self.killed,
        ] {
            count.store(0, Ordering::Relaxed);
        }
    }
}

impl fmt::Display for Ledger {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} sent = {} handled + {} dead letters + {} lost in hand + {} given back; {} failures, \
             {} given up, {} killed",
            read(&self.sent),
            read(&self.handled),
            read(&self.dead),
            read(&self.lost),
            read(&self.returned),
            read(&self.failures),
            read(&self.given_up),
            read(&self.killed),
        )
    }
}

fn add(count: &AtomicU64) {
    count.fetch_add(1, Ordering::Relaxed);
}

fn read(count: &AtomicU64) -> u64 {
    count.load(Ordering::Relaxed)
}

const SENT: u8 = 0;
const BEGUN: u8 = 1;
const ENDED: u8 = 2;

/// A part of each event: dropping it records the event's outcome.
#[derive(Debug)]
pub(crate) struct Ticket(AtomicU8);

impl Ticket {
    pub(crate) fn new() -> Self {
        add(&LEDGER.sent);
        Self(AtomicU8::new(SENT))
    }

    /// Records that a handler has begun.
    pub(crate) fn begin(&self) {
        self.go(SENT, BEGUN);
    }

    /// Records that the handler has returned.
    pub(crate) fn handled(self) {
        self.go(BEGUN, ENDED);
        add(&LEDGER.handled);
    }

    pub(crate) fn is_dead(&self) {
        self.go(SENT, ENDED);
        add(&LEDGER.dead);
    }

    pub(crate) fn returned(self) {
        self.go(SENT, ENDED);
        add(&LEDGER.returned);
    }

    fn go(&self, from: u8, to: u8) {
        if self.0.swap(to, Ordering::Relaxed) != from {
            add(&LEDGER.twice);
        }
    }
}

impl Drop for Ticket {
    fn drop(&mut self) {
        match *self.0.get_mut() {
            SENT => add(&LEDGER.vanished),
            BEGUN => add(&LEDGER.lost),
            _ => {}
        }
    }
}
