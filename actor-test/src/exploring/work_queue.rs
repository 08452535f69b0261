//! The work queue of an epoch: workers take chunks of executions, and wait for suspected ones.

use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError};

use crate::engine::Program;
use crate::exploring::contribution::Contribution;
use crate::exploring::explorer::Explorer;
use crate::exploring::plan::Epoch;
use crate::parallel::lock;

/// The largest number of executions that a worker takes at a time.
pub(crate) const CHUNK: u64 = 32;

/// The executions that one worker has run.
pub(crate) struct Chunk {
    pub(crate) from: u64,
    pub(crate) to: u64,
    pub(crate) contributions: Vec<Contribution>,
    /// True if the worker stopped: its time was over, or later executions are needless.
    pub(crate) is_last: bool,
}

/// The shared work queue of all workers.
pub(crate) struct WorkQueue {
    workers: u64,
    state: Mutex<DeskState>,
    changed: Condvar,
    /// The first execution that is needless, since an earlier one ended the test.
    needless: AtomicU64,
    /// The first execution that is suspected and not judged; later ones may be needless, and wait.
    suspected_from: AtomicU64,
}

struct DeskState {
    epoch: Arc<Epoch>,
    next: u64,
    closed: bool,
    /// The suspected executions that are not judged yet.
    suspected: BTreeSet<u64>,
}

impl WorkQueue {
    pub(crate) fn new(epoch: Epoch, workers: usize) -> Self {
        Self {
            workers: workers as u64,
            state: Mutex::new(DeskState {
                next: epoch.from,
                epoch: Arc::new(epoch),
                closed: false,
                suspected: BTreeSet::new(),
            }),
            changed: Condvar::new(),
            needless: AtomicU64::new(u64::MAX),
            suspected_from: AtomicU64::new(u64::MAX),
        }
    }

    /// Returns the first execution of the epoch, and the one after its last.
    pub(crate) fn bounds(&self) -> (u64, u64) {
        let state = lock(&self.state);
        (state.epoch.from, state.epoch.to)
    }

    pub(crate) fn open(&self, epoch: Epoch) {
        let mut state = lock(&self.state);
        state.next = epoch.from;
        state.epoch = Arc::new(epoch);
        self.changed.notify_all();
    }

    pub(crate) fn close(&self) {
        lock(&self.state).closed = true;
        self.needless.store(0, Ordering::Relaxed);
        self.changed.notify_all();
    }

    /// Has workers wait before executions after this one.
    fn suspect(&self, execution: u64) {
        let mut state = lock(&self.state);
        state.suspected.insert(execution);
        self.suspected_from.fetch_min(execution, Ordering::Relaxed);
    }

    /// Records that an execution was judged, and did not end the test.
    pub(crate) fn clear(&self, execution: u64) {
        let mut state = lock(&self.state);
        state.suspected.remove(&execution);
        let first = state.suspected.first().copied();
        self.suspected_from
            .store(first.unwrap_or(u64::MAX), Ordering::Relaxed);
        self.changed.notify_all();
    }

    /// Waits until the executions before this one are judged.
    pub(crate) fn wait(&self, execution: u64) {
        let mut state = lock(&self.state);
        while !state.closed && execution > self.suspected_from.load(Ordering::Relaxed) {
            state = self
                .changed
                .wait(state)
                .unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Returns the epoch and a worker's next executions; waits for the next epoch if none are left.
    pub(crate) fn take(&self) -> Option<(Arc<Epoch>, Range<u64>)> {
        let mut state = lock(&self.state);
        loop {
            if state.closed || state.next >= self.needless.load(Ordering::Relaxed) {
                return None;
            }
            if state.next < state.epoch.to {
                let from = state.next;
                state.next = self.end_of_chunk(&state.epoch, from);
                return Some((state.epoch.clone(), from..state.next));
            }
            state = self
                .changed
                .wait(state)
                .unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Returns the end of a chunk. A short epoch has small chunks, so that all workers get a share.
    fn end_of_chunk(&self, epoch: &Epoch, from: u64) -> u64 {
        let share = (epoch.to - epoch.from) / (4 * self.workers);
        (from + share.clamp(1, CHUNK)).min(epoch.to)
    }

    /// Runs executions, up to the first that has to wait.
    pub(crate) fn run(
        &self,
        explorer: &mut Explorer<'_>,
        program: &dyn Program,
        epoch: &Epoch,
        executions: Range<u64>,
    ) -> Chunk {
        let Range { start, end } = executions;
        let mut chunk = Chunk {
            from: start,
            to: end,
            contributions: Vec::with_capacity((end - start) as usize),
            is_last: false,
        };
        for execution in start..end {
            if execution > self.suspected_from.load(Ordering::Relaxed) && execution > start {
                chunk.to = execution;
                break;
            }
            if execution >= self.needless.load(Ordering::Relaxed) || explorer.is_late() {
                self.needless.fetch_min(execution, Ordering::Relaxed);
                chunk.is_last = true;
                break;
            }
            let contribution = explorer.run_turn(program, epoch.turn(execution));
            if contribution.is_suspected() {
                self.suspect(execution);
            } else if explorer.ends_with(&contribution) {
                self.needless.fetch_min(execution + 1, Ordering::Relaxed);
            }
            chunk.contributions.push(contribution);
        }
        chunk
    }
}
