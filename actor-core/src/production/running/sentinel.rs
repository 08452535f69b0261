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
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, OnceLock};
use std::task::{Context as TaskContext, Poll};
use std::thread::{self, Thread};
use std::time::Duration;

use super::dispatcher::Dispatcher;
use crate::contained::contained;
use crate::production::host::{lock, slice};

/// Between two looks.
const PERIOD: Duration = Duration::from_millis(2);

/// Those in whose queues something may wait.
static WATCHED: Mutex<Vec<Watched>> = Mutex::new(Vec::new());

/// `None` where the process can have no more threads: then nobody looks.
static SENTINEL: OnceLock<Option<Thread>> = OnceLock::new();

/// Looks at the queues of a dispatcher until they are empty.
#[cold]
pub(in crate::production) fn watch(dispatcher: Arc<Dispatcher>) {
    lock(&WATCHED).push(Watched {
        dispatcher,
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
    dispatcher: Arc<Dispatcher>,
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
        let dispatcher = &self.dispatcher;
        if dispatcher.is_closed() || dispatcher.is_over() {
            return false;
        }
        match (dispatcher.has_work(), self.released) {
            (true, false) => {}
            // Else somebody watches anew.
            (true, true) if !dispatcher.is_watched.swap(true, Ordering::AcqRel) => {
                self.released = false;
            }
            (_, true) => return false,
            (false, false) => {
                self.released = true;
                self.seen = None;
                dispatcher.is_watched.store(false, Ordering::Release);
                return true;
            }
        }
        let now = dispatcher.progress();
        if let Some(before) = &self.seen
            && before.substitutes == now.substitutes
            && dispatcher.is_stuck(before, &now)
            && !dispatcher.wake_who_rests()
        {
            start_substitute(dispatcher);
        }
        self.seen = Some(now);
        true
    }
}

fn start_substitute(dispatcher: &Arc<Dispatcher>) {
    let Some(runtime) = &dispatcher.runtime else {
        return;
    };
    if !dispatcher.is_substituted.swap(true, Ordering::AcqRel) {
        runtime.spawn(Substitute(dispatcher.clone()));
    }
}

/// Runs what is queued while no worker does.
struct Substitute(Arc<Dispatcher>);

impl Substitute {
    fn work(&self, task: &mut TaskContext<'_>) -> Poll<()> {
        let Self(dispatcher) = self;
        let _shift = slice::begin(true);
        let before = dispatcher.progress().workers;
        while !dispatcher.is_closed()
            && let Some(life) = dispatcher.take_any()
        {
            dispatcher.substitutes.fetch_add(1, Ordering::Relaxed);
            // It may not come back either.
            dispatcher.is_substituted.store(false, Ordering::Release);
            drop(contained(|| life.run()));
            if slice::is_over() {
                if dispatcher.progress().workers != before {
                    return Poll::Ready(());
                }
                dispatcher.defer(task);
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
            self.0.is_substituted.store(false, Ordering::Release);
        }
        poll
    }
}
