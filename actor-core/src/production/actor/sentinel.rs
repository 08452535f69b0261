//! Detection of blocked workers, by a thread of the process: the sentinel.
//!
//! A handler may block its worker: it computes for long, blocks its thread, or is in tokio's
//! `block_in_place`, which moves tokio's other tasks to other threads, but not the worker, since that is
//! the task which blocks. Other workers steal most of the blocked queue; but they may all have parked
//! before there was anything to steal, or be blocked themselves. So while anything is queued, the
//! sentinel checks every few milliseconds that each queue makes progress. For one without progress it
//! wakes an idle worker, or, if there is none, it starts a [`Substitute`]. That is a task as any other,
//! and so runs on a free thread of the runtime: after a `block_in_place` there is one.
//!
//! Queueing an actor costs one relaxed load for this. On a current-thread runtime there is no sentinel,
//! since no other thread could take over.

use std::future::Future;
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Arc, Mutex, OnceLock};
use std::task::{Context as TaskContext, Poll};
use std::thread::{self, Thread};
use std::time::Duration;

use super::dispatcher::Dispatcher;
use crate::panics::lock;
use crate::production::host::slice;

/// The time between two checks.
const PERIOD: Duration = Duration::from_millis(2);

/// The systems whose queues may be non-empty.
static WATCHED: Mutex<Vec<WatchedQueues>> = Mutex::new(Vec::new());

/// `None` if the process can't start another thread: then there are no checks.
static SENTINEL: OnceLock<Option<Thread>> = OnceLock::new();

/// The sentinel's state for the queues of a system.
pub(in crate::production) struct SentinelState {
    /// True while the sentinel checks the queues.
    is_watched: AtomicBool,
    /// True from the start of a substitute until it finds an actor to run, or none.
    is_substituted: AtomicBool,
    /// The number of actors that substitutes have run.
    substitutes: AtomicU32,
}

impl SentinelState {
    /// Makes the state. If no checks are needed, it is as if the sentinel checked already.
    pub(in crate::production) fn new(is_needed: bool) -> Self {
        Self {
            is_watched: AtomicBool::new(!is_needed),
            is_substituted: AtomicBool::new(false),
            substitutes: AtomicU32::new(0),
        }
    }

    /// Returns true if the sentinel has to begin its checks: then the caller calls [`watch`].
    #[inline]
    pub(in crate::production) fn begins(&self) -> bool {
        // Relaxed: the sentinel checks once more after it was asked to begin.
        !self.is_watched.load(Ordering::Relaxed) && !self.is_watched.swap(true, Ordering::AcqRel)
    }
}

fn progress(queues: &Dispatcher) -> QueueProgress {
    QueueProgress {
        workers: queues.lives(),
        substitutes: queues.sentinel_state.substitutes.load(Ordering::Relaxed),
    }
}

/// Makes the sentinel check the queues of a system until they are empty.
#[cold]
pub(in crate::production) fn watch(queues: Arc<Dispatcher>) {
    lock(&WATCHED).push(WatchedQueues {
        queues,
        seen: None,
        released: false,
    });
    let start = || {
        let builder = thread::Builder::new().name("actor-sentinel".to_owned());
        let started = builder.spawn(check_for_ever);
        started.ok().map(|thread| thread.thread().clone())
    };
    if let Some(thread) = SENTINEL.get_or_init(start) {
        thread.unpark();
    }
}

fn check_for_ever() {
    loop {
        thread::sleep(PERIOD);
        // Outside the lock: another thread may hold it while it waits for a worker that is woken here.
        let mut watched = std::mem::take(&mut *lock(&WATCHED));
        watched.retain_mut(WatchedQueues::check);
        let mut all = lock(&WATCHED);
        all.append(&mut watched);
        if all.is_empty() {
            drop(all);
            thread::park();
        }
    }
}

struct WatchedQueues {
    queues: Arc<Dispatcher>,
    /// The progress at the last check.
    seen: Option<QueueProgress>,
    /// True if the queues were empty at the last check, so that a sender restarts the checks. A thread
    /// may have queued an actor just before, without seeing that; so one more check follows.
    released: bool,
}

/// The numbers of actors that each worker, and that all substitutes, have run.
#[derive(PartialEq, Eq)]
pub(in crate::production) struct QueueProgress {
    pub(in crate::production) workers: Vec<u32>,
    pub(in crate::production) substitutes: u32,
}

impl WatchedQueues {
    /// Checks the queues; returns true if they have to be checked again.
    fn check(&mut self) -> bool {
        let queues = &self.queues;
        let sentinel_state = &queues.sentinel_state;
        if queues.is_done() {
            return false;
        }
        match (queues.is_busy(), self.released) {
            (true, false) => {}
            // Otherwise the sentinel was asked to begin anew.
            (true, true) if !sentinel_state.is_watched.swap(true, Ordering::AcqRel) => {
                self.released = false;
            }
            (_, true) => return false,
            (false, false) => {
                self.released = true;
                self.seen = None;
                sentinel_state.is_watched.store(false, Ordering::Release);
                return true;
            }
        }
        let now = progress(queues);
        if let Some(before) = &self.seen
            && before.substitutes == now.substitutes
            && queues.is_stuck(before, &now)
            && !queues.wake_who_rests()
        {
            start_substitute(queues);
        }
        self.seen = Some(now);
        true
    }
}

fn start_substitute(queues: &Arc<Dispatcher>) {
    let Some(runtime) = &queues.runtime else {
        return;
    };
    if !queues
        .sentinel_state
        .is_substituted
        .swap(true, Ordering::AcqRel)
    {
        runtime.spawn(Substitute(queues.clone()));
    }
}

/// A task that runs queued actors while no worker does.
struct Substitute(Arc<Dispatcher>);

impl Substitute {
    fn work(&self, task: &mut TaskContext<'_>) -> Poll<()> {
        let Self(queues) = self;
        let _shift = slice::begin(true);
        let before = queues.lives();
        let sentinel_state = &queues.sentinel_state;
        while !queues.is_closed()
            && let Some(run) = queues.take_any()
        {
            sentinel_state.substitutes.fetch_add(1, Ordering::Relaxed);
            // The actor may block this thread, too.
            sentinel_state
                .is_substituted
                .store(false, Ordering::Release);
            run();
            if slice::is_over() {
                if queues.lives() != before {
                    return Poll::Ready(());
                }
                queues.defer_task(task);
                return Poll::Pending;
            }
        }
        Poll::Ready(())
    }
}

impl Future for Substitute {
    type Output = ();

    fn poll(self: Pin<&mut Self>, task: &mut TaskContext<'_>) -> Poll<()> {
        let poll = self.work(task);
        if poll.is_ready() {
            self.0
                .sentinel_state
                .is_substituted
                .store(false, Ordering::Release);
        }
        poll
    }
}
