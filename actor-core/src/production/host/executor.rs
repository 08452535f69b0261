//! What runs a production system: [`Executor`], the seam between it and tokio, or a thread pool of
//! the `futures` crate.
//!
//! It is narrow: futures are spawned and aborted, and time passes. Everything else, the order in
//! which actors run included, is the [dispatcher](crate::production::running::dispatcher)'s.

use std::future::{self, Future, poll_fn};
use std::pin::{Pin, pin};
#[cfg(feature = "futures")]
use std::sync::{Arc, Weak};
use std::task::{Context as TaskContext, Poll};
use std::time::Duration;

#[cfg(feature = "futures")]
use futures_executor::ThreadPool;
#[cfg(feature = "futures")]
use futures_util::future::{AbortHandle as PoolAbort, abortable};
use tokio::runtime::{EnterGuard, Handle, RuntimeFlavor};
use tokio::task::AbortHandle;
use tokio::time::Instant;

use crate::contained::contained;

/// What runs a system.
#[derive(Clone)]
pub(crate) enum Executor {
    Tokio(Handle),
    #[cfg(feature = "futures")]
    Pool(ThreadPool),
}

impl Executor {
    /// How many futures it runs at a time.
    pub(crate) fn threads(&self) -> usize {
        match self {
            Self::Tokio(runtime) => runtime.metrics().num_workers(),
            // As many as the pool starts unless it is told otherwise; it does not say.
            #[cfg(feature = "futures")]
            Self::Pool(_) => std::thread::available_parallelism().map_or(1, usize::from),
        }
    }

    pub(crate) fn spawn(&self, future: impl Future<Output = ()> + Send + 'static) -> Task {
        match self {
            Self::Tokio(runtime) => Task::Tokio(runtime.spawn(future).abort_handle()),
            #[cfg(feature = "futures")]
            Self::Pool(pool) => {
                let (future, abort) = abortable(future);
                let alive = Arc::new(());
                let task = Task::Pool(abort, Arc::downgrade(&alive));
                pool.spawn_ok(async move {
                    let _ = future.await;
                    drop(alive);
                });
                task
            }
        }
    }

    /// The runtime where tasks go on elsewhere if a thread blocks in `block_in_place`.
    pub(crate) fn hands_over(&self) -> Option<&Handle> {
        match self {
            Self::Tokio(runtime) if runtime.runtime_flavor() != RuntimeFlavor::CurrentThread => {
                Some(runtime)
            }
            _ => None,
        }
    }

    /// It keeps the future that was woken last for the thread that has woken it, and runs one that wakes
    /// itself again before timers and sockets.
    pub(crate) fn is_tokio(&self) -> bool {
        matches!(self, Self::Tokio(_))
    }

    /// Who keeps threads for what blocks, if it does.
    pub(crate) fn blocking_threads(&self) -> Option<&Handle> {
        match self {
            Self::Tokio(runtime) => Some(runtime),
            #[cfg(feature = "futures")]
            Self::Pool(_) => None,
        }
    }

    /// Makes this the executor whose clock [`sleep`] reads.
    pub(crate) fn enter(&self) -> Option<EnterGuard<'_>> {
        match self {
            Self::Tokio(runtime) => Some(runtime.enter()),
            #[cfg(feature = "futures")]
            Self::Pool(_) => None,
        }
    }
}

/// A future that was spawned.
#[derive(Clone)]
pub(crate) enum Task {
    Tokio(AbortHandle),
    #[cfg(feature = "futures")]
    Pool(PoolAbort, Weak<()>),
}

impl Task {
    /// The future is dropped at its next `.await`.
    pub(crate) fn abort(&self) {
        match self {
            Self::Tokio(task) => task.abort(),
            #[cfg(feature = "futures")]
            Self::Pool(task, _) => task.abort(),
        }
    }

    fn is_finished(&self) -> bool {
        match self {
            Self::Tokio(task) => task.is_finished(),
            #[cfg(feature = "futures")]
            Self::Pool(_, alive) => alive.strong_count() == 0,
        }
    }
}

/// Futures that are aborted together, when this is dropped.
#[derive(Default)]
pub(crate) struct Tasks {
    tasks: Vec<Task>,
    /// Up to here it was looked who is finished.
    looked: usize,
}

/// At how many futures it is looked for each that is added: so those that are finished never become
/// many more than those that are not, and none that is added waits for a look at all others.
const LOOKS: usize = 2;

impl Tasks {
    pub(crate) fn add(&mut self, task: Task) {
        for _ in 0..LOOKS {
            match self.tasks.get(self.looked).map(Task::is_finished) {
                Some(true) => drop(self.tasks.swap_remove(self.looked)),
                Some(false) => self.looked += 1,
                None => self.looked = 0,
            }
        }
        self.tasks.push(task);
    }
}

impl Drop for Tasks {
    fn drop(&mut self) {
        self.tasks.iter().for_each(Task::abort);
    }
}

/// Waits, by tokio's clock where it is called within a tokio runtime.
///
/// # Panics
///
/// Where there is neither a tokio runtime with a time driver nor the feature `futures`.
#[track_caller]
pub(crate) fn sleep(delay: Duration) -> Sleep {
    #[cfg(feature = "futures")]
    if Handle::try_current().is_err() {
        return Sleep::Thread(async_io::Timer::after(delay));
    }
    Sleep::Tokio(Box::pin(tokio::time::sleep(delay)))
}

/// See [`sleep`].
pub(crate) enum Sleep {
    Tokio(Pin<Box<tokio::time::Sleep>>),
    #[cfg(feature = "futures")]
    Thread(async_io::Timer),
}

impl Sleep {
    /// As [`poll`](Future::poll), for a limit to how long something is awaited: it is over as well where
    /// the runtime was dropped whose clock it reads. Nothing would tell its end, and tokio's timer panics
    /// where it is polled then.
    pub(crate) fn poll_limit(&mut self, task: &mut TaskContext<'_>) -> Poll<()> {
        match self {
            // A runtime that is dropped has all its timers elapse.
            Self::Tokio(sleep) if sleep.is_elapsed() => Poll::Ready(()),
            Self::Tokio(sleep) => {
                contained(|| sleep.as_mut().poll(task)).unwrap_or(Poll::Ready(()))
            }
            #[cfg(feature = "futures")]
            Self::Thread(sleep) => Pin::new(sleep).poll(task).map(drop),
        }
    }
}

impl Future for Sleep {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, task: &mut TaskContext<'_>) -> Poll<()> {
        match &mut *self {
            Self::Tokio(sleep) => sleep.as_mut().poll(task),
            #[cfg(feature = "futures")]
            Self::Thread(sleep) => Pin::new(sleep).poll(task).map(drop),
        }
    }
}

/// Waits for the future, but no longer than so; `None` where it took longer, or the runtime was dropped
/// whose clock is read. The delay counts from this call.
pub(crate) fn within<F: Future>(
    delay: Duration,
    future: F,
) -> impl Future<Output = Option<F::Output>> {
    let mut sleep = sleep(delay);
    async move {
        let mut future = pin!(future);
        poll_fn(|task| match future.as_mut().poll(task) {
            Poll::Ready(output) => Poll::Ready(Some(output)),
            Poll::Pending => sleep.poll_limit(task).map(|()| None),
        })
        .await
    }
}

/// Ticks after each period, the first of which begins with this call. Ticks that nobody awaited in
/// time are skipped.
pub(crate) struct Ticks {
    period: Duration,
    /// `None` where that is past all time.
    due: Option<Instant>,
    sleep: Sleep,
}

impl Ticks {
    pub(crate) fn new(period: Duration) -> Self {
        Self {
            period,
            due: Instant::now().checked_add(period),
            sleep: sleep(period),
        }
    }

    pub(crate) async fn next(&mut self) {
        (&mut self.sleep).await;
        let now = Instant::now();
        let Some(due) = self.due else {
            return future::pending().await;
        };
        let late = now.saturating_duration_since(due);
        let missed = late.as_nanos() / self.period.as_nanos();
        let missed = u32::try_from(missed).unwrap_or(u32::MAX - 1);
        let passed = self.period.saturating_mul(missed + 1);
        self.due = due.checked_add(passed);
        let next = self.due.map(|due| due.saturating_duration_since(now));
        self.sleep = sleep(next.unwrap_or(Duration::MAX));
    }
}
