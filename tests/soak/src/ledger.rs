//! What has become of every event: [`Ledger`].

use std::fmt;
use std::sync::atomic::{AtomicU8, AtomicU64, Ordering};

/// Of the round that runs. Events don't refer to it, so that they weigh little.
pub(crate) static LEDGER: Ledger = Ledger::new();

/// How many events met which fate.
pub(crate) struct Ledger {
    sent: AtomicU64,
    handled: AtomicU64,
    dead: AtomicU64,
    /// Dropped in the middle of a handler: by a panic, a returned error, a kill or an abort.
    lost: AtomicU64,
    /// Given back to who sent.
    returned: AtomicU64,
    /// Dropped, and never handled nor a dead letter.
    vanished: AtomicU64,
    /// Met two fates.
    twice: AtomicU64,
    /// Handled before one that the same driver had sent earlier.
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

    /// How many events are on their way.
    pub(crate) fn open(&self) -> u64 {
        let ended = [&self.handled, &self.dead, &self.lost, &self.returned];
        let ended = ended.into_iter().map(read).sum();
        read(&self.sent).saturating_sub(ended)
    }

    /// Every event that was sent has met one fate, and in its turn.
    pub(crate) fn check(&self) {
        assert_eq!(read(&self.vanished), 0, "events vanish: {self}");
        assert_eq!(read(&self.twice), 0, "events meet two fates: {self}");
        assert_eq!(read(&self.overtaken), 0, "events are overtaken: {self}");
        assert_eq!(self.open(), 0, "events are never dropped: {self}");
    }

    /// Begins a new page.
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

/// Part of each event; what is dropped has met its fate.
#[derive(Debug)]
pub(crate) struct Ticket(AtomicU8);

impl Ticket {
    pub(crate) fn new() -> Self {
        add(&LEDGER.sent);
        Self(AtomicU8::new(SENT))
    }

    /// A handler has it in hand.
    pub(crate) fn begin(&self) {
        self.go(SENT, BEGUN);
    }

    /// Its handler returns.
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
