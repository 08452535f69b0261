//! For how long actors run until other tasks of the runtime do: [`begin`] and what follows it.
//!
//! The clock is looked at after so many events, which are few while handlers take long: a look that
//! comes too late has the next ones come after each event, and when some have come in time, each has
//! the next come later, up to [`LOOK`]. So quick handlers pay next to nothing, and slow ones hold up
//! nobody for longer than one of them takes, but where they follow upon quick ones.
//!
//! All of it belongs to a thread. An actor that has a thread of its own, or one of those for what
//! blocks, looks at no clock there.

use std::cell::Cell;
use std::time::{Duration, Instant};

/// How long actors run before other tasks do.
const SLICE: Duration = Duration::from_micros(50);

/// How many events pass between two looks at the clock where handlers are quick.
const LOOK: u32 = 32;

/// After so many looks in a row that came in time, handlers are no longer slow.
const CALM: u32 = 8;

/// After how many events an actor lets other actors run.
const BATCH: u32 = 64;

/// The time and the events that are left to the worker that runs on this thread, and to its actor.
struct Slice {
    /// A worker runs on this thread.
    of_worker: Cell<bool>,
    /// Since when the driver of the runtime has not run, as far as it is known.
    since: Cell<Option<Instant>>,
    /// The time is over.
    is_over: Cell<bool>,
    /// After how many events the next look comes, and how many of them there were.
    pace: Cell<u32>,
    /// How many looks in a row have come in time.
    calm: Cell<u32>,
    passed: Cell<u32>,
    /// How many events the actor may handle in this run, beside those that were granted.
    batch: Cell<u32>,
    /// How many were granted, and how many are left of these.
    granted: Cell<u32>,
    left: Cell<u32>,
}

thread_local! {
    static SLICE_OF_THREAD: Slice = const {
        Slice {
            of_worker: Cell::new(false),
            since: Cell::new(None),
            is_over: Cell::new(false),
            pace: Cell::new(1),
            calm: Cell::new(0),
            passed: Cell::new(0),
            batch: Cell::new(0),
            granted: Cell::new(0),
            left: Cell::new(0),
        }
    };
}

/// A worker runs on this thread until this is dropped.
#[must_use = "the worker has left when it is dropped"]
pub(crate) struct Shift;

impl Drop for Shift {
    fn drop(&mut self) {
        SLICE_OF_THREAD.with(|slice| slice.of_worker.set(false));
    }
}

/// A worker begins to run on this thread; `rested` says that the driver of the runtime has run since
/// it did so before.
pub(crate) fn begin(rested: bool) -> Shift {
    SLICE_OF_THREAD.with(|slice| {
        slice.of_worker.set(true);
        slice.is_over.set(false);
        if rested {
            // Where handlers were slow, the first one counts.
            let slow = slice.pace.get() == 1;
            slice.since.set(slow.then(Instant::now));
        }
    });
    Shift
}

/// An actor begins to run.
#[inline]
pub(crate) fn admit() {
    SLICE_OF_THREAD.with(|slice| {
        slice.batch.set(BATCH);
        slice.grant();
    });
}

/// The actor takes one more event; `false` where others are to run before.
#[inline]
pub(crate) fn take() -> bool {
    SLICE_OF_THREAD.with(|slice| slice.take() || slice.renew() && slice.take())
}

/// The actor has run, which counts as one event. Tells whether the time is over.
#[inline]
pub(crate) fn is_over() -> bool {
    SLICE_OF_THREAD.with(|slice| {
        slice.settle(1);
        slice.is_over.get()
    })
}

impl Slice {
    /// Lets the actor take as many events as it may until the next look.
    #[inline]
    fn grant(&self) {
        let batch = self.batch.get();
        let granted = match self.of_worker.get() {
            true => batch.min(self.pace.get().saturating_sub(self.passed.get()).max(1)),
            false => batch,
        };
        self.batch.set(batch - granted);
        self.granted.set(granted);
        self.left.set(granted);
    }

    /// An event of those that were granted.
    #[inline]
    fn take(&self) -> bool {
        let left = self.left.get();
        self.left.set(left.saturating_sub(1));
        left != 0
    }

    /// What was granted is used up: grants more; `false` where others are to run.
    #[cold]
    fn renew(&self) -> bool {
        self.settle(0);
        let goes_on = !self.is_over.get() && self.batch.get() != 0;
        if goes_on {
            self.grant();
        }
        goes_on
    }

    /// Counts what was used of the grant, and some more; looks at the clock where it is time to.
    #[inline]
    fn settle(&self, more: u32) {
        let used = self.granted.replace(0) - self.left.replace(0);
        let passed = self.passed.get() + used + more;
        self.passed.set(passed);
        if passed >= self.pace.get() {
            self.look();
        }
    }

    #[inline(never)]
    fn look(&self) {
        self.passed.set(0);
        if !self.of_worker.get() {
            return;
        }
        let now = Instant::now();
        let since = self.since.get().unwrap_or(now);
        self.since.set(Some(since));
        let is_over = now.duration_since(since) >= SLICE;
        self.is_over.set(is_over);
        let (pace, calm) = (self.pace.get(), self.calm.get());
        let (pace, calm) = match is_over {
            true => (1, 0),
            false if calm < CALM => (pace, calm + 1),
            false => (LOOK.min(2 * pace), calm),
        };
        self.pace.set(pace);
        self.calm.set(calm);
    }
}
