//! Time slices and event budgets: an actor yields to other actors and tasks. See [`begin`].
//!
//! The clock is read only after a number of events, the pace. A slice that was found over its time resets
//! the pace to one event; after several checks in time, each further one doubles the pace, up to
//! [`CHECK_EVERY`]. So quick handlers pay next to nothing, and slow ones delay others by no more than one
//! handler, unless they follow quick ones.
//!
//! All of this is thread-local. On an actor's own thread, or one for blocking work, the clock is not read.

use std::cell::Cell;
use std::time::{Duration, Instant};

/// The time that actors run before other tasks do.
const SLICE: Duration = Duration::from_micros(50);

/// The number of events between two reads of the clock, if handlers are quick.
const CHECK_EVERY: u32 = 32;

/// The number of successive checks in time after which the pace may grow.
const CALM: u32 = 8;

/// The number of events after which an actor yields to other actors.
const BATCH: u32 = 64;

/// The time slice of the worker on this thread, and the event budget of its actor.
struct Slice {
    /// True while a worker runs on this thread.
    of_worker: Cell<bool>,
    /// The time since which the driver of the runtime has not run, as far as known.
    since: Cell<Option<Instant>>,
    /// True once the time slice is used up.
    is_over: Cell<bool>,
    /// The number of events until the next read of the clock.
    pace: Cell<u32>,
    /// The number of successive checks in time.
    calm: Cell<u32>,
    passed: Cell<u32>,
    /// The number of events left to the actor in this run, beside those granted.
    batch: Cell<u32>,
    /// The number of events granted; `left` is the number of these not used yet.
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

/// A guard: a worker runs on this thread until the guard is dropped.
#[must_use = "the worker has left when it is dropped"]
pub(crate) struct WorkerRunGuard;

impl Drop for WorkerRunGuard {
    fn drop(&mut self) {
        SLICE_OF_THREAD.with(|slice| slice.of_worker.set(false));
    }
}

/// Begins a worker's run on this thread; `rested`: the runtime's driver has run since the last one.
pub(crate) fn begin(rested: bool) -> WorkerRunGuard {
    SLICE_OF_THREAD.with(|slice| {
        slice.of_worker.set(true);
        slice.is_over.set(false);
        if rested {
            // If handlers were slow, the slice starts with the first one.
            let slow = slice.pace.get() == 1;
            slice.since.set(slow.then(Instant::now));
        }
    });
    WorkerRunGuard
}

/// Begins a run of an actor.
#[inline]
pub(crate) fn admit() {
    SLICE_OF_THREAD.with(|slice| {
        slice.batch.set(BATCH);
        slice.grant();
    });
}

/// Takes one event off the budget; returns `false` if the actor has to yield first.
#[inline]
pub(crate) fn take() -> bool {
    SLICE_OF_THREAD.with(|slice| slice.take() || slice.renew() && slice.take())
}

/// Ends the run of an actor, which counts as one event. Returns true if the time slice is used up.
#[inline]
pub(crate) fn is_over() -> bool {
    SLICE_OF_THREAD.with(|slice| {
        slice.settle(1);
        slice.is_over.get()
    })
}

impl Slice {
    /// Grants the actor events up to the next read of the clock.
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

    /// Takes an event off the grant.
    #[inline]
    fn take(&self) -> bool {
        let left = self.left.get();
        self.left.set(left.saturating_sub(1));
        left != 0
    }

    /// Grants more events; returns `false` if the actor has to yield.
    #[cold]
    fn renew(&self) -> bool {
        self.settle(0);
        let goes_on = !self.is_over.get() && self.batch.get() != 0;
        if goes_on {
            self.grant();
        }
        goes_on
    }

    /// Counts the used part of the grant and `more`; reads the clock if it is time.
    #[inline]
    fn settle(&self, more: u32) {
        let used = self.granted.replace(0) - self.left.replace(0);
        let passed = self.passed.get() + used + more;
        self.passed.set(passed);
        if passed >= self.pace.get() {
            self.read_clock();
        }
    }

    #[inline(never)]
    fn read_clock(&self) {
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
            false => (CHECK_EVERY.min(2 * pace), calm),
        };
        self.pace.set(pace);
        self.calm.set(calm);
    }
}
