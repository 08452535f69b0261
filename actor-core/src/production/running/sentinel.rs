//! Workers that don't come back: a thread of the process looks for what waits behind them.
//!
//! A handler may keep its worker: it computes for long, blocks its thread, or is in tokio's
//! `block_in_place`, which lets tokio's other tasks go on elsewhere, but not the worker, since that is
//! the task which blocks. Most of what it keeps others steal; but they may all have gone to rest before
//! there was anything to steal, or be kept themselves. So while anything is queued, the sentinel looks
//! every few milliseconds whether each queue is worked off. Where one is not, it wakes a worker that
//! rests, and where none does, it starts a [`Substitute`]. That is a task as any other, and so runs where
//! a thread of the runtime is free: after a `block_in_place` one is.
//!
//! An actor pays one relaxed load for it when it is queued. There is nothing to look for on a
//! current-thread runtime, where nothing can take over.

use std::future::Future;
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Arc, Mutex, OnceLock};
use std::task::{Context as TaskContext, Poll};
use std::thread::{self, Thread};
use std::time::Duration;

use tokio::runtime::Handle;

use crate::production::host::{lock, slice};

/// Between two looks.
const PERIOD: Duration = Duration::from_millis(2);

/// Those in whose queues something may wait.
static WATCHED: Mutex<Vec<Watched>> = Mutex::new(Vec::new());

/// `None` where the process can have no more threads: then nobody looks.
static SENTINEL: OnceLock<Option<Thread>> = OnceLock::new();

/// The run queues of a system, as the sentinel sees them.
pub(in crate::production) trait Queues: Send + Sync {
    /// Where substitutes run; `None` where none is of use.
    fn runtime(&self) -> Option<&Handle>;
    /// What the sentinel keeps beside them.
    fn vigil(&self) -> &Vigil;
    /// Nothing is run any more, nor will be.
    fn is_done(&self) -> bool;
    /// The runtime is gone.
    fn is_closed(&self) -> bool;
    /// There is something to run.
    fn has_work(&self) -> bool;
    /// How many lives each worker has run.
    fn lives(&self) -> Vec<u32>;
    /// Something is queued by a worker that has run nothing since, or for all, and nobody has.
    fn is_stuck(&self, before: &Progress, now: &Progress) -> bool;
    /// Wakes the workers that let others run, and one that has nothing to do; `false` where there is none.
    fn wake_who_rests(&self) -> bool;
    /// Takes a life out of any queue, to be run by calling what this returns.
    fn take_any(&self) -> Option<Box<dyn FnOnce()>>;
    /// Has a task run again when the driver of the runtime has run.
    fn defer(&self, task: &mut TaskContext<'_>);
}

/// What the sentinel keeps beside the queues of a system.
pub(in crate::production) struct Vigil {
    /// The sentinel looks at the queues.
    is_watched: AtomicBool,
    /// A substitute was started and has not found out yet whether there is anything to run.
    is_substituted: AtomicBool,
    /// How many lives substitutes have run.
    substitutes: AtomicU32,
}

impl Vigil {
    /// As if somebody looked already, where there is nothing to look for.
    pub(in crate::production) fn new(is_needed: bool) -> Self {
        Self {
            is_watched: AtomicBool::new(!is_needed),
            is_substituted: AtomicBool::new(false),
            substitutes: AtomicU32::new(0),
        }
    }

    /// Whether somebody looks already. If not, the caller has the sentinel [`watch`].
    #[inline]
    pub(in crate::production) fn begins(&self) -> bool {
        // Relaxed: it looks once more after it was told to begin.
        !self.is_watched.load(Ordering::Relaxed) && !self.is_watched.swap(true, Ordering::AcqRel)
    }
}

fn progress(queues: &dyn Queues) -> Progress {
    Progress {
        workers: queues.lives(),
        substitutes: queues.vigil().substitutes.load(Ordering::Relaxed),
    }
}

/// Looks at the queues of a system until they are empty.
#[cold]
pub(in crate::production) fn watch(queues: Arc<dyn Queues>) {
    lock(&WATCHED).push(Watched {
        queues,
        seen: None,
        released: false,
    });
    let start = || {
        let builder = thread::Builder::new().name("actor-sentinel".to_owned());
        let started = builder.spawn(look_for_ever);
        started.ok().map(|thread| thread.thread().clone())
    };
    if let Some(thread) = SENTINEL.get_or_init(start) {
        thread.unpark();
    }
}

fn look_for_ever() {
    loop {
        thread::sleep(PERIOD);
        // Not under the lock: a worker that is woken may be what another thread has to wait for.
        let mut watched = std::mem::take(&mut *lock(&WATCHED));
        watched.retain_mut(Watched::look);
        let mut all = lock(&WATCHED);
        all.append(&mut watched);
        if all.is_empty() {
            drop(all);
            thread::park();
        }
    }
}

struct Watched {
    queues: Arc<dyn Queues>,
    /// What the workers had done at the last look.
    seen: Option<Progress>,
    /// Nothing was queued at the last look, and whoever queues something watches anew. A thread may
    /// have queued something just before without seeing that: so there is one look more.
    released: bool,
}

/// How many lives each worker has run, and how many the substitutes have.
#[derive(PartialEq, Eq)]
pub(in crate::production) struct Progress {
    pub(in crate::production) workers: Vec<u32>,
    pub(in crate::production) substitutes: u32,
}

impl Watched {
    /// Tells whether to look again.
    fn look(&mut self) -> bool {
        let queues = &self.queues;
        let vigil = queues.vigil();
        if queues.is_done() {
            return false;
        }
        match (queues.has_work(), self.released) {
            (true, false) => {}
            // Else somebody watches anew.
            (true, true) if !vigil.is_watched.swap(true, Ordering::AcqRel) => {
                self.released = false;
            }
            (_, true) => return false,
            (false, false) => {
                self.released = true;
                self.seen = None;
                vigil.is_watched.store(false, Ordering::Release);
                return true;
            }
        }
        let now = progress(&**queues);
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

fn start_substitute(queues: &Arc<dyn Queues>) {
    let Some(runtime) = queues.runtime() else {
        return;
    };
    if !queues.vigil().is_substituted.swap(true, Ordering::AcqRel) {
        runtime.spawn(Substitute(queues.clone()));
    }
}

/// Runs what is queued while no worker does.
struct Substitute(Arc<dyn Queues>);

impl Substitute {
    fn work(&self, task: &mut TaskContext<'_>) -> Poll<()> {
        let Self(queues) = self;
        let _shift = slice::begin(true);
        let before = queues.lives();
        let vigil = queues.vigil();
        while !queues.is_closed()
            && let Some(run) = queues.take_any()
        {
            vigil.substitutes.fetch_add(1, Ordering::Relaxed);
            // It may not come back either.
            vigil.is_substituted.store(false, Ordering::Release);
            run();
            if slice::is_over() {
                if queues.lives() != before {
                    return Poll::Ready(());
                }
                queues.defer(task);
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
                .vigil()
                .is_substituted
                .store(false, Ordering::Release);
        }
        poll
    }
}
