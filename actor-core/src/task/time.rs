//! Timers of tasks: [`sleep`], [`timeout`] and [`interval`].

use std::fmt;
use std::future::{Future, IntoFuture, poll_fn};
use std::pin::Pin;
use std::task::{Context as TaskContext, Poll, ready};
use std::time::Duration;

use pin_project_lite::pin_project;
use tokio::time::Instant;

use crate::environment;
use crate::seam::{self, Purpose};

fn begin(delay: Duration, purpose: Purpose) -> environment::ClockSleep {
    environment::sleep(!seam::is_controlled(), delay, purpose)
}

/// Waits for a duration, in virtual time under test. The wait begins now, not at the first poll.
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
/// The future may be polled by another task, thread or actor than its creator. Dropping it cancels the wait.
///
/// # Panics
///
/// In production, outside a tokio runtime unless the crate's feature `futures` is on, or on a runtime without
/// a time driver.
pub fn sleep(delay: Duration) -> Sleep {
    Sleep(begin(delay, Purpose::Sleep))
}

/// The future of [`sleep`].
#[must_use = "futures do nothing unless they are awaited"]
pub struct Sleep(environment::ClockSleep);

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

/// Awaits a future with a time limit, in virtual time under test. The time begins now.
///
/// If both are ready, the future wins. At the time limit the future is dropped at its `.await`.
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
/// [`Elapsed`], if the future is not ready in time, or if the runtime was dropped whose clock is used.
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
    /// The future of [`timeout`].
    #[must_use = "futures do nothing unless they are awaited"]
    pub struct Timeout<F> {
        #[pin]
        future: F,
        limit: environment::ClockSleep,
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

/// The error of a [`timeout`]: the future was not ready in time.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Elapsed(());

impl fmt::Display for Elapsed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the time is over")
    }
}

impl std::error::Error for Elapsed {}

/// Creates an interval that ticks at once, and then once in each period, in virtual time under test.
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
/// A task or a thread that awaits only ticks and channels does not keep an execution alive, which ends after
/// three rounds of only ticks and periodic timers, if no obligation is pending.
///
/// # Panics
///
/// If the period is zero; and as [`sleep`].
#[track_caller]
pub fn interval(period: Duration) -> Interval {
    assert!(!period.is_zero(), "an interval has a period above zero");
    Interval {
        period,
        missed: MissedTickBehavior::Burst,
        due: TickTimer::begin(Duration::ZERO),
    }
}

/// A source of periodic ticks; see [`interval`].
#[derive(Debug)]
pub struct Interval {
    period: Duration,
    missed: MissedTickBehavior,
    due: TickTimer,
}

impl Interval {
    /// Waits for the next tick. If the future is dropped before, no tick is lost.
    pub async fn tick(&mut self) {
        poll_fn(|task| self.poll_tick(task)).await;
    }

    /// As [`tick`](Self::tick), as a single poll.
    pub fn poll_tick(&mut self, task: &mut TaskContext<'_>) -> Poll<()> {
        ready!(Pin::new(&mut self.due.sleep).poll(task));
        let late = self.due.late();
        self.due.go_on(late, self.missed.next(late, self.period));
        Poll::Ready(())
    }

    /// Restarts the interval: the next tick comes a period from now.
    pub fn reset(&mut self) {
        self.due = TickTimer::begin(self.period);
    }

    /// Sets the treatment of missed ticks.
    pub fn set_missed_tick_behavior(&mut self, behavior: MissedTickBehavior) {
        self.missed = behavior;
    }

    /// The period of the interval.
    pub fn period(&self) -> Duration {
        self.period
    }
}

/// The treatment of missed ticks, which came while nobody waited.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum MissedTickBehavior {
    /// Catch up: missed ticks come at once, one after the other.
    #[default]
    Burst,
    /// One tick comes at once, and the next a period later.
    Delay,
    /// One tick comes at once, and the next at a multiple of the period, counted from the first.
    Skip,
}

impl MissedTickBehavior {
    /// Returns the time from the deadline of the current, late tick to the deadline of the next.
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

struct TickTimer {
    sleep: environment::ClockSleep,
    /// The deadline, in production.
    at: Option<Instant>,
    /// The delay that had already passed when the wait began, under test.
    behind: Duration,
}

impl TickTimer {
    fn begin(delay: Duration) -> Self {
        let is_live = !seam::is_controlled();
        Self {
            sleep: begin(delay, Purpose::Tick),
            at: is_live.then(|| later(Instant::now(), delay)),
            behind: Duration::ZERO,
        }
    }

    fn late(&self) -> Duration {
        match self.at {
            Some(at) => at.elapsed(),
            None => self.behind + self.sleep.lateness(),
        }
    }

    /// Sets the timer for a tick that is due `next` after the current one, which came `late`.
    fn go_on(&mut self, late: Duration, next: Duration) {
        *self = Self {
            sleep: begin(next.saturating_sub(late), Purpose::Tick),
            at: self.at.map(|at| later(at, next)),
            behind: late.saturating_sub(next),
        };
    }
}

/// Returns the sum; a far future time if it overflows.
fn later(at: Instant, by: Duration) -> Instant {
    const NEVER: Duration = Duration::from_secs(1 << 30);
    at.checked_add(by).unwrap_or_else(|| at + NEVER)
}

impl fmt::Debug for TickTimer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Due").finish_non_exhaustive()
    }
}
