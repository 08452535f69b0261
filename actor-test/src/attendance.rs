//! Which workers of this process run an execution now, for the watchdog.

use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError, Weak};

/// Which iteration an execution is may be known later only, where a search is explored in parts.
pub(crate) const UNKNOWN: u64 = u64::MAX;

/// What a worker is doing.
#[derive(Debug)]
pub(crate) struct WorkerStatus {
    /// Goes up while the worker makes progress.
    pub(crate) heartbeat: Arc<AtomicU64>,
    /// The iteration in progress, or [`UNKNOWN`].
    iteration: AtomicU64,
    /// Its strategy, by position.
    pub(crate) strategy: AtomicUsize,
    /// The length that it was told, plus one; zero where it was told none.
    length: AtomicU64,
    /// The test.
    pub(crate) test: String,
    /// An execution is in progress: the heartbeat counts.
    pub(crate) busy: AtomicBool,
}

impl WorkerStatus {
    /// An execution begins.
    pub(crate) fn begins(&self, iteration: u64, strategy: usize, length: Option<u64>) {
        self.strategy.store(strategy, Ordering::Relaxed);
        let length = length.map_or(0, |length| length.saturating_add(1));
        self.length.store(length, Ordering::Relaxed);
        self.iteration.store(iteration, Ordering::Relaxed);
        self.heartbeat.fetch_add(1, Ordering::Relaxed);
        self.busy.store(true, Ordering::Relaxed);
    }

    /// The iteration in progress, where it is known.
    pub(crate) fn iteration(&self) -> Option<u64> {
        Some(self.iteration.load(Ordering::Relaxed)).filter(|iteration| *iteration != UNKNOWN)
    }

    /// The length that the strategy was told.
    pub(crate) fn length(&self) -> Option<u64> {
        self.length.load(Ordering::Relaxed).checked_sub(1)
    }

    /// It is over.
    pub(crate) fn ends(&self) {
        self.busy.store(false, Ordering::Relaxed);
    }
}

/// Set in a heartbeat while a strategy plans: it may look at a million behaviours before it wants one run.
const PLANS: u64 = 1 << 63;

/// Whether a strategy plans, so that no program is running that could hang.
pub(crate) fn plans(heartbeat: u64) -> bool {
    heartbeat & PLANS != 0
}

/// A strategy plans, until this is dropped.
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

/// Adds a worker, until what is returned is dropped.
pub(crate) fn attend(test: &str, heartbeat: Arc<AtomicU64>) -> Arc<WorkerStatus> {
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

/// The workers of this process that explore now.
pub(crate) fn active_workers() -> Vec<Arc<WorkerStatus>> {
    let mut workers = WORKERS.lock().unwrap_or_else(PoisonError::into_inner);
    workers.retain(|worker| worker.strong_count() > 0);
    workers.iter().filter_map(Weak::upgrade).collect()
}
