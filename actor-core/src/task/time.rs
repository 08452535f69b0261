//! Time in tasks: [`sleep`], [`timeout`] and [`interval`].

use std::fmt;
use std::future::{Future, IntoFuture, poll_fn};
use std::pin::Pin;
use std::task::{Context as TaskContext, Poll, ready};
use std::time::Duration;

use pin_project_lite::pin_project;
use tokio::time::Instant;

use crate::environment;
use crate::runtime::{self, Purpose};

fn begin(delay: Duration, purpose: Purpose) -> environment::Sleep {
    environment::sleep(!runtime::is_controlled(), delay, purpose)
}

/// Waits for some time: virtual time, under test. It begins now, not when it is polled.
///
/// ```
/// use std::time::Duration;
///
/// use actor_core::task;
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() {
/// task::sleep(Duration::from_millis(1)).await;
/// # }
/// ```
///
/// It may be polled by another task, thread or actor than the one that has begun it. To drop it ends it.
///
/// # Panics
///
/// In production, outside a tokio runtime unless the crate's feature `futures` is on, or on a runtime without
/// a time driver.
pub fn sleep(delay: Duration) -> Sleep {
    Sleep(begin(delay, Purpose::Sleep))
}

/// A wait for some time; see [`sleep`].
#[must_use = "futures do nothing unless they are awaited"]
pub struct Sleep(environment::Sleep);

impl Future for Sleep {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, task: &mut TaskContext<'_>) -> Poll<()> {
        Pin::new(&mut self.0).poll(task)
    }
}

impl fmt::Debug for Sleep {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Sleep").finish_non_exhaustive()
    }
}

/// Awaits a future for some time at most: virtual time, under test. The time begins now.
///
/// Where both are ready, the future comes first. A future that is dropped, since the time is over, ends where
/// it awaits.
///
/// ```
/// use std::time::Duration;
///
/// use actor_core::task;
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() {
/// let limit = Duration::from_millis(1);
/// assert_eq!(task::timeout(limit, async { 7 }).await, Ok(7));
/// assert!(task::timeout(limit, std::future::pending::<()>()).await.is_err());
/// # }
/// ```
///
/// # Errors
///
/// [`Elapsed`], where the future is not ready by then, or the runtime was dropped whose clock it reads.
///
/// # Panics
///
/// As [`sleep`].
pub fn timeout<F: IntoFuture>(limit: Duration, future: F) -> Timeout<F::IntoFuture> {
    Timeout {
        future: future.into_future(),
        limit: begin(limit, Purpose::Limit),
    }
}

pin_project! {
    /// A future that is awaited for some time at most; see [`timeout`].
    #[must_use = "futures do nothing unless they are awaited"]
    pub struct Timeout<F> {
        #[pin]
        future: F,
        limit: environment::Sleep,
    }
}

impl<F: Future> Future for Timeout<F> {
    type Output = Result<F::Output, Elapsed>;

    fn poll(self: Pin<&mut Self>, task: &mut TaskContext<'_>) -> Poll<Self::Output> {
        let this = self.project();
        match this.future.poll(task) {
            Poll::Ready(output) => Poll::Ready(Ok(output)),
            Poll::Pending => this.limit.poll_limit(task).map(|()| Err(Elapsed(()))),
        }
    }
}

impl<F> fmt::Debug for Timeout<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Timeout").finish_non_exhaustive()
    }
}

/// A future was not ready within its [time](timeout).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Elapsed(());

impl fmt::Display for Elapsed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the time is over")
    }
}

impl std::error::Error for Elapsed {}

/// Ticks again and again: at once, and then once in each period. Under test the time is virtual.
///
/// ```
/// use std::time::Duration;
///
/// use actor_core::task;
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() {
/// let mut ticks = task::interval(Duration::from_millis(1));
/// ticks.tick().await; // at once
/// ticks.tick().await; // a millisecond later
/// # }
/// ```
///
/// # Under test
///
/// A task or a thread that awaits nothing but ticks, and news on channels, is no reason for an execution to go
/// on: it ends where for three rounds nothing but ticks and periodic timers has come, and nothing is owed.
///
/// # Panics
///
/// Where the period is zero; and as [`sleep`].
#[track_caller]
pub fn interval(period: Duration) -> Interval {
    assert!(!period.is_zero(), "an interval has a period above zero");
    Interval {
        period,
        missed: MissedTickBehavior::Burst,
        due: Due::begin(Duration::ZERO),
    }
}

/// Ticks; see [`interval`].
#[derive(Debug)]
pub struct Interval {
    period: Duration,
    missed: MissedTickBehavior,
    due: Due,
}

impl Interval {
    /// Waits for the next tick. Where it is dropped before, the tick comes the next time.
    pub async fn tick(&mut self) {
        poll_fn(|task| self.poll_tick(task)).await;
    }

    /// As [`tick`](Self::tick), once.
    pub fn poll_tick(&mut self, task: &mut TaskContext<'_>) -> Poll<()> {
        ready!(Pin::new(&mut self.due.sleep).poll(task));
        let late = self.due.late();
        self.due.go_on(late, self.missed.next(late, self.period));
        Poll::Ready(())
    }

    /// The next tick comes a period from now.
    pub fn reset(&mut self) {
        self.due = Due::begin(self.period);
    }

    /// What becomes of ticks for which nobody has waited in time.
    pub fn set_missed_tick_behavior(&mut self, behavior: MissedTickBehavior) {
        self.missed = behavior;
    }

    /// How long it is from tick to tick.
    pub fn period(&self) -> Duration {
        self.period
    }
}

/// What becomes of ticks for which nobody has waited in time.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum MissedTickBehavior {
    /// They come at once, one after the other, until none is missing.
    #[default]
    Burst,
    /// One comes at once, and the next a period later.
    Delay,
    /// One comes at once, and the next at a multiple of the period, counted from the first.
    Skip,
}

impl MissedTickBehavior {
    /// How long after the tick that is due, and comes so late, the next one is due.
    fn next(self, late: Duration, period: Duration) -> Duration {
        match self {
            Self::Burst => period,
            Self::Delay => late.saturating_add(period),
            Self::Skip => {
                let missed = late.as_nanos() / period.as_nanos();
                let periods = u32::try_from(missed).unwrap_or(u32::MAX).saturating_add(1);
                period.saturating_mul(periods)
            }
        }
    }
}

/// The next tick.
struct Due {
    sleep: environment::Sleep,
    /// When it is due, in production.
    at: Option<Instant>,
    /// How long ago it was due when the wait for it began, under test.
    behind: Duration,
}

impl Due {
    fn begin(delay: Duration) -> Self {
        let is_live = !runtime::is_controlled();
        Self {
            sleep: begin(delay, Purpose::Tick),
            at: is_live.then(|| later(Instant::now(), delay)),
            behind: Duration::ZERO,
        }
    }

    /// How long ago it was due.
    fn late(&self) -> Duration {
        match self.at {
            Some(at) => at.elapsed(),
            None => self.behind + self.sleep.overslept(),
        }
    }

    /// The next one is due so long after this one, which has come late.
    fn go_on(&mut self, late: Duration, next: Duration) {
        *self = Self {
            sleep: begin(next.saturating_sub(late), Purpose::Tick),
            at: self.at.map(|at| later(at, next)),
            behind: late.saturating_sub(next),
        };
    }
}

/// That time, or as good as never.
fn later(at: Instant, by: Duration) -> Instant {
    const NEVER: Duration = Duration::from_secs(1 << 30);
    at.checked_add(by).unwrap_or_else(|| at + NEVER)
}

impl fmt::Debug for Due {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Due").finish_non_exhaustive()
    }
}
