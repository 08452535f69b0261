//! Timers: the handle of an armed timer, and `sleep`.

use std::fmt;
use std::future::Future;
use std::hash::Hasher;
use std::panic::{RefUnwindSafe, UnwindSafe};
use std::pin::Pin;
use std::task::{Context as TaskContext, Poll};
use std::time::Duration;

use crate::fingerprint::{Fingerprint, Fingerprinter};
use crate::production::{self, LiveTimer};
use crate::seam::{self, Action, Awaited, Dropped, Purpose, Query, TimerId};

/// An armed timer, as returned by [`Context::after`](crate::Context::after),
/// [`Context::every`](crate::Context::every) and [`TimerBuilder`](crate::TimerBuilder), for
/// [`Context::cancel`](crate::Context::cancel). Dropping it leaves the timer armed.
#[derive(Clone)]
pub struct Timer(Inner);

#[derive(Clone, Debug)]
enum Inner {
    Live(LiveTimer),
    Controlled(TimerId),
}

/// Under test, shows the timer's number in the execution, which is the same in every run of a schedule.
impl fmt::Debug for Timer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Inner::Live(_) => f.write_str("Timer"),
            Inner::Controlled(id) => write!(f, "Timer({})", id.index),
        }
    }
}

// A timer handle is only an identifier, which a panic cannot leave in an inconsistent state.
impl UnwindSafe for Timer {}
impl RefUnwindSafe for Timer {}

impl Timer {
    pub(crate) fn controlled(id: TimerId) -> Self {
        Self(Inner::Controlled(id))
    }

    pub(crate) fn live(timer: LiveTimer) -> Self {
        Self(Inner::Live(timer))
    }

    pub(crate) fn cancel(self) {
        match self.0 {
            Inner::Live(timer) => timer.cancel(),
            Inner::Controlled(id) => seam::act(Action::Cancel(id)),
        }
    }
}

impl Timer {
    /// Returns the position of the timer among its owner's timers under test; zero once the timer is over.
    pub(crate) fn fingerprint_position(&self) -> u64 {
        match &self.0 {
            Inner::Live(_) => 0,
            Inner::Controlled(id) => seam::try_query(|to| Query::TimerMark(*id, to)),
        }
    }
}

/// Under test, the timer's position among its owner's timers, while it is armed or its event is unread.
impl Fingerprint for Timer {
    fn fingerprint(&self, to: &mut Fingerprinter) {
        to.write_u64(self.fingerprint_position());
    }
}

pub(crate) fn sleep(live: bool, delay: Duration, purpose: Purpose) -> ClockSleep {
    if live {
        ClockSleep::Live(production::sleep(delay))
    } else {
        ClockSleep::Controlled(seam::arm(delay, purpose, None))
    }
}

pub(crate) enum ClockSleep {
    Live(production::ExecutorSleep),
    Controlled(TimerId),
}

impl ClockSleep {
    /// As [`poll`](Future::poll), for the time limit of another wait. The end of the runtime ends it as well.
    pub(crate) fn poll_limit(&mut self, task: &mut TaskContext<'_>) -> Poll<()> {
        match self {
            Self::Live(sleep) => sleep.poll_limit(task),
            Self::Controlled(id) => slept(id, task),
        }
    }
}

impl ClockSleep {
    /// Under test, for a sleep that is over: returns how much earlier the sleep may have ended.
    pub(crate) fn lateness(&self) -> Duration {
        match self {
            Self::Live(_) => Duration::ZERO,
            Self::Controlled(id) => seam::query(|to| Query::TimePastDeadline(*id, to)),
        }
    }
}

impl Future for ClockSleep {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, task: &mut TaskContext<'_>) -> Poll<()> {
        match &mut *self {
            Self::Live(sleep) => Pin::new(sleep).poll(task),
            Self::Controlled(id) => slept(id, task),
        }
    }
}

fn slept(timer: &mut TimerId, task: &TaskContext<'_>) -> Poll<()> {
    seam::with(|rt| rt.poll(Awaited::Sleep(timer), task.waker()))
}

impl Drop for ClockSleep {
    fn drop(&mut self) {
        if let Self::Controlled(id) = self {
            seam::dropped(Dropped::Sleep(*id));
        }
    }
}
