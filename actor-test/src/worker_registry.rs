//! Registry of the workers of this process and of their heartbeats, for the watchdog.

use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError, Weak};

/// The iteration of an execution while it is unknown, as in a search that is explored in parts.
pub(crate) const UNKNOWN: u64 = u64::MAX;

/// The progress of one worker, as the watchdog reads it.
#[derive(Debug)]
pub(crate) struct WorkerStatus {
    /// A counter that increases while the worker makes progress; [`PLANS`] is a bit of this counter.
    pub(crate) heartbeat: Arc<AtomicU64>,
    /// The iteration in progress, or [`UNKNOWN`].
    iteration: AtomicU64,
    /// The position of the iteration's strategy in the portfolio.
    pub(crate) strategy: AtomicUsize,
    /// The expected length in steps that the strategy received, plus one; zero if the strategy received none.
    length: AtomicU64,
    pub(crate) test: String,
    /// Set while an execution is in progress; the heartbeat counts only then.
    pub(crate) busy: AtomicBool,
}

impl WorkerStatus {
    /// Marks the worker as busy with this iteration.
    pub(crate) fn begins(&self, iteration: u64, strategy: usize, length: Option<u64>) {
        self.strategy.store(strategy, Ordering::Relaxed);
        let length = length.map_or(0, |length| length.saturating_add(1));
        self.length.store(length, Ordering::Relaxed);
        self.iteration.store(iteration, Ordering::Relaxed);
        self.heartbeat.fetch_add(1, Ordering::Relaxed);
        self.busy.store(true, Ordering::Relaxed);
    }

    /// Returns the iteration in progress, if known.
    pub(crate) fn iteration(&self) -> Option<u64> {
        Some(self.iteration.load(Ordering::Relaxed)).filter(|iteration| *iteration != UNKNOWN)
    }

    /// Returns the expected length in steps that the strategy received.
    pub(crate) fn length(&self) -> Option<u64> {
        self.length.load(Ordering::Relaxed).checked_sub(1)
    }

    /// Marks the worker as idle.
    pub(crate) fn ends(&self) {
        self.busy.store(false, Ordering::Relaxed);
    }
}

/// A bit of the heartbeat, set while a strategy plans. Planning may take long, since a search may examine a
/// million behaviours before it runs one.
const PLANS: u64 = 1 << 63;

/// Returns true while a strategy plans, so no program is running that could hang.
pub(crate) fn is_planning(heartbeat: u64) -> bool {
    heartbeat & PLANS != 0
}

/// A guard: the strategy counts as planning until the guard is dropped.
#[derive(Debug)]
pub(crate) struct Planning<'a>(&'a AtomicU64);

impl<'a> Planning<'a> {
    pub(crate) fn begin(heartbeat: &'a AtomicU64) -> Self {
        heartbeat.fetch_or(PLANS, Ordering::Relaxed);
        Self(heartbeat)
    }
}

impl Drop for Planning<'_> {
    fn drop(&mut self) {
        self.0.fetch_and(!PLANS, Ordering::Relaxed);
    }
}

static WORKERS: Mutex<Vec<Weak<WorkerStatus>>> = Mutex::new(Vec::new());

/// Registers a worker of `test`; dropping the returned status removes the worker.
pub(crate) fn register_worker(test: &str, heartbeat: Arc<AtomicU64>) -> Arc<WorkerStatus> {
    let status = Arc::new(WorkerStatus {
        heartbeat,
        iteration: AtomicU64::new(0),
        strategy: AtomicUsize::new(0),
        length: AtomicU64::new(0),
        test: test.into(),
        busy: AtomicBool::new(false),
    });
    let mut workers = WORKERS.lock().unwrap_or_else(PoisonError::into_inner);
    workers.push(Arc::downgrade(&status));
    status
}

/// Returns the registered workers of this process.
pub(crate) fn active_workers() -> Vec<Arc<WorkerStatus>> {
    let mut workers = WORKERS.lock().unwrap_or_else(PoisonError::into_inner);
    workers.retain(|worker| worker.strong_count() > 0);
    workers.iter().filter_map(Weak::upgrade).collect()
}
