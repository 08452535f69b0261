//! The executor of a production system: [`Executor`], tokio or a thread pool of the `futures` crate.
//!
//! The interface is narrow: spawning and aborting futures, and sleeping. Everything else, such as the
//! order in which actors run, is the task of the dispatcher.

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

use crate::panics::catch_panic;

#[derive(Clone)]
pub(crate) enum Executor {
    Tokio(Handle),
    #[cfg(feature = "futures")]
    Pool(ThreadPool),
}

impl Executor {
    /// Returns the number of futures that run at the same time.
    pub(crate) fn threads(&self) -> usize {
        match self {
            Self::Tokio(runtime) => runtime.metrics().num_workers(),
            // The default size of the pool; the pool does not report its size.
            #[cfg(feature = "futures")]
            Self::Pool(_) => std::thread::available_parallelism().map_or(1, usize::from),
        }
    }

    pub(crate) fn spawn(&self, future: impl Future<Output = ()> + Send + 'static) -> TaskHandle {
        match self {
            Self::Tokio(runtime) => TaskHandle::Tokio(runtime.spawn(future).abort_handle()),
            #[cfg(feature = "futures")]
            Self::Pool(pool) => {
                let (future, abort) = abortable(future);
                let alive = Arc::new(());
                let task = TaskHandle::Pool(abort, Arc::downgrade(&alive));
                pool.spawn_ok(async move {
                    let _ = future.await;
                    drop(alive);
                });
                task
            }
        }
    }

    /// Returns the runtime if its tasks move to another thread when one blocks in `block_in_place`.
    pub(crate) fn hands_over(&self) -> Option<&Handle> {
        match self {
            Self::Tokio(runtime) if runtime.runtime_flavor() != RuntimeFlavor::CurrentThread => {
                Some(runtime)
            }
            _ => None,
        }
    }

    /// Returns true for tokio, which has a LIFO slot: the future woken last runs on the waking thread,
    /// and a future that wakes itself runs again before timers and sockets.
    pub(crate) fn is_tokio(&self) -> bool {
        matches!(self, Self::Tokio(_))
    }

    pub(crate) fn blocking_threads(&self) -> Option<&Handle> {
        match self {
            Self::Tokio(runtime) => Some(runtime),
            #[cfg(feature = "futures")]
            Self::Pool(_) => None,
        }
    }

    /// Enters this executor, so that [`sleep`] reads its clock.
    pub(crate) fn enter(&self) -> Option<EnterGuard<'_>> {
        match self {
            Self::Tokio(runtime) => Some(runtime.enter()),
            #[cfg(feature = "futures")]
            Self::Pool(_) => None,
        }
    }
}

/// A spawned future.
#[derive(Clone)]
pub(crate) enum TaskHandle {
    Tokio(AbortHandle),
    #[cfg(feature = "futures")]
    Pool(PoolAbort, Weak<()>),
}

impl TaskHandle {
    /// Drops the future at its next `.await`.
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

/// Futures that are aborted together when this is dropped.
#[derive(Default)]
pub(crate) struct PoolTasks {
    tasks: Vec<TaskHandle>,
    /// The position of the next future to check for its end.
    next_check: usize,
}

/// The number of futures checked at each addition, which keeps the finished ones few at constant cost.
const CHECKS: usize = 2;

impl PoolTasks {
    pub(crate) fn add(&mut self, task: TaskHandle) {
        for _ in 0..CHECKS {
            match self.tasks.get(self.next_check).map(TaskHandle::is_finished) {
                Some(true) => drop(self.tasks.swap_remove(self.next_check)),
                Some(false) => self.next_check += 1,
                None => self.next_check = 0,
            }
        }
        self.tasks.push(task);
    }
}

impl Drop for PoolTasks {
    fn drop(&mut self) {
        self.tasks.iter().for_each(TaskHandle::abort);
    }
}

/// Waits, by tokio's clock if called within a tokio runtime.
///
/// # Panics
///
/// If there is neither a tokio runtime with a time driver nor the feature `futures`.
#[track_caller]
pub(crate) fn sleep(delay: Duration) -> ExecutorSleep {
    #[cfg(feature = "futures")]
    if Handle::try_current().is_err() {
        return ExecutorSleep::Thread(async_io::Timer::after(delay));
    }
    ExecutorSleep::Tokio(Box::pin(tokio::time::sleep(delay)))
}

pub(crate) enum ExecutorSleep {
    Tokio(Pin<Box<tokio::time::Sleep>>),
    #[cfg(feature = "futures")]
    Thread(async_io::Timer),
}

impl ExecutorSleep {
    /// Polls the sleep as a time limit. The limit also ends when the runtime whose clock it reads is
    /// dropped: nothing else would notify the waiter, and polling tokio's timer would panic.
    pub(crate) fn poll_limit(&mut self, task: &mut TaskContext<'_>) -> Poll<()> {
        match self {
            // Dropping a runtime elapses all its timers.
            Self::Tokio(sleep) if sleep.is_elapsed() => Poll::Ready(()),
            Self::Tokio(sleep) => {
                catch_panic(|| sleep.as_mut().poll(task)).unwrap_or(Poll::Ready(()))
            }
            #[cfg(feature = "futures")]
            Self::Thread(sleep) => Pin::new(sleep).poll(task).map(drop),
        }
    }
}

impl Future for ExecutorSleep {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, task: &mut TaskContext<'_>) -> Poll<()> {
        match &mut *self {
            Self::Tokio(sleep) => sleep.as_mut().poll(task),
            #[cfg(feature = "futures")]
            Self::Thread(sleep) => Pin::new(sleep).poll(task).map(drop),
        }
    }
}

/// Waits for the future up to a time limit; returns `None` after the limit, or if the runtime whose clock
/// is read is dropped. The delay counts from this call.
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

/// Periodic ticks, the first one a period after this call. Ticks that nobody awaited in time are skipped.
pub(crate) struct Ticks {
    period: Duration,
    /// The time of the next tick; `None` if it overflows.
    due: Option<Instant>,
    sleep: ExecutorSleep,
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
